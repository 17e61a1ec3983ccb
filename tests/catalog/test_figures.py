"""The figures that are in the package: sorted, sane, and with a source."""

from datetime import date
from decimal import Decimal

import pytest

from ore.ext.catalog import Catalog, Listing
from ore.models import ModelInfo, Price, PriceTier

LISTING = Listing()
CATALOG = Catalog()
MODELS = CATALOG.search()
ABILITIES = frozenset(
    [
        *("tools", "thinking", "structured_output", "temperature", "vision", "audio", "video", "files"),
        *("image_output", "audio_output"),
    ]
)


def name(info: ModelInfo) -> str:
    return f"{info.provider}:{info.name}"


def rates_of(price: Price | None) -> list[Price | PriceTier]:
    return [price, *price.tiers] if price else []


def amounts(price: Price) -> list[Decimal]:
    rates = rates_of(price)
    found = [rate.input_usd for rate in rates] + [rate.output_usd for rate in rates]
    found += [rate.cache_read_usd for rate in rates] + [rate.cache_write_usd for rate in rates]
    return [amount for amount in found if amount is not None]


@pytest.mark.requirement("D-catalog-data")
def test_the_vendors_that_ore_speaks_to_are_there() -> None:
    assert {"anthropic", "google", "minimax", "openai", "openrouter"} <= {*LISTING.providers}
    assert len(MODELS) > 500
    assert len([info for info in MODELS if info.price and info.window]) > len(MODELS) * 0.7


@pytest.mark.requirement("D-catalog-data")
def test_every_figure_has_a_source_and_a_day() -> None:
    assert CATALOG.read >= date(2026, 11, 30)
    assert [source.package for source in CATALOG.sources][:1] == ["genai-prices"]
    assert all(source.version and source.licence and source.gives for source in CATALOG.sources)


@pytest.mark.requirement("D-catalog-data")
def test_lists_and_models_are_sorted_and_each_name_stands_once() -> None:
    assert list(LISTING.providers) == sorted({*LISTING.providers})
    for provider in LISTING.providers:
        rows = LISTING.rows(provider)
        assert [row.name for row in rows] == sorted({row.name for row in rows})
        names = [name for row in rows for name in {row.name.lower(), *row.names}]
        assert len(names) == len({*names}), provider


@pytest.mark.requirement("D-catalog-data")
def test_windows_and_limits_are_counts_that_make_sense() -> None:
    for info in MODELS:
        assert info.window is None or 1_000 <= info.window <= 20_000_000, name(info)
        assert info.max_output_tokens is None or 0 < info.max_output_tokens <= 2_000_000, name(info)


@pytest.mark.requirement("D-catalog-data")
def test_no_price_is_negative_or_beyond_belief() -> None:
    for info in MODELS:
        if info.price is None:
            continue
        assert info.price.input_usd is not None, name(info)
        assert info.price.output_usd is not None, name(info)
        assert all(0 <= amount <= 1_000 for amount in amounts(info.price)), name(info)
        bounds = [tier.over_tokens for tier in info.price.tiers]
        assert bounds == sorted({*bounds}), name(info)
        assert all(bound > 0 for bound in bounds), name(info)


@pytest.mark.requirement("D-catalog-data")
def test_what_is_cached_costs_no_more_than_what_is_new() -> None:
    for info in MODELS:
        for rate in rates_of(info.price):
            if rate.cache_read_usd is not None and rate.input_usd is not None:
                assert rate.cache_read_usd <= rate.input_usd, name(info)


@pytest.mark.requirement("D-catalog-data")
def test_abilities_are_of_the_known_words_and_nothing_is_both() -> None:
    for info in MODELS:
        assert info.abilities | info.lacks <= ABILITIES, name(info)
        assert not info.abilities & info.lacks, name(info)


@pytest.mark.requirement("D-catalog-data")
def test_nothing_is_listed_that_does_not_chat() -> None:
    assert [name(info) for info in MODELS if any(word in info.name for word in ("embed", "whisper", "tts"))] == []


@pytest.mark.requirement("D-catalog-names")
def test_every_model_is_found_under_its_own_name_and_the_others_that_it_has() -> None:
    for provider in LISTING.providers:
        for row in LISTING.rows(provider):
            for each in (row.name, *row.names):
                assert LISTING.find(provider, each) is row, f"{provider}:{each}"

"""What is known of a model, by whatever name it goes."""

import json
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from ore.ext.catalog import Catalog, Listing
from ore.models import ModelInfo

CATALOG = Catalog()


def place(info: ModelInfo | None) -> tuple[str, str] | None:
    return (info.provider, info.name) if info else None


@pytest.mark.requirement("D-catalog-names")
@pytest.mark.parametrize(
    ("provider", "model", "found"),
    [
        ("anthropic", "claude-opus-4-5", "claude-opus-4-5"),
        ("anthropic", "claude-opus-4.5", "claude-opus-4-5"),
        ("anthropic", "Claude-Opus-4-5", "claude-opus-4-5"),
        ("anthropic", "claude-opus-4-5-20251101", "claude-opus-4-5"),
        ("anthropic", "claude-opus-4-5@20251101", "claude-opus-4-5"),
        ("anthropic", "anthropic/claude-opus-4.5", "claude-opus-4-5"),
        ("anthropic", "claude-3-haiku-20240307", "claude-3-haiku"),
        ("openai", "gpt-4o", "gpt-4o"),
        ("openai", "gpt-4o-2024-05-13", "gpt-4o-2024-05-13"),
        ("openai", "gpt-4o-2099-01-31", "gpt-4o"),
        ("openai-responses", "gpt-4.1-mini", "gpt-4.1-mini"),
        ("google", "models/gemini-2.5-flash", "gemini-2.5-flash"),
        ("xai", "grok-4", "grok-4-0709"),
        ("minimax", "minimax-m2", "MiniMax-M2"),
    ],
)
def test_a_vendors_model_is_found_by_each_of_its_names(provider: str, model: str, found: str) -> None:
    info = CATALOG.find(provider, model)
    assert info is not None
    assert info.name == found
    assert info.price is not None


@pytest.mark.requirement("D-catalog-names")
@pytest.mark.parametrize("model", ["anthropic/claude-opus-4.5", "anthropic/claude-opus-4-5"])
def test_a_gateway_that_lists_a_model_has_its_own_figures(model: str) -> None:
    assert place(CATALOG.find("openrouter", model)) == ("openrouter", "anthropic/claude-opus-4.5")


@pytest.mark.requirement("D-catalog-names")
def test_behind_a_gateway_without_a_list_stands_the_vendor() -> None:
    direct = CATALOG.find("anthropic", "claude-opus-4-5")
    assert CATALOG.find("vercel", "anthropic/claude-opus-4.5") == direct
    assert direct is not None
    elsewhere = CATALOG.find("corporate", "anthropic/claude-opus-4.5")
    assert elsewhere is not None
    assert (elsewhere.window, elsewhere.abilities, elsewhere.price) == (direct.window, direct.abilities, None)


@pytest.mark.requirement("D-catalog-names")
def test_an_address_says_whose_models_these_are() -> None:
    found = CATALOG.find("openai", "deepseek-reasoner", base_url="https://api.deepseek.com/v1")
    assert place(found) == ("deepseek", "deepseek-reasoner")
    assert CATALOG.find("openai", "deepseek-reasoner") is None
    assert CATALOG.find("openai", "gpt-4o", base_url="https://api.deepseek.com/v1") is None
    proxy = CATALOG.find("openai", "gpt-4o", base_url="https://models.example.com/v1")
    assert proxy == CATALOG.find("openai", "gpt-4o")
    disguised = CATALOG.find("openai", "gpt-4o", base_url="https://example.com/https://api.deepseek.com")
    assert place(disguised) == ("openai", "gpt-4o")


@pytest.mark.requirement("D-catalog-names")
def test_a_name_without_a_date_is_the_youngest_where_only_dated_ones_are_listed(tmp_path: Path) -> None:
    rows = [{"name": f"big-one-{day}", "window": 1_000} for day in ("20250101", "20260101", "20251231")]
    file = tmp_path / "models.json"
    file.write_text(json.dumps({"read": "2026-11-30", "sources": [], "addresses": {}, "models": {"openai": rows}}))
    catalog = Catalog(Listing(file))
    assert place(catalog.find("openai", "big-one")) == ("openai", "big-one-20260101")
    assert place(catalog.find("openai", "big-one-20250101")) == ("openai", "big-one-20250101")


@pytest.mark.requirement("D-catalog-names")
def test_a_name_without_a_provider_is_looked_for_where_models_are_made() -> None:
    assert place(CATALOG.named("o3-mini")) == ("openai", "o3-mini")
    assert place(CATALOG.named("google:gemini-2.5-pro")) == ("google", "gemini-2.5-pro")
    assert place(CATALOG.named("openrouter/anthropic/claude-opus-4.5")) == ("openrouter", "anthropic/claude-opus-4.5")


@pytest.mark.requirement("D-catalog-unknown")
@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("openai", "gpt-of-tomorrow"),
        ("openai", "gpt-4o-extra"),
        ("openai", "gpt-4o-2024"),
        ("openai", ""),
        ("openai", "/"),
        ("openai", "-20250101"),
        ("nobody", "gpt-4o"),
        ("openrouter", "anthropic/claude-opus-4.5:nitro"),
        ("ollama", "openai/gpt-4o"),
        ("local", "gpt-4o"),
        ("scripted", "gpt-4o"),
        (None, "claude-of-tomorrow"),
        (None, ""),
    ],
)
def test_of_what_nobody_lists_nothing_is_known(provider: str | None, model: str) -> None:
    assert CATALOG.find(provider, model) is None


@pytest.mark.requirement("D-catalog-data")
def test_what_a_source_does_not_say_is_unknown_and_not_no() -> None:
    known = CATALOG.find("openai", "gpt-4o")
    assert known is not None
    assert {"tools", "vision"} <= known.abilities
    assert "thinking" in known.lacks
    bare = CATALOG.find("openai", "gpt-3.5-turbo-1106")
    assert bare is not None
    assert (bare.max_output_tokens, bare.abilities, bare.lacks) == (None, frozenset(), frozenset())


@pytest.mark.requirement("D-catalog-prices")
def test_a_price_that_begins_on_a_day_holds_from_that_day_on() -> None:
    """Also in a process that runs over midnight, which has looked the model up before."""
    days = [date(2026, 12, 31)]
    catalog = Catalog(today=lambda: days[0])
    before = catalog.find("google", "gemini-3.8-flash")
    assert catalog.find("google", "gemini-3.8-flash") == before
    days[:] = [date(2027, 1, 1)]
    after = catalog.find("google", "gemini-3.8-flash")
    assert before is not None
    assert after is not None
    assert before.price is not None
    assert after.price is not None
    assert before.price != after.price


@pytest.mark.requirement("D-catalog-search")
def test_a_search_finds_every_word_in_provider_and_names() -> None:
    found = CATALOG.search("ANTHROPIC opus 4.5")
    assert ("anthropic", "claude-opus-4-5") in map(place, found)
    assert all("opus" in info.name for info in found)
    assert CATALOG.search("no such model") == []
    assert len(CATALOG.search()) == sum(len(Listing().rows(provider)) for provider in Listing().providers)


@pytest.mark.requirement("D-catalog-lazy")
def test_importing_ore_and_the_catalog_reads_no_figures() -> None:
    code = """
import sys, json
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
import ore
from ore import Agent
loaded = [name for name in sys.modules if name.startswith("ore.ext.catalog")]
import ore.ext.catalog
ore.ext.catalog.shared_catalog()
before = [name for name in opened if name.endswith("models.json")]
ore.ext.catalog.shared_catalog().find("openai", "gpt-4o")
print(json.dumps([loaded, before, len([name for name in opened if name.endswith("models.json")])]))
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=15)
    assert json.loads(done.stdout) == [[], [], 1]

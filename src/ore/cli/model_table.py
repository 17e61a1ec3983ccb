"""The catalog, as `ore models` shows it."""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from ore.artifact import to_json
from ore.cli.output import Output
from ore.cli.status import DONE, Status
from ore.cli.terminal import say
from ore.ext.catalog import shared_catalog
from ore.models import ModelInfo

__all__ = ["list_models"]

_HEADER = ("MODEL", "WINDOW", "OUTPUT", "IN", "OUT", "ABILITIES")


def list_models(options: Namespace) -> Status:
    """Print the models in whose provider and names every word of the text stands.

    Where the figures come from is said on standard error.
    """
    text = " ".join(options.text)
    found = shared_catalog().search(text)
    output = Output()
    if options.json:
        output.json(to_json({"models": [_object(info) for info in found]}))
        return output.status(DONE)
    if found:
        output.text("".join(f"{line}\n" for line in _table(found)))
        say(_note(len(found)))
    else:
        say(f"ore: no model of the catalog holds {text!r}; a model that is not in it can be used all the same")
    return output.status(DONE)


def _object(info: ModelInfo) -> dict[str, Any]:
    return {
        "name": info.name,
        "provider": info.provider,
        "window": info.window,
        "max_output_tokens": info.max_output_tokens,
        "price": info.price,
        "abilities": sorted(info.abilities),
        "lacks": sorted(info.lacks),
    }


def _table(models: Sequence[ModelInfo]) -> Iterator[str]:
    rows = [_HEADER, *map(_row, models)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(_HEADER))]
    for name, *figures, abilities in rows:
        cells = [f"{figure:>{width}}" for figure, width in zip(figures, widths[1:-1], strict=True)]
        yield "  ".join((f"{name:<{widths[0]}}", *cells, abilities)).rstrip()


def _row(info: ModelInfo) -> tuple[str, ...]:
    price = info.price
    return (
        f"{info.provider}:{info.name}",
        *(f"{count:,}" if count is not None else "?" for count in (info.window, info.max_output_tokens)),
        *(_usd(amount) for amount in ((price.input_usd, price.output_usd) if price else (None, None))),
        " ".join(sorted(info.abilities)),
    )


def _usd(amount: Decimal | None) -> str:
    return "?" if amount is None else f"{amount:f}"


def _note(count: int) -> str:
    catalog = shared_catalog()
    sources = ", ".join(f"{source.package} {source.version}" for source in catalog.sources)
    return f"ore: {count} models; IN and OUT are USD for a million tokens; figures of {catalog.read} from {sources}"

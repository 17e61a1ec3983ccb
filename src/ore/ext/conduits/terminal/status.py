"""What stands under the input: who answers, how far, at what cost, and what a session says of itself."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from rich.text import Text

from ore.ext.catalog import shared_catalog
from ore.ext.conduits.terminal.conversation import Conversation
from ore.ext.conduits.terminal.figures import compact
from ore.ext.conduits.terminal.inert import one_line
from ore.ext.conduits.terminal.usage import Totals
from ore.ledger import TITLE_KEY
from ore.models import MODEL_PREFIX

__all__ = ["MOST_LINES", "Around", "Zones", "phase_word", "status_lines", "token_text"]

MOST_LINES: Final = 3

_OWN: Final = ("ore.", "sent", "received", "thinking", "total")
"""Facts that have a place of their own on the line."""

_FIRST: Final = {"lifecycle": 0, "context": 1}
_LAST: Final = 99

_WORDS: Final = {
    "idle": "ready",
    "queued": "queued",
    "submitted": "waiting for the model",
    "streaming": "answering",
    "tools": "tools at work",
    "waiting": "waits for you",
    "closing": "closed",
}


class Zones:
    """Where facts of a session are shown.

    Args:
        zones: Zones by a fact's key; others stand in `default`.
        labels: Names of facts by their keys.
    """

    def __init__(self, zones: Mapping[str, str] | None = None, labels: Mapping[str, str] | None = None) -> None:
        self._zones = dict(zones or {})
        self._labels = dict(labels or {})

    def lines(self, metadata: Mapping[str, str]) -> Sequence[str]:
        """A line for each zone, the most important first."""
        found: dict[str, list[str]] = {}
        for key, value in metadata.items():
            if not key.startswith(_OWN):
                zone = self._zones.get(key, "default")
                found.setdefault(zone, []).append(f"{self._labels.get(key, key)}: {compact(one_line(value))}")
        ordered = sorted(found, key=lambda zone: (_FIRST.get(zone, _LAST), zone))
        return [("" if zone == "default" else f"{zone.capitalize()} ") + " · ".join(found[zone]) for zone in ordered]


def phase_word(view: Conversation) -> str:
    """What goes on, for people."""
    return _WORDS.get(view.phase, view.phase)


def token_text(totals: Totals) -> str:
    """`↑sent ↓received Σall Ψthinking`, as far as they are known."""
    used = totals.all
    signs = (
        ("↑", used.prompt_tokens),
        ("↓", used.completion_tokens),
        ("Σ", used.total_tokens),
        ("Ψ", used.reasoning_tokens or None),
        ("⟳", used.cache_read_tokens or None),
    )
    return " ".join(f"{sign}{compact(count)}" for sign, count in signs if count is not None)


class Around(msgspec.Struct, frozen=True, kw_only=True):
    """What a status line says that no event tells.

    Attributes:
        model: Who answers, where no answer and no fact says it.
        folder: Where the program works, with its branch.
        line: How the line to the session is; nothing is said while it is `live`.
        mode: How the next message is sent while something runs.
    """

    model: str | None = None
    folder: str = ""
    line: str = "live"
    mode: str = "queue"


def status_lines(view: Conversation, zones: Zones, around: Around, *, width: int) -> Text:
    """At most three lines, none wider than the screen; what matters least is left out."""
    segments = [one_line(segment) for segment in _segments(view, around) if segment]
    lines = [*_wrapped(segments, width), *zones.lines(view.metadata)][:MOST_LINES]
    rows = [Text(line) for line in lines]
    for row in rows:
        row.truncate(max(width, 1), overflow="ellipsis")
    return Text("\n").join(rows)


def _segments(view: Conversation, around: Around) -> Sequence[str]:
    """From what matters most on."""
    name = view.metadata.get(f"{MODEL_PREFIX}name") or view.totals.model or around.model or ""
    level = view.metadata.get(f"{MODEL_PREFIX}thinking_level")
    return (
        around.line if around.line != "live" else "",
        phase_word(view),
        f"{len(view.waiting)} queued" if view.waiting else "",
        f"next: {around.mode}" if around.mode != "queue" else "",
        name,
        f"thinking {level}" if level else "",
        _window(view.totals, name),
        token_text(view.totals),
        _cost(view.totals),
        view.metadata.get(TITLE_KEY) or "",
        around.folder,
    )


def _cost(totals: Totals) -> str:
    cost = totals.all.cost_usd
    if not cost:
        return ""
    return f"${cost:.4f}" if cost < 1 else f"${cost:.2f}"


def _window(totals: Totals, name: str | None) -> str:
    """How full the model's window is."""
    last = totals.last
    if last is None or last.prompt_tokens is None or not name:
        return ""
    info = shared_catalog().named(name)
    if info is None or not info.window:
        return ""
    used = last.prompt_tokens + (last.completion_tokens or 0)
    return f"context {min(used * 100 // info.window, 100)} %"


def _wrapped(segments: Sequence[str], width: int) -> Sequence[str]:
    """Segments on as many lines as they need."""
    lines: list[str] = []
    for segment in segments:
        joined = f"{lines[-1]} · {segment}" if lines else segment
        if lines and Text(joined).cell_len <= width:
            lines[-1] = joined
        else:
            lines.append(segment)
    return lines[: MOST_LINES - 1] if len(lines) > MOST_LINES - 1 else lines

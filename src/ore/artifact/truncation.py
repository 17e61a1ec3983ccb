"""Cutting long output down to what a model can take."""

from enum import StrEnum

import msgspec

__all__ = ["Cut", "Truncation", "TruncationStyle", "truncate"]

MAX_BYTES = 50_000
"""50,000 bytes: the original's tool default."""

MAX_LINES = 2_000
"""2,000 lines: the original's tool default."""


class TruncationStyle(StrEnum):
    """Which end of a long text stays."""

    HEAD = "head"
    TAIL = "tail"


class Truncation(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a text was cut away."""

    shown_bytes: int = 0
    shown_lines: int = 0
    original_bytes: int | None = None
    original_lines: int | None = None
    style: TruncationStyle | None = None
    recovery_hint: str | None = None

    @property
    def truncated(self) -> bool:
        """Whether anything is missing."""
        return self.original_bytes is not None and self.original_bytes > self.shown_bytes


class Cut(msgspec.Struct, frozen=True, kw_only=True):
    """Limits on a text, and what to say when it was cut.

    `hint` may name `{original_bytes}`, `{original_lines}`, `{shown_bytes}`,
    `{shown_lines}`, `{style}` and `{next_offset}` (the first line not shown,
    counted from 1). A placeholder that nobody knows stays visible. Limits that
    are not positive mean the defaults.
    """

    max_bytes: int = MAX_BYTES
    max_lines: int = MAX_LINES
    style: TruncationStyle = TruncationStyle.TAIL
    hint: str | None = None


def count_lines(text: str) -> int:
    r"""Lines as an editor shows them: none in `""`, one in `"a"` and in `"a\n"`."""
    return text.count("\n") + (1 if text and not text.endswith("\n") else 0)


def truncate(text: str, cut: Cut) -> tuple[str, Truncation | None]:
    """Cut `text` to the limits at whole lines or characters.

    A kept tail begins behind a line end and a kept head ends at one, unless
    that would leave out a line that is longer than the limit. No UTF-8
    character is ever split.

    Returns:
        The text, and what was cut; `None` when nothing was.
    """
    max_bytes = cut.max_bytes if cut.max_bytes > 0 else MAX_BYTES
    max_lines = cut.max_lines if cut.max_lines > 0 else MAX_LINES
    if 4 * len(text) <= max_bytes and text.count("\n") < max_lines:  # as most are; no character has more than 4 bytes
        return text, None
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    lines = count_lines(text)
    if size <= max_bytes and lines <= max_lines:
        return text, None
    kept = _limit_lines(text, max_lines, cut.style) if lines > max_lines else text
    kept = _limit_bytes(kept, max_bytes, cut.style)
    facts = Truncation(
        shown_bytes=len(kept.encode("utf-8", "replace")),
        shown_lines=count_lines(kept),
        original_bytes=size,
        original_lines=lines,
        style=cut.style,
    )
    if cut.hint is None:
        return kept, facts
    return kept, msgspec.structs.replace(facts, recovery_hint=_fill(cut.hint, facts))


def footer(facts: Truncation) -> str:
    """The lines that tell a model what is missing and how to get it."""
    hint = f"{facts.recovery_hint}\n" if facts.recovery_hint else ""
    return (
        f"\n\n{hint}[output cut: {facts.shown_lines} of {facts.original_lines} lines, "
        f"{facts.shown_bytes} of {facts.original_bytes} bytes shown, {facts.style}]"
    )


def _limit_lines(text: str, limit: int, style: TruncationStyle) -> str:
    lines = text.split("\n")
    ends = [""] if text.endswith("\n") else []
    lines = lines[: len(lines) - len(ends)]
    kept = lines[:limit] if style is TruncationStyle.HEAD else lines[-limit:]
    return "\n".join(kept + ends)


def _limit_bytes(text: str, limit: int, style: TruncationStyle) -> str:
    raw = text.encode("utf-8", "replace")
    if len(raw) <= limit:
        return text
    kept = _head(raw, limit) if style is TruncationStyle.HEAD else _tail(raw, limit)
    return kept.decode("utf-8", "ignore")  # at the end of a head: the beginning of a character that was cut


def _head(raw: bytes, limit: int) -> bytes:
    start = raw.rfind(b"\n", 0, limit) + 1  # of the line that is cut
    end = raw.find(b"\n", limit)
    whole = (len(raw) if end < 0 else end) - start <= limit
    return raw[:start] if whole and end != limit else raw[:limit]


def _tail(raw: bytes, limit: int) -> bytes:
    cut = len(raw) - limit
    start = raw.rfind(b"\n", 0, cut) + 1  # of the line that is cut
    end = raw.find(b"\n", cut) + 1 or len(raw)
    if start < cut and end - start <= limit:
        return raw[end:]
    while raw[cut : cut + 1] and raw[cut] & 0xC0 == 0x80:  # the rest of a character that was cut
        cut += 1
    return raw[cut:]


def _fill(hint: str, facts: Truncation) -> str:
    values = {name: getattr(facts, name) for name in facts.__struct_fields__ if name != "recovery_hint"}
    values["next_offset"] = facts.shown_lines + 1
    for name, value in values.items():
        hint = hint.replace("{" + name + "}", str(value))
    return hint

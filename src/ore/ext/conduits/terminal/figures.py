"""Figures as a narrow screen shows them: counts, sizes, times."""

from datetime import UTC, datetime

__all__ = ["age", "compact", "digest", "seconds", "size"]

_STEPS = ((10**9, "B"), (10**6, "M"), (10**3, "K"))


def compact(value: int | str) -> str:
    """A count in four characters or so: 999, 1.2K, 12.3K, 123K, 1.2M, 1B; what is no number stays as it is."""
    try:
        number = int(value)
    except ValueError:
        return str(value)
    for step, unit in _STEPS:
        if abs(number) >= step:
            whole = number / step
            # Cut, not rounded: 999,999 is not yet 1M.
            shown = f"{int(whole)}" if abs(whole) >= 100 else f"{int(whole * 10) / 10:.1f}".removesuffix(".0")
            return f"{shown}{unit}"
    return str(number)


def size(count_bytes: int) -> str:
    """A size in bytes, such as `1.5K B`."""
    return f"{compact(count_bytes)} B"


def seconds(value_s: float) -> str:
    """How long something took: 0.1 s, 12 s, 3 min 20 s."""
    if value_s < 10:
        return f"{value_s:.1f} s"
    if value_s < 120:
        return f"{int(value_s)} s"
    return f"{int(value_s) // 60} min {int(value_s) % 60} s"


def age(then: datetime | None, now: datetime | None = None) -> str:
    """How long ago something was, in one unit."""
    if then is None:
        return ""
    past = int(((now or datetime.now(UTC)) - then).total_seconds())
    for step, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if past >= step:
            return f"{past // step} {unit}"
    return "now"


def digest(id: str) -> str:
    """Four hexadecimal digits that tell calls apart: the first ones of FNV-1a with 32 bits.

    Offset basis and prime are those of RFC 9923, section 5.
    """
    value = 0x811C9DC5
    for byte in id.encode("utf-8", "replace"):
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return f"{value:08x}"[:4]

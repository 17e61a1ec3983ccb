"""`ThinkingLevel`: how hard a model should think."""

from enum import StrEnum

__all__ = ["ThinkingLevel"]


class ThinkingLevel(StrEnum):
    """How hard a model should think; each wire maps it to the vendor's own terms."""

    OFF = "off"
    MINIMAL = "minimal"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    MAX = "max"

    @classmethod
    def parse(cls, text: str) -> "ThinkingLevel":
        """Read a level, exactly as spelled.

        Raises:
            ValueError: It is none; the message names the levels there are.
        """
        try:
            return cls(text)
        except ValueError:
            raise ValueError(f"thinking level: expected one of {', '.join(cls)}, got {text!r}") from None

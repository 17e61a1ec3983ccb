"""`LeftOut`: what a model cannot take."""

from ore.artifact import Notice, Severity
from ore.errors import UnsupportedError

__all__ = ["LeftOut"]


class LeftOut:
    """Refuses what cannot be taken, or leaves it out and says so.

    Args:
        provider: Who is asked.
        model: Which model.
        lenient: Whether things are left out.
    """

    def __init__(self, provider: str, model: str, *, lenient: bool) -> None:
        self._provider = provider
        self._model = model
        self._lenient = lenient
        self.notices: list[Notice] = []
        """One for each thing."""

    def add(self, field: str, why: str) -> None:
        """Note something.

        Args:
            field: What it is called where it was asked for.
            why: The reason, as the rest of a sentence.

        Raises:
            UnsupportedError: Nothing may be left out.
        """
        said = f"{self._model} cannot take {field}: {why}"
        if not self._lenient:
            raise UnsupportedError(
                f"{said}; leave it out, take another model, or be lenient about it",
                field=field,
                provider=self._provider,
            )
        self.notices.append(Notice(content=f"{said}; it was left out", severity=Severity.WARN))

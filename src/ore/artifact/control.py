"""Control artifacts: they steer the loop from inside a provider and are never stored."""

from enum import StrEnum
from typing import ClassVar

from ore.artifact.base import Artifact, ProviderData

__all__ = ["BlockEnd", "Notice", "Restart", "Severity"]


class Severity(StrEnum):
    """How loud a notice is; readers take an unknown one as `info`."""

    SUCCESS = "success"
    INFO = "info"
    WARN = "warn"
    ERROR = "error"

    @classmethod
    def _missing_(cls, value: object) -> "Severity":
        """Take the original's spelling (`Success`), and anything unknown as `info`."""
        text = str(value).lower()
        return next((severity for severity in cls if severity.value == text), cls.INFO)


class Notice(Artifact, frozen=True, kw_only=True, tag="notice"):
    """A line for the person who watches; also the event of that kind."""

    persistent: ClassVar[bool] = False
    sendable: ClassVar[bool] = False

    content: str
    severity: Severity = Severity.INFO

    def for_human(self) -> str:
        """The line."""
        return self.content


class Restart(Artifact, frozen=True, kw_only=True, tag="restart"):
    """The answer begins again with another attempt: all its blocks so far are void.

    `model` is who answers now; it becomes the turn's model.
    """

    persistent: ClassVar[bool] = False

    attempt: int
    model: str | None = None


class BlockEnd(Artifact, frozen=True, kw_only=True, tag="block_end"):
    """The open block ends here, though what follows may be of its family.

    `provider_data` becomes the block's own: vendors sign text and thinking
    once it is all there. Where several blocks are open side by side it belongs
    to the one that began last. A block without content makes nothing, whatever
    its data: yield the complete artifact instead. Nobody sees this one.
    """

    persistent: ClassVar[bool] = False

    provider_data: ProviderData | None = None

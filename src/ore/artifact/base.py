"""`Artifact` and `Delta`: the two shapes that all content has."""

from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

__all__ = ["Artifact", "Delta", "ProviderData"]

ProviderData = dict[str, Any]
"""Opaque vendor data that must go back unchanged, such as a signature.

The keys `provider` and `model` say who issued it; only they get it back. The
rest belongs to that vendor's wire and is parsed nowhere else.
"""


class Artifact(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """One immutable, serialisable piece of a turn.

    A subclass names its wire tag: `class Text(Artifact, frozen=True,
    kw_only=True, tag="text")`. The tag is for ever, since stored threads carry
    it. A third party adds a kind with one class and a `Codec` that knows it.
    """

    persistent: ClassVar[bool] = True
    """Whether a ledger keeps it."""

    sendable: ClassVar[bool] = True
    """Whether it can be part of what a model gets; a turn without anything that can is never sent."""

    if TYPE_CHECKING:

        @property
        def kind(self) -> str:
            """The wire tag."""
            ...

    else:
        kind = property(attrgetter("__struct_config__.tag"), doc="The wire tag.")  # asked for each event: no call

    def for_model(self) -> str:
        """What a model reads of it; empty when only a vendor's own wire can send it."""
        return ""

    def for_human(self) -> str:
        """What people read of it, as Markdown."""
        return self.for_model()


class Delta(Artifact, frozen=True, kw_only=True):
    """A streamed fragment of one block; seen as it arrives, never stored.

    A subclass says which block a fragment belongs to (`key`), which blocks may
    be open beside it (`family`), and what its fragments make (`assemble`).
    One that says none of it is seen as it arrives and makes nothing.
    """

    persistent: ClassVar[bool] = False

    family: ClassVar[str] = ""
    """Blocks of one family stay open side by side; one of another family closes them."""

    @property
    def key(self) -> str:
        """The block this fragment belongs to."""
        return self.kind

    @classmethod
    def assemble(cls, parts: Sequence["Delta"]) -> Artifact | None:
        """Make the complete artifact, once, from all fragments in order.

        Returns:
            `None` when the fragments amount to nothing, such as empty text.
        """
        return None

    @classmethod
    def coalesce(cls, parts: Sequence["Delta"]) -> "Delta | None":
        """Say the same with one fragment, for a reader that fell behind; `None` when that cannot be."""
        return None


def tag_of(kind: type[Artifact]) -> str:
    """The wire tag of an artifact class."""
    return str(kind.__struct_config__.tag)

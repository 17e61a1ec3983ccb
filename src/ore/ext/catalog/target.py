"""`Target`: the model that a conversation is about to be sent to."""

import msgspec

from ore.artifact import Audio, File, Media, ProviderData
from ore.ext.catalog.catalog import Catalog, shared_catalog
from ore.ext.wires.media import content_of, text_of
from ore.models import ModelInfo, split_name

__all__ = ["Target"]


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """Who is asked next.

    Attributes:
        provider: As it is registered.
        model: The name that it is asked for.
        info: What is known of it.
        lenient: Whether its provider leaves out, with a notice, what it would else refuse.
    """

    provider: str
    model: str
    info: ModelInfo | None = None
    lenient: bool = False

    @classmethod
    def of(cls, name: str, *, catalog: Catalog | None = None, base_url: str | None = None) -> "Target":
        """The target of a name as `--model` takes it, such as `anthropic:claude-opus-4-5`."""
        provider, model = split_name(name)
        found = (catalog or shared_catalog()).find(provider, model, base_url=base_url)
        return cls(provider=provider or (found.provider if found else ""), model=model, info=found)

    @property
    def name(self) -> str:
        """Provider and model."""
        return f"{self.provider}:{self.model}"

    def lacks(self, ability: str) -> bool:
        """Whether it is known not to have an ability; what is unknown is not lacking."""
        return self.info is not None and ability in self.info.lacks

    def has(self, ability: str) -> bool:
        """Whether it is known to have an ability."""
        return self.info is not None and ability in self.info.abilities

    def takes(self, media: Media) -> bool:
        """Whether it is not known to refuse something of this kind; a file of text is sent as its text."""
        needed = wanted(media)
        return not self.lacks(needed) or (needed == "files" and _is_text(media))

    def issued(self, data: ProviderData | None) -> bool:
        """Whether it is the one that issued opaque data, and so gets it back."""
        return data is not None and data.get("provider") == self.provider and data.get("model") == self.model


def wanted(media: Media) -> str:
    """The ability that something of this kind needs."""
    kind = (media.media_type or "").partition("/")[0]
    if isinstance(media, Audio) or kind == "audio":
        return "audio"
    if isinstance(media, File) and kind not in ("image", "video"):
        return "files"
    return "video" if kind == "video" else "vision"


def _is_text(media: Media) -> bool:
    content = content_of(media)
    return content is not None and text_of(content) is not None

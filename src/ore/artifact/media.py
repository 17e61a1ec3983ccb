"""`Image`, `File`, `Audio`: content that is not text."""

from ore.artifact.base import Artifact

__all__ = ["Audio", "File", "Image", "Media"]


class Media(Artifact, frozen=True, kw_only=True):
    """Bytes with a type; exactly one of `url`, `data` and `blob` holds them."""

    media_type: str | None = None
    name: str | None = None
    size_bytes: int | None = None
    url: str | None = None
    data: bytes | None = None
    """The bytes themselves; base64 in JSON."""
    blob: str | None = None
    """A key under which a store keeps them."""

    def __post_init__(self) -> None:
        given = [name for name in ("url", "data", "blob") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"expected exactly one of url, data, blob; got {', '.join(given) or 'none'}")

    def for_human(self) -> str:
        """Its name, type and size."""
        what = self.name or self.url or self.kind
        facts = [str(fact) for fact in (self.media_type, self.size_bytes and f"{self.size_bytes} bytes") if fact]
        return f"[{what}]" + (f" ({', '.join(facts)})" if facts else "")


class Image(Media, frozen=True, kw_only=True, tag="image"):
    """A picture."""


class File(Media, frozen=True, kw_only=True, tag="file"):
    """A document."""


class Audio(Media, frozen=True, kw_only=True, tag="audio"):
    """A sound."""

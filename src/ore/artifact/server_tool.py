"""`ServerTool`: something that a vendor ran itself."""

from ore.artifact.base import Artifact, ProviderData

__all__ = ["ServerTool"]


class ServerTool(Artifact, frozen=True, kw_only=True, tag="server_tool"):
    """A vendor's own tool item: kept for replay, never executed here."""

    name: str
    summary: str | None = None
    """A line for people."""
    provider_data: ProviderData | None = None

    def for_human(self) -> str:
        """The summary, else the name."""
        return self.summary or f"[{self.name}]"

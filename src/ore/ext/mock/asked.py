"""`Asked`: one request, as an endpoint answers it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Asked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request that the vendor would take.

    Attributes:
        number: The how manieth answer it gets, from 1; ids are made of it.
        body: What was sent, decoded.
    """

    number: int
    body: Mapping[str, Any]

    @property
    def model(self) -> str:
        """The model that was named; the answer names it, too."""
        return str(self.body["model"])

    @property
    def streams(self) -> bool:
        """Whether the answer comes as events."""
        return self.body.get("stream") is True

    @property
    def prompt_tokens(self) -> int:
        """An estimate, where the script says nothing: four characters of the request are a token."""
        return len(json.dumps(self.body, ensure_ascii=False)) // 4

    def id(self, prefix: str, place: int | None = None) -> str:
        """An id that is the same each time the script is played."""
        return f"{prefix}mock{self.number:06d}" + (f"x{place}" if place is not None else "")

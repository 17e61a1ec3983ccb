"""`Recorded`: a request that a server got, without its keys."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["HIDDEN", "Recorded", "without_secrets"]

HIDDEN: Final = "***"
"""Stands where a header held a key."""

_SECRET: Final = ("authorization", "api-key", "cookie", "token", "secret")


@dataclass(slots=True, kw_only=True)
class Recorded:
    """One request, and what came of it.

    Attributes:
        method: Such as `POST`.
        path: Without the query, which may hold a key.
        headers: With names in lower case; those that carry keys have `***` as value.
        content: The bytes of the body.
        status: Of the answer; `None` where the connection was dropped before one.
        fault: What the vendor would refuse it for.
        ending: `running`, `answered`, `dropped` (by the script), or `left` (by
            the client, or when the server was closed).
    """

    method: str
    path: str
    headers: Mapping[str, str]
    content: bytes = b""
    status: int | None = None
    fault: str | None = None
    ending: str = "running"

    @property
    def body(self) -> Any:
        """The body, decoded; `None` where it is no JSON."""
        try:
            return json.loads(self.content)
        except (RecursionError, ValueError):
            return None

    def as_json(self) -> dict[str, Any]:
        """What `GET /journal` shows of it."""
        return {
            "method": self.method,
            "path": self.path,
            "headers": dict(self.headers),
            "body": self.body,
            "status": self.status,
            "fault": self.fault,
            "ending": self.ending,
        }


def without_secrets(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers with names in lower case, and without what they say of keys."""
    return {
        name.lower(): HIDDEN if any(word in name.lower() for word in _SECRET) else value
        for name, value in headers.items()
    }

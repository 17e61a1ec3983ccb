"""Pages as a model gets them, through a whole session, from a real server on loopback."""

from collections.abc import Mapping
from typing import Any

from ore.artifact import ToolResult
from ore.ext.tools.fetch import fetch
from providers.loopback import Answering, Exchange
from tools.files.use import all_used

__all__ = ["got", "page", "path_of", "serves"]

HTML = {"content-type": "text/html"}


async def got(url: str, *, allow: tuple[str, ...] = ("127.0.0.1",), lookup: Any = None, **arguments: Any) -> ToolResult:
    """The result of one call."""
    [result] = await all_used([fetch(allow=allow, lookup=lookup)], ("fetch", {"url": url, **arguments}))
    return result


def path_of(exchange: Exchange) -> str:
    return exchange.target.partition("?")[0]


def page(body: bytes | str, headers: Mapping[str, str] = HTML, status: int = 200) -> Answering:
    """Always this answer."""

    async def answering(exchange: Exchange) -> None:
        exchange.whole(body.encode() if isinstance(body, str) else body, status=status, headers=headers)

    return answering


def serves(pages: Mapping[str, str | tuple[int, Mapping[str, str]]]) -> Answering:
    """A page for each path: its HTML, or a status with headers."""

    async def answering(exchange: Exchange) -> None:
        found = pages.get(path_of(exchange), (404, HTML))
        if isinstance(found, str):
            exchange.whole(found.encode(), headers=HTML)
        else:
            exchange.whole(b"", status=found[0], headers=found[1])

    return answering

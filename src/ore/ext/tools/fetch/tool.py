"""`fetch`: the tool."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from ore.artifact import Artifact, Cut, Text, TruncationStyle, truncate
from ore.errors import ToolError
from ore.ext.tools.fetch.addresses import Addresses
from ore.ext.tools.fetch.charset import decoded
from ore.ext.tools.fetch.media_types import is_html, is_marked_up, is_text
from ore.ext.tools.fetch.pages import page_text
from ore.ext.tools.inert import inert, quoted_name
from ore.ext.tools.pictures import LARGEST_BYTES, PICTURE_TYPES, picture
from ore.ext.wires.media import sniffed
from ore.tool import Tool, tool

if TYPE_CHECKING:
    from ore.ext.tools.fetch.download import Download
    from ore.ext.tools.fetch.resolver import Lookup

__all__ = ["FETCH_S", "Page", "fetch"]

FETCH_S: Final = 30.0
"""Seconds for an answer, with all its redirects."""

TIMEOUT_S: Final = 60.0
"""Seconds after which a call ends that still hangs."""


LONGEST: Final = 100_000
"""Characters from which a part is cut; more than fit into one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A part of what was read.

    Attributes:
        head: Where it was and what it is.
        part: What a model gets of its text.
        first: The place of the part's first character.
        total: How many characters there are in all.
    """

    head: str
    part: str
    first: int = 0
    total: int

    def for_model(self) -> str:
        """The head, the part, and where the next one begins."""
        if not self.part:
            end = f"[it has {self.total} characters]" if self.total else "[it is empty]"
            return f"{self.head}\n\n{end}"
        behind = self.first + len(self.part)
        more = f"\n[{behind} of {self.total} characters; the next ones: offset={behind}]"
        return f"{self.head}\n\n{self.part}" + (more if behind < self.total else "")


def fetch(*, allow: Sequence[str] = (), approve: bool = False, lookup: "Lookup | None" = None) -> Tool:
    """Make the tool `fetch`.

    It asks public addresses over http and https and nothing else: each address
    is checked when the connection is made, on every redirect too, so that a
    name cannot lead into the networks behind this machine. It sends no cookies
    and no credentials, and uses no proxy. What a page says may be meant to
    mislead the model; `approve` lets a person see each address first.

    Args:
        allow: Hosts, addresses and networks that may be asked though they are
            not public, such as `"wiki.internal"` or `"127.0.0.1"`.
        approve: Whether a person has to say yes to each call.
        lookup: Gives the addresses of a name instead of this machine's own resolver.

    Raises:
        InputError: Something in `allow` is neither host nor address.
    """
    addresses = Addresses(allow)

    @tool(name="fetch", read_only=True, approve=approve, timeout_s=TIMEOUT_S, display_hint=_shown)
    async def run(url: str, offset: int = 0, raw: bool = False) -> Page | str | Sequence[Artifact]:
        """Get a page of the web: HTML as Markdown, text as it is, pictures to look at.

        Long pages come in parts.

        Args:
            url: Such as `https://example.com/page`.
            offset: The first character of the text that is wanted.
            raw: Whether to get the HTML itself.
        """
        module = import_module("ore.ext.tools.fetch.download")
        more = () if lookup is None else (lookup,)
        try:
            async with asyncio.timeout(FETCH_S) as limit:
                found: Download = await module.download(url, addresses, *more)
        except TimeoutError:
            if not limit.expired():
                raise
            raise ToolError(f"{inert(url)}: it took more than {FETCH_S:g} s") from None
        result = await _read(found, max(offset, 0), raw=raw)
        if found.status >= 400:
            raise ToolError(f"{found.url}: the answer is {found.status} {inert(found.reason)}".rstrip(), result=result)
        return result

    return run


async def _read(found: "Download", offset: int, *, raw: bool) -> Page | str | Sequence[Artifact]:
    seen = sniffed(found.data)
    if seen in PICTURE_TYPES:
        return _picture(found)
    if seen or (b"\0" in found.data[:8_192] and not found.data.startswith((b"\xff\xfe", b"\xfe\xff"))):
        return _named(found, seen)
    if not is_text(found.media_type) and (found.media_type in PICTURE_TYPES or not found.data):
        return _named(found, "")
    media_type = found.media_type if is_text(found.media_type) else _guess(found.data)
    # In a thread: some megabytes take longer than the loop should be held up.
    text = await asyncio.to_thread(decoded, found.data, found.charset, marked_up=is_marked_up(media_type))
    title = notice = ""
    if is_html(media_type) and not raw:
        text, title, notice = await page_text(text, str(found.url))
    cut = f"only its first {len(found.data)} bytes were read" if found.is_cut else ""
    notes = [f"[{note}]" for note in (notice, cut) if note]
    head = [f"{found.url} ({media_type}, {len(found.data)} bytes)", *([inert(title)] if title else []), *notes]
    return await asyncio.to_thread(_part, "\n".join(head), text, offset)


def _part(head: str, text: str, first: int) -> Page:
    whole = inert(text.replace("\r\n", "\n").replace("\r", "\n"))
    part, _ = truncate(whole[first : first + LONGEST], Cut(style=TruncationStyle.HEAD))
    return Page(head=head, part=part, first=first, total=len(whole))


def _picture(found: "Download") -> Sequence[Artifact]:
    if found.is_cut:
        raise ToolError(f"{found.url}: expected a picture of at most {LARGEST_BYTES} bytes, got a larger one")
    return (Text(content=str(found.url)), picture(found.data, _name(found)))


def _named(found: "Download", seen: str) -> str:
    size = found.size_bytes if found.size_bytes is not None else len(found.data) or None
    what = f"{found.media_type or seen or 'unknown type'}, {'unknown size' if size is None else f'{size} bytes'}"
    return f"{found.url}\n[{_name(found)}] ({quoted_name(what)}): it is no text, so it is not shown"


def _name(found: "Download") -> str:
    return quoted_name(PurePosixPath(found.url.path).name or found.url.host or "answer")


def _guess(data: bytes) -> str:
    start = data[:1_024].lstrip().lower()
    return "text/html" if start.startswith((b"<!doctype html", b"<html", b"<head", b"<body")) else "text/plain"


def _shown(arguments: Mapping[str, Any]) -> str:
    return f"fetch {quoted_name(str(arguments.get('url', '')))}"

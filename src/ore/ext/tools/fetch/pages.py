"""`page_text`: a page as Markdown, by a program that can be ended."""

import asyncio
import html as marks
import re
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

from ore._aio import finish
from ore._extras import install_line
from ore.errors import ToolError
from ore.ext.tools.sandboxes import environment

__all__ = ["PageText", "page_text"]

READ_S: Final = 10.0
"""Seconds that a page may take to become Markdown."""

LIBRARY: Final = "html_to_markdown"

_PROGRAM: Final = Path(__file__).with_name("page_program.py")

_TITLE: Final = re.compile(r"<title[^>]{0,200}>([^<]{1,500})", re.IGNORECASE)
TITLE_CHARACTERS: Final = 100_000
"""Where a title is looked for."""


class PageText(NamedTuple):
    """A page as text.

    Attributes:
        title: Its title; empty when it has none.
        notice: What is to be said of how it was read; empty for nothing.
    """

    text: str
    title: str
    notice: str


async def page_text(html: str, url: str) -> PageText:
    """The text of a page, as Markdown where the extra `fetch` is installed.

    Args:
        html: The page.
        url: Where it is; links are told from there.

    Raises:
        ToolError: It cannot be read in time.
    """
    spec = find_spec(LIBRARY)
    place = str(Path(spec.origin).parent.parent) if spec is not None and spec.origin else ""
    text, is_plain = await _run(html, url, place)
    notice = ""
    if not place:
        notice = f"read as plain text: run `{install_line('fetch')}` for Markdown with links"
    elif is_plain:
        notice = "read as plain text: it could not be made Markdown"
    found = _TITLE.search(html, 0, TITLE_CHARACTERS)
    return PageText(text.strip(), " ".join(marks.unescape(found[1]).split()) if found else "", notice)


async def _run(html: str, url: str, place: str) -> tuple[str, bool]:
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable or "python3", "-I", "-W", "ignore", str(_PROGRAM), url, place),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
            env=environment(),
        )
    except OSError as error:
        raise ToolError(f"the program that reads pages could not be started: {type(error).__name__}") from None
    try:
        async with asyncio.timeout(READ_S) as limit:
            text, _ = await process.communicate(html.encode("utf-8", "replace"))
    except TimeoutError:
        if not limit.expired():
            raise
        raise ToolError(f"the page could not be read in {READ_S:g} s; raw=true gives it as it is") from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await finish(process.wait(), limit_s=5.0)
    if process.returncode not in (0, 3):
        raise ToolError("the page could not be read as HTML; raw=true gives it as it is")
    return text.decode("utf-8", "replace"), process.returncode == 3

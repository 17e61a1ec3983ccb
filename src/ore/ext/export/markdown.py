"""`markdown`: Markdown as HTML in which nothing can act."""

import logging
from functools import cache
from typing import Any, Final

from ore.ext.export.escaping import escape, readable, safe_url

try:
    from markdown_it import MarkdownIt
except ImportError:  # the extra `export` is not installed
    _INSTALLED = False
else:
    _INSTALLED = True

__all__ = ["LIMIT_CHARACTERS", "can_render", "markdown"]

log = logging.getLogger(__name__)

LIMIT_CHARACTERS: Final = 50_000
"""A longer text stays as it was written: it is no prose, and hostile Markdown takes its time."""


def can_render() -> bool:
    """Whether Markdown is rendered; without the extra `export` it is shown as it was written."""
    return _INSTALLED


def markdown(text: str) -> str:
    """CommonMark with tables and strikethrough, as HTML.

    HTML inside it is shown as text. Links go to `http`, `https` and `mailto`
    alone; any other stays as it was written. A picture becomes a link: nothing
    is loaded before somebody clicks.
    """
    if not _INSTALLED or len(text) > LIMIT_CHARACTERS:
        return _plain(text)
    try:
        return str(_renderer().render(readable(text)))
    except Exception:
        log.exception("a text is shown as it was written, since its Markdown could not be rendered")
        return _plain(text)


def _plain(text: str) -> str:
    return f'<pre class="plain">{escape(text)}</pre>'


@cache
def _renderer() -> Any:
    made = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])
    made.validateLink = safe_url  # type: ignore[method-assign]  # how the library is told
    made.add_render_rule("image", _image)
    made.add_render_rule("link_open", _link)
    return made


def _image(renderer: Any, tokens: Any, place: int, options: Any, environment: Any) -> str:
    token = tokens[place]
    text = renderer.renderInlineAsText(token.children, options, environment) or "picture"
    return f'<a rel="noopener noreferrer nofollow" href="{escape(str(token.attrs["src"]))}">{escape(text)}</a>'


def _link(renderer: Any, tokens: Any, place: int, options: Any, environment: Any) -> str:
    tokens[place].attrSet("rel", "noopener noreferrer nofollow")
    return str(renderer.renderToken(tokens, place, options, environment))

"""The program that makes Markdown of a page: the page comes on its input, the text goes to its output.

Its arguments are where the page is, and the folder of the library; without
one, and where the library fails, the text is plain and the exit code 3. It
imports nothing of ore; whoever started it ends it when it takes too long.
"""

import re
import sys
from contextlib import suppress
from html.parser import HTMLParser

MEMORY_BYTES = 2 << 30
LONGEST_BYTES = 8 << 20

SKIPPED = frozenset({"script", "style", "noscript", "template", "head", "title", "svg", "iframe"})
BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "fieldset", "figure", "footer", "form"}
    | {"h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "table"}
    | {"td", "th", "tr", "ul"}
)


class Plain(HTMLParser):
    """Gathers what a page says."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._skipped = ""
        self._pre = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not self._skipped and tag in SKIPPED:
            self._skipped = tag
        self._pre += tag == "pre"
        if tag in BLOCKS or tag == "body":
            self._skipped = "" if tag == "body" else self._skipped
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._skipped:
            self._skipped = ""
        self._pre -= tag == "pre" and self._pre > 0
        if tag in BLOCKS:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.pieces.append(data if self._pre else re.sub(r"\s+", " ", data))

    def text(self) -> str:
        """All of it, without empty lines in a row."""
        lines = (line.rstrip() if line[:1].isspace() and line.strip() else line.strip() for line in self._lines())
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()

    def _lines(self) -> list[str]:
        return "".join(self.pieces).split("\n")


def plain(html: str) -> str:
    """What a page says, without what it looks like."""
    reader = Plain()
    reader.feed(html)
    reader.close()
    return reader.text()


def markdown(html: str, url: str) -> str:
    """The page as Markdown, hidden parts and navigation left out."""
    from html_to_markdown import ConversionOptions, convert  # noqa: PLC0415  # only now it is known where it is

    options = ConversionOptions(extract_metadata=False, base_url=url, inline_data_media="alt_text_only")
    return convert(html, options).content or ""


def main(url: str, place: str) -> int:
    """Read and write."""
    limit_memory()
    html = sys.stdin.buffer.read().decode("utf-8", "replace")
    code = 0
    try:
        if not place:
            raise ModuleNotFoundError
        sys.path.append(place)
        text = markdown(html, url)
    except Exception:
        text, code = plain(html), 3
    sys.stdout.buffer.write(text.encode("utf-8", "replace")[:LONGEST_BYTES])
    return code


def limit_memory() -> None:
    """Have an end where a page would become very long."""
    with suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415  # Windows has none

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))

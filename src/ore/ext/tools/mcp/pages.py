"""`all_pages`: every page of what a server lists."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol, TypeVar

from ore.errors import ToolError

__all__ = ["all_pages"]

MAX_PAGES: Final = 200
"""200 pages: a server whose list has no end must not hold the client."""


class _Page(Protocol):
    next_cursor: str | None


PageT = TypeVar("PageT", bound=_Page)
PageT_co = TypeVar("PageT_co", bound=_Page, covariant=True)
ItemT = TypeVar("ItemT")


class _List(Protocol[PageT_co]):
    def __call__(self, *, cursor: str | None = None) -> Awaitable[PageT_co]: ...


async def all_pages(ask: _List[PageT], items: Callable[[PageT], Sequence[ItemT]]) -> Sequence[ItemT]:
    """Ask for one page after the other, with the cursor as it came.

    Raises:
        ToolError: The server gives a cursor twice, or more than `MAX_PAGES` pages.
    """
    found: list[ItemT] = []
    seen: set[str] = set()
    cursor: str | None = None
    while True:
        page = await ask(cursor=cursor)
        found += items(page)
        cursor = page.next_cursor
        if not cursor:
            return found
        if cursor in seen or len(seen) >= MAX_PAGES:
            raise ToolError(f"expected a list that ends, got a cursor again after {len(seen) + 1} pages")
        seen.add(cursor)

"""Every session that a test watches is closed at its end, and the order of its events checked."""

from collections.abc import AsyncIterator

import pytest_asyncio

from ore.testing import check_order
from session.watch import Watch


@pytest_asyncio.fixture
async def watch() -> AsyncIterator[Watch]:
    watch = Watch()
    yield watch
    for entries in await watch.close():
        check_order(entries)

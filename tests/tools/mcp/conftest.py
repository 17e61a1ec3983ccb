"""A server that many tests ask, and time for servers to start."""

import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.mcp.serving import Web, web_now

importlib.import_module("mcp")  # which takes seconds, and not those of the first test

START_LIMIT_S = 300
"""A server of the SDK imports for seconds, on a busy machine for many."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give tests that start servers the time that slow ones get."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.timeout(START_LIMIT_S))


@pytest.fixture(scope="session")
def shared() -> Iterator[Web]:
    """A server over HTTP that nobody kills."""
    with web_now() as found:
        yield found

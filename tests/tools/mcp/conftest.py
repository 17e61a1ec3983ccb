"""A server that many tests ask."""

import importlib
from collections.abc import Iterator

import pytest

from tools.mcp.serving import Web, web_now

importlib.import_module("mcp")  # which takes seconds, and not those of the first test


@pytest.fixture(scope="session")
def shared() -> Iterator[Web]:
    """A server over HTTP that nobody kills."""
    with web_now() as found:
        yield found

"""`growth`: how much memory a block of code took at its peak, however much the process took before."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_STATUS = Path("/proc/self/status")


@contextmanager
def growth() -> Iterator[Callable[[], int]]:
    """Give a function that says the highest growth since the start, in bytes.

    `ru_maxrss` cannot: it never falls, so behind a test that took more it
    either fails for nothing or can no longer fail.
    """
    if not sys.platform.startswith("linux"):
        pytest.skip("the mark of the most memory can be set back on Linux only")
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except PermissionError:
        pytest.skip("this process may not set back the mark of its most memory")
    before_bytes = _bytes("VmRSS")
    yield lambda: _bytes("VmHWM") - before_bytes


def _bytes(field: str) -> int:
    found = re.search(rf"^{field}:\s+(\d+) kB$", _STATUS.read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) << 10

"""A pytest plugin that forbids real requests, and plays cassettes.

In a `conftest.py`: `pytest_plugins = ["ore.ext.replay.pytest_plugin"]`. From
then on no test reaches a model's server but on this machine, unless it is
marked `real_requests`. A test with the fixture `cassette` plays what was
recorded, in the folder `cassettes/<file>/<test>` beside it, where a test of a
class is `Class.test`;
`pytest --ore-record` records it anew, with real keys and real money.
"""

import re
import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest

from ore.ext.providers.shared_transport import replaced_transport
from ore.ext.replay.cassette import unpack
from ore.ext.replay.no_network import NoNetwork
from ore.ext.replay.recording import Recording
from ore.ext.replay.replaying import Replaying

__all__ = ["cassette", "no_real_requests", "pytest_addoption", "pytest_configure"]

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_.,=+-]+")

_NAME_CHARACTERS: Final = 100
"""Of a folder: no file system takes more than 255 bytes."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--ore-record`."""
    parser.getgroup("ore").addoption(
        "--ore-record", action="store_true", help="record the cassettes anew; this sends real requests"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", "real_requests: the test may reach servers of models")


@pytest.fixture(autouse=True)
def no_real_requests(request: pytest.FixtureRequest) -> Iterator[None]:
    """Refuse requests to other machines, by name."""
    if request.node.get_closest_marker("real_requests"):
        yield
        return
    refusing = NoNetwork()
    with replaced_transport(refusing) as real:
        refusing.loopback = real
        yield


@pytest.fixture
def cassette(request: pytest.FixtureRequest, no_real_requests: None) -> Iterator[Path]:
    """Play the test's cassette, or record it; the folder it is in.

    Recorded requests that nobody asked for fail the test.
    """
    folder = _folder(request)
    if request.config.getoption("--ore-record"):
        shutil.rmtree(folder, ignore_errors=True)
        with replaced_transport(NoNetwork()) as real, replaced_transport(Recording(real, folder)):
            yield folder
        unpack(folder)
        return
    player = Replaying(folder)
    with replaced_transport(player):
        yield folder
    left = [exchange.name for exchange in player.left]
    if left:
        pytest.fail(f"cassette {folder.name}: recorded and not asked for: {', '.join(left)}; record it again?")


def _folder(request: pytest.FixtureRequest) -> Path:
    path = Path(str(request.path))
    return path.parent / "cassettes" / path.stem / _name(request.node.nodeid.partition("::")[2])


def _name(test: str) -> str:
    """A folder's name for a test, another for each in its file: what no name may hold is a number at its end."""
    base, _, inner = test.removesuffix("]").partition("[")
    plain = base.replace("::", ".") + (f"-{inner}-" if inner else "")
    name = _UNSAFE.sub("-", plain)
    if name == plain and len(name) <= _NAME_CHARACTERS:
        return name
    return f"{name[:_NAME_CHARACTERS]}-{sha256(test.encode('utf-8', 'replace')).hexdigest()[:8]}"

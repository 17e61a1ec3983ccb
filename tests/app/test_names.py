"""The names of the front door."""

import subprocess
import sys
from types import ModuleType

import pytest

import ore


@pytest.mark.requirement("D-front-door-names")
def test_there_are_at_most_forty_sorted() -> None:
    assert len(ore.__all__) <= 40
    assert ore.__all__ == sorted(ore.__all__)


@pytest.mark.requirement("D-front-door-names")
@pytest.mark.parametrize("name", ore.__all__)
def test_each_can_be_imported_and_says_what_it_is(name: str) -> None:
    value = getattr(ore, name)
    assert value.__doc__
    assert value.__module__.startswith("ore.")
    assert name in dir(ore)


@pytest.mark.requirement("D-front-door-names")
@pytest.mark.parametrize("first", ["Agent", "tool", "Step"])
def test_no_name_is_the_module_of_that_name(first: str) -> None:
    """A package that has the name of a function stands in no other's way, in whatever order they are imported."""
    program = f"from ore import {first}\nfrom ore import tool\nprint(tool(lambda: 1, name='one').name)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("one\n", "")
    assert [name for name in ore.__all__ if type(getattr(ore, name)) is ModuleType] == []


def test_a_name_that_there_is_not_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        ore.nothing  # noqa: B018


def test_importing_ore_imports_nothing_of_it() -> None:
    program = "import sys, ore\nprint(sorted(name for name in sys.modules if name.startswith('ore.')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"

"""Where tools read, write and run."""

from pathlib import Path

import pytest

from ore.errors import ToolError
from ore.tool import ExecSandbox, Execution, FileSandbox, Registry, Sandbox, Sandboxes


class Folder:
    def __init__(self, name: str, folder: str = "/srv") -> None:
        self.name = name
        self.working_directory = Path(folder)

    def resolve_path(self, path: str) -> Path:
        found = (self.working_directory / path).resolve()
        if not found.is_relative_to(self.working_directory):
            raise ToolError(f"{path!r} lies outside")
        return found


class Shell(Folder):
    async def run(self, command: str, *, directory: str | None = None) -> Execution:
        return Execution(stdout=command, stderr="", exit_code=0)


@pytest.mark.requirement("C158", "L20")
def test_a_sandbox_is_found_by_name_and_an_unknown_one_is_an_error() -> None:
    """Never the absence of a border."""
    one, two, again = Folder("one"), Shell("two"), Folder("one")
    sandboxes = Sandboxes(one, two)
    assert sandboxes.lookup("one") is one
    sandboxes.register(again)
    assert sandboxes.lookup("one") is again
    with pytest.raises(ToolError, match=r"unknown sandbox 'three'; there are: 'one', 'two'"):
        sandboxes.lookup("three")
    with pytest.raises(ToolError, match="there are: none"):
        Sandboxes().lookup("one")


@pytest.mark.requirement("C158")
def test_there_is_no_default_until_one_is_set() -> None:
    sandboxes = Sandboxes(Folder("one"))
    assert sandboxes.default is None
    with pytest.raises(ToolError):
        sandboxes.set_default("two")
    sandboxes.set_default("one")
    again = Folder("one")
    sandboxes.register(again)
    assert sandboxes.default is again
    unnamed = Folder("")
    sandboxes.register(unnamed)
    assert sandboxes.lookup("") is unnamed


@pytest.mark.requirement("L20")
def test_a_call_chooses_its_sandbox_by_an_argument_that_the_tool_does_not_see() -> None:
    sandboxes = Registry(sandboxes=[Folder("one"), Folder("two")]).sandboxes
    sandboxes.set_default("one")
    assert sandboxes.select({"sandbox": "two", "a": 1}) == (sandboxes.lookup("two"), {"a": 1})
    assert sandboxes.select({"a": 1}) == (sandboxes.lookup("one"), {"a": 1})
    for unknown in ("three", None, 3):
        with pytest.raises(ToolError):
            sandboxes.select({"sandbox": unknown})


def test_without_sandboxes_the_argument_is_one_like_others() -> None:
    assert Sandboxes().select({"sandbox": "box"}) == (None, {"sandbox": "box"})


def test_what_a_sandbox_can_do_is_seen_in_its_shape() -> None:
    folder: Sandbox = Folder("one")
    shell: Sandbox = Shell("two")
    assert (isinstance(folder, FileSandbox), isinstance(folder, ExecSandbox)) == (True, False)
    assert isinstance(shell, ExecSandbox)

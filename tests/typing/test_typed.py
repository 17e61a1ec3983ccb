"""The distribution is typed, and says so; what `make packages` looks at is complete."""

import ast
import tarfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

import ore
import packages

ROOT = Path(__file__).parents[2]


def test_type_checkers_are_told_that_the_package_has_types() -> None:
    spec = find_spec("ore")
    assert spec is not None
    assert spec.origin is not None
    assert Path(spec.origin).with_name("py.typed").is_file()


def test_every_name_of_the_front_door_is_checked_by_its_type() -> None:
    tree = ast.parse((Path(__file__).parent / "api.py").read_text())
    names = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "ore"]
    assert sorted(alias.name for node in names for alias in node.names) == sorted(ore.__all__)


def test_every_extra_is_tried_alone() -> None:
    assert {*packages.declared(ROOT), ""} == set(packages.MODULES)


@pytest.mark.parametrize("left_out", [None, *packages.NEEDED])
def test_an_archive_without_what_it_needs_is_found_out(tmp_path: Path, left_out: str | None) -> None:
    names = [name for name in packages.NEEDED if name != left_out]
    wheel, sdist = tmp_path / "ore.whl", tmp_path / "ore.tar.gz"
    with zipfile.ZipFile(wheel, "w") as file:
        for name in names:
            file.writestr(name, "")
    with tarfile.open(sdist, "w:gz") as file_:
        for name in names:
            file_.addfile(tarfile.TarInfo(f"ore_agents-0.1.0/src/{name}"))
    expected = [] if left_out is None else [f"{left_out} is missing"]
    for archive in (wheel, sdist):
        assert [fault.partition(": ")[2] for fault in packages.missing(archive)] == expected

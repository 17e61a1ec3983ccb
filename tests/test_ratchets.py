"""The ratchets of `make check` can fail."""

from pathlib import Path

import pytest

import ratchets


def write(root: Path, name: str, text: str) -> list[Path]:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return [Path(name)]


@pytest.mark.parametrize(("lines", "faults"), [(400, 0), (401, 1)])
def test_a_source_file_has_at_most_400_lines(tmp_path: Path, lines: int, faults: int) -> None:
    files = write(tmp_path, "src/ore/long.py", "\n" * lines)
    assert len(list(ratchets.long_files(tmp_path, files))) == faults


def test_a_long_test_file_is_nobodys_business(tmp_path: Path) -> None:
    files = write(tmp_path, "tests/test_long.py", "\n" * 401)
    assert list(ratchets.long_files(tmp_path, files)) == []


@pytest.mark.parametrize("name", ["src/ore/utils.py", "src/ore/common/value.py", "tests/helpers/__init__.py"])
def test_no_file_or_folder_has_a_vague_name(name: str) -> None:
    assert list(ratchets.vague_names([Path(name), Path("src/ore/artifact/text.py")])) == [
        f"{name}: {(set(Path(name).with_suffix('').parts) & ratchets.VAGUE).pop()!r} names no noun"
    ]


@pytest.mark.parametrize("word", ["/ro" + "ot/x", "/wo" + "rk/main", "https://py" + "pi.org/simple"])
def test_no_line_names_a_registry_or_a_machine(tmp_path: Path, word: str) -> None:
    files = write(tmp_path, "README.md", f"fine\nsee {word}\n")
    assert [fault.split(": ")[0] for fault in ratchets.machine_names(tmp_path, files)] == ["README.md:2"]


@pytest.mark.parametrize(
    ("name", "text", "faults"),
    [
        ("src/ore/loop/step.py", "import asyncio\nimport msgspec\nfrom ore.event import Event\n", 0),
        ("src/ore/loop/step.py", "def f():\n    import aiohttp\n", 1),
        ("src/ore/loop/step.py", "def f():\n    from pydantic import BaseModel\n", 1),
        ("src/ore/testing/contracts/store.py", "import pytest\n", 1),
        ("src/ore/ext/providers/http.py", "import aiohttp\n", 0),
        ("src/ore/tool/schema.py", "def f():\n    from pydantic import TypeAdapter\n", 0),
        ("src/ore/tool/schema.py", "from pydantic import TypeAdapter\n", 1),
        ("src/ore/tool/schema.py", "def f():\n    import aiohttp\n", 1),
    ],
)
def test_core_imports_the_standard_library_and_msgspec(tmp_path: Path, name: str, text: str, faults: int) -> None:
    assert len(list(ratchets.core_imports(tmp_path, write(tmp_path, name, text)))) == faults


@pytest.mark.parametrize(("count", "faults"), [(40, 0), (41, 1)])
def test_the_front_door_has_at_most_40_names(count: int, faults: int) -> None:
    assert len(list(ratchets.public_names(["name"] * count))) == faults

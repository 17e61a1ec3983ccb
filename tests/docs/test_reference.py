"""The reference has every public name with what its docstring says, and is never older than the sources."""

from importlib import import_module
from pathlib import Path

import pytest

import reference

CORE = ("agent", "artifact", "cognitive", "errors", "event", "ledger", "loop", "models", "provider", "session", "tool")
PACKAGES = ["ore", "ore.app", "ore.testing", "ore.ext.conduits.http", *(f"ore.{name}" for name in CORE)]


@pytest.mark.parametrize("module", PACKAGES)
def test_each_public_name_has_its_place_with_a_signature(module: str) -> None:
    page = reference.page(module)
    names = import_module(module).__all__
    assert [line.removeprefix("## ") for line in page.splitlines() if line.startswith("## ")] == list(names)
    bare = [name for name in names if f"## {name}\n\n```\n" not in page]
    assert bare == []


@pytest.mark.slow
def test_every_module_that_offers_names_has_a_page() -> None:
    made = reference.public_modules()
    assert set(PACKAGES) <= set(made)
    assert {"ore.ext.tools.calculator", "ore.ext.patterns.exec_verifier", "ore.ext.stores.sqlite"} <= set(made)
    assert not [name for name in made if "._" in name or name.startswith("ore.cli")]


def test_what_is_written_in_a_docstring_stands_on_the_page_at_once(tmp_path: Path) -> None:
    (tmp_path / "ore").mkdir()
    source = tmp_path / "ore" / "__init__.py"
    said = '"""Boats."""\n\n__all__ = ["FAST", "row"]\n\nFAST = 3\n"""Knots."""\n\n\n'
    signature = "async def row(to: str, *, fast: bool = False) -> int:"
    source.write_text(f'{said}{signature}\n    """Row.\n\n    Args:\n        to: Where.\n    """\n')
    assert reference.page("ore", tmp_path) == (
        "# ore\n\nBoats.\n\n## FAST\n\n```\nFAST = 3\n```\nKnots.\n\n## row\n\n"
        "```\nasync def row(to: str, *, fast: bool=False) -> int\n```\nRow.\n\n**Args**\n\n- `to`: Where.\n"
    )
    for kept in (reference.tree_of, reference.defined, reference.imported):
        kept.cache_clear()
    source.write_text(source.read_text().replace("Where.", "Which shore."))
    assert "- `to`: Which shore.\n" in reference.page("ore", tmp_path)


@pytest.mark.slow
def test_the_pages_are_written_and_old_ones_go(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "index.md").write_text("# Reference\n")
    (tmp_path / "ore.gone.md").write_text("no such module")
    assert reference.main([str(tmp_path)]) == 0
    names = reference.public_modules()
    assert f"{len(names)} pages" in capsys.readouterr().out
    assert sorted(path.stem for path in tmp_path.glob("*.md")) == sorted([*names, "index"])
    assert all(f"({name}.md)" in (tmp_path / "index.md").read_text() for name in names)


@pytest.mark.slow
def test_no_block_of_it_is_taken_for_a_program() -> None:
    for text in reference.pages().values():
        assert "\n```python" not in text

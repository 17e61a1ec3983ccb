"""Write the reference: a page for each public package and module, from its signatures and docstrings.

    python tools/reference.py [FOLDER]

Reads the sources without importing them, so that no extra is needed, and puts
the pages into docs/reference, which git does not hold: they are always those
of the sources they stand beside. `make docs` runs it.
"""

import argparse
import ast
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
SOURCES: Final = ROOT / "src"

TITLE: Final = "# Reference"
"""What the list of pages begins with."""

SECTION: Final = re.compile(r"(Args|Attributes|Raises|Returns|Yields):")
ITEM: Final = re.compile(r"([A-Za-z_][\w.*, ]*): (.*)")

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Assign | ast.AnnAssign


@dataclass(frozen=True, slots=True)
class Found:
    """Where a public name is defined.

    Attributes:
        node: Its definition.
        text: The string behind it, for a value.
    """

    node: Definition
    text: str | None = None


def pages(sources: Path = SOURCES) -> Mapping[str, str]:
    """Every page by the name of its module."""
    return {name: page(name, sources) for name in public_modules(sources)}


def public_modules(sources: Path = SOURCES) -> Sequence[str]:
    """Packages that offer names, and the modules of extensions that stand in no package of their own."""
    found = []
    for path in sorted(sources.glob("ore/**/*.py")):
        parts = path.relative_to(sources).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        is_single = len(parts) == (4 if parts[1:2] == ("ext",) else 2) and not parts[-1].startswith("_")
        if (is_package or is_single) and parts[1:2] != ("cli",) and names_of(tree_of(path)):
            found.append(".".join(parts[:-1] if is_package else parts))
    return found


def page(module: str, sources: Path = SOURCES) -> str:
    """The page of a module."""
    tree = tree_of(place_of(module, sources))
    lines = [f"# {module}", "", *told(ast.get_docstring(tree) or "")]
    for name in names_of(tree):
        found = definition(module, name, sources)
        lines += ["", f"## {name}", ""]
        if found is not None:
            lines += described(name, found)
    return "\n".join(lines).rstrip() + "\n"


@cache
def tree_of(path: Path) -> ast.Module:
    """The source of a module, parsed."""
    return ast.parse(path.read_text())


def names_of(tree: ast.Module) -> Sequence[str]:
    """What the module offers, as its `__all__` says."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            names: list[str] = ast.literal_eval(node.value)
            return names
    return []


def place_of(module: str, sources: Path = SOURCES) -> Path:
    """The file of a module."""
    path = sources.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def definition(module: str, name: str, sources: Path = SOURCES) -> Found | None:
    """Where a name of a module is defined, wherever it is imported from."""
    place = place_of(module, sources)
    found = defined(place).get(name)
    if found is not None:
        return found
    source = imported(place).get(name)
    return definition(*source, sources) if source is not None else None


@cache
def defined(path: Path) -> Mapping[str, Found]:
    """The definitions of a module, by name."""
    body = tree_of(path).body
    found: dict[str, Found] = {}
    for number, node in enumerate(body):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.setdefault(node.name, Found(node))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            text = string_of(body[number + 1]) if number + 1 < len(body) else None
            found |= {name: Found(node, text) for name in targets(node)}
    return found


@cache
def imported(path: Path) -> Mapping[str, tuple[str, str]]:
    """What a module takes from others of ore: their name, and the name it has there."""
    nodes = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.ImportFrom)]
    return {
        alias.asname or alias.name: (node.module, alias.name)
        for node in nodes
        for alias in node.names
        if node.module is not None and node.module.startswith("ore")
    }


def targets(node: ast.Assign | ast.AnnAssign) -> Sequence[str]:
    """The names that are assigned to."""
    given = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [target.id for target in given if isinstance(target, ast.Name)]


def string_of(node: ast.stmt) -> str | None:
    """The string that a statement is, as behind a value."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return node.value.value
    return None


def described(name: str, found: Found) -> Iterator[str]:
    """What the page says of a name."""
    node = found.node
    if isinstance(node, ast.Assign | ast.AnnAssign):
        yield from code(ast.unparse(node) if len(ast.unparse(node)) < 400 else name)
        yield from told(found.text or "")
        return
    yield from code(signature(node))
    yield from told(ast.get_docstring(node) or "")
    if isinstance(node, ast.ClassDef):
        yield from members(node)


def members(node: ast.ClassDef) -> Iterator[str]:
    """The fields and methods of a class that are public."""
    fields = [one for one in node.body if isinstance(one, ast.AnnAssign) and not targets(one)[0].startswith("_")]
    if fields:
        yield from ("", *code("\n".join(ast.unparse(field) for field in fields)))
    for method in node.body:
        if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) and not method.name.startswith("_"):
            yield from ("", f"### {node.name}.{method.name}", "", *code(signature(method)))
            yield from told(ast.get_docstring(method) or "")


def signature(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """How it is called."""
    if isinstance(node, ast.ClassDef):
        made = next((one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
        bases = ", ".join(ast.unparse(base) for base in node.bases)
        return f"class {node.name}({arguments(made)})" if made else f"class {node.name}" + f"({bases})" * bool(bases)
    kind = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    marks = [f"@{one.id}\n" for one in node.decorator_list if isinstance(one, ast.Name) and one.id != "overload"]
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{''.join(marks)}{kind} {node.name}({arguments(node)}){returns}"


def arguments(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Its parameters, without `self`."""
    text = re.sub(r"^(self|cls)(, |$)", "", ast.unparse(node.args))
    return text if len(text) < 90 else "\n    " + re.sub(r", (?=\*|\w+:|\w+=)", ",\n    ", text) + ",\n"


def code(text: str) -> Sequence[str]:
    """A block of it; no language, so that it is taken for no program."""
    return ("```", text, "```")


def told(docstring: str) -> Iterator[str]:
    """A docstring in Google's form, as Markdown."""
    within = False
    for line in docstring.splitlines():
        section = SECTION.fullmatch(line.strip()) if not line.startswith(" ") else None
        item = ITEM.match(line.strip()) if within and line.startswith("    ") and not line.startswith("     ") else None
        if section:
            within = True
            yield from (f"**{section[1]}**", "")
        elif item:
            yield f"- `{item[1]}`: {item[2]}"
        else:
            within = within and (not line or line.startswith(" "))
            yield f"  {line.strip()}" if within and line else line


def main(words: Sequence[str]) -> int:
    """Write the pages anew, and say how many there are; a folder with other pages in it is left alone."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    place = ROOT / "docs" / "reference"
    parser.add_argument(
        "folder", metavar="FOLDER", nargs="?", type=Path, default=place, help="where to (docs/reference)"
    )
    folder: Path = parser.parse_args(words).folder
    if folder.exists() and not folder.is_dir():
        parser.error(f"expected a folder, got {str(folder)!r}")
    old, index = list(folder.glob("*.md")), folder / "index.md"
    if old and not (index.exists() and index.read_text().startswith(TITLE)):
        parser.error(f"expected a folder without pages of others, got {str(folder)!r} with {len(old)} of them")
    folder.mkdir(parents=True, exist_ok=True)
    for page_of_old in old:
        page_of_old.unlink()
    made = pages()
    for name, text in made.items():
        (folder / f"{name}.md").write_text(text)
    listed = "".join(f"- [{name}]({name}.md)\n" for name in made)
    index.write_text(f"{TITLE}\n\n{listed}")
    print(f"{folder}: {len(made)} pages")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

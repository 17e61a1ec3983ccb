"""What a docstring says of a function and of each parameter, in Google's or reST's form."""

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["Docstring", "read_docstring"]

_ARGUMENTS: Final = ("Args", "Arguments", "Parameters", "Keyword Args", "Keyword Arguments")
_OTHERS: Final = ("Returns", "Return", "Yields", "Yield", "Raises")
_HEADER: Final = re.compile(rf"({'|'.join((*_ARGUMENTS, *_OTHERS))}):\s*")
_ENTRY: Final = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)")
_FIELD: Final = re.compile(r":(\w+)(?:\s+([^:]*))?:\s*(.*)")
_FIELDS_OF_ARGUMENTS: Final = ("param", "parameter", "arg", "argument", "key", "keyword")


@dataclass(frozen=True, slots=True)
class Docstring:
    """The description without its sections on parameters, results and errors, and a text for each parameter."""

    description: str
    parameters: Mapping[str, str]


def read_docstring(text: str | None) -> Docstring:
    """Read Google's `Args:` and reST's `:param name:`; what is neither stays in the description."""
    description: list[str] = []
    section: list[str] | None = None
    parameters: dict[str, str] = {}
    for line in inspect.cleandoc(text or "").splitlines():
        header = _HEADER.fullmatch(line)
        field = _FIELD.fullmatch(line)
        if header or field:
            parameters |= _entries(section)
            section = _opened(header, field)
        elif section is not None and (not line.strip() or line[0].isspace()):
            section.append(line)
        else:
            parameters |= _entries(section)
            section = None
            description.append(line)
    parameters |= _entries(section)
    paragraphs = re.sub(r"\n{3,}", "\n\n", "\n".join(description))
    return Docstring(paragraphs.strip(), parameters)


def _opened(header: re.Match[str] | None, field: re.Match[str] | None) -> list[str]:
    """The lines of a section; the first says whether it is about parameters."""
    if header:
        return ["Args" if header[1] in _ARGUMENTS else ""]
    assert field is not None
    name = (field[2] or "").split()[-1:]
    return ["Args", f" {name[0]}: {field[3]}"] if field[1] in _FIELDS_OF_ARGUMENTS and name else [""]


def _entries(section: list[str] | None) -> dict[str, str]:
    return dict(_read_entries(section[1:])) if section and section[0] else {}


def _read_entries(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Each parameter with its words; lines that stand deeper go on with the one before."""
    depth: int | None = None
    name, words = "", [""]
    for line in lines:
        here = len(line) - len(line.lstrip())
        entry = _ENTRY.fullmatch(line.strip())
        depth = here if depth is None and entry else depth
        if entry and here == depth:
            if name:
                yield name, " ".join(words).strip()
            name, words = entry[1], [entry[2]]
        elif line.strip():
            words.append(line.strip())
    if name:
        yield name, " ".join(words).strip()

"""What of a docstring goes where."""

from typing import Any

import pytest

from ore.tool import tool


def read(docstring: str) -> tuple[str, dict[str, Any]]:
    def take(a: int = 0, b: int = 0) -> None: ...

    take.__doc__ = docstring
    made = tool(take)
    return made.description, {name: item.get("description") for name, item in made.schema["properties"].items()}


@pytest.mark.parametrize(
    ("docstring", "description", "a", "b"),
    [
        ("", "", None, None),
        ("One line.", "One line.", None, None),
        ("One.\n\n    Two,\n    still two.\n    ", "One.\n\nTwo,\nstill two.", None, None),
        ("D.\n\nArgs:\n    a: The a.\n    b: The b.", "D.", "The a.", "The b."),
        ("D.\n\nArguments:\n  a (int, optional): The a.\n  *b: The b.", "D.", "The a.", "The b."),
        ("D.\n\nArgs:\n    a: The a,\n        see: b.\n\n        More.\n    b: x", "D.", "The a, see: b. More.", "x"),
        ("D.\n\nArgs:\n    a:\n        Below.\n", "D.", "Below.", None),
        ("D.\n\n:param a: The a.\n:param int b: The b,\n    on.\n:returns: R", "D.", "The a.", "The b, on."),
        ("D.\n\n:type a: int\n:raises ValueError: never", "D.", None, None),
        ("D.\n\nReturns:\n    a: no\n\nRaises:\n    b: no\n", "D.", None, None),
        ("D.\n\nArgs:\n    a: A.\n\nNote:\n    Stays.", "D.\n\nNote:\n    Stays.", "A.", None),
        ("Args: none of them matter.", "Args: none of them matter.", None, None),
        ("D.\n\nArgs:\n    nonsense\n    a: A.", "D.", "A.", None),
        ("D.\n\nArgs:\n", "D.", None, None),
    ],
)
def test_paragraphs_describe_the_tool_and_sections_its_parameters(
    docstring: str, description: str, a: str | None, b: str | None
) -> None:
    assert read(docstring) == (description, {"a": a, "b": b})

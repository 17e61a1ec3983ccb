"""`Expression`: arithmetic read and computed by a parser of our own; nothing is ever evaluated as code."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ore.errors import ToolError
from ore.ext.tools.arithmetic import CONSTANTS, FUNCTIONS, OPERATORS, Number, compute, literal, plain

__all__ = ["MAX_CHARACTERS", "MAX_DEPTH", "Expression"]

MAX_CHARACTERS: Final = 1_000
"""Of an expression."""

MAX_DEPTH: Final = 50
"""Of parentheses, signs and powers inside each other."""

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)|(?P<name>[a-z_]\w*)|(?P<sign>\*\*|//|[-+*/%(),]))",
    re.ASCII | re.IGNORECASE,
)
_SPELLINGS: Final = str.maketrans({"×": "*", "÷": "/", "−": "-"})
_KINDS: Final = "a number, a name or '('"


class _Token(NamedTuple):
    kind: str
    text: str
    place: int


class Expression:
    """One expression: `+ - * / // % **`, parentheses, functions and constants.

    Operators bind as in Python: `-2 ** 2` is -4, `2 ** -1` is 0.5, `//` and
    `%` round down.

    Args:
        text: The expression.

    Raises:
        ToolError: It is too long, or has characters that mean nothing.
    """

    def __init__(self, text: str) -> None:
        if len(text) > MAX_CHARACTERS:
            raise ToolError(f"expression: expected at most {MAX_CHARACTERS} characters, got {len(text)}")
        self._tokens: Sequence[_Token] = (*_tokens(text.translate(_SPELLINGS)),)
        self._next = 0
        self._depth = 0

    def result(self) -> int | float:
        """Compute it, once.

        Raises:
            ToolError: It is no expression, or has no result that can be held.
        """
        number = self._sum()
        self._expect("end", "an operator or the end")
        return plain(number)

    def _sum(self) -> Number:
        number = self._product()
        while sign := self._take("+", "-"):
            number = compute(OPERATORS[sign], number, self._product())
        return number

    def _product(self) -> Number:
        number = self._signed()
        while sign := self._take("*", "/", "//", "%"):
            number = compute(OPERATORS[sign], number, self._signed())
        return number

    def _signed(self) -> Number:
        """A sign binds less than a power: `-2 ** 2` is -4."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ToolError(f"expression: expected at most {MAX_DEPTH} levels inside each other")
        sign = self._take("+", "-")
        number = self._signed() if sign else self._power()
        self._depth -= 1
        return -number if sign == "-" else number

    def _power(self) -> Number:
        base = self._atom()
        return compute(OPERATORS["**"], base, self._signed()) if self._take("**") else base

    def _atom(self) -> Number:
        token = self._tokens[self._next]
        if token.kind == "number":
            self._next += 1
            return literal(token.text)
        if token.kind == "name":
            self._next += 1
            return self._named(token)
        if not self._take("("):
            raise _unexpected(token, _KINDS)
        number = self._sum()
        self._expect(")", "an operator or ')'")
        return number

    def _named(self, token: _Token) -> Number:
        name = token.text.lower()
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name not in FUNCTIONS:
            known = ", ".join((*FUNCTIONS, *CONSTANTS))
            raise ToolError(f"expression: expected one of {known} at position {token.place}, got {token.text!r}")
        function, fewest, most = FUNCTIONS[name]
        arguments = self._arguments(token)
        if not fewest <= len(arguments) <= most:
            wanted = str(fewest) if fewest == most else f"{fewest} to {most}"
            raise ToolError(f"{name}: expected {wanted} argument{'s' * (wanted != '1')}, got {len(arguments)}")
        return compute(function, *arguments)

    def _arguments(self, function: _Token) -> Sequence[Number]:
        self._expect("(", f"'(' behind {function.text!r}")
        if self._take(")"):
            return ()
        arguments = [self._sum()]
        while self._take(","):
            arguments.append(self._sum())
        self._expect(")", "an operator, ',' or ')'")
        return arguments

    def _take(self, *texts: str) -> str:
        """The next token when it is one of these signs, else an empty text."""
        token = self._tokens[self._next]
        if token.kind != "sign" or token.text not in texts:
            return ""
        self._next += 1
        return token.text

    def _expect(self, text: str, expected: str) -> None:
        token = self._tokens[self._next]
        if token.kind == "end" and text == "end":
            return
        if not self._take(text):
            raise _unexpected(token, expected)


def _tokens(text: str) -> Iterator[_Token]:
    place, end = 0, len(text.rstrip())
    while place < end:
        found = _TOKEN.match(text, place)
        if found is None or found.lastgroup is None:
            rest = text[place:].lstrip()
            hint = "; a power is written **" if rest[0] == "^" else ""
            raise ToolError(f"expression: {rest[0]!r} at position {len(text) - len(rest) + 1} means nothing here{hint}")
        kind = found.lastgroup
        yield _Token(kind, found[kind], found.start(kind) + 1)
        place = found.end()
    yield _Token("end", "", end + 1)


def _unexpected(token: _Token, expected: str) -> ToolError:
    came = repr(token.text) if token.text else "the end"
    return ToolError(f"expression: expected {expected} at position {token.place}, got {came}")

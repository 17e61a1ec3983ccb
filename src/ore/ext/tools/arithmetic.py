"""What the calculator does with numbers: exact where it can be, bounded always."""

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

from ore.errors import ToolError

__all__ = ["CONSTANTS", "FUNCTIONS", "MAX_EXPONENT", "OPERATORS", "Number", "compute", "literal", "plain"]

Number = Fraction | float
"""Exact as long as only whole and decimal numbers meet; a float from the first root or logarithm on."""

MAX_BITS: Final = 3_330
"""Of an exact number's parts: about 1,000 decimal digits."""

MAX_EXPONENT: Final = 1_000
"""Of ten in a number as it is written, and of the digits of `round`."""


def literal(text: str) -> Number:
    """A number as it is written, such as `12`, `.5` or `1e-3`.

    Raises:
        ToolError: It is too large.
    """
    exponent = text.lower().partition("e")[2]
    if len(exponent) > 8 or abs(int(exponent or 0)) > MAX_EXPONENT:
        raise ToolError(f"expected a number with an exponent of at most {MAX_EXPONENT}, got {text}")
    return compute(Fraction, text)


def plain(number: Number) -> int | float:
    """The number as it is returned: an int where it is whole.

    What came from a function is rounded to 15 digits, which hides what binary
    fractions add.

    Raises:
        ToolError: It is too large for a float.
    """
    if isinstance(number, Fraction):
        return number.numerator if number.denominator == 1 else float(compute(float, number))
    rounded = float(f"{number:.15g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 2**53 else rounded


def compute(work: Callable[..., Any], *values: Any) -> Number:
    """The result of `work`; inexact where its parts would grow too long.

    Raises:
        ToolError: There is no such number, or none that can be held.
    """
    try:
        result: Any = work(*values)
        if isinstance(result, int):
            result = Fraction(result)
        if isinstance(result, Fraction) and _bits(result) > MAX_BITS:
            result = float(result)
    except ZeroDivisionError:
        raise ToolError("division by zero") from None
    except OverflowError:
        raise _too_large() from None
    except ValueError:
        raise ToolError("there is no such number: an argument is outside of what the function takes") from None
    if isinstance(result, complex) or result != result:
        raise ToolError("the result is not a real number")
    if result in (math.inf, -math.inf):
        raise _too_large()
    number: Number = result
    return number


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _too_large() -> ToolError:
    return ToolError("the result is too large: expected at most 1,000 digits when it is whole, else 1e308")


def _power(base: Number, exponent: Number) -> Any:
    whole = isinstance(exponent, Fraction) and exponent.denominator == 1
    if isinstance(base, Fraction) and isinstance(exponent, Fraction) and whole:
        if abs(base) in (0, 1):
            return base ** (exponent.numerator if base else min(1, max(-1, exponent.numerator)))
        if _bits(base) * abs(exponent) <= 2 * MAX_BITS:
            return base**exponent.numerator
    return float(base) ** float(exponent)


def _sqrt(value: Number) -> Number:
    """Exact where it is."""
    if isinstance(value, Fraction) and value >= 0:
        root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
        if root * root == value:
            return root
    return math.sqrt(value)


def _log(value: Number, base: Number | None = None) -> float:
    if base is None:
        return math.log10(_whole(value))
    return math.log(_whole(value), _whole(base))


def _ln(value: Number) -> float:
    return math.log(_whole(value))


def _whole(value: Number) -> int | float:
    """As an int where it is one: `math` takes the logarithm of any."""
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else float(value)


def _round(value: Any, digits: Number = Fraction(0)) -> Any:
    if not isinstance(digits, Fraction) or digits.denominator != 1 or abs(digits) > MAX_EXPONENT:
        raise ToolError(f"round: expected a whole number of digits, at most {MAX_EXPONENT}")
    return round(value, digits.numerator)


OPERATORS: Final[Mapping[str, Callable[[Number, Number], Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": _power,
}

FUNCTIONS: Final[Mapping[str, tuple[Callable[..., Any], int, int]]] = {
    "sqrt": (_sqrt, 1, 1),
    "abs": (abs, 1, 1),
    "round": (_round, 1, 2),
    "min": (lambda *values: min(values), 1, 100),
    "max": (lambda *values: max(values), 1, 100),
    "floor": (math.floor, 1, 1),
    "ceil": (math.ceil, 1, 1),
    "log": (_log, 1, 2),
    "ln": (_ln, 1, 1),
    "exp": (math.exp, 1, 1),
    "sin": (math.sin, 1, 1),
    "cos": (math.cos, 1, 1),
    "tan": (math.tan, 1, 1),
}
"""Each with the fewest and the most arguments that it takes."""

CONSTANTS: Final[Mapping[str, float]] = {"pi": math.pi, "e": math.e}

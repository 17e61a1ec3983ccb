"""`calculator`: arithmetic that a model can rely on."""

from collections.abc import Sequence

from ore.ext.tools.expression import Expression
from ore.tool import Tool, tool

__all__ = ["calculator", "tools"]


@tool(read_only=True)
async def calculator(expression: str) -> int | float:
    """Calculate an arithmetic expression; returns the number.

    Operators: + - * / // % ** and parentheses. Functions: sqrt, abs, round(x)
    or round(x, digits), min, max, floor, ceil, ln, log(x) to base 10,
    log(x, base), exp, sin, cos, tan (radians). Constants: pi, e.

    Args:
        expression: Such as `(19.99 * 3 + 4.50) / 2` or `sqrt(2) ** 10`.
    """
    return Expression(expression).result()


def tools() -> Sequence[Tool]:
    """The calculator."""
    return (calculator,)

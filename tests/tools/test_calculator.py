"""The calculator agrees with Python's own arithmetic, and refuses what it cannot do."""

import asyncio
import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from ore import Agent
from ore.app import tools_by_name
from ore.artifact import ResultStatus, TextDelta, ToolCall, ToolResult
from ore.errors import ToolError
from ore.ext.tools.calculator import calculator, tools
from ore.testing.scripted import ScriptedProvider
from ore.tool import Tool


def calculated(expression: str) -> int | float:
    """What the tool returns for an expression."""

    async def call() -> Any:
        return await calculator.body.call(None, {"expression": expression})  # type: ignore[arg-type]  # it takes no context

    found: int | float = asyncio.run(call())
    return found


Valued = tuple[str, Fraction]
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}


def numbers() -> st.SearchStrategy[Valued]:
    """Whole and decimal numbers, as written and as meant."""
    whole = st.integers(0, 10**6).map(str)
    decimal = st.decimals(0, 1000, places=3, allow_nan=False).map(lambda value: f"{value:f}")
    return (whole | decimal).map(lambda text: (text, Fraction(text)))


def exact(inner: st.SearchStrategy[Valued]) -> st.SearchStrategy[Valued]:
    """Operations whose result is exact."""

    def combine(one: Valued, sign: str, other: Valued) -> Valued:
        assume(sign not in ("/", "//", "%") or other[1] != 0)
        return f"({one[0]} {sign} {other[0]})", Fraction(OPERATORS[sign](one[1], other[1]))

    def power(base: Valued, exponent: int) -> Valued:
        assume(base[1] != 0 or exponent >= 0)
        return f"({base[0]})**{exponent}", base[1] ** exponent

    return st.one_of(
        st.builds(combine, inner, st.sampled_from(sorted(OPERATORS)), inner),
        st.builds(power, inner, st.integers(-3, 3)),
        inner.map(lambda value: (f"-{value[0]}", -value[1])),
        inner.map(lambda value: (f"abs({value[0]})", abs(value[1]))),
        inner.map(lambda value: (f"floor({value[0]})", Fraction(math.floor(value[1])))),
        inner.map(lambda value: (f"ceil({value[0]})", Fraction(math.ceil(value[1])))),
        st.builds(lambda a, b: (f"min({a[0]}, {b[0]})", min(a[1], b[1])), inner, inner),
        st.builds(lambda a, b: (f"max({a[0]}, {b[0]})", max(a[1], b[1])), inner, inner),
        inner.map(lambda value: (f"round({value[0]}, 2)", round(value[1], 2))),
    )


@pytest.mark.requirement("D-calculator")
@given(st.recursive(numbers(), exact, max_leaves=6))
def test_it_agrees_with_exact_arithmetic(valued: Valued) -> None:
    text, value = valued
    assume(len(text) <= 1000)
    assert calculated(text) == (value.numerator if value.denominator == 1 else float(value))


@pytest.mark.requirement("D-calculator")
@given(st.lists(st.sampled_from(["+", "-", "*", "//", "%"]), max_size=6), st.data())
def test_operators_bind_as_in_python(signs: list[str], data: st.DataObject) -> None:
    operands = [data.draw(st.integers(1, 99).map(str) | st.integers(1, 9).map(lambda n: f"-{n}")) for _ in range(7)]
    powers = [data.draw(st.sampled_from(["", "", "**2", "**3"])) for _ in range(7)]
    pieces = [operands[0] + powers[0]]
    for sign, number, power in zip(signs, operands[1:], powers[1:], strict=False):
        pieces += [sign, number + power]
    text = " ".join(pieces)
    assert calculated(text) == eval(text)  # digits and operators alone: safe to evaluate


@given(st.floats(0.001, 100), st.sampled_from(["sqrt", "ln", "log", "exp", "sin", "cos", "tan"]))
def test_functions_agree_with_the_math_module(value: float, name: str) -> None:
    function: Callable[[float], float] = getattr(math, {"ln": "log", "log": "log10"}.get(name, name))
    assert math.isclose(calculated(f"{name}({value!r})"), function(value), rel_tol=1e-12, abs_tol=1e-12)


@given(st.text("0123456789.+-*/%(), eEpi", max_size=60) | st.text(max_size=60))
@example("9**9**9**9")
@example("((((((9**9)**9)**9)**9)**9)**9)**9")
@example("1e1000*1e1000")
@example("1e-1000/1e1000")
@example("1e1000+0.5")
@example("sqrt(1e999)+exp(1e999)")
def test_whatever_is_asked_gives_a_number_or_an_error_for_the_model(expression: str) -> None:
    try:
        result = calculated(expression)
    except ToolError as error:
        assert str(error)
    else:
        assert math.isfinite(result) if isinstance(result, float) else result.bit_length() <= 3_330


@pytest.mark.requirement("D-calculator")
@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("6*7", 42),
        ("0.1+0.2", 0.3),
        ("0.1 + 0.2 - 0.3", 0),
        ("1/3", 1 / 3),
        ("2/2", 1),
        ("-2**2", -4),
        ("2**-1", 0.5),
        ("2**3**2", 512),
        ("7//-2", -4),
        ("-7 % 3", 2),
        (".5 + 3.", 3.5),
        ("1e3", 1000),
        ("2**0.5", 1.4142135623731),
        ("sqrt(2)**2", 2),
        ("sqrt(0.25)", 0.5),
        ("log(1000)", 3),
        ("log(8, 2)", 3),
        ("ln(e)", 1),
        ("cos(PI)", -1),
        ("round(2.5)", 2),
        ("round(2.675, 2)", 2.68),
        ("round(12345, -2)", 12300),
        ("max(1, 2.5, -3)", 2.5),
        ("2**1000", 2**1000),
        ("log(2**1000, 2)", 1000),
        ("1.0001**100000", 22015.456048528),
        ("1**(10**300) + (-1)**(10**300)", 2),
        ("5 × 4 ÷ 2 − 1", 9),
        (" ( 1 ) ", 1),
    ],
)
def test_results_are_the_numbers_that_people_expect(expression: str, expected: float) -> None:
    result = calculated(expression)
    assert (result, type(result)) == (expected, type(expected))


@pytest.mark.requirement("D-calculator-bounds")
@pytest.mark.parametrize(
    "expression",
    [
        "",
        "   ",
        "1 +",
        "(1",
        "1)",
        "1 2",
        "2 ^ 3",
        "1,000",
        "sin",
        "sin()",
        "sin(1, 2)",
        "min()",
        "foo(1)",
        "x",
        "__import__('os')",
        "().__class__",
        "1 if 1 else 2",
        "lambda: 1",
        "'a' * 9",
        "0x10",
        "1_000",
        "٣ + ٤",
        "1/0",
        "1 % 0",
        "0**-1",
        "(-8)**(1/3)",
        "sqrt(-1)",
        "log(0)",
        "log(2, 1)",
        "round(1.5, 0.5)",
        "round(1, 10**9)",
        "2**100000",
        "9**9**9",
        "10**999 * 10**999",
        "exp(1000)",
        "1e1001",
        "1e99999999999",
        "1e400 + 0.5",
        "(" * 51 + "1" + ")" * 51,
        "-" * 51 + "1",
        "2**" * 51 + "1",
        "1+" * 500 + "1",
    ],
)
def test_what_is_no_expression_or_too_large_is_an_error(expression: str) -> None:
    with pytest.raises(ToolError):
        calculated(expression)


def test_an_error_says_what_was_expected_and_where() -> None:
    with pytest.raises(ToolError, match=r"expected a number, a name or '\(' at position 5, got '\*'"):
        calculated("2 + * 3")


@pytest.mark.requirement("D-calculator")
async def test_a_model_gets_the_number_and_its_start_is_not_recorded() -> None:
    call = ToolCall(id="c1", name="calculator", arguments='{"expression": "6*7"}')
    provider = ScriptedProvider([call], [TextDelta(content="42.")])
    async with asyncio.timeout(5):
        result = await Agent(provider, tools=tools()).run("What is 6*7?")
    assert result.turns[2].artifacts == (ToolResult(tool_call_id="c1", content="42", status=ResultStatus.OK),)
    assert calculator.traits.read_only


def test_it_is_found_by_its_name() -> None:
    found = [item for item in tools_by_name("calculator") if isinstance(item, Tool)]
    assert found == [calculator]
    assert calculator.schema == {
        "type": "object",
        "properties": {
            "expression": {
                "type": "string",
                "description": "Such as `(19.99 * 3 + 4.50) / 2` or `sqrt(2) ** 10`.",
            }
        },
        "required": ["expression"],
        "additionalProperties": False,
    }

"""Functions, methods and objects as tools."""

import asyncio
import functools
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any, Optional

import pytest

from ore.artifact import Artifact, Cut, ToolCall
from ore.event import Activity, Emitter, Event
from ore.tool import Denying, Example, Tool, ToolContext, Traits, as_tool, tool

if TYPE_CHECKING:
    from ore.tool import ToolContext as Hidden


@pytest.fixture
async def context(emitter: Emitter) -> ToolContext:
    call = ToolCall(id="c1", name="it", arguments="{}")
    return ToolContext("t:0", call, emitter=emitter, asker=Denying(), deps=7)


def add(a: int, b: int = 1) -> int:
    """Add two numbers.

    They may be negative.

    Args:
        a: The first.

    Returns:
        The sum.
    """
    return a + b


async def later(a: int) -> int:
    """Wait."""
    return a


@pytest.mark.requirement("D-tool-function")
async def test_a_plain_function_is_a_tool(context: ToolContext) -> None:
    adder = tool(add)
    assert (adder.name, adder.title, adder.traits) == ("add", None, Traits())
    assert adder.description == "Add two numbers.\n\nThey may be negative."
    assert adder.body.blocking
    assert adder.body.call(context, adder.body.parse('{"a": 2}')) == 3


async def test_an_async_function_gives_something_to_await(context: ToolContext) -> None:
    waiter = tool(later)
    assert not waiter.body.blocking
    assert await waiter.body.call(context, {"a": 2}) == 2


def test_the_decorator_takes_texts_and_traits() -> None:
    hint = Example(input={"a": 1}, output="2")

    @tool(name="plus", title="Plus", description="Sums.", read_only=True, approve=True, timeout_s=3.0, examples=[hint])
    def add_up(a: int) -> int:
        """Not shown."""
        return a

    assert isinstance(add_up, Tool)
    assert (add_up.name, add_up.title, add_up.description) == ("plus", "Plus", "Sums.")
    assert add_up.traits == Traits(read_only=True, approve=True, timeout_s=3.0, examples=[hint])


def test_the_decorator_needs_no_brackets_and_bears_empty_ones() -> None:
    @tool
    def one() -> None: ...

    @tool()
    def two() -> None: ...

    assert (one.name, two.name) == ("one", "two")


def test_options_go_with_the_function_in_one_call() -> None:
    assert tool(add, cut=Cut(max_lines=3)).traits == Traits(cut=Cut(max_lines=3))


def test_an_option_that_does_not_exist_is_refused() -> None:
    with pytest.raises(TypeError):
        tool(add, aprove=True)  # type: ignore[call-overload]  # the mistake


def asks(ctx: ToolContext, a: int) -> Any:
    return ctx.deps, ctx.meta.get("user"), a


def asks_in_text(ctx: "ToolContext", a: int) -> Any:
    return ctx.deps, ctx.meta.get("user"), a


def asks_unseen(ctx: "Hidden", a: int) -> Any:
    return ctx.deps, ctx.meta.get("user"), a


def asks_maybe(ctx: Optional["ToolContext"], a: int) -> Any:  # how older code writes it
    assert ctx
    return ctx.deps, ctx.meta.get("user"), a


def asks_by_place(ctx: ToolContext | None, /, a: int) -> Any:
    assert ctx
    return ctx.deps, ctx.meta.get("user"), a


asks_unseen.__annotations__["ctx"] = "ore.tool.ToolContext"  # a name that only a type checker imports


@pytest.mark.requirement("D-tool-context")
@pytest.mark.parametrize("function", [asks, asks_in_text, asks_unseen, asks_maybe, asks_by_place])
async def test_a_first_parameter_of_the_context_receives_it(function: Callable[..., Any], context: ToolContext) -> None:
    """However the annotation is written; the model never sees it."""
    asker = tool(function)
    assert list(asker.schema["properties"]) == ["a"]
    assert asker.body.call(context, asker.body.parse('{"a": 1}')) == (7, "ada", 1)


class Counter:
    """Counts."""

    def __init__(self) -> None:
        self.count = 0

    def up(self, by: int = 1) -> int:
        """Count up."""
        self.count += by
        return self.count

    @staticmethod
    def zero() -> int:
        """Zero."""
        return 0

    async def __call__(self, ctx: ToolContext, by: int) -> int:
        """Count, waiting."""
        return self.up(by)


async def test_a_bound_method_keeps_its_object(context: ToolContext) -> None:
    counter = Counter()
    up = tool(counter.up)
    assert (up.name, up.description, up.body.blocking) == ("up", "Count up.", True)
    assert up.body.call(context, up.body.parse('{"by": 2}')) == 2
    assert counter.count == 2
    assert tool(Counter.zero).schema["properties"] == {}


async def test_a_callable_object_is_called_as_its_class(context: ToolContext) -> None:
    called = tool(Counter())
    assert (called.name, called.description, called.body.blocking) == ("Counter", "Count, waiting.", False)
    assert list(called.schema["properties"]) == ["by"]
    assert await called.body.call(context, {"by": 4}) == 4


async def test_what_a_partial_gives_is_not_asked_of_the_model(context: ToolContext) -> None:
    """Also something that has no schema."""

    def search(database: object, query: str, limit: int, ctx: object) -> tuple[object, str, int, object]:
        """Search."""
        return database, query, limit, ctx

    bound = tool(functools.partial(search, "db", ctx=context))
    assert (bound.name, bound.description) == ("search", "Search.")
    assert list(bound.schema["properties"]) == ["query", "limit"]
    assert bound.body.call(context, bound.body.parse('{"query": "q", "limit": 1}')) == ("db", "q", 1, context)
    assert not tool(functools.partial(later, a=1)).body.blocking


async def test_a_decorated_function_shows_what_it_wraps(context: ToolContext) -> None:
    def logged(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return wrapper

    asker = tool(logged(asks))
    assert asker.body.call(context, asker.body.parse('{"a": 1}')) == (7, "ada", 1)
    assert not tool(logged(later)).body.blocking
    assert await tool(logged(later)).body.call(context, {"a": 1}) == 1


def closed_over() -> Tool:
    class Local: ...

    def take(a: "Local") -> None: ...

    return tool(take)


def test_an_annotation_that_names_something_local_is_refused_with_the_reason() -> None:
    with pytest.raises(TypeError, match=r"parameter 'a' of tool 'take'.*must stand in the module"):
        _ = closed_over().schema


def any_number(*numbers: int) -> None: ...
def any_names(**names: int) -> None: ...
def by_place(a: int, /) -> None: ...
def context_last(a: int, ctx: ToolContext) -> None: ...
def context_by_name(*, ctx: ToolContext) -> None: ...
def pieces() -> Iterator[int]:
    yield 1


async def later_pieces() -> AsyncIterator[int]:
    yield 1


@pytest.mark.requirement("B65")
@pytest.mark.parametrize(
    "function",
    [
        *(any_number, any_names, by_place, context_last, context_by_name, pieces, later_pieces, Counter, Counter.up),
        *(None, 3, "add", lambda a: a, dict.get),
    ],
)
def test_what_a_model_could_not_call_is_refused_at_once(function: Any) -> None:
    """`*args` and `**kwargs` above all: they have no schema."""
    with pytest.raises(TypeError):
        tool(function)


def test_a_lambda_is_a_tool_once_it_has_a_name() -> None:
    assert tool(lambda a: a, name="same").schema["properties"] == {"a": {}}


@pytest.mark.parametrize("name", ["", "a.b", "a/b", "ключ", "x" * 65, "a b", "a\n"])
def test_a_name_that_vendors_refuse_is_refused_at_once(name: str) -> None:
    with pytest.raises(ValueError, match="1 to 64 characters"):
        tool(add, name=name)


def test_a_function_whose_own_name_vendors_refuse_gets_a_legal_one_and_keeps_its_title() -> None:
    def größe() -> None: ...

    made = tool(größe)
    assert made.title == "größe"
    assert made.name.startswith("gr_e_")
    assert made.name.isascii()


def test_a_function_is_as_good_as_a_tool() -> None:
    adder = tool(add)
    assert as_tool(adder) is adder
    assert as_tool(add).name == "add"
    with pytest.raises(TypeError):
        as_tool("add")  # type: ignore[arg-type]  # the mistake


async def test_what_a_tool_emits_after_its_end_is_dropped(context: ToolContext, events: list[Event | Artifact]) -> None:
    context.progress("half")
    await asyncio.to_thread(context.progress, "from a thread")
    await asyncio.sleep(0)
    context.close()
    context.progress("too late")
    assert events == [Activity(id="t:0", active=True, description=text) for text in ("half", "from a thread")]
    assert context.cancelled

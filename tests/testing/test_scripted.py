"""The provider without a model: plays what it was given, holds where it was told, counts what it was asked."""

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from contextlib import aclosing

import pytest

import ore.testing
from ore.artifact import Artifact, Restart, StopReason, Text, TextDelta, ToolCall, Usage
from ore.errors import ProviderError
from ore.ledger import Buffer, Role
from ore.models import Spec
from ore.testing import Item, ScriptedProvider

CALL = ToolCall(id="c", name="f", arguments="{}")


async def played(provider: ScriptedProvider, *options: object) -> list[list[Artifact]]:
    async with aclosing(provider.invoke(Buffer(), Spec(), *options)) as batches:
        return [list(batch) async for batch in batches]


def reason(found: Sequence[Sequence[Artifact]]) -> list[str]:
    return [item.reason for batch in found for item in batch if isinstance(item, StopReason)]


async def test_each_item_is_a_batch_and_a_list_is_one() -> None:
    found = await played(ScriptedProvider([TextDelta(content="a"), [TextDelta(content="b"), TextDelta(content="c")]]))
    assert found == [
        [TextDelta(content="a")],
        [TextDelta(content="b"), TextDelta(content="c")],
        [StopReason(reason="stop")],
    ]


async def test_a_long_list_comes_in_batches_of_64() -> None:
    found = await played(ScriptedProvider([[Text(content=str(n)) for n in range(150)]]))
    assert [len(batch) for batch in found] == [64, 64, 22, 1]


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([Text(content="x")], ["stop"]),
        ([Text(content="x"), CALL], ["tool_use"]),
        ([CALL, StopReason(reason="length")], ["length"]),
        ([StopReason(reason="refusal"), Usage()], ["refusal"]),
        ([CALL, Usage()], ["tool_use"]),
        ([CALL, Restart(attempt=2), Text(content="x")], ["stop"]),
        ([[StopReason(reason="stop"), Restart(attempt=2), CALL]], ["stop", "tool_use"]),
        ([], ["stop"]),
    ],
)
async def test_a_missing_reason_is_what_the_answer_says_and_stands_before_the_usage(
    items: Sequence[Item], expected: list[str]
) -> None:
    found = await played(ScriptedProvider(items))
    assert reason(found) == expected
    kinds = [item.kind for batch in found for item in batch]
    assert "usage" not in kinds[: kinds.index("stop_reason")]


async def test_it_waits_where_it_is_told_and_raises_what_it_is_given() -> None:
    hold, error = asyncio.Event(), ProviderError("no")
    provider = ScriptedProvider([TextDelta(content="a"), hold, error])
    async with asyncio.timeout(5), aclosing(provider.invoke(Buffer(), Spec())) as batches:
        await anext(batches)
        task = asyncio.ensure_future(anext(batches))
        await asyncio.sleep(0)
        assert not task.done()
        hold.set()
        with pytest.raises(ProviderError) as caught:
            await task
    assert caught.value is error
    assert provider.closed == 0


async def test_each_inference_takes_the_next_list_and_one_too_many_is_an_error() -> None:
    provider = ScriptedProvider([Text(content="a")], [Text(content="b")], name="mine")
    assert [(await played(provider))[0] for _ in range(2)] == [[Text(content="a")], [Text(content="b")]]
    with pytest.raises(ProviderError, match="2 answers") as caught:
        await played(provider)
    assert (caught.value.provider, provider.name) == ("mine", "mine")

    again = ScriptedProvider([Text(content="a")], repeat=True)
    assert [(await played(again))[0] for _ in range(3)] == [[Text(content="a")]] * 3


async def test_it_keeps_what_it_was_asked_and_counts_who_left_early() -> None:
    state = Buffer()
    turn = state.add(Role.USER, Text(content="hi"))
    provider = ScriptedProvider([Text(content="a")], [Text(content="b")])
    async with aclosing(provider.invoke(state, Spec(name="m"), "option")) as batches:
        await anext(batches)
    await played(provider)
    first = provider.invocations[0]
    assert (list(first.turns), first.spec, first.options) == ([turn], Spec(name="m"), ("option",))
    assert (len(provider.invocations), provider.closed) == (2, 1)


def test_the_package_says_what_it_has_and_imports_it_on_first_use() -> None:
    assert list(ore.testing.__all__) == sorted(ore.testing.__all__)
    assert all(getattr(ore.testing, name) is not None for name in ore.testing.__all__)
    with pytest.raises(AttributeError):
        ore.testing.nothing  # noqa: B018  # asking is the point
    code = (
        "import sys, ore.testing; "
        "assert not {m for m in sys.modules if m.startswith('ore.') and m != 'ore.testing'}, sys.modules; "
        "import ore.testing.contracts; assert not {'pytest', 'hypothesis'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

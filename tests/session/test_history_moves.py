"""Moving about in the tree: undo, redo, forks, and what may not move."""

import asyncio

import pytest

from ore.artifact import Text, ToolCallDelta
from ore.errors import ConflictError, NotFoundError, SessionClosedError
from ore.ledger import Control, MemoryStore, Role, Thread
from ore.session import Manager
from ore.testing import ScriptedProvider
from ore.tool import ToolContext, tool
from session.watch import Watch, agent, answer, said


@pytest.mark.requirement("D-tip")
async def test_undo_goes_back_before_the_last_thing_said_and_redo_forward_again(watch: Watch) -> None:
    store = MemoryStore()
    manager = Manager(agent(ScriptedProvider(answer("one"), answer("two"))), store)
    stream = watch.of(await manager.create())
    await stream.process("first")
    await stream.process("second")
    whole = stream.turns

    await stream.history.undo()
    assert said(stream.turns) == [("user", "first"), ("assistant", "one")]
    assert (await store.load(stream.id)).tip == stream.turns[-1].id
    await stream.history.undo()
    assert list(stream.turns) == []
    with pytest.raises(NotFoundError):
        await stream.history.undo()

    await stream.history.redo()
    assert said(stream.turns) == [("user", "first"), ("assistant", "one")]
    await stream.history.redo()
    assert stream.turns == whole
    with pytest.raises(NotFoundError):
        await stream.history.redo()


async def test_the_conversation_goes_on_from_where_the_tip_was_put(watch: Watch) -> None:
    provider = ScriptedProvider(answer("one"), answer("two"))
    stream = await watch.session(provider)
    await stream.process("first")
    await stream.history.undo()
    await stream.process("instead")
    assert said(stream.turns) == [("user", "instead"), ("assistant", "two")]
    assert said(provider.invocations[1].turns) == [("user", "instead")]
    assert len(stream.history.all_turns) == 4


async def test_the_tip_does_not_move_while_a_message_runs(watch: Watch) -> None:
    hold = asyncio.Event()
    stream = await watch.session(ScriptedProvider([*answer("a"), hold]))
    async with asyncio.timeout(5), stream.subscribe("text_delta") as pieces:
        ticket = stream.submit("hi")
        await anext(pieces)
        for move in (stream.history.undo, stream.history.redo):
            with pytest.raises(ConflictError):
                await move()
        with pytest.raises(ConflictError):
            await stream.history.set_control(stream.turns[0].id, Control.SKIP)
        hold.set()
        await ticket


async def test_a_control_is_durable_and_never_parts_a_call_from_its_result(watch: Watch) -> None:
    @tool
    async def nothing() -> str:
        """Do nothing."""
        return "done"

    store = MemoryStore()
    provider = ScriptedProvider([ToolCallDelta(index=0, id="c", name="nothing", arguments="{}")], answer("ok"))
    stream = watch.of(await Manager(agent(provider, nothing), store).create())
    await stream.process("go")
    user, _, results, _ = stream.turns
    with pytest.raises(ConflictError):
        await stream.history.set_control(results.id, Control.STOP)
    with pytest.raises(NotFoundError):
        await stream.history.set_control("nobody", Control.STOP)
    await stream.history.set_control(user.id, Control.SKIP)
    stored = await store.load(stream.id)
    assert Thread(stored.turns, tip=stored.tip).turns == stream.turns
    assert [turn.role for turn in stream.turns] == [Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]


async def test_a_fork_is_another_thread_with_the_path_up_to_there(watch: Watch) -> None:
    manager = Manager(agent(ScriptedProvider(answer("one"), answer("two"), answer("three"))))
    stream = watch.of(await manager.create({"key": "value"}))
    await stream.process("first")
    await stream.process("second")
    fork = watch.of(await manager.attach(await manager.fork(stream.id, stream.turns[1].id)))
    assert said(fork.turns) == [("user", "first"), ("assistant", "one")]
    assert fork.metadata.all() == {"key": "value"}
    await fork.process("other")
    assert len(fork.turns) == len(stream.turns) == 4
    with pytest.raises(NotFoundError):
        await manager.fork(stream.id, "nobody")
    with pytest.raises(ConflictError):
        await manager.fork(stream.id, new_id=fork.id)


@pytest.mark.requirement("D-append-turn")
async def test_a_turn_appended_while_tools_run_comes_behind_their_results(watch: Watch) -> None:
    running, hold = asyncio.Event(), asyncio.Event()

    @tool
    async def slow() -> str:
        """Take a while."""
        running.set()
        await hold.wait()
        return "done"

    provider = ScriptedProvider([ToolCallDelta(index=0, id="c", name="slow", arguments="{}")], answer("ok"))
    stream = await watch.session(provider, slow)
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        ticket = stream.submit("go")
        await running.wait()
        appended = group.create_task(stream.append_turn(Role.USER, Text(content="by the way")))
        await asyncio.sleep(0)
        assert not appended.done()
        hold.set()
        await ticket
    roles = [turn.role for turn in stream.turns]
    assert roles[:3] == [Role.USER, Role.ASSISTANT, Role.TOOL]
    assert sorted(roles[3:]) == [Role.ASSISTANT, Role.USER]


async def test_a_tool_cannot_append_a_turn_before_its_own_result(watch: Watch) -> None:
    failures: list[type[BaseException]] = []

    @tool
    async def meddle(context: ToolContext) -> str:
        """Try to add a turn."""
        try:
            await stream.append_turn(Role.USER, Text(content="me first"))
        except RuntimeError as error:
            failures.append(type(error))
        return "done"

    provider = ScriptedProvider([ToolCallDelta(index=0, id="c", name="meddle", arguments="{}")], answer("ok"))
    stream = await watch.session(provider, meddle)
    async with asyncio.timeout(5):
        await stream.process("go")
    assert failures == [RuntimeError]
    assert [turn.role for turn in stream.turns] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]


async def test_a_closed_session_moves_nowhere(watch: Watch) -> None:
    stream = await watch.session(ScriptedProvider(answer("one")))
    await stream.process("first")
    await stream.close()
    with pytest.raises(SessionClosedError):
        await stream.history.undo()

"""The manager: which sessions there are, and that there is one of each."""

import asyncio

import pytest

from ore.agent import AgentSpec
from ore.errors import ConflictError, InputError, NotFoundError
from ore.event import UserMessage
from ore.ledger import MemoryStore, Outcome, StoredThread
from ore.session import Intercepted, Manager, Stream
from ore.testing import ScriptedProvider
from session.watch import Watch, agent, answer, said


def quiet(**options: object) -> Manager:
    """A manager whose agent answers nothing."""
    return Manager(agent(ScriptedProvider()), **options)  # type: ignore[arg-type]


@pytest.mark.requirement("C216")
async def test_a_new_session_has_an_id_and_a_thread_and_is_active(watch: Watch) -> None:
    manager = quiet()
    stream = watch.of(await manager.create())
    assert (len(stream.id), set(stream.id) <= set("0123456789abcdef")) == (32, True)
    assert (await manager.get_thread(stream.id)).id == stream.id
    assert (manager.list(), manager.get(stream.id)) == ((stream,), stream)
    assert await manager.attach(stream.id) is stream


@pytest.mark.requirement("C216")
async def test_attaching_loads_a_thread_and_attaching_again_gives_the_same_session(watch: Watch) -> None:
    manager = Manager(agent(ScriptedProvider(answer("hello"))))
    stream = watch.of(await manager.create())
    await stream.process("hi")
    await manager.close(stream.id)
    again = watch.of(await manager.attach(stream.id))
    assert (again is stream, list(again.turns)) == (False, list(stream.turns))
    assert await manager.attach(stream.id) is again


class Loading(MemoryStore):
    """Loading takes a while, and is counted."""

    def __init__(self) -> None:
        super().__init__()
        self.loads = 0

    async def load(self, thread_id: str) -> StoredThread:
        self.loads += 1
        await asyncio.sleep(0)
        return await super().load(thread_id)


@pytest.mark.requirement("L17", "D-single-flight")
async def test_all_who_attach_at_once_get_one_session(watch: Watch) -> None:
    """Also when the first of them goes away meanwhile."""
    store, made = Loading(), list[Stream]()
    await store.create("x", {})

    def factory(stream: Stream) -> AgentSpec:
        made.append(stream)
        return agent(ScriptedProvider())

    manager = Manager(factory, store)
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        tasks = [group.create_task(manager.attach("x")) for _ in range(10)]
        await asyncio.sleep(0)
        tasks[0].cancel()
    streams = {watch.of(task.result()) for task in tasks[1:]}
    assert (len(streams), made, store.loads) == (1, list(streams), 1)


@pytest.mark.requirement("C236")
async def test_there_is_no_session_without_an_agent_and_no_message_that_is_nothing(watch: Watch) -> None:
    with pytest.raises(TypeError):
        Manager()  # type: ignore[call-arg]
    stream = watch.of(await quiet().create())
    with pytest.raises(InputError):
        stream.submit(None)  # type: ignore[arg-type]


@pytest.mark.requirement("C217")
async def test_a_session_that_is_not_there_is_said_to_be_missing() -> None:
    manager = quiet()
    await manager.store.create("stored", {})
    for missing in ("unknown", "stored"):
        with pytest.raises(NotFoundError):
            await manager.close(missing)
        with pytest.raises(NotFoundError):
            manager.get(missing)
    with pytest.raises(NotFoundError):
        await manager.attach("unknown")


@pytest.mark.requirement("D-thread-ids")
@pytest.mark.parametrize("id", ["", ".", "..", "../x", "a/b", "-a", "a b", "x" * 129, "a\x00b"])
async def test_an_id_that_could_name_a_path_is_refused(id: str) -> None:
    manager = quiet()
    for call in (manager.create_with_id, manager.attach):
        with pytest.raises(InputError):
            await call(id)


@pytest.mark.requirement("C238", "D-exclusive-create")
async def test_a_second_creation_under_one_id_is_refused_and_hurts_nobody(watch: Watch) -> None:
    manager = Manager(agent(ScriptedProvider(answer("hello"))))
    stream = watch.of(await manager.create_with_id("x"))
    with pytest.raises(ConflictError):
        await manager.create_with_id("x")
    assert manager.get("x") is stream
    assert (await stream.process("hi")).status is Outcome.DONE


@pytest.mark.requirement("C218", "L17")
async def test_a_factory_that_fails_leaves_nothing_behind(watch: Watch) -> None:
    """Neither a session nor an empty thread; the id can be used afterwards."""
    failing = True

    def factory(stream: Stream) -> AgentSpec:
        if failing:
            raise ValueError("no agent")
        return agent(ScriptedProvider())

    manager = Manager(factory)
    with pytest.raises(ValueError):
        await manager.create_with_id("x")
    with pytest.raises(NotFoundError):
        await manager.get_thread("x")
    await manager.store.create("y", {})
    with pytest.raises(ValueError):
        await manager.attach("y")
    assert manager.list() == ()
    failing = False
    watch.of(await manager.create_with_id("x"))
    watch.of(await manager.attach("y"))


@pytest.mark.requirement("C219", "K16")
async def test_the_factory_sees_the_session_and_makes_one_agent_for_each(watch: Watch) -> None:
    seen: list[tuple[str, dict[str, str]]] = []

    def factory(stream: Stream) -> AgentSpec:
        seen.append((stream.id, stream.metadata.all()))
        return agent(ScriptedProvider(answer(f"I am {stream.id}"), repeat=True))

    manager = Manager(factory)
    streams = [watch.of(await manager.create_with_id(id, {"of": id})) for id in ("a", "b")]
    for stream in streams:
        await stream.process("who are you?")
        await stream.process("and now?")
    assert seen == [("a", {"of": "a"}), ("b", {"of": "b"})]
    assert [said(stream.turns)[-1][1] for stream in streams] == ["I am a", "I am b"]


@pytest.mark.requirement("N10", "K16")
async def test_two_sessions_of_one_agent_never_see_each_other(watch: Watch) -> None:
    """Turns, events and facts are each session's own, also while both run."""
    hold = asyncio.Event()
    provider = ScriptedProvider([hold, *answer("ok")], repeat=True)
    manager = Manager(agent(provider))
    streams = [watch.of(await manager.create_with_id(id)) for id in ("a", "b")]
    tickets = [stream.submit(UserMessage(content=f"to {stream.id}", id="m")) for stream in streams]
    await streams[0].metadata.set("ore.model.temperature", "0.5")
    hold.set()
    async with asyncio.timeout(5):
        assert [(await ticket).status for ticket in tickets] == [Outcome.DONE] * 2
    assert [said(stream.turns) for stream in streams] == [
        [("user", "to a"), ("assistant", "ok")],
        [("user", "to b"), ("assistant", "ok")],
    ]
    assert [{entry.context.thread_id for entry in watch.events(stream)} for stream in streams] == [{"a"}, {"b"}]
    assert [len(invocation.turns) for invocation in provider.invocations] == [1, 1]
    assert [stream.spec.temperature for stream in streams] == [0.5, None]


@pytest.mark.requirement("C221")
async def test_closing_removes_a_session_and_keeps_its_thread(watch: Watch) -> None:
    manager = quiet()
    stream = watch.of(await manager.create())
    await manager.close(stream.id)
    assert (manager.list(), stream.closed) == ((), True)
    assert (await manager.get_thread(stream.id)).id == stream.id


async def test_a_session_that_closes_itself_leaves_the_manager_too(watch: Watch) -> None:
    manager = quiet()
    async with watch.of(await manager.create()):
        assert len(manager.list()) == 1
    assert manager.list() == ()


async def test_leaving_the_manager_closes_every_session() -> None:
    async with quiet() as manager:
        streams = [await manager.create() for _ in range(3)]
    assert [stream.closed for stream in streams] == [True] * 3


async def test_threads_are_found_by_a_fact_and_listed(watch: Watch) -> None:
    manager = quiet()
    one = watch.of(await manager.create({"user": "ann", "empty": ""}))
    other = await manager.create({"user": "bob"})
    await other.close()
    assert [await manager.get_by("user", name) for name in ("ann", "bob", "cid")] == [one.id, other.id, None]
    assert (await manager.get_by("empty", ""), await manager.get_by("missing", "")) == (one.id, None)
    assert {summary.id for summary in (await manager.list_threads()).threads} == {one.id, other.id}


async def test_open_gives_a_new_session_or_the_one_that_is_there(watch: Watch) -> None:
    manager = quiet()
    first = watch.of(await manager.open("x"))
    assert await manager.open("x") is first
    await first.close()
    again = watch.of(await manager.open("x"))
    assert (again.id, again is first) == ("x", False)
    assert watch.of(await manager.open()).id != "x"


@pytest.mark.requirement("K25", "N09")
async def test_defaults_fill_what_is_missing_and_overwrite_nothing(watch: Watch) -> None:
    """In one event, and again when the session is attached."""
    manager = quiet(defaults=lambda stream: {"color": "red", "id": stream.id})
    stream = watch.of(await manager.create_with_id("x", {"color": "blue"}))
    assert stream.metadata.all() == {"color": "blue", "id": "x"}
    await stream.metadata.delete("id")
    await stream.metadata.set("color", "")
    await stream.close()
    again = watch.of(await manager.attach("x"))
    assert again.metadata.all() == {"color": "", "id": "x"}
    assert (await manager.get_thread("x")).metadata == {"color": "", "id": "x"}


async def test_every_session_asks_the_managers_interceptors(watch: Watch) -> None:
    asked: list[str] = []

    class Noting:
        async def intercept(self, stream: Stream, message: UserMessage) -> Intercepted:
            asked.append(stream.id)
            return Intercepted(message=None)

    manager = quiet(interceptors=[Noting()])
    for id in ("a", "b"):
        await watch.of(await manager.create_with_id(id)).process("hi")
    assert asked == ["a", "b"]

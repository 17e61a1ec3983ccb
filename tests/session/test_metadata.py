"""The facts of a session: durable, told, and what they change."""

import pytest

from ore.errors import InputError
from ore.event import Properties
from ore.ledger import Operation
from ore.models import Spec, ThinkingLevel
from ore.provider import Provider
from ore.session import Manager, Services
from ore.testing import ScriptedProvider
from session.watch import Watch, agent, answer, said


@pytest.mark.requirement("C205")
async def test_facts_are_empty_at_first_and_a_copy_always(watch: Watch) -> None:
    stream = await watch.session(ScriptedProvider())
    assert (stream.metadata.all(), stream.metadata.get("a")) == ({}, None)
    stream.metadata.all()["a"] = "1"
    assert stream.metadata.all() == {}


@pytest.mark.requirement("C206", "P31")
async def test_deleting_a_fact_leaves_the_others_and_is_told_once(watch: Watch) -> None:
    """Also when there was none."""
    stream = await watch.session(ScriptedProvider())
    await stream.metadata.set("a", "1")
    await stream.metadata.set("b", "")
    await stream.metadata.delete("a")
    await stream.metadata.delete("missing")
    assert stream.metadata.all() == {"b": ""}
    assert [entry.event for entry in watch.events(stream)][-2:] == [
        Properties(operations=(Operation(op="delete", key="a"),)),
        Properties(operations=(Operation(op="delete", key="missing"),)),
    ]


async def test_several_facts_change_in_one_event(watch: Watch) -> None:
    stream = await watch.session(ScriptedProvider())
    await stream.metadata.change({"a": "1", "b": None, "c": "3"})
    [entry] = watch.events(stream)
    assert entry.event == Properties(
        operations=(
            Operation(op="set", key="a", value="1"),
            Operation(op="delete", key="b"),
            Operation(op="set", key="c", value="3"),
        )
    )


@pytest.mark.requirement("K27", "C239")
async def test_facts_come_back_with_the_session(watch: Watch) -> None:
    manager = Manager(agent(ScriptedProvider()))
    stream = watch.of(await manager.create({"given": "1"}))
    await stream.metadata.set("added", "2")
    await stream.close()
    again = watch.of(await manager.attach(stream.id))
    assert again.metadata.all() == {"given": "1", "added": "2"}


@pytest.mark.requirement("D-session-spec", "K10")
async def test_the_models_facts_change_the_next_inference_each_alone(watch: Watch) -> None:
    provider = ScriptedProvider(answer("one"), answer("two"))
    stream = await watch.session(provider, spec=Spec(temperature=0.5))
    await stream.process("hi")
    await stream.metadata.set("ore.model.thinking_level", "high")
    assert stream.spec == Spec(temperature=0.5, thinking_level=ThinkingLevel.HIGH)
    await stream.process("hi")
    assert [invocation.spec for invocation in provider.invocations] == [Spec(temperature=0.5), stream.spec]


@pytest.mark.requirement("D-session-spec")
@pytest.mark.parametrize(
    ("key", "value"),
    [("ore.model.temperature", "warm"), ("ore.model.thinking_level", "very"), ("ore.model.size", "large")],
)
async def test_a_wrong_fact_of_the_models_is_refused_when_it_is_set(watch: Watch, key: str, value: str) -> None:
    stream = await watch.session(ScriptedProvider(answer("fine")))
    with pytest.raises(InputError):
        await stream.metadata.change({"other": "1", key: value})
    assert (stream.metadata.all(), watch.told(stream)) == ({}, [])
    await stream.process("hi")


@pytest.mark.requirement("D-change-of-vendor")
async def test_a_session_can_change_its_vendor_in_mid_conversation(watch: Watch) -> None:
    other = ScriptedProvider(answer("from the other"), name="other")

    def resolve(name: str) -> tuple[Provider, str]:
        assert name == "other:large"
        return other, "large"

    one = ScriptedProvider(answer("from the one"))
    manager = Manager(agent(one), services=Services(resolve=resolve))
    stream = watch.of(await manager.create())
    await stream.process("hi")
    await stream.metadata.set("ore.model.name", "other:large")
    await stream.process("hi")
    assert said(stream.turns)[1::2] == [("assistant", "from the one"), ("assistant", "from the other")]
    assert (other.invocations[0].spec.name, len(other.invocations[0].turns)) == ("large", 3)

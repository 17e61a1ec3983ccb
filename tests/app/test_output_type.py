"""Answers of a type."""

import pytest
from pydantic import BaseModel

from app.script import answer
from ore import Agent, MemoryStore, Role
from ore.errors import ProtocolError
from ore.provider import OutputOption
from ore.testing import ScriptedProvider


class City(BaseModel):
    """A place."""

    name: str
    people: int


PORTO = '{"name": "Porto", "people": 231800}'


@pytest.mark.requirement("D-output-type")
async def test_an_answer_of_a_type_is_a_value_of_it() -> None:
    provider = ScriptedProvider(answer(PORTO))
    result = await Agent(provider, output_type=City).run("Where?")
    assert (result.output, result.text) == (City(name="Porto", people=231_800), PORTO)
    [asked] = [option for option in provider.invocations[0].options if isinstance(option, OutputOption)]
    assert set(asked.schema["properties"]) == {"name", "people"}


@pytest.mark.requirement("D-output-type")
async def test_the_type_may_be_that_of_one_run_and_no_object() -> None:
    agent = Agent(ScriptedProvider(answer('{"value": [1, 2]}'), answer("1 and 2")))
    assert (await agent.run("Which?", output_type=list[int])).output == [1, 2]
    assert (await agent.run("Which?")).output == "1 and 2"


@pytest.mark.requirement("D-output-type")
async def test_an_answer_that_does_not_fit_goes_back_with_what_is_wrong() -> None:
    provider = ScriptedProvider(answer('{"name": "Porto"}'), answer(PORTO))
    result = await Agent(provider, output_type=City).run("Where?")
    assert result.output == City(name="Porto", people=231_800)
    back = provider.invocations[1].turns[-1]
    assert (back.role, "people" in back.artifacts[0].for_model()) == (Role.USER, True)


@pytest.mark.requirement("D-output-type")
async def test_an_answer_that_never_fits_fails_the_run_and_not_the_session() -> None:
    provider = ScriptedProvider(*[answer("no")] * 3, answer(PORTO))
    async with Agent(provider, output_type=City, store=MemoryStore()).session() as session:
        with pytest.raises(ProtocolError):
            await session.run("Where?")
        assert (await session.run("Where?")).output == City(name="Porto", people=231_800)
    assert len(provider.invocations) == 4

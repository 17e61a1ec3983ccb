from ore import Agent, Text, ToolCall
from ore.artifact import TextDelta
from ore.testing import ScriptedProvider


def price(article: str) -> int:
    """What an article costs, in euros."""
    return {"pen": 2}[article]


async def test_the_desk_asks_for_the_price_and_says_it() -> None:
    model = ScriptedProvider(
        [ToolCall(id="c1", name="price", arguments='{"article": "pen"}')],
        [TextDelta(content="A pen "), TextDelta(content="costs 2 euros.")],
    )
    result = await Agent(model, tools=[price]).run("How much is a pen?")
    assert result.text == "A pen costs 2 euros."
    assert model.invocations[1].turns[-1].artifacts[0].for_model() == "2"  # what the model got to read


async def test_a_tool_that_fails_is_an_answer_for_the_model() -> None:
    model = ScriptedProvider(
        [ToolCall(id="c1", name="price", arguments='{"article": "boat"}')],
        [Text(content="We have no boats.")],
    )
    result = await Agent(model, tools=[price]).run("And a boat?")
    assert model.invocations[1].turns[-1].artifacts[0].is_error
    assert result.text == "We have no boats."

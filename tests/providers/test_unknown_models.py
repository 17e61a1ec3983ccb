"""A model that nobody lists is used with a notice that nothing is known of it, and never refused."""

import asyncio
from collections.abc import Mapping

import pytest

from ore import Agent, Spec
from ore.artifact import Notice, StopReason, Text, Usage
from ore.ext.providers.transport import Limits, Reply
from ore.ext.providers.vendor import Access, connect
from ore.ledger import MemoryStore
from ore.models import ThinkingLevel
from ore.testing import Recorder
from ore.testing.contracts.provider import Answer
from providers.test_any_history import Spoken, look
from providers.test_switching import PICTURE, SIDES, Side

LEVELS = [None, *ThinkingLevel]
FINE = Answer(text=("Fine.",))


class Asked:
    """A transport to a vendor that judges what it is asked, and answers."""

    def __init__(self, side: Side) -> None:
        self._side = side
        self.asked = 0

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], limits: Limits) -> Reply:
        self._side.check(body)
        self.asked += 1
        return Spoken(b"".join(self._side.speech.stream(FINE)), self._side.speech.headers)


@pytest.mark.requirement("D-switching")
@pytest.mark.parametrize("name", SIDES)
async def test_it_gets_all_that_was_asked_for_and_one_notice(name: str) -> None:
    """Pictures, tools and every level of thinking: the vendor says what it does not take. Answers have no price."""
    side = SIDES[name]
    transport = Asked(side)
    provider = connect(side.vendor, Access(api_key="any", base_url="http://127.0.0.1:9", transport=transport))
    agent = Agent(provider, tools=[look], spec=Spec(name="nobody-knows"))
    async with (
        asyncio.timeout(20),
        agent.session("s", store=MemoryStore()) as session,
        Recorder(session.handle) as seen,
    ):
        for level in LEVELS:
            if level is not None:
                await session.metadata.set("ore.model.thinking_level", level.value)
            result = await session.run((Text(content="What is this?"), PICTURE))
            assert result.text == "Fine." and StopReason(reason="stop") in result.turns[-1].artifacts
            assert [one.cost_usd for one in result.turns[-1].artifacts if isinstance(one, Usage)] == [None]
    notices = [entry.event.content for entry in seen.entries if isinstance(entry.event, Notice)]
    told = f"nothing is known of {name}:nobody-knows: no window, no price, no abilities; it is asked as it is"
    assert notices.count(told) == 1
    assert transport.asked == len(LEVELS)

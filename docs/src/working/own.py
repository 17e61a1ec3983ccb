import asyncio

from ore import Agent, Role, Text, Turn
from ore.cognitive import ReAct, Runtime
from ore.ledger import Draft


class SecondLook:
    """Answers, and then looks at the answer once more."""

    name = "second_look"

    def __init__(self) -> None:
        self._last = False

    async def run(self, runtime: Runtime) -> Turn:
        await ReAct().run(runtime)
        await runtime.step.submit(runtime.state, Role.USER, Text(content="Look at your answer once more."))
        self._last = True
        return await ReAct().run(runtime)

    def ends(self, draft: Draft | Turn) -> bool:
        """Whether this turn will be the last one: asked before it is recorded."""
        return self._last and ReAct().ends(draft)


agent = Agent(pattern=SecondLook)
result = asyncio.run(agent.run("Name a river in Portugal."))
print(result.text)
print([turn.role.value for turn in result.turns])

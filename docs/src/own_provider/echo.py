import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from ore import Agent, Text
from ore.artifact import Artifact, StopReason, TextDelta
from ore.errors import BadRequestError
from ore.ledger import State
from ore.models import Spec


class Echo:
    name = "echo"

    async def invoke(self, state: State, spec: Spec, *options: Any) -> AsyncGenerator[Sequence[Artifact], None]:
        said = [artifact for artifact in state.turns[-1].artifacts if isinstance(artifact, Text)]
        if not said:
            raise BadRequestError("echo: expected words, got none", provider=self.name)
        for word in said[-1].content.split():
            yield [TextDelta(content=f"{word} ")]  # what arrives together goes into one list
        yield [StopReason(reason="stop")]


agent = Agent(Echo())

if __name__ == "__main__":
    print(asyncio.run(agent.run("Is anybody there?")).text)

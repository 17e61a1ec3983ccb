import asyncio

from ore import Agent, Spec, Text, TextDelta
from ore.errors import RateLimitError
from ore.ext.mock import Failure, MockServer, script_of
from ore.ext.providers.openai import OpenAI


async def main() -> None:
    script = script_of(
        [TextDelta(content="Hel"), TextDelta(content="lo.")],
        *([Failure("rate_limit", "slow down", retry_after_s=0.1)] for _ in range(3)),
    )
    async with MockServer(script, vendor="openai", api_key="sk-test") as server:
        agent = Agent(OpenAI(base_url=server.url, api_key="sk-test"), spec=Spec(name="gpt-5-mini"))
        print((await agent.run([Text(content="Hi")])).text)
        try:
            await agent.run("Hi again")
        except RateLimitError as error:
            print(error.code, error.retry_after_s)
        print([request.status for request in server.requests])


asyncio.run(main())

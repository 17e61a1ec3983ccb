import asyncio

from ore import Agent, UsageLimits
from ore.errors import LimitError
from ore.ext.observe.budget import Allowance, Budget

team = Budget(Allowance(tokens=60_000, run_s=600), name="team")
writer = Agent(
    name="writer",
    description="Writes one paragraph about something.",
    limits=UsageLimits(tokens=20_000, within=team),
)
editor = Agent(name="editor", tools=[writer.as_tool()], limits=UsageLimits(within=team))


async def main() -> None:
    try:
        print((await editor.run("A page about lighthouses, please.")).text)
    except LimitError as error:
        print(f"stopped: {error}")
    print(f"{team.spent.calls} inferences, {team.spent.tokens} tokens")


asyncio.run(main())

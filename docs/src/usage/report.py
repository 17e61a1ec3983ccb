import asyncio

from ore import Agent
from ore.ext.observe.analytics import analytics
from ore.ext.observe.analytics_table import analytics_table
from ore.ext.observe.usage import session_usage
from ore.ext.stores.sqlite import SqliteStore

STORE = SqliteStore("conversations.db")
agent = Agent(store=STORE)


async def main() -> None:
    await agent.run("How far is the moon?", session="moon")
    used = await session_usage(STORE, "moon")
    for run in used.runs:
        print(f"message: {run.usage.for_human()}")
    for model, usage in used.models.items():
        print(f"{model}: {usage.total_tokens} tokens, {usage.cost_usd} USD")
    stored = await STORE.load("moon")
    print(analytics_table(analytics(stored.turns)))
    await STORE.aclose()


asyncio.run(main())

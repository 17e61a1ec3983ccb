import asyncio
from pathlib import Path

from ore import Agent
from ore.ext.export import export_html, export_text
from ore.ext.stores.sqlite import SqliteStore
from ore.ledger import StoredThread

STORE = SqliteStore("conversations.db")
agent = Agent(store=STORE)


async def talk() -> StoredThread:
    await agent.run("How *far* is the moon?", session="moon")
    thread = await STORE.load("moon")
    await STORE.aclose()
    return thread


thread = asyncio.run(talk())
Path("moon.html").write_text(export_html(thread), encoding="utf-8")
print(export_text(thread))

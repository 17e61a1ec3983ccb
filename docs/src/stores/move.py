import asyncio
from pathlib import Path

from ore import Agent
from ore.app import open_store
from ore.ledger import export_thread, import_thread, read_export

agent = Agent()


async def main() -> None:
    old, new = open_store("sqlite:old.db"), open_store("json:new")
    async with agent.session("trip", store=old) as session:
        await session.run("A weekend in Porto, please.")

    exported = export_thread(await old.load("trip"))  # every branch, without loss
    await import_thread(new, read_export(exported), as_id="trip-2")
    for store in (old, new):
        for summary in (await store.list()).threads:
            print(summary.id, summary.turns, summary.preview)
    print([hit.id for hit in await new.search("porto")])
    for store in (old, new):
        await store.aclose()


asyncio.run(main())
print(oct(Path("old.db").stat().st_mode & 0o777), sorted(path.suffix for path in Path("new").iterdir()))

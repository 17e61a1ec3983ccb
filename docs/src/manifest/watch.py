import asyncio

from ore import Agent
from ore.ext.transforms.manifest import ContextManifests, manifest_of
from ore.ext.transforms.prompt import Slot, SystemPrompt

role = Slot("You are a reviewer.")
agent = Agent(transforms=[SystemPrompt(role)], extensions=[ContextManifests()])  # the last extension sees the others


async def main() -> None:
    async with agent.session("watched") as session:
        for text in ("Hello", "Go on", "And now?"):
            result = await session.run(text)
            manifest = manifest_of(result.turns[-1])
            assert manifest is not None
            print(", ".join(f"{part.name} {part.count}" for part in manifest.parts))
            if manifest.difference is not None:
                print("  differs at", manifest.difference.where, "because of", manifest.difference.cause)
            if text == "Go on":
                role.content = "You are an author."


asyncio.run(main())

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import ClassVar

from ore import Agent, Artifact, Delta, Spec, TextDelta
from ore.artifact import Codec
from ore.ext.stores.sqlite import SqliteStore
from ore.ledger import State
from ore.provider import Batch, Option


class Route(Artifact, frozen=True, kw_only=True, tag="route"):
    """Stops of a journey."""

    stops: tuple[str, ...]

    def for_model(self) -> str:
        return "route: " + ", ".join(self.stops)

    def for_human(self) -> str:
        return " → ".join(self.stops)


class RouteDelta(Delta, frozen=True, kw_only=True, tag="route_delta"):
    """One more stop, as it becomes known."""

    family: ClassVar[str] = "route"
    key: ClassVar[str] = "route"
    stop: str

    def for_human(self) -> str:
        return self.stop

    @classmethod
    def assemble(cls, parts: Sequence[Delta]) -> Artifact:
        return Route(stops=tuple(part.stop for part in parts if isinstance(part, cls)))


class Navigator:
    """A provider: no base class, the shape is enough."""

    name = "navigator"

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        yield (TextDelta(content="Go this way."),)
        for stop in ("Lisbon", "Coimbra", "Porto"):
            yield (RouteDelta(stop=stop),)


agent = Agent(Navigator(), store=SqliteStore("routes.db", codec=Codec(Route)))


async def main() -> None:
    async with agent.session("north") as session:
        async for entry in session.stream("How do I get to Porto?").events("route_delta", "route"):
            print(entry.kind, entry.event.for_human())
    async with agent.session("north") as session:  # read from the disk again
        print(session.turns[-1].artifacts[1])


if __name__ == "__main__":
    asyncio.run(main())

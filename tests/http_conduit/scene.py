"""A manager with an application over it, and a client of that."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from http_conduit.checked import check
from http_conduit.client import Answer, Client
from ore.agent import AgentSpec
from ore.ext.conduits.http import HttpLimits, HttpOptions
from ore.ext.conduits.http.app import app_of
from ore.ext.conduits.http.front import Front
from ore.ledger import MemoryStore, Store
from ore.models import Spec
from ore.provider import Provider
from ore.session import AskPolicy, Manager, Roster, Services, SessionLimits, Stream
from ore.testing import Item, ScriptedProvider
from ore.tool import StaticTools

__all__ = ["Scene", "scene"]


@dataclass
class Scene:
    """A server in this loop."""

    front: Front
    client: Client
    provider: Any

    @property
    def sessions(self) -> Manager:
        return self.front.sessions

    async def session(self, **body: Any) -> str:
        """A new session's id."""
        answer = await self.client.post("/sessions", body)
        assert answer.status == 201, answer.body
        id: str = answer.json["id"]
        return id

    async def say(self, session: str, text: str = "hi", **more: Any) -> Answer:
        """Send a message and read its stream to the end."""
        return await self.client.post(f"/sessions/{session}/messages", {"content": text, **more})

    async def submit(self, session: str, text: str = "hi", **more: Any) -> str:
        """Send a message without waiting for it; its id."""
        answer = await self.client.post(
            f"/sessions/{session}/messages", {"content": text, **more}, headers={"Prefer": "respond-async"}
        )
        assert answer.status == 202, answer.body
        id: str = answer.json["id"]
        return id

    def live(self, session: str) -> Stream:
        return self.sessions.get(session)


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What a scene is made of, beside what its model says."""

    provider: Provider | None = None
    tools: Sequence[Any] = ()
    store: Store | None = None
    options: HttpOptions = field(default_factory=HttpOptions)
    limits: Mapping[str, Any] = field(default_factory=dict)
    session_limits: SessionLimits | None = None
    agents: Sequence[str] = ("agent",)
    model: str | None = None
    interceptors: Sequence[Any] = ()
    resolve: Any = None


@asynccontextmanager
async def scene(*calls: Sequence[Item], **more: Any) -> AsyncIterator[Scene]:
    """A server whose model plays these lists, again and again; see `Setup`."""
    setup = Setup(**more)
    model = setup.provider or ScriptedProvider(*calls, repeat=True)
    tools = StaticTools(*setup.tools).tools if setup.tools else None
    spec = Spec(name=setup.model)
    specs = [
        AgentSpec(name=name, description=f"The {name}.", provider=model, spec=spec, tools=tools)
        for name in setup.agents
    ]
    options = replace(setup.options, limits=HttpLimits(**setup.limits))
    services = Services(asking=AskPolicy(wait=True), resolve=setup.resolve)
    store = setup.store or MemoryStore()
    async with Manager(
        Roster(specs), store, limits=setup.session_limits, interceptors=setup.interceptors, services=services
    ) as sessions:
        front = Front(sessions, options)
        yield Scene(front, Client(app_of(front), check=check), model)

"""Sessions inside a FastAPI application of one's own.

    pip install 'ore-agents[http]' fastapi
    uvicorn app:app --timeout-graceful-shutdown 3

The whole conduit, its page included, stands below `/agent/`; routes of one's
own use the same sessions. Behind a name of your own, say which one it is:
`HttpOptions(hosts=["chat.example.org"], token=…)`.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request

from ore import Agent
from ore.app import live_sessions
from ore.ext.conduits.http import HttpOptions, http_app


def stock(article: str) -> str:
    """How many of an article are in stock."""
    return f"{article}: 7 in stock"


agent = Agent(os.environ.get("ORE_MODEL"), name="shop", description="Knows the stock.", tools=[stock])


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with live_sessions([agent], drain_s=3.0) as sessions:
        app.state.sessions = sessions
        app.mount("/agent", http_app(sessions, HttpOptions(token=os.environ.get("ORE_TOKEN"))))
        yield


app = FastAPI(title="Shop", lifespan=lifespan)


@app.get("/articles/{article}/advice")
async def advice(article: str, request: Request) -> dict[str, str]:
    """An answer in one piece, from a session that the page shows as well."""
    stream = await request.app.state.sessions.open(f"advice-{article}")
    outcome = await stream.process(f"Should we order more of {article}?")
    texts = [artifact.for_human() for artifact in outcome.turn.artifacts if artifact.kind == "text"]
    return {"session": stream.id, "advice": "".join(texts)}

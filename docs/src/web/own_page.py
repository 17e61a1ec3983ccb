from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from ore import Agent
from ore.app import live_sessions
from ore.ext.conduits.http import http_app

agent = Agent(name="shop", description="Knows the stock.", store="memory:")

PAGE = """<!doctype html>
<html lang="en">
<head><title>Shop</title><script type="module" src="/agent/static/ore-chat.js"></script></head>
<body><h1>Shop</h1><ore-chat server="/agent/" theme="auto"></ore-chat></body>
</html>"""


async def home(request):
    return HTMLResponse(PAGE)


@asynccontextmanager
async def lifespan(app):
    async with live_sessions([agent], drain_s=3) as sessions:
        app.mount("/agent", http_app(sessions))
        yield


app = Starlette(routes=[Route("/", home)], lifespan=lifespan)  # `uvicorn own_page:app`

if __name__ == "__main__":
    with TestClient(app, base_url="http://127.0.0.1:8000") as client:
        print("<ore-chat" in client.get("/").text)
        print([one["name"] for one in client.get("/agent/agents").json()["agents"]])
        print(client.get("/agent/").headers["Content-Security-Policy"].partition(";")[0])

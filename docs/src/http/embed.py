from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.testclient import TestClient

from ore import Agent
from ore.app import live_sessions
from ore.ext.conduits.http import HttpOptions, http_app

agent = Agent(name="shop")


@asynccontextmanager
async def lifespan(app):
    async with live_sessions([agent], drain_s=3) as sessions:
        app.mount("/agent", http_app(sessions, HttpOptions(hosts=["shop.example"], token="s3cret")))
        yield


app = Starlette(lifespan=lifespan)  # `uvicorn embed:app`; FastAPI works the same way

if __name__ == "__main__":
    with TestClient(app, base_url="http://shop.example") as client:
        print(client.get("/agent/agents").status_code)
        print(client.get("/agent/agents", headers={"Authorization": "Bearer s3cret"}).json())

import asyncio
import sys

from ore import Agent
from ore.ext.observe.logs import LogTracer, log_json

log_json(sys.stdout)
agent = Agent(name="guide", tracer=LogTracer(), store="memory:")

asyncio.run(agent.run("Weather in Lisbon?", session="lisbon"))

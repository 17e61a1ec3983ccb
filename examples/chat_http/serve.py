"""An agent with a tool behind a web page and an HTTP interface.

    python serve.py [MODEL]

Then open the address that it prints. `talk.py` beside it talks to the same
server from another terminal. Ctrl-C or SIGTERM ends it: what runs then gets a
few seconds, and goes on at the next start.
"""

import asyncio
import os
import sys

from ore import Agent, tool


def weather(city: str) -> str:
    """Current weather in a city."""
    return f"{city}: 21 °C, clear"


@tool(approve=True)
def send_postcard(to: str, text: str) -> str:
    """Send a postcard; whoever watches is asked first."""
    return f"A postcard to {to} is on its way."


agent = Agent(
    sys.argv[1] if len(sys.argv) > 1 else None,
    name="guide",
    description="Knows the weather, and sends postcards.",
    instructions="Be brief.",
    tools=[weather, send_postcard],
)

if __name__ == "__main__":
    try:
        asyncio.run(agent.serve(port=int(os.environ.get("PORT", "7654")), token=os.environ.get("ORE_TOKEN")))
    except KeyboardInterrupt:
        print("Bye.")

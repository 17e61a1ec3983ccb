import asyncio

from ore import Agent


def weather(city: str) -> str:
    """Current weather in a city."""
    return f"{city}: 21 °C, clear"


agent = Agent(tools=[weather], name="guide", description="Knows the weather.")

if __name__ == "__main__":
    asyncio.run(agent.serve(port=0))

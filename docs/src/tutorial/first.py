from ore import Agent


def weather(city: str) -> str:
    """Current weather in a city."""
    return f"{city}: 21 °C, clear"


agent = Agent(tools=[weather], instructions="Be brief.")

if __name__ == "__main__":
    result = agent.run_sync("Weather in Lisbon?")
    print(result.text)
    print(result.usage.total_tokens, "tokens,", len(result.turns), "turns")

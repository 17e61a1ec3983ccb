from pathlib import Path

from ore import Agent, Spec
from ore.ext.providers.openai import OpenAI


def test_the_weather(cassette: Path) -> None:
    agent = Agent(OpenAI(api_key="any", base_url="http://127.0.0.1:9"), spec=Spec(name="gpt-5-mini"))
    assert agent.run_sync("Weather in Lisbon?").text == "Sunny."

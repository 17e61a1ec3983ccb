import asyncio

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

from ore import Agent
from ore.ext.observe.otel import OpenTelemetry

provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(formatter=lambda span: f"{span.name}\n")))


def weather(city: str) -> str:
    """Current weather in a city."""
    return f"{city}: 21 °C, clear"


agent = Agent(name="guide", tools=[weather], tracer=OpenTelemetry(tracer_provider=provider))


async def main() -> None:
    print((await agent.run("Weather in Lisbon?")).text)


asyncio.run(main())

import asyncio

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

from ore import Agent
from ore.ext.observe.otel import OpenTelemetry, TraceContent

provider = TracerProvider()
exporter = ConsoleSpanExporter(formatter=lambda span: f"{span.attributes.get('gen_ai.output.messages')}\n")
provider.add_span_processor(SimpleSpanProcessor(exporter))

content = TraceContent()  # this is what asks for content
agent = Agent(transforms=[content], handlers=[content], tracer=OpenTelemetry(tracer_provider=provider))

asyncio.run(agent.run("Weather in Lisbon?"))

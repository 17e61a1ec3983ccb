"""The names of OpenTelemetry's conventions for generative AI.

Source: "Semantic conventions for generative AI", spans, agent spans and
metrics, of the repository open-telemetry/semantic-conventions-genai, read
2026-11-30; their status is "development". Names that are ours begin with `ore.`.
"""

from collections.abc import Mapping
from typing import Final

from ore.event import Attribute
from ore.models import split_name

__all__ = ["FACTS", "PROVIDERS", "STOP_REASONS", "Value", "attributes"]

Value = Attribute | tuple[str, ...]

PROVIDERS: Final[Mapping[str, str]] = {
    "azure": "azure.ai.openai",
    "google": "gcp.gemini",
    "openai-responses": "openai",
}
"""Where the conventions call a provider otherwise than ore."""

STOP_REASONS: Final[Mapping[str, str]] = {"tool_use": "tool_call", "refusal": "content_filter"}

FACTS: Final[Mapping[str, str]] = {
    "agent.name": "gen_ai.agent.name",
    "agent.pattern": "ore.agent.pattern",
    "provider": "gen_ai.provider.name",
    "model": "gen_ai.request.model",
    "ask.max_output_tokens": "gen_ai.request.max_tokens",
    "ask.temperature": "gen_ai.request.temperature",
    "ask.top_p": "gen_ai.request.top_p",
    "ask.top_k": "gen_ai.request.top_k",
    "ask.seed": "gen_ai.request.seed",
    "ask.frequency_penalty": "gen_ai.request.frequency_penalty",
    "ask.presence_penalty": "gen_ai.request.presence_penalty",
    "ask.thinking_level": "ore.request.thinking_level",
    "answer.first_seconds": "gen_ai.response.time_to_first_chunk",
    "answer.model": "gen_ai.response.model",
    "answer.stop_reason": "gen_ai.response.finish_reasons",
    "usage.prompt_tokens": "gen_ai.usage.input_tokens",
    "usage.completion_tokens": "gen_ai.usage.output_tokens",
    "usage.cache_read_tokens": "gen_ai.usage.cache_read.input_tokens",
    "usage.cache_write_tokens": "gen_ai.usage.cache_creation.input_tokens",
    "usage.reasoning_tokens": "gen_ai.usage.reasoning.output_tokens",
    "usage.cost_usd": "ore.usage.cost_usd",
    "tool.name": "gen_ai.tool.name",
    "tool.key": "gen_ai.tool.call.id",
}
"""What core's spans are told, and what the conventions call it."""

_UNTOLD: Final = frozenset({"answer.seconds"})
"""Facts that the span itself shows."""


def attributes(facts: Mapping[str, Attribute]) -> dict[str, Value]:
    """Facts of core under the conventions' names."""
    return {FACTS.get(name, f"ore.{name}"): _value(name, fact) for name, fact in facts.items() if name not in _UNTOLD}


def _value(name: str, fact: Attribute) -> Value:
    text = str(fact)
    if name == "provider":
        return PROVIDERS.get(text, text)
    if name == "answer.stop_reason":
        return (STOP_REASONS.get(text, text),)
    if name == "answer.model":
        return split_name(text)[1]
    if name == "ask.top_k":
        return float(fact)
    return fact

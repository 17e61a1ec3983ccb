"""What a span says of an inference: who was asked and how, what it used and how it ended, never what was said."""

from collections.abc import Mapping, Sequence
from typing import Final

from ore.artifact import Artifact, StopReason, Usage
from ore.event import Attribute, Span
from ore.loop.pipeline import Pipeline
from ore.models import Spec

__all__ = ["asked", "told"]

_COUNTS: Final = (
    "prompt_tokens",
    "completion_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
)
_ASKED: Final = (
    "max_output_tokens",
    "temperature",
    "top_p",
    "top_k",
    "seed",
    "frequency_penalty",
    "presence_penalty",
)


def asked(provider: str, spec: Spec) -> Mapping[str, Attribute]:
    """`provider`, `model`, and each field of the spec that is a number and has an opinion, as `ask.<field>`."""
    facts: dict[str, Attribute] = {"provider": provider}
    if spec.name is not None:
        facts["model"] = spec.name
    for name in _ASKED:
        value = getattr(spec, name)
        if value is not None:
            facts[f"ask.{name}"] = value
    if spec.thinking_level is not None:
        facts["ask.thinking_level"] = spec.thinking_level.value
    return facts


def told(span: Span, pipeline: Pipeline) -> None:
    """Note what came of it: its `turn.id`, `answer.seconds`, who answered, why it stopped, what it used, and so on."""
    span.set("turn.id", pipeline.turn_id)
    for name, seconds in (("answer.seconds", pipeline.seconds), ("answer.first_seconds", pipeline.first_seconds)):
        if seconds is not None:
            span.set(name, seconds)
    if pipeline.model is not None:
        span.set("answer.model", pipeline.model)
    _artifacts(span, pipeline.artifacts)


def _artifacts(span: Span, artifacts: Sequence[Artifact]) -> None:
    for artifact in artifacts:
        if isinstance(artifact, StopReason):
            span.set("answer.stop_reason", artifact.reason)
        elif isinstance(artifact, Usage):
            _usage(span, artifact)


def _usage(span: Span, usage: Usage) -> None:
    for name in _COUNTS:
        count = getattr(usage, name)
        if count is not None:
            span.set(f"usage.{name}", count)
    if usage.cost_usd is not None:
        span.set("usage.cost_usd", float(usage.cost_usd))

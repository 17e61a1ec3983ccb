"""`Guardrails`: what may be said to an agent, by it, and done by it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ore.agent import AgentSpec
from ore.cognitive import Pattern
from ore.ext.transforms.guardrails.calling import guarded_tools
from ore.ext.transforms.guardrails.incoming import InputGuard
from ore.ext.transforms.guardrails.outgoing import REFUSAL, GuardedOutput
from ore.ext.transforms.guardrails.verdict import Guard

__all__ = ["Guardrails"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Guardrails:
    """Gives an agent guards; for `Agent(extensions=…)`, or called with an `AgentSpec`.

    They hold wherever the agent works: in every session, over every front end,
    and when another agent calls it. Those of each kind are asked in order.

    Attributes:
        input: Look at what people say, before it is taken in.
        output: Look at what the model answers.
        calls: Look at tool calls, before they run.
        hold: Whether nothing of an answer is seen before the guards of the
            output passed it, so that it does not stream. Else it streams, and
            is taken back where it does not pass.
        refusal: What stands in the place of an answer that is blocked.
    """

    input: Sequence[Guard] = ()
    output: Sequence[Guard] = ()
    calls: Sequence[Guard] = ()
    hold: bool = True
    refusal: str = REFUSAL

    def __call__(self, spec: AgentSpec) -> AgentSpec:
        """The agent with them."""
        if self.input:
            spec = replace(spec, screens=(*spec.screens, InputGuard(self.input)))
        if self.output:
            spec = replace(spec, pattern=self._pattern(spec.pattern))
        if self.calls and spec.tools is not None:
            spec = replace(spec, tools=guarded_tools(spec.tools, self.calls))
        return spec

    def _pattern(self, inner: Callable[[], Pattern]) -> Callable[[], Pattern]:
        return lambda: GuardedOutput(inner(), self.output, hold=self.hold, refusal=self.refusal)

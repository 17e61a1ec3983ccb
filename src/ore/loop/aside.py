"""Inferences beside a conversation, such as for a summary or a guard: traced and counted as what is worked on."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

import msgspec

from ore.event import CURRENT, Attribute, Span, Tracer
from ore.ledger import State, Turn
from ore.loop.reporting import unmark_reported
from ore.loop.step import Step, StepHooks
from ore.models import Spec
from ore.provider import Count, Option, Provider, as_it_is

__all__ = ["ASIDES", "Asides", "aside", "counted"]


@dataclass(frozen=True, slots=True)
class Asides:
    """Who looks at the inferences beside a conversation.

    Attributes:
        tracer: Makes their spans.
        count: Has providers counted that are not the agent's own.
    """

    tracer: Tracer | None = None
    count: Count = as_it_is


_NOBODY: Final = Asides()

ASIDES: ContextVar[Asides] = ContextVar("ore.loop.asides", default=_NOBODY)
"""Those of the running message; its session sets them."""


def counted(provider: Provider) -> Provider:
    """The same provider, whose inferences count for the budgets of the running message.

    For one that an extension brings; the provider that answers is counted already.
    """
    return ASIDES.get().count(provider)


async def aside(
    state: State, spec: Spec, provider: Provider, *options: Option, purpose: str, session: str | None = None
) -> Turn:
    """Ask once, beside the conversation: nobody sees its events, and its answer is no turn of the session.

    Its span is inside that of whatever asks, and says what it is for. A
    failure is raised and told to nobody: whoever asked decides what it means.

    Args:
        state: What is sent.
        spec: How.
        provider: Who is asked.
        options: For this inference.
        purpose: What it is for, in a word, as traces and logs have it.
        session: Id of the session, where no message of it runs.

    Raises:
        ProviderError: The call failed.
        asyncio.CancelledError: It was cut.
    """
    tracer = ASIDES.get().tracer
    step = Step(hooks=StepHooks(tracer=_For(tracer, purpose) if tracer is not None else None))
    here = CURRENT.get()
    token = CURRENT.set(msgspec.structs.replace(here, thread_id=session or here.thread_id))
    try:
        return await step.turn(state, spec, provider, *options)
    except Exception as error:
        unmark_reported(error, here.message)
        raise
    finally:
        CURRENT.reset(token)


class _For:
    """A tracer whose spans say what an inference is for."""

    def __init__(self, tracer: Tracer, purpose: str) -> None:
        self._tracer = tracer
        self._purpose = purpose

    @contextmanager
    def span(self, name: str, **attributes: Attribute) -> Iterator[Span]:
        with self._tracer.span(name, **{**attributes, "aside": self._purpose}) as span:
            yield span

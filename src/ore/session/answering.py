"""Who answers in a session, for what works beside its messages."""

from typing import NamedTuple

from ore.agent import AgentSpec
from ore.loop import Asides
from ore.models import Spec
from ore.provider import Provider
from ore.session.stream import Stream

__all__ = ["Answering", "answering"]


class Answering(NamedTuple):
    """Who answers the next message.

    Attributes:
        agent: The session's agent.
        provider: Who is asked: the agent's own, or what the session's facts name.
        spec: How, by the agent and the session's facts.
        asides: Who looks at inferences beside the conversation.
    """

    agent: AgentSpec
    provider: Provider
    spec: Spec
    asides: Asides


def answering(stream: Stream) -> Answering:
    """Who answers the next message of a session.

    Raises:
        ModelNotFoundError: The session's facts name a model whose provider there is not.
        AuthenticationError: Its key is missing.
    """
    core = stream._core
    provider, spec = core.provider()
    agent = core.the_agent()
    return Answering(agent, provider, spec, Asides(core.kit.services.tracer, agent.count))

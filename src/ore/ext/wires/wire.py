"""`Wire`: one vendor's protocol, without I/O."""

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ore.artifact import Notice
from ore.errors import ProviderError
from ore.ledger import Turn
from ore.models import Spec
from ore.provider import Batch, Option

__all__ = ["Ask", "Decoder", "Wire", "WireRequest", "told"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One inference, as a wire sees it.

    Attributes:
        turns: The conversation as transforms left it, oldest first.
        spec: `name` is the model as this vendor calls it.
        options: Those of the inference; a wire passes over what it does not know.
        provider: Registered name of who is asked. Data that a vendor issued
            (`provider_data`) goes back only where its `provider` and `model` are these.
        lenient: Leave out what the model cannot take, with a notice in the
            request, instead of refusing.
        session: Id of the session, for prompt-cache keys; `None` without one.
        encoded: What was encoded for this conversation before; any wire may
            keep fragments here, under keys of its own. It goes when the
            conversation has been idle for a while.
    """

    turns: Sequence[Turn]
    spec: Spec
    options: Sequence[Option] = ()
    provider: str
    lenient: bool = False
    session: str | None = None
    encoded: MutableMapping[Any, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class WireRequest:
    """What has to be posted.

    Attributes:
        path: Behind the base URL, such as `chat/completions`.
        body: JSON.
        headers: Beside those of authentication and content type.
        notices: For people: what was left out, where the ask is lenient, and what has no effect.
    """

    path: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    notices: Sequence[Notice] = ()


class Decoder(Protocol):
    """Reads the body of one answer; one object for each answer.

    After it raised nothing may be fed any more.
    """

    def feed(self, block: bytes) -> Iterator[Batch]:
        """What these bytes say, in order; they may be cut anywhere.

        Lazy: a batch is made when it is asked for, so that the first words of
        a long block are seen before its last ones are read.

        Yields:
            At most `BATCH_LIMIT` artifacts, never none.

        Raises:
            ProviderError: The answer holds an error, or breaks the protocol;
                what was yielded stands.
        """
        ...

    def close(self) -> Iterator[Batch]:
        """The body has ended: whatever is still due, such as the stop reason and then the usage.

        Raises:
            ProtocolError: The answer had not ended.
        """
        ...


def told(decoder: Decoder) -> Any:
    """What a server says of a failure inside its answer, as JSON has it; a decoder may have an attribute of that name.

    It may hold anything, such as the prompt: never to be shown as it stands.
    """
    return getattr(decoder, "told", None)


class Wire(Protocol):
    """Builds requests and reads answers; holds no state of a conversation."""

    @property
    def protocol(self) -> str:
        """Its name on the command line, such as `openai-chat`."""
        ...

    def request(self, ask: Ask) -> WireRequest:
        """The request for an inference: the same bytes for the same ask, whatever is in `encoded`.

        Raises:
            UnsupportedError: The model cannot take something that was asked for.
            BadRequestError: It cannot be sent, such as a conversation without a message.
        """
        ...

    def decoder(self, ask: Ask) -> Decoder:
        """Reads the answer to an ask; opaque data is tagged with its provider and its model."""
        ...

    def failure(self, provider: str, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        """The error of an answer whose status is not 200.

        Args:
            provider: Who answered.
            status: HTTP status.
            headers: With names in lower case.
            body: As much of it as was read; never shown where it may hold what was sent.
        """
        ...

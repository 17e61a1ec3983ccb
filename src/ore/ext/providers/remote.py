"""`RemoteProvider`: a wire over a transport."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Any, Final

from ore.artifact import Notice, to_json
from ore.errors import ProviderError
from ore.event import current_context
from ore.ext.providers.ending import LAST, Ending
from ore.ext.providers.endpoint import Endpoint
from ore.ext.providers.knowledge import Knowledge
from ore.ext.providers.refusal import explain, refusal, unreadable
from ore.ext.providers.transport import Reply, has_ended
from ore.ext.wires.wire import Ask, Decoder, Wire, WireRequest, told
from ore.ledger import State
from ore.models import Spec
from ore.provider import Batch, Option, RequestOption, option
from ore.tool import Deadline

__all__ = ["RemoteProvider"]

END_S: Final = 1.0
"""Seconds that an answer which has ended may leave its connection open."""

_TOLD: Final = "ore.ext.providers.remote"
"""What a conversation was told, among what is kept for it."""

_REQUEST_IDS: Final = ("x-request-id", "request-id", "apim-request-id")
"""Where a vendor names its id of a request; the last is Azure's."""


class RemoteProvider:
    """Answers over a network; one request for each inference, never repeated.

    One object serves any number of event loops and threads.

    Args:
        name: Registered name; what the vendor issues for replay is tagged with it.
        wire: The protocol.
        endpoint: The server.
        lenient: Leave out what the model cannot take, with a notice, instead
            of raising `UnsupportedError`.
        knowledge: What is known of the models; without it nothing is looked
            at before a request, and no usage has a price.
    """

    def __init__(
        self,
        *,
        name: str,
        wire: Wire,
        endpoint: Endpoint,
        lenient: bool = False,
        knowledge: Knowledge | None = None,
    ) -> None:
        self._name = name
        self._wire = wire
        self._endpoint = endpoint
        self._lenient = lenient
        self._knowledge = knowledge

    @property
    def name(self) -> str:
        """Registered name."""
        return self._name

    def __repr__(self) -> str:
        return f"RemoteProvider({self._name!r}, {self._endpoint.address!r})"

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        """Stream the answer; closing gives the connection up.

        Errors name the provider, and the server's id of the request where it
        gave one. An answer that had ended by its protocol is whole, however
        its connection ended, or if it did not.

        Raises:
            ProviderError: The request was refused, or the answer broke.
        """
        ask, known = self._asked(state, spec, options)
        price = _as_it_is if self._knowledge is None else self._knowledge.pricing(spec.name or "")
        request = self._request(ask)
        news = (*known, *_news(ask, request.notices))
        if news:
            yield news
        reply: Reply | None = None
        lost: ProviderError | None = None
        ending, decoder = Ending(price), self._wire.decoder(ask)
        try:
            reply = await self._endpoint.post(request)
            block = await self._first(reply, request.body)
            feed, read, last = decoder.feed, reply.__anext__, None
            while block:
                for batch in feed(block):
                    last = type(batch[-1])
                    yield batch if ending.has_spoken and last not in LAST else ending.take(batch)
                if last in LAST:
                    await _drain(reply)
                    break
                try:
                    block = await read()
                except StopAsyncIteration:
                    break
                except ProviderError as error:
                    lost = error
                    break
            for batch in _rest(decoder, lost):
                yield ending.take(batch)
            ending.check()
        except ProviderError as error:
            self._explain(error, None if ending.has_begun else told(decoder), request.body)
            self._own(error, reply)
            raise
        finally:
            if reply is not None:
                reply.close()

    def _asked(self, state: State, spec: Spec, options: Sequence[Option]) -> tuple[Ask, Sequence[Notice]]:
        """What the wire is asked, and what is known of it beforehand."""
        ask = Ask(
            turns=state.turns,
            spec=spec,
            options=options,
            provider=self._name,
            lenient=self._lenient,
            session=current_context().thread_id,
            encoded=state.base.derived,
        )
        return (ask, ()) if self._knowledge is None else self._knowledge.look(ask)

    def _request(self, ask: Ask) -> WireRequest:
        request = self._wire.request(ask)
        wanted = option(ask.options, RequestOption)
        if wanted is not None:
            wanted.seen(request.body)
        return request

    async def _first(self, reply: Reply, sent: bytes) -> bytes:
        """The first block of an answer; empty when there is none.

        Args:
            sent: The body of the request.

        Raises:
            ProviderError: It is no answer.
        """
        if reply.status != 200:
            raise await refusal(self._name, self._wire, reply, self._endpoint, sent)
        try:
            block = await reply.__anext__()
        except StopAsyncIteration:
            block = b""
        fault = unreadable(reply, block)
        if fault is not None:
            raise fault
        return block

    def _explain(self, error: ProviderError, said: Any, sent: bytes) -> None:
        """Add what the server says; nothing once the model had begun, since a server may repeat what it wrote too."""
        if said is not None:
            explain(error, to_json(said), self._endpoint, sent)

    def _own(self, error: ProviderError, reply: Reply | None) -> None:
        """Say whose error it is, and nothing that must not be said."""
        error.provider = error.provider or self._name
        if reply is not None and error.request_id is None:
            error.request_id = next((id for name in _REQUEST_IDS if (id := reply.headers.get(name))), None)
        if error.args:
            error.args = (self._endpoint.credentials.scrub(str(error)), *error.args[1:])


def _news(ask: Ask, notices: Sequence[Notice]) -> Sequence[Notice]:
    """Those that the conversation has not heard yet: what a model does not take it does not take each time."""
    if not notices:
        return ()
    told = ask.encoded.setdefault((_TOLD, ask.provider, ask.spec.name), set())
    news = [notice for notice in notices if notice not in told]
    told.update(news)
    return news


def _as_it_is(batch: Batch) -> Batch:
    return batch


async def _drain(reply: Reply) -> None:
    """Wait for the body's end, so that the connection can be used again; not long, since some servers leave it open."""
    if has_ended(reply):
        return
    try:
        with Deadline(END_S):
            async for _ in reply:
                pass
    except (ProviderError, TimeoutError):
        return


def _rest(decoder: Decoder, lost: ProviderError | None) -> Iterator[Batch]:
    """What is due at the end of the body; a connection that was lost before the answer had ended is an error."""
    if lost is None:
        yield from decoder.close()
        return
    is_whole = False
    try:
        for batch in decoder.close():
            is_whole = True
            yield batch
    except ProviderError:
        is_whole = False
    if not is_whole:
        raise lost

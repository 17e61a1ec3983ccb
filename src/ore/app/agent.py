"""`Agent`: the front door."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from ore._aio import finish
from ore.agent import AgentSpec, Extension, Instructions, OutputType, instructions
from ore.app.resolve import Resolver, default_model, fallback
from ore.app.result import Result
from ore.app.run import Run
from ore.app.serving import serve
from ore.app.session import Session
from ore.app.shared_stores import use_store
from ore.app.usage_limits import UsageLimits
from ore.cognitive import Pattern, ReAct, RunLimits
from ore.event import Content, Tracer
from ore.ext.observe.budget import MessageBudget
from ore.ext.tools.subagent import subagent
from ore.ledger import MemoryStore, Store, Turn
from ore.loop import Handler, Transform
from ore.models import Spec, merge
from ore.provider import Provider, Resolve
from ore.session import Answerer, AskPolicy, Interceptor, Manager, Services
from ore.tool import Output, Tool, Toolset, as_toolset, combine, keep_open, wire_name

__all__ = ["Agent", "OnQuestion"]

OnQuestion = Answerer
"""Answers questions: approvals, and what tools ask. May take its time."""


class Agent:
    """A model with instructions and tools.

    It holds no conversation: one agent serves any number of sessions.

    Args:
        model: `provider:name`, or a provider object; several names are asked
            one after the other until one answers; by default what the
            environment says, else the embedded model.
        tools: Functions, `Tool`s and `Toolset`s, or one `Toolset`. What they need is
            open while a run, a stream or a session is.
        instructions: What the model is told first: text, or a function that is
            asked before each inference.
        name: For traces, lists and hand-offs.
        description: What it is good for.
        output_type: What an answer has to be; one that does not fit goes back
            to the model, twice.
        deps: What tools find as `context.deps`.
        spec: How the model answers.
        limits: What one message may use.
        store: Where sessions are kept, as a URL or a `Store`.
        transforms: Change what the model sees, in order.
        handlers: See what comes of each inference, in order.
        pattern: Makes the pattern for one message.
        extensions: Change the agent as a whole, in order, such as `Compaction()`.
        interceptors: Look at each message first, in order, such as slash commands.
        resolve: Finds providers by name.
        tracer: Makes spans, such as `ore.ext.observe.otel.OpenTelemetry()`; nothing is traced without.
    """

    def __init__(
        self,
        model: str | Sequence[str] | Provider | None = None,
        *,
        tools: Sequence[Tool | Callable[..., Any] | Toolset] | Toolset = (),
        instructions: Instructions | None = None,
        name: str = "agent",
        description: str = "",
        output_type: Any = None,
        deps: Any = None,
        spec: Spec | None = None,
        limits: UsageLimits | None = None,
        store: str | Store | None = None,
        transforms: Sequence[Transform] = (),
        handlers: Sequence[Handler] = (),
        pattern: Callable[[], Pattern] = ReAct,
        extensions: Sequence[Extension] = (),
        interceptors: Sequence[Interceptor] = (),
        resolve: Resolve | None = None,
        tracer: Tracer | None = None,
    ) -> None:
        _check_arguments(model, tools, store)
        self.name = name
        self.description = description
        self.model = model
        self._tools = as_toolset(tools)
        self._instructions = instructions
        self._output = _output_type(output_type)
        self._deps = deps
        self._spec = spec or Spec()
        self.limits = limits or UsageLimits()
        self._store = store
        self._transforms = tuple(transforms)
        self._handlers = tuple(handlers)
        self._pattern = pattern
        self._extensions = tuple(extensions)
        self._interceptors = tuple(interceptors)
        self.resolve: Resolve = resolve or Resolver()
        self._tracer = tracer

    def with_(
        self,
        *,
        model: str | Sequence[str] | Provider | None = None,
        tools: Sequence[Tool | Callable[..., Any] | Toolset] = (),
        spec: Spec | None = None,
        limits: UsageLimits | None = None,
        instructions: Instructions | None = None,
        extensions: Sequence[Extension] = (),
        interceptors: Sequence[Interceptor] = (),
        resolve: Resolve | None = None,
    ) -> "Agent":
        """Another agent, with another model, more tools, and so on; this one stays as it is."""
        from_here = object.__new__(type(self))
        from_here.__dict__.update(self.__dict__)
        from_here.model = model if model is not None else self.model
        from_here._tools = _more(self._tools, tools)
        from_here._spec = merge(self._spec, spec)
        from_here.limits = limits or self.limits
        from_here._instructions = instructions if instructions is not None else self._instructions
        from_here._extensions = (*self._extensions, *extensions)
        from_here._interceptors = (*self._interceptors, *interceptors)
        from_here.resolve = resolve or self.resolve
        return from_here

    def spec(self, *, deps: Any = None, output_type: Any = None) -> AgentSpec:
        """The agent as the value that the core builds sessions from.

        Raises:
            ModelNotFoundError: There is no such provider.
            AuthenticationError: Its key is missing.
        """
        return self._made(self.limits.budget(), deps, output_type)

    def _made(self, budget: MessageBudget, deps: Any, output_type: Any) -> AgentSpec:
        provider, spec = self._provider()
        transforms = (instructions(self._instructions),) if self._instructions is not None else ()
        limits = self.limits
        made = AgentSpec(
            name=self.name,
            description=self.description,
            provider=provider,
            spec=spec,
            tools=self._tools.tools,
            transforms=(*transforms, *self._transforms),
            handlers=self._handlers,
            pattern=self._pattern,
            limits=RunLimits(rounds=limits.rounds, run_s=limits.run_s),
            output=_output_type(output_type) or self._output,
            deps=deps if deps is not None else self._deps,
        )
        for extend in self._extensions:
            made = extend(made)
        return budget.over(made)

    async def run(
        self,
        content: Content,
        *,
        session: str | None = None,
        store: str | Store | None = None,
        history: Sequence[Turn] = (),
        deps: Any = None,
        output_type: Any = None,
        on_question: OnQuestion | None = None,
    ) -> Result:
        """Answer one message and wait for it.

        It stays in memory unless a session or a store is named.

        Args:
            content: Text or artifacts.
            session: A stored session to go on with, or to begin.
            store: Where it is kept.
            history: Turns that came before; only without a session.
            deps: What tools find as `context.deps`.
            output_type: What the answer has to be, this time.
            on_question: Answers approvals; without it they are denied.

        Raises:
            OreError: The message failed.
            ValueError: Both a session and a history were given.
        """
        stream = self.stream(
            content,
            session=session,
            store=store,
            history=history,
            deps=deps,
            output_type=output_type,
            on_question=on_question,
        )
        async with stream as run:
            return await run.result()

    def run_sync(self, content: Content, **options: Any) -> Result:
        """`run`, for programs without a loop; takes the same arguments.

        Raises:
            RuntimeError: A loop runs here already; await `run` there.
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self.run(content, **options))
        raise RuntimeError("run_sync: expected no running event loop, found one; use `await agent.run(…)` here")

    @asynccontextmanager
    async def stream(
        self,
        content: Content,
        *,
        session: str | None = None,
        store: str | Store | None = None,
        history: Sequence[Turn] = (),
        deps: Any = None,
        output_type: Any = None,
        on_question: OnQuestion | None = None,
    ) -> AsyncIterator[Run]:
        """Answer one message and read it as it comes; leaving the block ends the run.

        Takes the same arguments as `run`.
        """
        if session is not None and history:
            raise ValueError("expected either session= or history=, got both: a stored session has its own history")
        named = session is not None or store is not None
        kept: str | Store | None = store if named else MemoryStore()
        opened = self._opened(session, kept, history, deps, output_type, on_question)
        async with opened as conversation:
            run = conversation.stream(content)
            try:
                yield run
            finally:
                if not run.ended:
                    await finish(run.cancel())

    @asynccontextmanager
    async def session(
        self,
        id: str | None = None,
        *,
        store: str | Store | None = None,
        deps: Any = None,
        on_question: OnQuestion | None = None,
    ) -> AsyncIterator[Session]:
        """A conversation that is created or resumed; SQLite by default.

        Leaving the block waits for what was submitted. When an error leaves
        it, what runs is cut, and with all that waits it goes on when the
        session is opened again; `interrupt` before that, to end it instead.

        Args:
            id: Its id; a new one when `None`.
            store: Where it is kept, as a URL or a `Store`.
            deps: What tools find as `context.deps`.
            on_question: Answers approvals; without it they are denied.

        Raises:
            InputError: The id may not name a session.
            StoreError: The store cannot be used.
        """
        async with self._opened(id, store, (), deps, None, on_question) as conversation:
            yield conversation
            await conversation.handle.idle()

    @asynccontextmanager
    async def _opened(
        self,
        id: str | None,
        store: str | Store | None,
        history: Sequence[Turn],
        deps: Any,
        output_type: Any,
        on_question: OnQuestion | None,
    ) -> AsyncIterator[Session]:
        budget = self.limits.budget()
        spec = self._made(budget, deps, output_type)
        given = store if store is not None else self._store
        resolve = budget.resolve(self.resolve)
        services = Services(resolve=resolve, asking=AskPolicy(answerer=on_question), tracer=self._tracer)
        used = await use_store(given)
        try:
            manager = Manager(spec, used.store, interceptors=self._interceptors, services=services)
            async with keep_open(self._tools):
                try:
                    handle = await manager.open(id)
                    if history:
                        await handle.history.load(history)
                    yield Session(handle, spec.output.parse if spec.output else None)
                finally:  # what was accepted and has not ended goes on at the next attach
                    await finish(manager.leave(0.0))
        finally:
            if used.is_shared:
                await finish(used.give_back())

    async def serve(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 7654,
        token: str | None = None,
        store: str | Store | None = None,
        drain_s: float = 10.0,
    ) -> None:
        """Serve over HTTP, with a page to talk in, until cancelled or SIGTERM; several agents: `ore.app.serve`.

        Args:
            host: Where it listens; more than loopback needs a token.
            port: The port; 0 is a free one, which standard error names.
            token: What requests have to show.
            store: Where sessions are kept, as a URL or a `Store`.
            drain_s: Seconds that running messages get at the end; then they
                are cut, and go on at the next start.

        Raises:
            InputError: The extra `http` is not installed, nothing can listen
                there, or a token is missing.
        """
        await serve([self], host=host, port=port, token=token, store=store, drain_s=drain_s)

    def as_tool(self, name: str | None = None, description: str | None = None, *, timeout_s: float = 3600.0) -> Tool:
        """The agent as a tool of another: it works inside the call, in a conversation of its own.

        Its tokens count for the caller's limits as well as for its own, its
        questions are asked in the caller's session, and it ends when the call
        does. After a crash it goes on where it was.

        Args:
            name: Of the tool; the agent's by default.
            description: What it is good for, for the model; the agent's by default.
            timeout_s: Seconds after which a call ends with an error.

        Raises:
            ValueError: The name cannot be a tool's, or there is no description.
        """
        said = description or self.description
        if not said:
            raise ValueError(f"agent {self.name!r}: expected a description, by which a model decides to call it")
        return subagent(name or wire_name(self.name), said, self.spec, timeout_s=timeout_s, toolset=self._tools)

    def _provider(self) -> tuple[Provider, Spec]:
        model = self.model
        if model is None:
            model, _ = default_model()
        if isinstance(model, Sequence) and not isinstance(model, str):
            candidates = [self.resolve(one) for one in model]
            return fallback(candidates), msgspec.structs.replace(
                self._spec, name=candidates[0][1] if candidates else None
            )
        if not isinstance(model, str):
            return model, self._spec
        provider, name = self.resolve(model)
        return provider, msgspec.structs.replace(self._spec, name=self._spec.name or name)


def _check_arguments(model: object, tools: object, store: object) -> None:
    """Refuse what an agent cannot be made of, at once and by name.

    Raises:
        TypeError: One of them is of a wrong kind.
    """
    names = isinstance(model, Sequence) and all(isinstance(one, str) for one in model)
    if not (model is None or names):
        _check_provider(model)
    if isinstance(tools, str | Tool) or not (isinstance(tools, Sequence) or hasattr(tools, "tools")):
        raise TypeError(f"tools: expected a list of functions or tools, or a Toolset; got {type(tools).__name__}")
    if not (store is None or isinstance(store, str) or hasattr(store, "load")):
        raise TypeError(f"store: expected a URL such as 'memory:' or a Store, got {type(store).__name__}")


def _check_provider(model: object) -> None:
    """Refuse what is no provider.

    Raises:
        TypeError: It is none.
    """
    if isinstance(model, type):
        raise TypeError(
            f"model: expected a name such as 'local', several, or a Provider, got the class {model.__name__}"
        )
    if not hasattr(model, "invoke"):
        raise TypeError(f"model: expected a name such as 'local', several, or a Provider, got {type(model).__name__}")
    if not isinstance(getattr(model, "name", None), str):
        raise TypeError(f"model: expected a Provider with a name, got {type(model).__name__} whose `name` is no text")


def _output_type(kind: Any) -> OutputType | None:
    if kind is None or kind is str:
        return None
    output: Output[Any] = Output(kind)
    return OutputType(name=output.name, schema=lambda: output.schema, parse=output.parse)


def _more(tools: Toolset, more: Sequence[Tool | Callable[..., Any] | Toolset]) -> Toolset:
    return combine(tools, as_toolset(more)) if more else tools

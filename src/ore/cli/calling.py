"""The agent of one call: what the options say, over what the agent says."""

import os
from argparse import Namespace
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from ore.agent import Extension
from ore.app import Agent, ProviderSettings, Resolver, default_model, tools_by_name
from ore.app.resolve import fallback
from ore.cli.agent_file import load_agent
from ore.cli.said import Said
from ore.cli.terminal import say
from ore.errors import InputError
from ore.ledger import State
from ore.models import Spec, ThinkingLevel, merge
from ore.provider import Batch, Option, Provider, Resolve

if TYPE_CHECKING:
    from ore.ext.providers.capture_switch import CaptureSwitch

__all__ = ["asks_several", "called_agent", "said_by"]


def called_agent(options: Namespace, *, said: Said | None = None, switch: "CaptureSwitch | None" = None) -> Agent:
    """The agent that the options describe.

    Its model and how it answers hold for this call, before what a session has
    stored, and are stored nowhere.

    Args:
        said: What the options say of the model, where commands may say otherwise later.
        switch: Through which providers are made, for `/debug request`.

    Raises:
        InputError: An agent, a tool, an address or a value is not what was expected.
        ModelNotFoundError: There is no such provider.
        AuthenticationError: Its key is missing.
    """
    agent = _extended(load_agent(options.agent) if options.agent else Agent(), options)
    tools = [tool for name in dict.fromkeys(options.tool) for tool in tools_by_name(name)]
    limits = None if options.max_rounds is None else replace(agent.limits, rounds=options.max_rounds)
    model = options.model if options.model is not None else agent.model
    if model is None:
        model = _default_model(options.base_url)
    said = said or said_by(options)
    if isinstance(model, Sequence) and not isinstance(model, str):
        resolver = _resolve(agent, options, switch)
        several = fallback([resolver(name) for name in model])
        return agent.with_(
            model=_Called(several, said),
            tools=tools,
            limits=limits,
            instructions=options.instructions,
            resolve=resolver,
        )
    if not isinstance(model, str):
        _check_own(options)
        return agent.with_(model=_Called(model, said), tools=tools, limits=limits, instructions=options.instructions)
    resolve = _CalledResolve(_resolve(agent, options, switch), said)
    _, name = resolve(model)
    return agent.with_(
        model=model,
        tools=tools,
        limits=limits,
        instructions=options.instructions,
        resolve=resolve,
        spec=Spec(name=name) if options.model is not None else None,
    )


def asks_several(agent: Agent) -> bool:
    """Whether an answer may begin with one model and end with another."""
    from ore.ext.providers.fallback import Fallback

    model = agent.model
    return isinstance(model.provider if isinstance(model, _Called) else model, Fallback)


def _extended(agent: Agent, options: Namespace) -> Agent:
    """One's own agent compacts when it says so itself; the command's does."""
    from ore.ext.transforms.compaction import Compaction
    from ore.ext.transforms.manifest import ContextManifests

    extensions: list[Extension] = [] if options.agent else [Compaction()]
    if options.note_context:
        extensions.append(ContextManifests())
    return agent.with_(extensions=extensions)


def _default_model(base_url: str | None) -> str:
    model, reason = default_model(base_url)
    if not os.environ.get("ORE_MODEL"):
        say(f"ore: model {model}: {reason}")
    return model


def _resolve(agent: Agent, options: Namespace, switch: "CaptureSwitch | None") -> Resolve:
    capture = _capture(options)
    said_nothing = options.base_url is None and options.timeout_s is None and not options.lenient and capture is None
    if said_nothing and (switch is None or options.agent):  # an agent of one's own may find its providers itself
        return agent.resolve
    settings = ProviderSettings(
        base_url=options.base_url, lenient=options.lenient, capture=capture, capture_switch=switch
    )
    return Resolver(settings if options.timeout_s is None else replace(settings, timeout_s=options.timeout_s))


def _capture(options: Namespace) -> str | None:
    """Where requests are written to; only commands that answer one message have it."""
    capture: str | None = getattr(options, "capture", None)
    return capture


def _check_own(options: Namespace) -> None:
    """Refuse what cannot be said to a provider that an agent brings with it.

    Raises:
        InputError: Something of it was asked for.
    """
    given = {
        "capture": _capture(options) is not None,
        "base-url": options.base_url is not None,
        "timeout-s": options.timeout_s is not None,
        "lenient": options.lenient,
    }
    for name, is_given in given.items():
        if is_given:
            raise InputError(f"{name}: expected a model by its name, got an agent that brings a provider; add --model")


def said_by(options: Namespace) -> Said:
    """What the options say of the model.

    Raises:
        InputError: There is no such level of thinking.
    """
    try:
        thinking = None if options.thinking is None else ThinkingLevel.parse(options.thinking)
    except ValueError as error:
        raise InputError(str(error)) from None
    spec = Spec(max_output_tokens=options.max_output_tokens, temperature=options.temperature, thinking_level=thinking)
    return Said(options.model, spec)


class _Called:
    """A provider that is asked as this call says, whatever else has an opinion."""

    def __init__(self, provider: Provider, said: Said) -> None:
        self.provider = provider
        self._said = said

    @property
    def name(self) -> str:
        return self.provider.name

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        asked = merge(spec, self._said.spec)
        async with aclosing(self.provider.invoke(state, asked, *options)) as batches:
            async for batch in batches:
                yield batch


class _CalledResolve:
    """Resolves to this call's model where it names one, and to the wanted one where not."""

    def __init__(self, resolve: Resolve, said: Said) -> None:
        self._resolve = resolve
        self._said = said

    def __call__(self, name: str) -> tuple[Provider, str]:
        provider, model = self._resolve(self._said.model or name)
        return _Called(provider, self._said), model

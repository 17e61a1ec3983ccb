"""`resolve`: the one place that finds extensions by name, importing them on first use."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from ore._extras import install_line
from ore.app.nearest import guess
from ore.artifact import Codec
from ore.errors import InputError, ModelNotFoundError
from ore.ledger import MemoryStore, Store
from ore.models import split_name
from ore.provider import Provider
from ore.session import Conduit, Interceptor
from ore.tool import Tool, Toolset, as_tool

if TYPE_CHECKING:
    from ore.ext.providers.capture import CaptureFiles
    from ore.ext.providers.capture_switch import CaptureSwitch

__all__ = [
    "ConduitSettings",
    "ProviderSettings",
    "Resolver",
    "conduit_by_name",
    "default_model",
    "fallback",
    "names_of",
    "open_store",
    "slash_commands",
    "tools_by_name",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSettings:
    """What a provider is made with; an entry point of `ore.providers` is called with it.

    Attributes:
        base_url: Where it answers, instead of the vendor's own address.
        lenient: Drop what the model cannot take, with a notice, instead of refusing.
        timeout_s: Seconds without a byte after which a request fails.
        path: What stands behind `provider:` for providers that are files.
        capture: A file for requests and answers, without their secrets, and
            the next ones beside it; see `ore.ext.providers.capture`.
        capture_switch: What writes single requests down, for `/debug request`.
    """

    base_url: str | None = None
    lenient: bool = False
    timeout_s: float = 300.0
    path: str | None = None
    capture: "str | CaptureFiles | None" = None
    capture_switch: "CaptureSwitch | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConduitSettings:
    """What a conduit is made with; an entry point of `ore.conduits` is called with it.

    Attributes:
        host: Where it listens, if it does.
        port: The port; 0 is a free one.
        token: What requests have to show.
        drain_s: Seconds that running messages get at the end.
        listening: Called with a line that says where, once it is ready.
    """

    host: str = "127.0.0.1"
    port: int = 7654
    token: str | None = field(default=None, repr=False)
    drain_s: float = 10.0
    listening: Callable[[str], object] | None = None


MakeProvider = Callable[[ProviderSettings], Provider]

_PROVIDERS: Final[Mapping[str, str]] = {
    "anthropic": "ore.ext.providers.anthropic:make",
    "azure": "ore.ext.providers.azure:make",
    "google": "ore.ext.providers.google:make",
    "local": "ore.ext.providers.local:make",
    "minimax": "ore.ext.providers.minimax:make",
    "ollama": "ore.ext.providers.ollama:make",
    "openai": "ore.ext.providers.openai:make",
    "openai-responses": "ore.ext.providers.openai_responses:make",
    "openrouter": "ore.ext.providers.openrouter:make",
    "scripted": "ore.ext.providers.scripted:make",
    "vercel": "ore.ext.providers.vercel:make",
}
_BY_PATH: Final = frozenset({"scripted"})
"""Providers whose whole name is a path; each path is a provider of its own."""
_OFFLINE: Final = frozenset({"local", "scripted"})
"""Providers that send nothing over a network."""

_STORES: Final[Mapping[str, str]] = {
    "json": "ore.ext.stores.json_dir:JsonStore",
    "sqlite": "ore.ext.stores.sqlite:SqliteStore",
}
_CONDUITS: Final[Mapping[str, str]] = {"http": "ore.ext.conduits.http:make"}
_ARTIFACTS: Final = ("ore.ext.transforms.compaction:Boundary", "ore.ext.transforms.manifest:ContextManifest")
_TOOLS: Final[Mapping[str, str]] = {
    "ask_user": "ore.ext.tools.ask_user:tools",
    "bash": "ore.ext.tools.bash:tools",
    "calculator": "ore.ext.tools.calculator:tools",
    "fetch": "ore.ext.tools.fetch:tools",
    "files": "ore.ext.tools.files:tools",
    "mcp": "ore.ext.tools.mcp:tools",
    "set_title": "ore.ext.tools.set_title:tools",
    "skills": "ore.ext.tools.skills:tools",
}
_KEYED: Final[Sequence[tuple[str, str]]] = (
    ("ANTHROPIC_API_KEY", "anthropic:claude-sonnet-5-5"),
    ("OPENAI_API_KEY", "openai-responses:gpt-6-sol"),
    ("GEMINI_API_KEY", "google:gemini-3.8-flash"),
    ("GOOGLE_API_KEY", "google:gemini-3.8-flash"),
)
"""Environment variables of keys and the model that each makes the default: the vendor's middle one (2026-11).

OpenAI's is asked over Responses: over chat completions it calls tools only
where it does not think.
"""
_OPENAI: Final = "//api.openai.com"
_AT_A_COPY: Final[Mapping[str, str]] = {"openai-responses:gpt-6-sol": "openai:gpt-6-sol"}
"""What is the default where another server speaks like the vendor: all of those speak chat completions."""


def names_of(what: Literal["providers", "stores", "conduits", "tools"]) -> Sequence[str]:
    """The names of ore's own and of those that installed packages bring, sorted."""
    builtin = {"providers": _PROVIDERS, "stores": _STORES, "conduits": _CONDUITS, "tools": _TOOLS}[what]
    return sorted({*builtin, *(point.name for point in entry_points(group=f"ore.{what}"))})


class Resolver:
    """Finds providers by a model's name; each is made once.

    Args:
        settings: What they are made with.
    """

    def __init__(self, settings: ProviderSettings | None = None) -> None:
        self._settings = settings or ProviderSettings()
        self._made: dict[str, Provider] = {}

    def __call__(self, name: str) -> tuple[Provider, str]:
        """The provider of a model's name, and the name it has there.

        Raises:
            ModelNotFoundError: No such provider.
            AuthenticationError: Its key is missing.
            InputError: Its base URL or the file for a capture is none.
        """
        prefix, rest = split_name(name)
        if prefix is None and name in ("local",):
            prefix, rest = name, name
        if prefix is None:
            known = self.known()
            near = _full_name(name, known)
            raise ModelNotFoundError(
                f"model: expected provider:name with one of {', '.join(known)}, got {name!r}{near}"
            )
        key = name if prefix in _BY_PATH else prefix
        provider = self._made.get(key)
        if provider is None:
            provider = self._made[key] = self._make(prefix, rest, name)
        return provider, rest

    def known(self) -> Sequence[str]:
        """Names of the providers there are."""
        return names_of("providers")

    def _make(self, prefix: str, rest: str, name: str) -> Provider:
        make: MakeProvider | None = _find(prefix, _PROVIDERS, "ore.providers")
        if make is None:
            raise ModelNotFoundError(
                f"model {name!r}: expected a provider that is one of {', '.join(self.known())}, got {prefix!r}"
                f"{guess(prefix, self.known())}",
                provider=prefix,
            )
        if prefix in _OFFLINE:
            _check_offline(prefix, self._settings)
        if isinstance(self._settings.capture, str):  # providers of one resolver do not write over each other's
            files = import_module("ore.ext.providers.capture").CaptureFiles(self._settings.capture)
            self._settings = replace(self._settings, capture=files)
        return make(replace(self._settings, path=rest or None))


def _check_offline(prefix: str, settings: ProviderSettings) -> None:
    """Refuse what only a provider that is asked over a network can do.

    Raises:
        InputError: Something of it was asked for.
    """
    for what, value in (("base URL", settings.base_url), ("capture", settings.capture)):
        if value is not None:
            raise InputError(
                f"{what}: expected a provider that is asked over a network, such as openai:NAME, got {prefix!r}"
            )


def default_model(base_url: str | None = None) -> tuple[str, str]:
    """The model when nobody names one, and why it is that.

    Args:
        base_url: Where it will be asked, when that is not what the environment says.
    """
    given = os.environ.get("ORE_MODEL")
    if given:
        return given, "ORE_MODEL names it"
    for variable, model in _KEYED:
        if os.environ.get(variable):
            is_copy = _OPENAI not in (base_url or os.environ.get("OPENAI_BASE_URL") or _OPENAI)
            return _AT_A_COPY.get(model, model) if is_copy else model, f"{variable} is set"
    return "local", "no model was named and no key is set"


def fallback(candidates: Sequence[tuple[Provider, str]]) -> Provider:
    """A provider that asks these one after the other until one answers.

    Raises:
        InputError: There is none.
    """
    provider: Provider = import_module("ore.ext.providers.fallback").Fallback(*candidates)
    return provider


def open_store(url: str) -> Store:
    """The store of a URL: `memory:`, `sqlite:PATH`, `json:DIR`, or what an entry point of `ore.stores` knows.

    An entry point is called with what stands behind the colon, and as `codec=`
    with what knows the kinds of artifacts that are installed. Nothing is
    opened before it is used.

    Raises:
        InputError: No such kind of store.
    """
    kind, separator, rest = url.partition(":")
    if kind == "memory" and separator:
        return MemoryStore()
    open_url: Callable[..., Store] | None = _find(kind, _STORES, "ore.stores") if separator else None
    if open_url is None:
        kinds = sorted({"memory", *names_of("stores")})
        shown = f"{kind}:…" if separator else url  # what follows may hold a password
        near = guess(kind, kinds) if separator else f"; for a path, say {f'sqlite:{url}'!r}" if _is_path(url) else ""
        raise InputError(f"store: expected one of {', '.join(f'{kind}:…' for kind in kinds)}, got {shown!r}{near}")
    return open_url(rest, codec=artifact_codec())


def _is_path(url: str) -> bool:
    """Whether what names no kind of store looks like a file instead."""
    return "/" in url or url.endswith((".db", ".sqlite", ".sqlite3"))


def artifact_codec() -> Codec:
    """Knows the artifacts of ore's extensions and those of installed packages, by entry points of `ore.artifacts`."""
    named = (place.partition(":") for place in _ARTIFACTS)
    own = [getattr(import_module(module), attribute) for module, _, attribute in named]
    return Codec(*own, *(point.load() for point in entry_points(group="ore.artifacts")))


def conduit_by_name(name: str, settings: ConduitSettings) -> Conduit:
    """The conduit of a name.

    Raises:
        InputError: No such conduit, its extra is not installed, or it cannot be made so.
    """
    try:
        make: Callable[[ConduitSettings], Conduit] | None = _find(name, _CONDUITS, "ore.conduits")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "ore":
            raise
        remedy = f"run `{install_line(name)}`" if name in _CONDUITS else "install what its package needs"
        raise InputError(f"{name}: {error.name!r} is not installed: {remedy}") from error
    if make is None:
        known = names_of("conduits")
        raise InputError(f"conduit: expected one of {', '.join(known)}, got {name!r}{guess(name, known)}")
    return make(settings)


def tools_by_name(name: str) -> Sequence[Tool | Toolset]:
    """The tools that a name brings, and toolsets, which an agent opens when it works.

    Raises:
        InputError: No such tool.
    """
    make: Callable[[], Sequence[Any]] | None = _find(name, _TOOLS, "ore.tools")
    if make is None:
        known = names_of("tools")
        raise InputError(f"tool: expected one of {', '.join(known)}, got {name!r}{guess(name, known)}")
    return tuple(item if callable(getattr(item, "tools", None)) else as_tool(item) for item in make())


def slash_commands(folder: Path | None = None) -> "tuple[Interceptor, CaptureSwitch]":
    """The slash commands of ore and of packages, and what providers are made with for `/debug request`.

    An entry point of `ore.commands` is called with the registry, to bind its
    own; see `ore.ext.commands.Commands`.

    Args:
        folder: Where commands may put files.
    """
    switch = import_module("ore.ext.providers.capture_switch").CaptureSwitch()
    commands: Interceptor = import_module("ore.ext.commands").standard_commands(folder=folder, capture=switch)
    for point in entry_points(group="ore.commands"):
        point.load()(commands)
    return commands, switch


def _full_name(name: str, providers: Sequence[str]) -> str:
    """What to say of a name without a provider: the model of the catalog that it is nearest to."""
    models = import_module("ore.ext.catalog").shared_catalog().search()
    names = {model.name: f"{model.provider}:{model.name}" for model in models if model.provider in providers}
    near = get_close_matches(name, names, n=1)
    return f"; did you mean {names[near[0]]!r}?" if near else ""


def _find(name: str, builtin: Mapping[str, str], group: str) -> Any:
    """The object of a name: built in, else from an installed package's entry point."""
    place = builtin.get(name)
    if place is not None:
        module, _, attribute = place.partition(":")
        return getattr(import_module(module), attribute)
    for point in entry_points(group=group, name=name):
        return point.load()
    return None

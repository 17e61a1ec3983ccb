"""`read_config`: servers from a file of the form that other clients read too, often called `mcp.json`."""

import os
import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import msgspec

from ore.errors import InputError
from ore.ext.tools.mcp.server import McpServer
from ore.ext.tools.mcp.settings import Http, McpOptions, Stdio, Where

__all__ = ["read_config"]

_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")

_HTTP: Final = ("http", "streamable-http", "streamableHttp", "streamable_http")

_OPTIONS: Final = frozenset(field.name for field in fields(McpOptions))


def read_config(path: str | Path) -> list[McpServer]:
    """Read servers from a JSON file.

    Its `mcpServers` (or `servers`) maps names to `command`, `args`, `env` and
    `cwd`, or to `url` and `headers`; `type` may say `stdio`, `http` or `sse`.
    A server with `"disabled": true` is left out. Beside these each may have
    `inherit`, `token`, and the fields of `McpOptions`. `${NAME}` in a text is
    the variable of that name, `${NAME:-text}` with a default. Keys of other
    clients are passed over.

    Raises:
        InputError: The file cannot be read, a field is not what was expected,
            or a variable is not set; the message names the place, never a value.
    """
    try:
        whole = msgspec.json.decode(Path(path).read_bytes())
    except OSError as error:
        raise InputError(f"mcp config {str(path)!r} cannot be read: {error.strerror}") from None
    except msgspec.DecodeError as error:
        raise InputError(f"mcp config {str(path)!r}: {error}") from None
    place = f"mcp config {str(path)!r}"
    servers = _object(whole, place).get("mcpServers", whole.get("servers"))
    found = []
    for name, entry in _object(servers, f"{place}: mcpServers").items():
        within = f"{place}: {name}"
        settings = _Settings(within, _object(entry, within))
        if not settings.take("disabled", bool, False):
            found.append(McpServer(name, _where(settings), _options(settings)))
    return found


class _Settings:
    """One server's entry, read field by field."""

    def __init__(self, place: str, entry: Mapping[str, Any]) -> None:
        self._place = place
        self._entry = entry

    def __contains__(self, name: str) -> bool:
        return name in self._entry

    def take(self, name: str, kind: Any, default: Any = None) -> Any:
        """One field, with variables filled in."""
        if name not in self._entry:
            return default
        try:
            value = msgspec.convert(self._entry[name], kind)
        except msgspec.ValidationError as error:
            raise InputError(f"{self._place}.{name}: {_lower(str(error))}") from None
        return self._filled(value, name)

    def fault(self, text: str) -> InputError:
        """What is wrong with the entry as a whole."""
        return InputError(f"{self._place}: {text}")

    def _filled(self, value: Any, name: str) -> Any:
        if isinstance(value, str):
            return _VARIABLE.sub(lambda match: self._variable(match, name), value)
        if isinstance(value, tuple):
            return tuple(self._filled(item, name) for item in value)
        if isinstance(value, dict):
            return {key: self._filled(item, f"{name}.{key}") for key, item in value.items()}
        return value

    def _variable(self, match: re.Match[str], name: str) -> str:
        variable, default = match[1], match[2]
        value = os.environ.get(variable, default)
        if value is None:
            raise InputError(f"{self._place}.{name}: the variable {variable} is not set")
        return value


def _where(settings: _Settings) -> Where:
    kind = settings.take("type", str, "stdio" if "command" in settings else "http")
    if kind == "stdio" and "command" in settings:
        return Stdio(
            command=settings.take("command", str),
            args=settings.take("args", tuple[str, ...], ()),
            env=settings.take("env", dict[str, str], {}),
            inherit=settings.take("inherit", tuple[str, ...], ()),
            cwd=settings.take("cwd", str),
        )
    if (kind in _HTTP or kind == "sse") and "url" in settings:
        return Http(
            url=settings.take("url", str),
            headers=settings.take("headers", dict[str, str], {}),
            token=settings.take("token", str),
            protocol="sse" if kind == "sse" else "streamable",
        )
    raise settings.fault("expected a command for type stdio, or a url for type http or sse")


def _options(settings: _Settings) -> McpOptions:
    given = {
        field.name: settings.take(field.name, field.type) for field in fields(McpOptions) if field.name in settings
    }
    return McpOptions(**given)


def _object(value: Any, place: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{place}: expected an object, got {type(value).__name__}")
    return value


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:].replace("`", "")

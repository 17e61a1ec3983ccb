"""`Script`: the JSON file behind `scripted:FILE`, read and checked."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from ore.artifact import BUILTIN_KINDS, Artifact, StopReason, ToolCall, ToolCallDelta, Usage, tag_of
from ore.errors import (
    AuthenticationError,
    BadRequestError,
    ConnectionFailedError,
    ContentFilterError,
    ContextOverflowError,
    InputError,
    OverloadedError,
    ProtocolError,
    ProviderError,
    ProviderTimeoutError,
    RateLimitError,
)

__all__ = ["Failure", "Hang", "Item", "Pause", "Script", "read_script"]

_ERRORS: Final[Mapping[str, type[ProviderError]]] = {
    kind.code: kind
    for kind in (
        *(RateLimitError, OverloadedError, ProviderTimeoutError, ConnectionFailedError, ContextOverflowError),
        *(ContentFilterError, AuthenticationError, BadRequestError, ProtocolError),
    )
}
_MOST: Final = 1_000_000_000
"""A pause of 11 days, in milliseconds: whoever writes more meant something else."""

_KINDS: Final = {tag_of(kind): kind for kind in BUILTIN_KINDS}


@dataclass(frozen=True, slots=True)
class Pause:
    """Nothing comes for a while."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Hang:
    """Nothing comes any more until the inference is cancelled."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The inference fails with the error of this code."""

    code: str
    message: str
    retry_after_s: float | None = None

    def error(self, provider: str) -> ProviderError:
        """The error to raise; a new one each time."""
        return _ERRORS[self.code](self.message, provider=provider, retry_after_s=self.retry_after_s)


Item = Sequence[Artifact] | Pause | Hang | Failure
"""Artifacts that arrive together, or what else happens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What a file says.

    Attributes:
        path: As it was named.
        calls: One list for each inference, each with its stop reason.
        repeat: Whether the lists begin again after the last one.
        retry: Whether errors are retried; the next list is then taken.
    """

    path: str
    calls: Sequence[Sequence[Item]]
    repeat: bool = False
    retry: bool = False


def read_script(path: str) -> Script:
    """Read and check a file.

    Raises:
        InputError: It cannot be read or is no script; the message names the
            place inside the file, such as `calls[0][2].foo`.
    """
    try:
        return _script(_parsed(Path(path)), path)
    except InputError as error:
        raise InputError(f"scripted file {path!r}: {error}") from None


def _parsed(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8-sig"), parse_constant=_no_constant)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"expected UTF-8, got other bytes at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise InputError(f"expected JSON; line {error.lineno}, column {error.colno}: {error.msg}") from None
    except (RecursionError, ValueError) as error:
        raise InputError(f"expected JSON: {error}") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _script(value: Any, path: str) -> Script:
    fields = _object(value, "", ("calls", "repeat", "retry"))
    if "calls" not in fields:
        raise InputError("calls: missing, expected one list of items for each inference")
    calls = _list(fields["calls"], "calls")
    return Script(
        path=path,
        calls=[_call(call, f"calls[{index}]") for index, call in enumerate(calls)],
        repeat=_boolean(fields.get("repeat", False), "repeat"),
        retry=_boolean(fields.get("retry", False), "retry"),
    )


def _call(value: Any, place: str) -> Sequence[Item]:
    items = [_item(item, f"{place}[{index}]") for index, item in enumerate(_list(value, place))]
    return _with_reason(items)


def _item(value: Any, place: str) -> Item:
    if isinstance(value, list):
        return tuple(_artifact(item, f"{place}[{index}]") for index, item in enumerate(value))
    if not isinstance(value, dict):
        raise _wrong(place, "an object or a list", value)
    for key, read in _ACTIONS.items():
        if key in value and "kind" not in value:
            return read(value, place)
    return (_artifact(value, place),)


def _pause(value: Any, place: str) -> Pause:
    fields = _object(value, place, ("pause_ms",))
    return Pause(_number(fields["pause_ms"], f"{place}.pause_ms") / 1000)


def _hang(value: Any, place: str) -> Hang:
    if _object(value, place, ("hang",))["hang"] is not True:
        raise _wrong(f"{place}.hang", "true", value["hang"])
    return Hang()


def _failure(value: Any, place: str) -> Failure:
    fields = _object(value, place, ("error", "message", "retry_after_s"))
    code = fields["error"]
    if not isinstance(code, str) or code not in _ERRORS:
        raise _wrong(f"{place}.error", f"one of {', '.join(_ERRORS)}", code)
    message = fields.get("message", f"the script says {code}")
    if not isinstance(message, str):
        raise _wrong(f"{place}.message", "a string", message)
    wait = fields.get("retry_after_s")
    return Failure(code, message, None if wait is None else _number(wait, f"{place}.retry_after_s"))


_ACTIONS: Final[Mapping[str, Callable[[Any, str], Item]]] = {"pause_ms": _pause, "hang": _hang, "error": _failure}


def _artifact(value: Any, place: str) -> Artifact:
    if not isinstance(value, dict):
        raise _wrong(place, "an artifact, which is an object", value)
    if "kind" not in value:
        raise InputError(f"{place}.kind: missing, expected an artifact's kind, or pause_ms, hang or error instead")
    name = value["kind"]
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise _wrong(f"{place}.kind", f"one of {', '.join(_KINDS)}", name)
    fields = {key: field for key, field in value.items() if key != "kind"}
    _object(value, place, ("kind", *kind.__struct_encode_fields__))
    try:
        artifact = msgspec.convert(fields | {"kind": name}, kind)
    except msgspec.ValidationError as error:
        raise _misfit(place, str(error)) from None
    _no_unknown(value, msgspec.to_builtins(artifact), place)
    return artifact


def _misfit(place: str, text: str) -> InputError:
    """Msgspec's words, with the place in the file instead of its own."""
    what, _, inside = text.partition(" - at `$")
    what = what[:1].lower() + what[1:].replace("`", "")
    return InputError(f"{place}{inside.removesuffix('`')}: {what}")


def _no_unknown(given: Any, known: Any, place: str) -> None:
    """Refuse keys inside an artifact's own objects that reading it passed over."""
    if not isinstance(given, dict) or not isinstance(known, dict):
        return
    for key, value in given.items():
        if key not in known:
            raise _unknown(f"{place}.{key}", tuple(known))
        _no_unknown(value, known[key], f"{place}.{key}")


def _with_reason(items: Sequence[Item]) -> Sequence[Item]:
    """With the stop reason that is missing: just before a usage that comes last, else behind everything."""
    batches = [(index, item) for index, item in enumerate(items) if isinstance(item, Sequence) and item]
    artifacts = [artifact for _, batch in batches for artifact in batch]
    if any(isinstance(item, Failure) for item in items) or any(isinstance(item, StopReason) for item in artifacts):
        return items
    called = any(isinstance(artifact, ToolCall | ToolCallDelta) for artifact in artifacts)
    reason = StopReason(reason="tool_use" if called else "stop")
    if not artifacts or not isinstance(artifacts[-1], Usage):
        return [*items, (reason,)]
    index, batch = batches[-1]
    return [*items[:index], (*batch[:-1], reason, batch[-1]), *items[index + 1 :]]


def _object(value: Any, place: str, known: Sequence[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(place, "an object", value)
    for key in value:
        if key not in known:
            raise _unknown(f"{place}.{key}" if place else key, known)
    return value


def _list(value: Any, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise _wrong(place, "a list", value)
    return value


def _boolean(value: Any, place: str) -> bool:
    if not isinstance(value, bool):
        raise _wrong(place, "true or false", value)
    return value


def _number(value: Any, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST:
        raise _wrong(place, f"a number from 0 to {_MOST:,}", value)
    return float(value)


def _unknown(place: str, known: Sequence[str]) -> InputError:
    return InputError(f"{place}: unknown key, expected one of {', '.join(known)}")


def _wrong(place: str, expected: str, value: Any) -> InputError:
    text = json.dumps(value, ensure_ascii=False)
    shown = text if len(text) <= 80 else f"{text[:79]}…"
    return InputError(f"{place + ': ' if place else ''}expected {expected}, got {shown}")

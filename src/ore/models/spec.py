"""`Spec`: which model, and how it shall answer."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from ore.errors import InputError
from ore.models.thinking import ThinkingLevel

__all__ = ["MODEL_KEYS", "MODEL_PREFIX", "Spec", "check_model_key", "merge", "spec_from_metadata"]

MODEL_PREFIX: Final = "ore.model."
"""What the metadata keys begin with that say how a session's model answers."""


class Spec(msgspec.Struct, frozen=True, kw_only=True):
    """Which model, and how it shall answer; `None` is no opinion.

    Attributes:
        name: The model, with or without its provider.
        window: Tokens that prompt and answer may have together.
        max_output_tokens: Tokens of an answer; not positive is no opinion.
        temperature: 0 is greedy, which is not the same as `None`.
    """

    name: str | None = None
    window: int | None = None
    max_output_tokens: int | None = None
    temperature: float | None = None
    thinking_level: ThinkingLevel | None = None
    top_p: float | None = None
    top_k: int | None = None
    seed: int | None = None
    stop_sequences: tuple[str, ...] | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None


def merge(*specs: Spec | None) -> Spec:
    """One spec, field by field: a later one that has an opinion wins."""
    given = [_opinion(spec) for spec in specs if spec is not None]
    merged = given[0] if given else Spec()
    for spec in given[1:]:
        fields = zip(spec.__struct_fields__, msgspec.structs.astuple(spec), strict=True)
        merged = msgspec.structs.replace(merged, **{name: value for name, value in fields if value is not None})
    return merged


def _opinion(spec: Spec) -> Spec:
    """The same, without the counts that are none."""
    tokens, window = spec.max_output_tokens, spec.window
    if (tokens is None or tokens > 0) and (window is None or window > 0):
        return spec
    return msgspec.structs.replace(spec, max_output_tokens=_count(tokens), window=_count(window))


def _count(tokens: int | None) -> int | None:
    return tokens if tokens is not None and tokens > 0 else None


def _number(text: str) -> float:
    value = float(text)
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError(text)
    return value


def _stops(text: str) -> tuple[str, ...]:
    return tuple(msgspec.json.decode(text.encode(), type=list[str]))


_READERS: Final[Mapping[str, tuple[Callable[[str], Any], str]]] = {
    "name": (str, "a model's name"),
    "window": (int, "a whole number of tokens"),
    "max_output_tokens": (int, "a whole number of tokens"),
    "temperature": (_number, "a number"),
    "thinking_level": (ThinkingLevel.parse, f"one of {', '.join(ThinkingLevel)}"),
    "top_p": (_number, "a number"),
    "top_k": (int, "a whole number"),
    "seed": (int, "a whole number"),
    "stop_sequences": (_stops, "a JSON list of strings"),
    "frequency_penalty": (_number, "a number"),
    "presence_penalty": (_number, "a number"),
}

MODEL_KEYS: Final = tuple(MODEL_PREFIX + name for name in _READERS)
"""The metadata keys that `spec_from_metadata` reads."""


def check_model_key(key: str, value: str) -> None:
    """Refuse a wrong value when it is set, rather than when it is needed.

    Raises:
        InputError: `key` is an `ore.model.` key that does not exist, or `value` does not fit it.
    """
    if key.startswith(MODEL_PREFIX):
        _read(key, value)


def spec_from_metadata(metadata: Mapping[str, str]) -> Spec | None:
    """What a session's metadata says; each key counts alone, a value that does not fit is passed over."""
    fields: dict[str, Any] = {}
    for key in metadata:
        if key.startswith(MODEL_PREFIX):
            try:
                fields[key.removeprefix(MODEL_PREFIX)] = _read(key, metadata[key])
            except InputError:  # refused when it is set; this one came with an import
                continue
    return Spec(**fields) if fields else None


def _read(key: str, value: str) -> Any:
    reader = _READERS.get(key.removeprefix(MODEL_PREFIX))
    if reader is None:
        raise InputError(f"metadata: expected one of {', '.join(MODEL_KEYS)}, got {key!r}")
    read, expected = reader
    try:
        return read(value)
    except ValueError:  # msgspec's errors are ValueErrors too
        raise InputError(f"metadata {key}: expected {expected}, got {value!r}") from None

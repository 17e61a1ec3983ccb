"""Arbitrary artifacts, deltas, turns and records, for property tests of any package."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from hypothesis import strategies as st

from ore.artifact import (
    Artifact,
    Audio,
    Delta,
    File,
    Image,
    Reasoning,
    ReasoningDelta,
    ResultStatus,
    ServerTool,
    StopReason,
    Text,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    ToolResult,
    Truncation,
    TruncationStyle,
    Unknown,
    Usage,
    to_json,
)
from ore.errors import ErrorInfo
from ore.ledger import (
    Control,
    ControlRecord,
    EffectRecord,
    EndingRecord,
    MetadataRecord,
    Operation,
    Outcome,
    ParentRecord,
    QuestionRecord,
    QuestionStatus,
    Record,
    Role,
    TakenRecord,
    TipRecord,
    Turn,
    TurnRecord,
    TurnStatus,
)

__all__ = ["artifacts", "deltas", "ids", "json_values", "records", "strings", "tool_results", "turns"]

MAX_COUNT = 2**53

_texts = st.text(max_size=40)
_maybe = st.none() | _texts
_counts = st.none() | st.integers(0, MAX_COUNT)


def strings() -> st.SearchStrategy[str]:
    """Anything that is a `str`, lone surrogates included."""
    return st.text(st.characters(exclude_categories=()) | st.characters(categories=["Cs"]))


def json_values() -> st.SearchStrategy[Any]:
    """Anything that JSON can say and say back."""
    floats = st.floats(allow_nan=False, allow_infinity=False)
    leaves: st.SearchStrategy[Any] = st.none() | st.booleans() | st.integers(-MAX_COUNT, MAX_COUNT) | floats | _texts
    return st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(_texts, inner), max_leaves=8)


def ids() -> st.SearchStrategy[str]:
    """Turn ids."""
    return st.text("0123456789abcdef", min_size=16, max_size=16)


def provider_data() -> st.SearchStrategy[dict[str, Any] | None]:
    """Opaque vendor data, or none."""
    return st.none() | st.dictionaries(_texts, json_values(), max_size=3)


def truncations() -> st.SearchStrategy[Truncation]:
    """Every combination of what may be unknown of a cut."""
    return st.builds(
        Truncation,
        shown_bytes=st.integers(0, MAX_COUNT),
        shown_lines=st.integers(0, MAX_COUNT),
        original_bytes=_counts,
        original_lines=_counts,
        style=st.none() | st.sampled_from(TruncationStyle),
        recovery_hint=_maybe,
    )


def tool_results() -> st.SearchStrategy[ToolResult]:
    """Results of every status."""
    return st.sampled_from([None, *ResultStatus]).flatmap(
        lambda status: st.builds(
            ToolResult,
            tool_call_id=_texts,
            content=_texts,
            is_error=st.booleans() if status is None else st.just(status is not ResultStatus.OK),
            status=st.just(status),
            display=_maybe,
            truncation=st.none() | truncations(),
            media=st.none() | st.lists(_media(), max_size=2).map(tuple),
        )
    )


def artifacts(*, unknown: bool = True) -> st.SearchStrategy[Artifact]:
    """Every kind that a ledger keeps.

    Args:
        unknown: Whether kinds that nobody registered are among them.
    """
    known = st.one_of(
        st.builds(Text, content=_texts, provider_data=provider_data()),
        st.builds(Reasoning, content=_texts, provider_data=provider_data()),
        st.builds(ToolCall, id=_texts, name=_texts, arguments=_texts, display=_maybe, provider_data=provider_data()),
        tool_results(),
        _media(),
        st.builds(ServerTool, name=_texts, summary=_maybe, provider_data=provider_data()),
        _usages(),
        st.builds(StopReason, reason=st.sampled_from(["stop", "length", "tool_use", "refusal", "other"])),
    )
    return known | _unknown() if unknown else known


def deltas() -> st.SearchStrategy[Delta]:
    """Every built-in fragment; empty ones too."""
    return st.one_of(
        st.builds(TextDelta, content=_texts),
        st.builds(ReasoningDelta, content=_texts),
        st.builds(ToolCallDelta, index=st.integers(0, 3), id=_texts, name=_texts, arguments=_texts),
    )


def turns(id: st.SearchStrategy[str] | None = None) -> st.SearchStrategy[Turn]:
    """Turns of every role, status and control, with any content."""
    return st.builds(
        Turn,
        id=ids() if id is None else id,
        parent_id=st.none() | ids(),
        role=st.sampled_from(Role),
        artifacts=st.lists(artifacts(), max_size=4).map(tuple),
        timestamp=st.none() | _times(),
        status=st.sampled_from(TurnStatus),
        control=st.sampled_from(Control),
        model=_maybe,
        origin=_maybe,
    )


def records() -> st.SearchStrategy[Record]:
    """Every kind of record."""
    return st.one_of(
        st.builds(TurnRecord, turn=turns(), message=_maybe),
        st.builds(TakenRecord, message=_texts),
        st.builds(
            EndingRecord,
            message=_texts,
            outcome=st.sampled_from(Outcome),
            turn=st.none() | ids(),
            error=st.none() | _error_infos(),
        ),
        st.builds(TipRecord, turn_id=st.none() | ids()),
        st.builds(ControlRecord, turn_id=ids(), control=st.sampled_from(Control)),
        st.builds(ParentRecord, turn_id=ids(), parent_id=st.none() | ids()),
        st.builds(MetadataRecord, operations=st.lists(_operations(), max_size=4).map(tuple)),
        st.builds(EffectRecord, key=_texts, idempotent=st.booleans(), result=st.none() | tool_results()),
        st.builds(
            QuestionRecord,
            key=_texts,
            status=st.sampled_from(QuestionStatus),
            question=st.none() | st.dictionaries(_texts, json_values(), max_size=3),
            answer=st.none() | st.dictionaries(_texts, json_values(), max_size=3),
        ),
    )


def _media() -> st.SearchStrategy[Artifact]:
    facts = {"media_type": _maybe, "name": _maybe, "size_bytes": _counts}
    sources: list[dict[str, st.SearchStrategy[Any]]] = [
        {"url": _texts},
        {"data": st.binary(max_size=40)},
        {"blob": _texts},
    ]
    return st.one_of(
        [st.builds(kind, **facts, **source) for kind in (Image, File, Audio) for source in sources],
    )


def _usages() -> st.SearchStrategy[Usage]:
    return st.builds(
        Usage,
        prompt_tokens=_counts,
        completion_tokens=_counts,
        total_tokens=_counts,
        cache_read_tokens=_counts,
        cache_write_tokens=_counts,
        reasoning_tokens=_counts,
        cost_usd=st.none() | st.decimals(0, 1000, places=6),
    )


def _unknown() -> st.SearchStrategy[Unknown]:
    def make(name: str, fields: dict[str, Any]) -> Unknown:
        kind = f"x_{name}"
        return Unknown(name=kind, raw=to_json({**fields, "kind": kind}))

    return st.builds(make, _texts, st.dictionaries(_texts, json_values(), max_size=3))


def _times() -> st.SearchStrategy[datetime]:
    zones = st.just(UTC) | st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
    return st.datetimes(datetime(1970, 1, 2), datetime(2100, 1, 1), timezones=zones)


def _operations() -> st.SearchStrategy[Operation]:
    return st.one_of(
        st.builds(Operation, op=st.just("set"), key=_texts, value=_texts),
        st.builds(Operation, op=st.just("delete"), key=_texts),
    )


def _error_infos() -> st.SearchStrategy[ErrorInfo]:
    return st.builds(
        ErrorInfo,
        code=_texts,
        message=_texts,
        retryable=st.none() | st.booleans(),
        retry_after_s=st.none() | st.floats(0, 1e6),
        provider=_maybe,
    )

"""The JSON of every kind, key by key, and back."""

from decimal import Decimal
from itertools import product
from typing import Any

import msgspec
import pytest
from hypothesis import given

from ore.artifact import (
    BUILTIN_KINDS,
    CODEC,
    Artifact,
    Audio,
    BlockEnd,
    File,
    Image,
    Notice,
    Reasoning,
    ReasoningDelta,
    Restart,
    ResultStatus,
    ServerTool,
    Severity,
    StopReason,
    Text,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    ToolResult,
    Truncation,
    TruncationStyle,
    Usage,
    encode,
    tag_of,
)
from strategies import artifacts, deltas

CUT = Truncation(
    shown_bytes=5,
    shown_lines=1,
    original_bytes=11,
    original_lines=2,
    style=TruncationStyle.HEAD,
    recovery_hint="read on from line 2",
)

FIELDS: dict[str, Any] = {
    "content": "c",
    "provider_data": {"provider": "anthropic", "model": "m", "signature": "s", "items": [1, None, {"a": 0.5}]},
    "id": "call",
    "name": "n",
    "arguments": '{"a": 1}',
    "display": "d",
    "tool_call_id": "call",
    "truncation": CUT,
    "media": (Image(url="u"), File(blob="b"), Audio(data=b"\x00\xff")),
    "media_type": "image/png",
    "size_bytes": 0,
    "summary": "s",
    "reason": "refusal",
    "prompt_tokens": 0,
    "completion_tokens": 1,
    "total_tokens": 2,
    "cache_read_tokens": 0,
    "cache_write_tokens": 4,
    "reasoning_tokens": 0,
    "cost_usd": Decimal("0.000001"),
    "severity": Severity.WARN,
    "attempt": 2,
    "model": "m",
    "index": 0,
}


def as_json(artifact: Artifact) -> Any:
    return msgspec.json.decode(encode(artifact))


def combinations(kind: type[Artifact]) -> list[Artifact]:
    """The kind with every combination of its optional fields given and not."""
    if kind is ToolResult:
        return [
            msgspec.structs.replace(result, **{name: FIELDS[name] for name in given})
            for result in (
                *(ToolResult(tool_call_id="1", content="c", is_error=is_error) for is_error in (True, False)),
                *(
                    ToolResult(tool_call_id="1", content="c", is_error=status is not ResultStatus.OK, status=status)
                    for status in ResultStatus
                ),
            )
            for given in ((), ("display",), ("truncation",), ("media",), ("display", "truncation", "media"))
        ]
    sources: list[dict[str, Any]] = (
        [{"url": "u"}, {"data": b"\x00\xff"}, {"blob": "b"}] if kind in {Image, File, Audio} else [{}]
    )
    names = [field.name for field in msgspec.structs.fields(kind) if field.name not in {"url", "data", "blob"}]
    required = {field.name for field in msgspec.structs.fields(kind) if field.required}
    choices = [[True] if name in required else [False, True] for name in names]
    return [
        kind(**source, **{name: FIELDS[name] for name, is_given in zip(names, given, strict=True) if is_given})
        for source in sources
        for given in product(*choices)
    ]


@pytest.mark.requirement("P17", "C029", "D-null-fields")
@pytest.mark.parametrize("kind", BUILTIN_KINDS, ids=tag_of)
def test_every_combination_of_optional_fields_reads_back_equal(kind: type[Artifact]) -> None:
    """Every field is written, whether given or not."""
    for artifact in combinations(kind):
        assert as_json(artifact).keys() == {"kind", *kind.__struct_fields__}
        back = CODEC.decode(encode(artifact))
        assert (type(back), back) == (kind, artifact)
        assert encode(back) == encode(artifact)


@pytest.mark.requirement("P17", "D-provider-data", "B57")
@given(artifacts() | deltas())
def test_whatever_is_in_it_an_artifact_reads_back_equal(artifact: Artifact) -> None:
    """Also the order of keys in vendor data."""
    back = CODEC.decode(encode(artifact))
    assert (type(back), back) == (type(artifact), artifact)
    assert encode(back) == encode(artifact)


@pytest.mark.requirement("C001", "P18")
def test_every_kind_has_its_own_tag() -> None:
    assert [tag_of(kind) for kind in BUILTIN_KINDS] == [
        "text",
        "text_delta",
        "reasoning",
        "reasoning_delta",
        "tool_call",
        "tool_call_delta",
        "tool_result",
        "image",
        "file",
        "audio",
        "server_tool",
        "usage",
        "stop_reason",
        "notice",
        "restart",
        "block_end",
    ]
    assert CODEC.kinds == tuple(tag_of(kind) for kind in BUILTIN_KINDS)
    assert all(artifact.kind == tag_of(kind) for kind in BUILTIN_KINDS for artifact in combinations(kind))


@pytest.mark.requirement("C009")
@pytest.mark.parametrize(
    ("artifact", "expected"),
    [
        (Text(content="hi"), {"kind": "text", "content": "hi", "provider_data": None}),
        (Reasoning(content="hm"), {"kind": "reasoning", "content": "hm", "provider_data": None}),
        (TextDelta(content="h"), {"kind": "text_delta", "content": "h"}),
        (ReasoningDelta(content="h"), {"kind": "reasoning_delta", "content": "h"}),
    ],
)
def test_text_like_kinds_are_their_content(artifact: Artifact, expected: dict[str, Any]) -> None:
    assert as_json(artifact) == expected


@pytest.mark.requirement("C010", "D-arguments-verbatim")
@pytest.mark.parametrize("arguments", ['{"q": "x"}', "", "[1]", '{"half', "null", ' {"b":1,\n"a":2} '])
def test_arguments_stay_the_string_that_came(arguments: str) -> None:
    call = ToolCall(id="1", name="search", arguments=arguments)
    assert as_json(call) == {
        "kind": "tool_call",
        "id": "1",
        "name": "search",
        "arguments": arguments,
        "display": None,
        "provider_data": None,
    }
    assert CODEC.decode(encode(call)) == call


@pytest.mark.requirement("C013")
def test_a_call_fragment_writes_even_its_empty_fields() -> None:
    assert as_json(ToolCallDelta(index=0)) == {
        "kind": "tool_call_delta",
        "index": 0,
        "id": "",
        "name": "",
        "arguments": "",
    }


@pytest.mark.requirement("C023")
def test_a_result_that_was_not_cut_has_null_for_its_cut() -> None:
    assert as_json(ToolResult(tool_call_id="1", content="r")) == {
        "kind": "tool_result",
        "tool_call_id": "1",
        "content": "r",
        "is_error": False,
        "status": None,
        "display": None,
        "truncation": None,
        "media": None,
    }


@pytest.mark.requirement("C024")
def test_a_result_that_was_cut_nests_the_facts() -> None:
    assert as_json(ToolResult(tool_call_id="1", content="r", truncation=CUT))["truncation"] == {
        "shown_bytes": 5,
        "shown_lines": 1,
        "original_bytes": 11,
        "original_lines": 2,
        "style": "head",
        "recovery_hint": "read on from line 2",
    }


@pytest.mark.requirement("C025")
def test_a_cut_that_knows_nothing_shows_nothing() -> None:
    assert msgspec.to_builtins(Truncation()) == {
        "shown_bytes": 0,
        "shown_lines": 0,
        "original_bytes": None,
        "original_lines": None,
        "style": None,
        "recovery_hint": None,
    }


@pytest.mark.requirement("C027", "P29")
@pytest.mark.parametrize(("read", "written", "reasoning"), [(0, None, 0), (None, 7, None), (3, 0, 5)])
def test_zero_tokens_and_unknown_tokens_differ(read: int | None, written: int | None, reasoning: int | None) -> None:
    usage = Usage(prompt_tokens=9, cache_read_tokens=read, cache_write_tokens=written, reasoning_tokens=reasoning)
    assert as_json(usage) == {
        "kind": "usage",
        "prompt_tokens": 9,
        "completion_tokens": None,
        "total_tokens": None,
        "cache_read_tokens": read,
        "cache_write_tokens": written,
        "reasoning_tokens": reasoning,
        "cost_usd": None,
    }
    assert CODEC.decode(encode(usage)) == usage


@pytest.mark.requirement("C030")
@pytest.mark.parametrize("reason", ["stop", "length", "tool_use", "refusal", "other"])
def test_a_stop_reason_is_its_reason(reason: Any) -> None:
    stopped = StopReason(reason=reason)
    assert as_json(stopped) == {"kind": "stop_reason", "reason": reason}
    assert CODEC.decode(encode(stopped)) == stopped


def test_a_stop_reason_that_is_none_of_the_five_is_refused_on_reading() -> None:
    with pytest.raises(ValueError, match="reason"):
        CODEC.decode(b'{"kind":"stop_reason","reason":"end_turn"}')


@pytest.mark.requirement("C031", "D-provider-data")
@pytest.mark.parametrize(
    "opaque",
    [
        {"provider": "anthropic", "model": "m", "signature": "c2ln"},
        {"provider": "anthropic", "model": "m", "redacted": "cmVk"},
        {"provider": "openai", "model": "m", "id": "rs_1", "encrypted_content": "ZW5j", "summary": []},
    ],
)
def test_a_signature_comes_back_with_the_thinking_that_it_signs(opaque: dict[str, Any]) -> None:
    signed = Reasoning(content="", provider_data=opaque)
    assert CODEC.decode(encode(signed)) == signed


@pytest.mark.requirement("C032")
def test_an_image_is_its_url() -> None:
    assert as_json(Image(url="u")) == {
        "kind": "image",
        "media_type": None,
        "name": None,
        "size_bytes": None,
        "url": "u",
        "data": None,
        "blob": None,
    }


@pytest.mark.requirement("D-media-source")
@pytest.mark.parametrize("kind", [Image, File, Audio])
@pytest.mark.parametrize("given", [{}, {"url": "u", "data": b""}, {"url": "u", "blob": "b"}, {"data": b"", "blob": ""}])
def test_media_have_exactly_one_source(kind: type[Image | File | Audio], given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="exactly one"):
        kind(**given)
    with pytest.raises(ValueError, match="exactly one"):
        CODEC.decode(msgspec.json.encode({"kind": tag_of(kind), **given}))


@pytest.mark.requirement("D-error-statuses")
@pytest.mark.parametrize("status", ResultStatus)
@pytest.mark.parametrize("is_error", [True, False])
def test_every_status_but_ok_is_an_error(status: ResultStatus, is_error: bool) -> None:
    stored = msgspec.json.encode(
        {"kind": "tool_result", "tool_call_id": "1", "content": "", "status": status, "is_error": is_error}
    )
    if is_error == (status is not ResultStatus.OK):
        assert CODEC.decode(stored) == ToolResult(tool_call_id="1", content="", status=status, is_error=is_error)
        return
    with pytest.raises(ValueError, match="is_error"):
        CODEC.decode(stored)
    with pytest.raises(ValueError, match="is_error"):
        ToolResult(tool_call_id="1", content="", status=status, is_error=is_error)


@pytest.mark.requirement("N19")
@pytest.mark.parametrize(
    ("written", "severity"),
    [
        ("warn", Severity.WARN),
        ("Success", Severity.SUCCESS),
        ("Error", Severity.ERROR),
        ("Severity(7)", Severity.INFO),
        ("", Severity.INFO),
    ],
)
def test_a_severity_that_nobody_knows_is_an_info(written: str, severity: Severity) -> None:
    stored = msgspec.json.encode({"kind": "notice", "content": "c", "severity": written})
    assert CODEC.decode(stored) == Notice(content="c", severity=severity)


@pytest.mark.requirement("D-server-tool")
def test_what_a_vendor_ran_is_kept_and_nothing_to_execute() -> None:
    ran = ServerTool(name="web_search", provider_data={"provider": "openai", "model": "m", "item": {"id": "ws_1"}})
    assert CODEC.decode(encode(ran)) == ran
    assert (ran.persistent, ran.for_model(), ran.for_human()) == (True, "", "[web_search]")


@pytest.mark.requirement("C002", "D-control-artifacts")
def test_only_fragments_and_control_artifacts_are_not_kept() -> None:
    assert {kind for kind in BUILTIN_KINDS if not kind.persistent} == {
        TextDelta,
        ReasoningDelta,
        ToolCallDelta,
        Notice,
        Restart,
        BlockEnd,
    }


def test_an_artifact_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Text(content="a").content = "b"  # type: ignore[misc]  # what must fail


@pytest.mark.requirement("D-usage-sum")
def test_usage_adds_up_and_unknown_stays_unknown_only_with_unknown() -> None:
    one = Usage(prompt_tokens=1, cache_read_tokens=0, cost_usd=Decimal("0.1"))
    other = Usage(prompt_tokens=2, completion_tokens=3, cost_usd=Decimal("0.2"))
    assert one + other == Usage(prompt_tokens=3, completion_tokens=3, cache_read_tokens=0, cost_usd=Decimal("0.3"))

"""What a change of model means for a conversation, said before anything is sent."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ore.artifact import (
    Artifact,
    Audio,
    File,
    Image,
    Reasoning,
    ServerTool,
    Severity,
    Text,
    ToolCall,
    ToolResult,
)
from ore.ext.catalog import Action, Preflight, Target, estimated_tokens, fitted, preflight
from ore.ledger import Role, Turn
from ore.models import ModelInfo, Spec, ThinkingLevel
from ore.provider import MaxTokensOption, OutputOption, WithTools
from ore.tool import tool
from strategies import turns as any_turns

OWN = {"provider": "anthropic", "model": "claude-x", "signature": "s"}
FOREIGN = {"provider": "openai-responses", "model": "gpt-x", "encrypted": "e"}
PICTURE = Image(data=b"\x89PNG", media_type="image/png", name="plan.png")
SOUND = Audio(data=b"RIFF", media_type="audio/wav")
PDF = File(url="https://example.com/a.pdf", media_type="application/pdf")


@tool
async def weather(city: str) -> str:
    """Weather in a city."""
    return city


def target(*, abilities: Sequence[str] = (), lacks: Sequence[str] = (), **known: Any) -> Target:
    info = ModelInfo(
        name="claude-x", provider="anthropic", abilities=frozenset(abilities), lacks=frozenset(lacks), **known
    )
    return Target(provider="anthropic", model="claude-x", info=info)


def said(*artifacts: Artifact, role: Role = Role.USER) -> Turn:
    return Turn(id="0123456789abcdef", role=role, artifacts=artifacts)


def answered(*artifacts: Artifact) -> Turn:
    return said(*artifacts, role=Role.ASSISTANT)


def found(report: Preflight) -> list[tuple[str, Action, int]]:
    return [(finding.what, finding.action, finding.count) for finding in report.findings]


@pytest.mark.requirement("D-preflight")
def test_a_conversation_that_fits_has_no_findings() -> None:
    turns = [
        said(Text(content="Hi"), PICTURE),
        answered(Reasoning(content="hm", provider_data=OWN), Text(content="Yo")),
    ]
    spec = Spec(temperature=0.5, thinking_level=ThinkingLevel.HIGH, max_output_tokens=10)
    able = target(abilities=["tools", "vision", "thinking"], window=2_000, max_output_tokens=10)
    report = preflight(turns, spec, [WithTools([weather])], able)
    assert (report.findings, report.fits, report.notices) == ((), True, [])
    assert 1_600 < report.tokens < 1_700


@pytest.mark.requirement("D-preflight")
def test_media_that_a_model_does_not_take_are_counted_by_kind() -> None:
    shot = ToolResult(tool_call_id="c", content="a screenshot", media=(PICTURE,))
    turns = [said(PICTURE, SOUND), said(shot, role=Role.TOOL), said(PDF)]
    report = preflight(turns, Spec(), [], target(lacks=["vision", "audio"], abilities=["files"]))
    assert found(report) == [("media", Action.LEFT_OUT, 1), ("media", Action.LEFT_OUT, 2)]
    assert report.fits
    assert [notice.severity for notice in report.notices] == [Severity.INFO] * 2
    assert "anthropic:claude-x takes no pictures: 2 left out" in report.notices[1].content


@pytest.mark.requirement("D-preflight")
def test_a_file_of_text_is_sent_as_its_text_and_so_never_left_out() -> None:
    without = target(lacks=["files"])
    table = File(data="a;b\n1;é".encode(), media_type="text/csv")
    assert [without.takes(file) for file in (table, PDF, File(data=b"\xff", media_type="text/csv"))] == [
        True,
        False,
        False,
    ]
    assert fitted([said(table)], without) == [said(table)]


@pytest.mark.requirement("D-preflight")
def test_what_the_target_itself_left_unsigned_is_no_news() -> None:
    """Such as thinking that was cut off."""
    cut = msgspec.structs.replace(answered(Reasoning(content="hm")), model="anthropic:claude-x")
    assert found(preflight([cut], Spec(), [], target())) == []
    other = msgspec.structs.replace(cut, model="anthropic:claude-w")
    assert found(preflight([other], Spec(), [], target())) == [("reasoning", Action.LEFT_OUT, 1)]


@pytest.mark.requirement("D-preflight")
def test_what_other_vendors_signed_is_left_out_and_named() -> None:
    turns = [
        answered(Reasoning(content="own", provider_data=OWN), Reasoning(content="theirs", provider_data=FOREIGN)),
        answered(Reasoning(content="nobody's"), Text(content="cited", provider_data=FOREIGN), Text(content="plain")),
        answered(ToolCall(id="c", name="weather", arguments="{}", provider_data=FOREIGN)),
        answered(
            ServerTool(name="web_search", provider_data=FOREIGN), ServerTool(name="web_search", provider_data=OWN)
        ),
    ]
    left_out = Action.LEFT_OUT
    assert found(preflight(turns, Spec(), [], target())) == [
        ("reasoning", left_out, 2),
        ("server_tools", left_out, 1),
        ("signatures", left_out, 2),
    ]


@pytest.mark.requirement("D-preflight")
def test_data_of_another_model_of_the_same_vendor_is_foreign_too() -> None:
    turns = [answered(Reasoning(content="older", provider_data={**OWN, "model": "claude-w"}))]
    assert found(preflight(turns, Spec(), [], target())) == [("reasoning", Action.LEFT_OUT, 1)]


@pytest.mark.requirement("D-preflight")
def test_tools_that_it_cannot_call_stand_in_the_way() -> None:
    toolless = target(lacks=["tools"])
    report = preflight([], Spec(), [WithTools([weather])], toolless)
    assert (found(report), report.fits) == ([("tools", Action.FAILS, 1)], False)
    assert report.notices[0].severity is Severity.WARN
    assert found(preflight([], Spec(), [], toolless)) == []


@pytest.mark.requirement("D-preflight")
def test_json_of_a_schema_needs_the_vendors_means_or_a_call() -> None:
    output = OutputOption(name="answer", schema={"type": "object"})
    means = [target(lacks=["tools"]), target(lacks=["tools"], abilities=["structured_output"]), target()]
    assert [found(preflight([], Spec(), [output], each)) for each in means] == [[("output", Action.FAILS, 1)], [], []]


@pytest.mark.requirement("D-preflight")
@pytest.mark.parametrize(
    ("spec", "fields"),
    [
        (Spec(temperature=0.0), ["temperature"]),
        (Spec(temperature=1.0), []),
        (Spec(thinking_level=ThinkingLevel.LOW), ["thinking_level"]),
        (Spec(thinking_level=ThinkingLevel.OFF), []),
        (Spec(max_output_tokens=101), ["max_output_tokens"]),
        (Spec(max_output_tokens=100), []),
    ],
)
def test_fields_that_it_does_not_take_are_named_and_dropped_where_that_is_allowed(
    spec: Spec, fields: list[str]
) -> None:
    strict = target(lacks=["temperature", "thinking"], max_output_tokens=100)
    lenient = Target(provider=strict.provider, model=strict.model, info=strict.info, lenient=True)
    assert found(preflight([], spec, [], strict)) == [(field, Action.FAILS, 1) for field in fields]
    assert found(preflight([], spec, [], lenient)) == [(field, Action.LEFT_OUT, 1) for field in fields]


@pytest.mark.requirement("D-preflight")
def test_a_window_that_is_too_small_by_estimate_stands_in_the_way() -> None:
    turns = [said(Text(content="word " * 800))]
    report = preflight(turns, Spec(), [], target(window=1_000))
    assert (found(report), report.tokens) == ([("window", Action.FAILS, 1_004)], 1_004)
    assert preflight(turns, Spec(), [], target(window=1_004)).fits
    assert not preflight(turns, Spec(max_output_tokens=1), [], target(window=1_004)).fits
    assert not preflight(turns, Spec(), [MaxTokensOption(1)], target(window=1_004)).fits
    assert preflight(turns, Spec(), [], target()).fits


@pytest.mark.requirement("D-preflight-unknown")
@settings(max_examples=40)
@given(turns=st.lists(any_turns(), max_size=5))
def test_an_unknown_model_is_never_refused(turns: list[Turn]) -> None:
    unknown = Target.of("anthropic:claude-of-tomorrow")
    spec = Spec(temperature=0.1, thinking_level=ThinkingLevel.MAX, max_output_tokens=10**9)
    output = OutputOption(name="answer", schema={"type": "object"})
    report = preflight(turns, spec, [WithTools([weather]), output], unknown)
    assert report.fits
    assert report.findings[0].what == "unknown_model"
    assert report.notices[0].content.startswith("nothing is known of anthropic:claude-of-tomorrow")
    assert fitted(turns, unknown) is turns


@pytest.mark.requirement("D-preflight")
@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("anthropic:claude-opus-4-5-20251101", ("anthropic", "claude-opus-4-5-20251101", "claude-opus-4-5")),
        (
            "openrouter/anthropic/claude-opus-4.5",
            ("openrouter", "anthropic/claude-opus-4.5", "anthropic/claude-opus-4.5"),
        ),
        ("o3-mini", ("openai", "o3-mini", "o3-mini")),
    ],
)
def test_a_target_keeps_the_names_that_it_is_asked_by(name: str, place: tuple[str, str, str]) -> None:
    made = Target.of(name)
    assert made.info is not None
    assert (made.provider, made.model, made.info.name) == place


@pytest.mark.requirement("D-fitted")
def test_in_the_place_of_what_is_left_out_stands_a_line_that_says_so() -> None:
    shot = ToolResult(tool_call_id="c", content="a screenshot", media=(PICTURE, PDF))
    turns = [said(Text(content="Look"), PICTURE), said(shot, role=Role.TOOL), said(SOUND), said(Text(content="So?"))]
    new = fitted(turns, target(lacks=["vision", "audio"]))
    assert [turn.artifacts for turn in new] == [
        (Text(content="Look"), Text(content="[image left out: plan.png]")),
        (ToolResult(tool_call_id="c", content="a screenshot", media=(PDF,)),),
        (Text(content="[audio left out: audio/wav]"),),
        (Text(content="So?"),),
    ]
    assert new[3] is turns[3]
    assert [(turn.id, turn.role) for turn in new] == [(turn.id, turn.role) for turn in turns]


@pytest.mark.requirement("D-fitted")
@settings(max_examples=40)
@given(turns=st.lists(any_turns(), max_size=5), lacks=st.sets(st.sampled_from(["vision", "audio", "video", "files"])))
def test_what_is_fitted_has_no_media_findings_and_nothing_else_has_changed(turns: list[Turn], lacks: set[str]) -> None:
    small = target(lacks=sorted(lacks))
    new = fitted(turns, small)
    assert [finding for finding in preflight(new, Spec(), [], small).findings if finding.what == "media"] == []
    assert fitted(new, small) is new
    had_media = [finding for finding in preflight(turns, Spec(), [], small).findings if finding.what == "media"]
    assert (new is turns) == (not had_media)
    assert [turn.id for turn in new] == [turn.id for turn in turns]
    assert [len(turn.artifacts) for turn in new] == [len(turn.artifacts) for turn in turns]


@pytest.mark.requirement("D-preflight")
def test_scripts_that_need_more_bytes_are_estimated_at_more_tokens() -> None:
    latin, other = (estimated_tokens([said(Text(content=text * 100))], [], target()) for text in ("a", "猫"))
    assert (latin, other) == (29, 79)
    tools = estimated_tokens([], [weather], target())
    assert 10 < tools < 100

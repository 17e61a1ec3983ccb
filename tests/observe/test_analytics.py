"""Analytics: what a conversation consists of, by kind and source."""

import pytest

from observe.spending import usage
from ore.artifact import Image, Reasoning, StopReason, Text, ToolCall, ToolResult, Unknown, encode
from ore.ext.observe.analytics import Bucket, analytics, model_bytes
from ore.ext.observe.analytics_table import NOTHING, analytics_table, short_bytes
from ore.ext.transforms.compaction.boundary import Boundary, Strategy
from ore.ext.transforms.manifest import ContextManifest
from ore.ledger import Role, Turn


def turn(role: Role, *artifacts: object) -> Turn:
    return Turn(id="t", role=role, artifacts=artifacts)  # type: ignore[arg-type]


TURNS = [
    turn(Role.USER, Text(content="é" * 4)),
    turn(Role.ASSISTANT, Reasoning(content="hm"), ToolCall(id="c", name="find", arguments='{"q":1}')),
    turn(Role.TOOL, ToolResult(tool_call_id="c", content="found", display="shown to people only")),
    turn(Role.ASSISTANT, ToolCall(id="c", name="read", arguments="{}"), usage(10)),
    turn(Role.TOOL, ToolResult(tool_call_id="c", content="rest"), ToolResult(tool_call_id="x", content="lost")),
]


@pytest.mark.requirement("D-analytics")
def test_artifacts_are_counted_by_kind_and_tool_over_all_turns() -> None:
    """A result stands in another turn than its call, and ids repeat."""
    assert analytics(TURNS) == [
        Bucket(kind="reasoning", source="", count=1, size_bytes=2),
        Bucket(kind="text", source="", count=1, size_bytes=8),
        Bucket(kind="tool_call", source="find", count=1, size_bytes=7),
        Bucket(kind="tool_call", source="read", count=1, size_bytes=2),
        Bucket(kind="tool_result", source="(unknown)", count=1, size_bytes=4),
        Bucket(kind="tool_result", source="find", count=1, size_bytes=5),
        Bucket(kind="tool_result", source="read", count=1, size_bytes=4),
        Bucket(kind="usage", source="", count=1, size_bytes=0),
    ]
    assert analytics([]) == []


@pytest.mark.requirement("D-analytics")
def test_results_of_one_turn_whose_ids_repeat_belong_to_its_calls_in_order() -> None:
    calls = [ToolCall(id="c", name=name, arguments="{}") for name in ("find", "read")]
    results = [ToolResult(tool_call_id="c", content=text) for text in ("1", "22", "nobody's")]
    found = analytics([turn(Role.ASSISTANT, *calls), turn(Role.TOOL, *results[:1]), turn(Role.TOOL, *results[1:])])
    assert {one.source: one.size_bytes for one in found if one.kind == "tool_result"} == {
        "find": 1,
        "read": 2,
        "(unknown)": 8,
    }


@pytest.mark.requirement("D-analytics")
def test_what_no_model_ever_gets_has_no_bytes() -> None:
    manifest = ContextManifest(model="m", bytes=9, body="request", tokens=2, parts=(), transforms=())
    boundary = Boundary(strategy=Strategy.SUMMARIZE)
    assert [model_bytes(one) for one in (usage(3), StopReason(reason="stop"), manifest, boundary)] == [0, 0, 0, 0]


@pytest.mark.requirement("D-analytics")
def test_a_kind_without_a_text_of_its_own_counts_its_json_and_media_their_bytes() -> None:
    unknown = Unknown(name="weather", raw=b'{"kind":"weather","degrees":21}')
    assert model_bytes(unknown) == len(encode(unknown))
    images = (Image(data=b"1234"), Image(url="http://a"), Image(url="u", size_bytes=9))
    assert [model_bytes(image) for image in images] == [4, 8, 9]


@pytest.mark.requirement("D-analytics")
def test_the_table_keeps_the_order_and_ends_with_totals() -> None:
    buckets = [
        Bucket(kind="tool_call", source="a|b", count=1, size_bytes=1),
        Bucket(kind="text", source="", count=2, size_bytes=7),
    ]
    assert analytics_table(buckets) == (
        "| Kind | Source | Count | Bytes | % |\n"
        "| --- | --- | ---: | ---: | ---: |\n"
        "| tool_call | a\\|b | 1 | 1 B | 12 |\n"
        "| text |  | 2 | 7 B | 87 |\n"
        "| **Total** |  | **3** | **8 B** |  |"
    )
    assert analytics_table([]) == NOTHING
    assert "| usage |  | 1 | 0 B | — |" in analytics_table([Bucket(kind="usage", source="", count=1, size_bytes=0)])


@pytest.mark.parametrize(
    ("size", "shown"), [(0, "0 B"), (999, "999 B"), (1_500, "1.5 K"), (2_000_000, "2.0 M"), (3_100_000_000, "3.1 G")]
)
def test_bytes_are_short(size: int, shown: str) -> None:
    assert short_bytes(size) == shown

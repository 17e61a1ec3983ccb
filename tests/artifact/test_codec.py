"""Kinds that are added, unknown, enveloped, malformed, or hold strings that are no text."""

from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.artifact import (
    CODEC,
    Artifact,
    Blocks,
    Codec,
    Delta,
    Image,
    Reasoning,
    Text,
    TextDelta,
    ToolCall,
    ToolResult,
    Unknown,
    Usage,
    clean,
    encode,
    to_json,
)
from ore.ledger import Role, Turn, decode_turn, encode_turn
from strategies import artifacts, strings


class Table(Artifact, frozen=True, kw_only=True, tag="x_table"):
    """What somebody else might add."""

    rows: tuple[tuple[str, ...], ...]
    data: dict[str, Any] | None = None

    def for_model(self) -> str:
        return "\n".join(",".join(row) for row in self.rows)

    def for_human(self) -> str:
        return "\n".join("| " + " | ".join(row) + " |" for row in self.rows)


class Row(Delta, frozen=True, kw_only=True, tag="x_row"):
    family: ClassVar[str] = "table"

    cells: tuple[str, ...]

    @property
    def key(self) -> str:
        return "table"

    @classmethod
    def assemble(cls, parts: Sequence[Delta]) -> Artifact | None:
        return Table(rows=tuple(part.cells for part in parts if isinstance(part, Row)))


@pytest.mark.requirement("D-third-party-kind", "K14")
def test_one_class_adds_a_kind_that_streams_folds_stores_reloads_and_renders() -> None:
    seen: list[str] = []
    blocks = Blocks("t", lambda artifact, _: seen.append(artifact.kind))
    for part in (TextDelta(content="see:"), Row(cells=("a", "b")), Row(cells=("1", "2"))):
        blocks.add(part)
    turn = Turn(id="t", role=Role.ASSISTANT, artifacts=tuple(blocks.close()))
    table = Table(rows=(("a", "b"), ("1", "2")))

    assert seen == ["text_delta", "text", "x_row", "x_row", "x_table"]
    assert turn.artifacts == (Text(content="see:"), table)
    assert decode_turn(encode_turn(turn), Codec(Table, Row)) == turn
    assert (table.for_model(), table.for_human()) == ("a,b\n1,2", "| a | b |\n| 1 | 2 |")


@pytest.mark.requirement("D-codec-is-a-value")
def test_what_one_codec_knows_another_does_not() -> None:
    table = Table(rows=())
    assert Codec(Table).decode(encode(table)) == table
    assert CODEC.decode(encode(table)) == Unknown(name="x_table", raw=encode(table))


@pytest.mark.requirement("K14", "D-unknown-kind")
@pytest.mark.parametrize(
    "raw",
    [
        b'{"kind":"hologram","z":1,"a":[1.0,"\\u00e9"],"kind_of":null}',
        b'{ "data": {"kind":"hologram"}, "kind": "hologram", "depth": 2 }',
        b'{"kind":"hologram","data":{"kind":"hologram","z":1}}',
        b'{"kind":"unknown"}',
    ],
)
def test_a_kind_that_nobody_registered_is_written_back_byte_for_byte(raw: bytes) -> None:
    """Nothing for a model, its name for people."""
    artifact = CODEC.decode(raw)
    assert isinstance(artifact, Unknown)
    assert encode(artifact) == raw
    assert (artifact.persistent, artifact.for_model(), artifact.for_human()) == (True, "", f"[{artifact.kind}]")
    turn = Turn(id="t", role=Role.USER, artifacts=(Text(content="a"), artifact, Text(content="b")))
    assert decode_turn(encode_turn(turn)) == turn


@pytest.mark.requirement("D-unknown-kind")
def test_an_unknown_kind_from_an_indented_file_stands_on_one_line() -> None:
    """Records and events are lines; a line end inside JSON is only ever white space."""
    artifact = CODEC.decode(b'{\r\n  "kind": "hologram",\n  "a": "x\\ny"\n}')
    assert encode(artifact) == b'{    "kind": "hologram",   "a": "x\\ny" }'
    assert msgspec.json.decode(encode(artifact)) == {"kind": "hologram", "a": "x\ny"}


def test_an_unknown_kind_is_known_again_once_it_is_registered() -> None:
    table = Table(rows=(("a",),))
    assert Codec(Table).decode(encode(CODEC.decode(encode(table)))) == table


@pytest.mark.requirement("K24", "N18")
@given(artifacts(unknown=False))
def test_artifacts_in_the_originals_envelope_are_read(artifact: Artifact) -> None:
    enveloped = msgspec.json.encode({"kind": artifact.kind, "data": msgspec.Raw(encode(artifact))})
    assert CODEC.decode(enveloped) == artifact
    assert msgspec.json.decode(encode(artifact)).keys() == {"kind", *artifact.__struct_fields__}


@pytest.mark.requirement("K24")
@pytest.mark.parametrize(
    ("stored", "artifact"),
    [
        (b'{"kind":"text","content":"flat"}', Text(content="flat")),
        (b'{"kind":"image","url":"u"}', Image(url="u")),
        (b'{"kind":"image","data":"AP8="}', Image(data=b"\x00\xff")),
        (b'{"kind":"image","data":{"kind":"image","url":"u"}}', Image(url="u")),
        (b'{"kind":"usage","data":{"kind":"usage","prompt_tokens":1}}', Usage(prompt_tokens=1)),
        (
            b'{"kind":"tool_result","data":{"kind":"tool_result","tool_call_id":"1","content":"r","is_error":true}}',
            ToolResult(tool_call_id="1", content="r", is_error=True),
        ),
    ],
)
def test_what_the_original_wrote_is_read_without_our_newer_fields(stored: bytes, artifact: Artifact) -> None:
    assert CODEC.decode(stored) == artifact


def test_a_field_called_data_that_looks_like_an_envelope_is_a_field() -> None:
    table = Table(rows=(), data={"kind": "x_table"})
    assert Codec(Table).decode(encode(table)) == table


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'{"kind":null}',
        b'{"kind":1}',
        b'{"kind":"text"}',
        b'{"kind":"text","content":1}',
        b'{"kind":"text","content":"a"',
        b'{"kind":"text","content":"\xff"}',
        b'{"kind":"text","data":{"kind":"text"}}',
        b'{"kind":"tool_result","tool_call_id":"1","content":"","status":"lost"}',
    ],
)
def test_what_is_no_artifact_is_a_value_error(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        CODEC.decode(raw)


@pytest.mark.requirement("N20", "L33", "D-reserved-fields")
def test_no_field_may_be_called_context() -> None:
    """Neither in Python nor in JSON."""

    class Plain(Artifact, frozen=True, kw_only=True, tag="plain"):
        context: str

    class Renamed(Artifact, frozen=True, kw_only=True, tag="renamed"):
        origin: str = msgspec.field(name="context")

    for kind in (Plain, Renamed):
        with pytest.raises(ValueError, match="'context'"):
            Codec(kind)


@pytest.mark.requirement("D-reserved-fields")
def test_no_field_may_be_called_kind() -> None:
    with pytest.raises(ValueError, match="kind"):

        class Kind(Artifact, frozen=True, kw_only=True, tag="k"):
            kind: str


@pytest.mark.requirement("P18")
def test_two_classes_may_not_share_a_kind() -> None:
    class Other(Artifact, frozen=True, kw_only=True, tag="text"):
        pass

    with pytest.raises(ValueError, match="'text' is taken"):
        Codec(Other)


@pytest.mark.requirement("B57")
@given(strings())
def test_cleaning_takes_out_lone_surrogates_and_nothing_else(text: str) -> None:
    cleaned = clean(text)
    assert cleaned.encode() == "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text).encode()
    assert clean(cleaned) == cleaned


@pytest.mark.requirement("B57")
def test_a_pair_of_surrogates_that_is_a_character_stays() -> None:
    assert clean("\U0001f600") == "\U0001f600"
    assert clean("x\ud800y\udcb2") == "x\ufffdy\ufffd"


@pytest.mark.requirement("L31", "B57")
@given(strings(), strings())
def test_encoding_is_total_whatever_the_strings_hold(one: str, other: str) -> None:
    for artifact in (
        Text(content=one, provider_data={other: [one, {other: 1}]}),
        Reasoning(content=one),
        ToolCall(id=one, name=other, arguments=one, display=other),
        ToolResult(tool_call_id=one, content=other, display=one),
        Image(url=one, name=other),
    ):
        expected = msgspec.convert(cleaned(msgspec.to_builtins(artifact)), type(artifact))
        assert CODEC.decode(encode(artifact)) == expected


@pytest.mark.requirement("L31", "B57")
@given(strings(), st.lists(artifacts()))
def test_a_turn_is_encoded_whatever_its_strings_hold(text: str, content: list[Artifact]) -> None:
    turn = Turn(id="t", role=Role.USER, artifacts=(*content, Text(content=text)), model=text, origin=text)
    assert decode_turn(encode_turn(turn)) == msgspec.structs.replace(
        turn, artifacts=(*content, Text(content=clean(text))), model=clean(text), origin=clean(text)
    )


@pytest.mark.requirement("L31")
def test_keys_that_are_numbers_do_not_stop_the_cleaning() -> None:
    assert to_json({1: "\ud800", "\ud800": [2, None]}) == '{"1":"\ufffd","\ufffd":[2,null]}'.encode()


@pytest.mark.requirement("L31")
def test_json_that_was_made_before_does_not_stop_the_cleaning() -> None:
    assert to_json([msgspec.Raw(b'{"a":[1]}'), "\ud800"]) == '[{"a":[1]},"\ufffd"]'.encode()
    with pytest.raises(TypeError):
        to_json([object(), "\ud800"])


def cleaned(value: Any) -> Any:
    match value:
        case str():
            return clean(value)
        case dict():
            return {clean(key): cleaned(item) for key, item in value.items()}
        case list():
            return [cleaned(item) for item in value]
    return value

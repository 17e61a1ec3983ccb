"""Skills: seen in the prompt, read when needed, and never a way out of their folder."""

import json
import logging
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.script import answer, call
from ore import Agent, Role
from ore.artifact import ToolResult
from ore.errors import InputError, NotFoundError
from ore.ext.tools.skills import (
    BUILTIN,
    FolderSource,
    PackageSource,
    Skill,
    Skills,
    StaticSource,
    read_front_matter,
    tools,
)
from ore.ext.tools.skills.part import part_of
from ore.testing import ScriptedProvider


def write(folder: Path, name: str, description: str = "Does it.", body: str = "Do it.") -> Path:
    made = folder / name
    made.mkdir(parents=True)
    (made / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {description}\n---\n{body}\n")
    return made


async def read(skills: Skills, **arguments: object) -> ToolResult:
    """What the model gets of `read_skill`."""
    agent = Agent(ScriptedProvider(call("read_skill", json.dumps(arguments)), answer("ok")), tools=[skills.tool])
    told = (await agent.run("go")).turns[2].artifacts[0]
    assert isinstance(told, ToolResult)
    return told


# ── What is known of them ────────────────────────────────────────────────────


async def test_a_model_sees_what_skills_are_for_and_reads_them(tmp_path: Path) -> None:
    write(tmp_path, "release-notes", "Writes notes.", "1. Read the commits.")
    write(tmp_path / "deep" / "er", "billing", "Bills.")
    skills = Skills(FolderSource(tmp_path))
    provider = ScriptedProvider(call("read_skill", '{"name": "release-notes"}'), answer("ok"))
    result = await Agent(provider, tools=[skills.tool], transforms=[skills.transform]).run("go")
    system = provider.invocations[0].turns[0]
    assert system.role is Role.SYSTEM
    told = system.artifacts[0].for_model()
    assert told.endswith("\n\n- billing: Bills.\n- release-notes: Writes notes.")
    assert "1. Read the commits." in result.turns[2].artifacts[0].for_model()


def test_without_skills_the_prompt_says_nothing_and_without_a_directive_just_the_list(tmp_path: Path) -> None:
    assert Skills(FolderSource(tmp_path), FolderSource(tmp_path / "nowhere")).prompt() == ""
    write(tmp_path, "a")
    assert Skills(FolderSource(tmp_path), directive=" ").prompt() == "- a: Does it."


def test_the_first_of_two_with_the_same_name_holds(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path / "one", "a", "First.")
    write(tmp_path / "two", "a", "Second.")
    with caplog.at_level(logging.WARNING):
        assert Skills(FolderSource(tmp_path / "one"), FolderSource(tmp_path / "two")).prompt().endswith("- a: First.")
    assert "skill a is there twice" in caplog.text


def test_the_list_is_in_the_order_of_names_whatever_the_order_of_sources(tmp_path: Path) -> None:
    """So that a prompt's cache holds."""
    write(tmp_path / "one", "b")
    write(tmp_path / "two", "a")
    write(tmp_path / "two", "c")
    sources = [FolderSource(tmp_path / "one"), FolderSource(tmp_path / "two")]
    assert Skills(*sources).prompt() == Skills(*reversed(sources)).prompt()
    assert [skill.name for skill in Skills(*sources).all()] == ["a", "b", "c"]


def test_what_cannot_be_read_is_passed_over_with_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "SKILL.md").write_text("no front matter")
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "SKILL.md").write_text("---\nname: half\n---\n")
    write(tmp_path, "good")
    with caplog.at_level(logging.WARNING):
        found = Skills(PackageSource("no.such.package"), FolderSource(tmp_path)).all()
    assert [skill.name for skill in found] == ["good"]
    assert "bad is passed over" in caplog.text and "missing: description" in caplog.text
    assert "no.such" in caplog.text or "ModuleNotFoundError" in caplog.text


def test_they_are_looked_up_once_and_again_when_one_is_missing(tmp_path: Path) -> None:
    write(tmp_path, "a")
    skills = Skills(FolderSource(tmp_path))
    before = skills.prompt()
    write(tmp_path, "b")
    assert skills.prompt() == before
    assert skills.get("b").read().endswith("Do it.\n")
    assert "- b:" in skills.prompt()
    with pytest.raises(NotFoundError, match="no skill 'c'; the skills are: a, b"):
        skills.get("c")


def test_on_the_command_line_the_tool_says_which_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "skills", "billing", "Bills.")
    monkeypatch.chdir(tmp_path)
    [tool] = tools()
    assert (tool.name, "- billing: Bills.\n- writing-skills:" in tool.description) == ("read_skill", True)


def test_ore_brings_a_skill_for_writing_skills() -> None:
    [skill] = Skills(BUILTIN).all()
    assert (skill.name, skill.files()) == ("writing-skills", ["SKILL.md", "example.md"])
    assert "release-notes" in skill.read("example.md")


# ── Its files, and no others ─────────────────────────────────────────────────


async def test_a_skill_may_have_more_files(tmp_path: Path) -> None:
    made = write(tmp_path, "a")
    (made / "notes").mkdir()
    (made / "notes" / "more.md").write_text("more")
    skills = Skills(FolderSource(tmp_path))
    assert (await read(skills, name="a", path="notes/more.md")).content == "more"
    missing = await read(skills, name="a", path="nothing.md")
    assert missing.is_error and "its files are: SKILL.md, notes/more.md" in missing.content


async def test_a_long_file_is_read_part_by_part(tmp_path: Path) -> None:
    """Each part says where the next one begins; together they are all of it."""
    text = "".join(f"{n}{'x' * (n % 40)}\n" for n in range(5000))
    (write(tmp_path, "a") / "long.md").write_text(text)
    skills = Skills(FolderSource(tmp_path))
    parts, offset = [], 1
    while offset:
        content = (await read(skills, name="a", path="long.md", offset=offset)).content
        assert len(content.encode()) < 51_000 and "output cut" not in content
        part, more, told = content.rpartition("\n[lines ")
        parts.append(f"{part}\n" if more else content)
        offset = int(told.partition("offset=")[2].removesuffix("]")) if more else 0
    assert "".join(parts) == text and len(parts) == 3


@given(st.text(alphabet="ab\n\u00e9", max_size=60), st.integers(-2, 30))
def test_a_part_of_a_short_text_is_its_rest(text: str, offset: int) -> None:
    lines = text.splitlines(keepends=True)
    rest = "".join(lines[max(offset, 1) - 1 :])
    assert part_of(text, offset) == (
        rest or ("" if offset <= 1 else f"[it has {len(lines)} lines, so there is none from {offset} on]")
    )


def test_of_a_line_without_end_comes_its_beginning() -> None:
    assert part_of("x" * 60_000 + "\nb", 1).endswith(
        "x\n[line 1 is longer than what is shown of it; lines 1 to 1 of 2; the next ones: offset=2]"
    )
    assert part_of("x" * 60_000, 1).endswith("x\n[line 1 is longer than what is shown of it; lines 1 to 1 of 1]")


async def test_what_stands_in_a_skill_steers_nothing_and_what_is_wrong_with_it_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    file = tmp_path / "a" / "SKILL.md"
    file.write_bytes(b"\xef\xbb\xbf---\r\nname: |\r\n  a\r\n  b\r\ndescription: x\x1b[2Jy\r\n---\r\nz\x07\r\n")
    skills = Skills(FolderSource(tmp_path))
    assert skills.prompt().endswith("\n- a b: x␛[2Jy")
    told = await read(skills, name="a b")
    assert told.content == "---\nname: |\n  a\n  b\ndescription: x␛[2Jy\n---\nz␇\n"
    file.write_bytes(b"\0")
    assert "SKILL.md: expected text" in (await read(skills, name="a b")).content


OUT = ["../secret", "notes/../../secret", "/etc/passwd", "..\\secret", "C:\\x", "link", "folder/secret", "a\0b"]


@pytest.mark.requirement("D-skills-confined")
@pytest.mark.parametrize("path", OUT)
async def test_no_path_leads_out_of_a_skill(tmp_path: Path, path: str) -> None:
    """Neither does a link."""
    (tmp_path / "secret").write_text("the secret")
    made = write(tmp_path / "skills", "a")
    (made / "link").symlink_to(tmp_path / "secret")
    (made / "folder").symlink_to(tmp_path)
    told = await read(Skills(FolderSource(tmp_path / "skills")), name="a", path=path)
    assert told.is_error and "the secret" not in told.content
    assert "inside the skill" in told.content


@pytest.mark.parametrize(("data", "why"), [(b"x\0y", "binary"), (b"x" * ((1 << 20) + 1), "at most 1048576 bytes")])
async def test_what_is_no_text_for_a_model_is_refused(tmp_path: Path, data: bytes, why: str) -> None:
    (write(tmp_path, "a") / "file").write_bytes(data)
    told = await read(Skills(FolderSource(tmp_path)), name="a", path="file")
    assert told.is_error and why in told.content


def test_a_link_to_a_folder_is_no_way_to_find_skills(tmp_path: Path) -> None:
    write(tmp_path / "elsewhere", "a")
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills" / "link").symlink_to(tmp_path / "elsewhere")
    assert Skills(FolderSource(tmp_path / "skills")).all() == []


def test_skills_may_be_given_one_by_one(tmp_path: Path) -> None:
    one = Skill(name="x", description="X.", root=write(tmp_path, "a"))
    assert Skills(StaticSource(one)).prompt().endswith("- x: X.")


# ── Front matter ─────────────────────────────────────────────────────────────

FORMS = [
    ("name: a b", "a b"),
    ('name: "a: \\"b\\""', 'a: "b"'),
    ("name: 'it''s'", "it's"),
    ("name: >-\n  one\n  two", "one two"),
    ("name: |\n  one\n  two", "one\ntwo"),
    ("name: one\n  two", "one two"),
    ("other: [1, 2]\nmap:\n  name: inner\nname: a", "a"),
    ("# name: no\nname: a # why", "a"),
    ("name: http://x/#y", "http://x/#y"),
]


@pytest.mark.parametrize(("text", "name"), FORMS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_front_matter_is_read_in_all_its_usual_forms(text: str, name: str, end: str) -> None:
    fields, body = read_front_matter(f"---\n{text}\n---\n\nbody\n".replace("\n", end))
    assert (fields["name"], body) == (name, "body")


@pytest.mark.parametrize("text", ["", "name: a", "---\nname: a\n", " ---\n---\n"])
def test_what_has_no_front_matter_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="front matter"):
        read_front_matter(text)


@given(st.text())
def test_whatever_a_file_holds_it_is_read_or_refused(text: str) -> None:
    with suppress(InputError):
        read_front_matter(f"---\n{text}\n---\n")

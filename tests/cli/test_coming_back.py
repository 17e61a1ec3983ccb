"""The line that a screen leaves behind: pasted, it opens the same session in the same way."""

import shlex
from argparse import Namespace
from collections.abc import Sequence

import pytest

from ore.cli.coming_back import way_back
from ore.cli.main import COMMANDS, find, new_parser
from ore.cli.parser import Parser, choose


def read(words: Sequence[str]) -> tuple[Parser, Namespace]:
    """The parser of the command that the words name, and their options."""
    parser = new_parser()
    choose(parser, words, COMMANDS, find)
    return parser.last, parser.options(words)


def told(*words: str) -> tuple[str, Sequence[str]]:
    parser, options = read(["chat", *words])
    return way_back(parser.arguments, options, "trip")


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--agent", "my agents.counter:agent", "--tool", "calculator", "--tool", "files"],
        ["--model", "openai:gpt-5", "--base-url", "http://127.0.0.1:8080/v1", "--timeout-s", "0.25", "--lenient"],
        ["--store", "sqlite:a 'quoted' $HOME.db", "--session", "another", "--approve", "never"],
        ["--instructions=--be brief\nand kind", "--temperature", "0", "--thinking", "low", "--max-rounds", "3"],
        ["--max-output-tokens", "100", "--note-context", "--theme", "dark"],
        ["--connect", "http://127.0.0.1:7654"],
    ],
)
def test_it_stands_for_the_same_options(words: list[str]) -> None:
    line, unsaid = told(*words)
    program, *again = shlex.split(line)
    _, then = read(["chat", *words])
    _, now = read(again)
    assert (program, unsaid) == ("ore", [])
    assert vars(now) == {**vars(then), "session": "trip"}


def test_what_nobody_said_is_not_in_it() -> None:
    assert told() == ("ore chat --session trip", [])


@pytest.mark.parametrize(
    ("words", "unsaid"),
    [
        (["--connect", "http://127.0.0.1:1", "--token", "s3cret"], "--token"),
        (["--store", "postgresql://me:s3cret@host/db"], "--store"),
        (["--base-url", "https://me:s3cret@host/v1"], "--base-url"),
        (["--base-url", "https://host/v1?api_key=s3cret"], "--base-url"),
    ],
)
def test_no_secret_stands_in_it_and_what_held_one_is_named(words: list[str], unsaid: str) -> None:
    line, named = told(*words)
    assert ("s3cret" in line, named) == (False, [unsaid])


def test_a_token_of_the_environment_is_there_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORE_TOKEN", "s3cret")
    words = ["--connect", "http://127.0.0.1:1"]
    assert told(*words) == (f"ore chat --session trip {shlex.join(words)}", [])

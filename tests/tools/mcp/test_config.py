"""Servers from a file, and what of the environment reaches them."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from calls.stage import Stage, arguments
from ore.errors import InputError
from ore.ext.tools.mcp import Http, McpOptions, McpServer, McpServers, Stdio, read_config
from tools.mcp.serving import SERVED, notes, web


def config(folder: Path, servers: Any, key: str = "mcpServers") -> Path:
    path = folder / "mcp.json"
    path.write_text(json.dumps({key: servers}))
    return path


@pytest.mark.parametrize("key", ["mcpServers", "servers"])
def test_a_file_of_the_usual_form_is_read(tmp_path: Path, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables are filled in, keys of other clients are passed over, what is disabled is left out."""
    monkeypatch.setenv("MY_TOKEN", "t-1")
    path = config(
        tmp_path,
        {
            "git": {
                "command": "uvx",
                "args": ["mcp-server-git", "${REPOSITORY:-.}", "${MY_TOKEN}"],
                "env": {"A": "${MY_TOKEN}"},
            },
            "files": {"type": "stdio", "command": "files", "cwd": "/tmp", "inherit": ["HOME"], "alwaysAllow": ["read"]},
            "web": {"url": "https://example.org/mcp", "headers": {"X-Key": "k-${MY_TOKEN}"}, "call_s": 5},
            "old": {"type": "sse", "url": "https://example.org/sse", "token": "${MY_TOKEN}", "approve": "writes"},
            "off": {"command": "x", "disabled": True},
        },
        key,
    )
    found = {server.name: (server.where, server.options) for server in read_config(path)}
    assert found == {
        "git": (Stdio(command="uvx", args=("mcp-server-git", ".", "t-1"), env={"A": "t-1"}), McpOptions()),
        "files": (Stdio(command="files", cwd="/tmp", inherit=("HOME",)), McpOptions()),
        "web": (Http(url="https://example.org/mcp", headers={"X-Key": "k-t-1"}), McpOptions(call_s=5)),
        "old": (Http(url="https://example.org/sse", token="t-1", protocol="sse"), McpOptions(approve="writes")),
    }
    assert "t-1" not in repr(read_config(path))


@pytest.mark.parametrize(
    ("servers", "says"),
    [
        ([], "mcpServers: expected an object, got list"),
        ({"a": 3}, "a: expected an object, got int"),
        ({"a": {}}, "a: expected a command for type stdio, or a url for type http or sse"),
        ({"a": {"type": "carrier pigeon", "url": "http://x"}}, "a: expected a command for type stdio"),
        ({"a": {"command": "x", "args": "y"}}, "a.args: expected array, got str"),
        ({"a": {"command": "x", "env": {"K": 1}}}, "a.env: expected str, got int"),
        ({"a": {"command": "${NOT_SET_HERE}"}}, "a.command: the variable NOT_SET_HERE is not set"),
        ({"a": {"command": "x", "env": {"K": "${NOT_SET_HERE}"}}}, "a.env.K: the variable NOT_SET_HERE is not set"),
        ({"a": {"command": "x", "approve": "maybe"}}, "a.approve: invalid enum value 'maybe'"),
        ({"a": {"command": "x", "connect_s": 0}}, "connect_s: expected more than 0 seconds, got 0"),
        ({"a": {"url": "ftp://secret@host/"}}, "expected an address that begins with http:// or https://"),
    ],
)
def test_what_is_wrong_in_a_file_is_said_with_its_place(tmp_path: Path, servers: Any, says: str) -> None:
    with pytest.raises(InputError) as caught:
        read_config(config(tmp_path, servers))
    assert says in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.json' cannot be read: No such file"):
        McpServers.read(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(InputError, match=r"bad\.json': "):
        McpServers.read(tmp_path / "bad.json")


@pytest.mark.slow
async def test_servers_of_a_file_are_there_to_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the variables that were named for them, and no others."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("GIVEN", "by name")
    server = {
        "command": sys.executable, "args": [str(SERVED), "stdio"], "env": {"OWN": "${GIVEN}!"}, "inherit": ["GIVEN"]
    }  # fmt: skip
    async with McpServers.read(config(tmp_path, {"tested": server})) as servers:
        stage = Stage(*servers.tools())
        names = ("OPENAI_API_KEY", "GIVEN", "OWN", "ORE_MODEL", "PATH")
        found = [(await stage.result("tested__variable", arguments(name=name))).content for name in names]
    assert found[:4] == ["not set", "by name", "by name!", "not set"]
    assert found[4] != "not set"


@pytest.mark.slow
async def test_a_web_server_gets_its_headers_and_the_token_instead_of_another_authorization() -> None:
    async with notes() as told, web(NOTES=told.path) as found:
        async with found.client(token="t-1", headers={"authorization": "Basic x"}):
            pass
        async with found.client(headers={"Authorization": "Basic x"}):
            pass
    assert {line.partition(" ")[2].partition(" ")[2] for line in told.lines} == {"Bearer t-1", "Basic x"}


async def test_a_variable_that_shall_be_inherited_and_is_not_set_is_named_before_anything_starts() -> None:
    server = McpServer.stdio("s", "python3", inherit=["NOT_SET_HERE"])
    with pytest.raises(InputError, match="'python3' shall inherit the variable NOT_SET_HERE, which is not set"):
        await server.open()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: McpServer.stdio("", "x"), "expected the name of a server"),
        (lambda: Stdio(command=""), "expected a command to start"),
        (lambda: Stdio(command="x", args="abc"), "expected args as a list"),
        (lambda: Http(url="http://"), "names a host"),
        (lambda: Http(url="http://[::1"), "names a host"),
        (lambda: McpOptions(attempts=0), "attempts: expected at least 1"),
        (lambda: McpOptions(call_s=-1), "call_s: expected more than 0 seconds"),
    ],
)
def test_settings_that_make_no_sense_are_refused_at_once(make: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        make()


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:pass@Example.org:8443/mcp?key=k#f", "https://example.org:8443/mcp"),
        ("http://[::1]:9/x", "http://[::1]:9/x"),
    ],
)
def test_an_address_is_shown_without_what_may_be_secret(url: str, shown: str) -> None:
    assert Http(url=url).shown == shown
    assert "pass" not in repr(Http(url=url))


def test_nothing_of_the_sdk_is_imported_before_a_server_is_opened() -> None:
    """And without it there is an error that says what to install."""
    program = (
        "import sys\n"
        "import asyncio\n"
        "sys.modules['mcp'] = None\n"
        "from ore.ext.tools.mcp import McpServer\n"
        "asyncio.run(McpServer.stdio('s', 'x').open())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], stderr=subprocess.PIPE, check=False)
    assert re.search(rb"the SDK of MCP is not installed: run `pip install .*\[mcp\]'`", done.stderr)

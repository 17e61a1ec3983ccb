"""What goes over a transport, written down without its secrets."""

import asyncio
import json
import logging
import os
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.artifact import Text
from ore.errors import InputError, ProviderError
from ore.ext.providers.address import Address
from ore.ext.providers.aiohttp_transport import AiohttpTransport
from ore.ext.providers.capture import CaptureFiles, Capturing, recorded_body
from ore.ext.providers.credentials import Credentials
from ore.ext.providers.endpoint import Endpoint
from ore.ext.providers.remote import RemoteProvider
from ore.ext.providers.transport import Limits
from ore.ledger import Buffer, Role
from ore.models import Spec
from providers.loopback import EVENTS, Exchange, serving
from providers.plain_wire import END, PATH, PlainWire, line

CANARY = "sk-canary-0123"


def captured(url: str, path: Path) -> RemoteProvider:
    endpoint = Endpoint(
        address=Address(url, path=PATH),
        credentials=Credentials({"authorization": f"Bearer {CANARY}", "x-api-key": CANARY}),
        transport=Capturing(AiohttpTransport(), str(path)),
        limits=Limits(connect_s=4, silence_s=4, total_s=8),
    )
    return RemoteProvider(name="plain", wire=PlainWire(headers={"x-version": "1"}), endpoint=endpoint)


async def ask(provider: RemoteProvider, *, batches: int = 99, model: str = "m") -> ProviderError | None:
    """Read so many batches of an answer."""
    state = Buffer()
    state.add(Role.USER, Text(content="Hello?"))
    try:
        async with asyncio.timeout(5), aclosing(provider.invoke(state, Spec(name=model))) as answer:
            async for _ in answer:
                batches -= 1
                if not batches:
                    break
    except ProviderError as error:
        return error
    return None


def written(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def hello(exchange: Exchange) -> None:
    exchange.whole(line("Hel"), line("lo"), END, headers={**EVENTS, "set-cookie": "a=secret", "x-request-id": "r1"})


async def test_request_and_answer_are_written_for_the_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "wire.json"
    async with serving(hello) as server:
        await ask(captured(f"{server.url}/v1?api-version=2&key=secret", path))
    found = written(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert (found["ore_capture"], found["end"]) == (1, "whole")
    assert found["request"] == {
        "method": "POST",
        "url": f"{server.url}/v1/plain/talk?api-version=2&key=…",
        "headers": {"content-type": "application/json", "x-version": "1", "authorization": "…", "x-api-key": "…"},
        "body": {"model": "m", "said": 1, "session": None},
    }
    assert found["response"] == {
        "status": 200,
        "headers": {
            "content-type": "text/event-stream",
            "set-cookie": "…",
            "x-request-id": "r1",
            "transfer-encoding": "chunked",
        },
        "body": '"Hel"\n"lo"\nend\n',
    }
    assert recorded_body(path.read_bytes()) == b'"Hel"\n"lo"\nend\n'


async def test_each_request_has_a_file_of_its_own(tmp_path: Path) -> None:
    async with serving(hello) as server:
        provider = captured(server.url, tmp_path / "wire.json")
        for _ in range(3):
            await ask(provider)
    assert names(tmp_path) == ["wire.2.json", "wire.3.json", "wire.json"]


async def test_transports_that_share_their_files_do_not_write_over_each_other(tmp_path: Path) -> None:
    files = CaptureFiles(str(tmp_path / "wire.v1.json"))
    assert [files.next().name for _ in range(3)] == ["wire.v1.json", "wire.v1.2.json", "wire.v1.3.json"]


async def test_what_is_no_file_gets_all_of_them(tmp_path: Path) -> None:
    files = CaptureFiles(os.devnull)
    assert {str(files.next()) for _ in range(3)} == {os.devnull}


async def test_a_key_that_a_server_repeats_is_not_written(tmp_path: Path) -> None:
    async def answering(exchange: Exchange) -> None:
        key = exchange.headers["x-api-key"].encode()
        exchange.whole(b"\xff" + key[:5], key[5:], status=401, headers={"content-type": "application/json"})

    async with serving(answering) as server:
        await ask(captured(server.url, tmp_path / "wire.json"))
    text = (tmp_path / "wire.json").read_text()
    assert CANARY not in text
    assert recorded_body(text.encode()) == b"\xff\xe2\x80\xa6"
    assert written(tmp_path / "wire.json")["response"]["status"] == 401


async def test_a_key_that_stands_in_the_request_itself_is_not_written(tmp_path: Path) -> None:
    async with serving(hello) as server:
        await ask(captured(server.url, tmp_path / "wire.json"), model=f"my {CANARY}")
    assert written(tmp_path / "wire.json")["request"]["body"]["model"] == "my …"


async def test_what_came_before_a_break_is_written_with_the_error(tmp_path: Path) -> None:
    read = asyncio.Event()

    async def answering(exchange: Exchange) -> None:
        exchange.head()
        exchange.send(line("Hel"))
        await read.wait()
        exchange.reset()

    async with serving(answering) as server:
        asking = asyncio.ensure_future(ask(captured(server.url, tmp_path / "wire.json")))
        await server.asked.wait()
        read.set()
        error = await asking
    found = written(tmp_path / "wire.json")
    assert error is not None
    assert (found["end"]["code"], found["end"]["message"]) == ("connection", str(error))


async def test_a_request_without_an_answer_is_written_with_the_error(tmp_path: Path) -> None:
    await ask(captured("http://127.0.0.1:1", tmp_path / "wire.json"))
    found = written(tmp_path / "wire.json")
    assert (found["response"], found["end"]["code"]) == (None, "connection")
    assert recorded_body((tmp_path / "wire.json").read_bytes()) == b""


async def test_an_answer_that_was_left_is_written_as_far_as_it_was_read(tmp_path: Path) -> None:
    async def answering(exchange: Exchange) -> None:
        exchange.head()
        exchange.send(line("Hel"))
        await exchange.gone.wait()

    async with serving(answering) as server:
        await ask(captured(server.url, tmp_path / "wire.json"), batches=1)
        await server.settled()
    found = written(tmp_path / "wire.json")
    assert (found["response"]["body"], found["end"]) == ('"Hel"\n', "closed")


async def test_of_a_long_answer_the_beginning_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ore.ext.providers.capture.BODY_LIMIT_BYTES", 8)
    async with serving(hello) as server:
        assert await ask(captured(server.url, tmp_path / "wire.json")) is None
    assert written(tmp_path / "wire.json")["response"]["body"] == '"Hel"\n"l'


async def test_a_file_that_was_there_is_replaced_and_made_private(tmp_path: Path) -> None:
    path = tmp_path / "wire.json"
    path.write_text("x" * 100_000)
    path.chmod(0o644)
    async with serving(hello) as server:
        await ask(captured(server.url, path))
    assert written(path)["end"] == "whole"
    assert path.stat().st_mode & 0o777 == 0o600


async def test_a_file_that_cannot_be_written_stops_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with serving(hello) as server:
        provider = captured(server.url, tmp_path / "wire.json")
        (tmp_path / "wire.json").mkdir()
        assert await ask(provider) is None
    (record,) = caplog.records
    assert (record.levelno, "cannot be written" in record.getMessage()) == (logging.WARNING, True)


@pytest.mark.parametrize("path", ["missing/wire.json", ".", "wire.json/x", "x" * 5000])
def test_a_place_where_no_file_can_be_is_refused_at_once(tmp_path: Path, path: str) -> None:
    (tmp_path / "wire.json").write_text("")
    with pytest.raises(InputError, match=r"^capture: expected a file in a folder that can be written to"):
        Capturing(AiohttpTransport(), str(tmp_path / path))


@given(st.binary())
def test_what_is_no_capture_is_the_answer_itself(raw: bytes) -> None:
    assert recorded_body(raw) == raw

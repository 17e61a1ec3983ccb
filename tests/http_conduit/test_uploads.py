"""Pictures, files and sounds that a person sends."""

import base64
import struct
import zlib
from typing import Any

import pytest

from http_conduit.conftest import Serve
from ore.artifact import Audio, File, Image, TextDelta


def png(width: int = 2, height: int = 1) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IEND", b"")


def coded(data: bytes) -> str:
    return base64.b64encode(data).decode()


async def test_what_a_person_attaches_becomes_part_of_the_message(serve: Serve) -> None:
    """A picture's type is what its bytes say."""
    on = await serve([TextDelta(content="Nice.")])
    session = await on.session()
    answer = await on.client.post(
        f"/sessions/{session}/messages",
        {
            "content": [
                {"kind": "text", "content": "look"},
                {"kind": "image", "media_type": "image/jpeg", "name": "a.jpg", "data": coded(png())},
                {"kind": "image", "url": "data:image/png;base64," + coded(png())},
                {"kind": "image", "url": "https://example.org/a.png"},
                {"kind": "file", "media_type": "text/plain", "name": "a.txt", "data": coded(b"hello")},
                {"kind": "audio", "media_type": "audio/wav", "data": coded(b"RIFF____WAVE")},
            ]
        },
    )
    assert answer.status == 200
    sent = on.live(session).turns[0].artifacts[1:]
    assert sent == (
        Image(media_type="image/png", name="a.jpg", size_bytes=len(png()), data=png()),
        Image(media_type="image/png", size_bytes=len(png()), data=png()),
        Image(url="https://example.org/a.png"),
        File(media_type="text/plain", name="a.txt", size_bytes=5, data=b"hello"),
        Audio(media_type="audio/wav", size_bytes=12, data=b"RIFF____WAVE"),
    )


@pytest.mark.requirement("B29")
@pytest.mark.parametrize(
    "item",
    [
        {"kind": "image", "data": ""},
        {"kind": "image", "data": coded(b"no picture at all")},
        {"kind": "image", "data": coded(png(9_000, 10))},
        {"kind": "image", "data": coded(b"\x89PNG\r\n\x1a\n" + b"x" * 4_000_000)},
        {"kind": "image", "data": "no base64!"},
        {"kind": "image", "url": "file:///etc/passwd"},
        {"kind": "image", "url": "javascript:alert(1)"},
        {"kind": "image", "url": "data:image/png;base64,!!"},
        {"kind": "image", "blob": "somebody-elses"},
        {"kind": "image"},
        {"kind": "image", "url": "https://example.org/a.png", "data": coded(png())},
        {"kind": "file", "data": ""},
        {"kind": "file", "name": 3, "data": coded(b"x")},
    ],
)
async def test_what_would_spoil_the_conversation_is_refused_when_it_comes(serve: Serve, item: Any) -> None:
    on = await serve([TextDelta(content="Nice.")])
    session = await on.session()
    answer = await on.client.post(f"/sessions/{session}/messages", {"content": [item]})
    assert (answer.status, answer.json["code"]) == (422, "bad_request")
    assert "content[0]" in answer.json["detail"]
    assert (await on.say(session)).lines[-1]["outcome"] == "done"

"""`Capturing`: writes down what goes over a transport, without its secrets."""

import itertools
import logging
import os
import stat
from base64 import b64decode, b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, quote, urlsplit

import msgspec

from ore.errors import InputError, describe
from ore.ext.providers.address import OPEN_PARAMETERS
from ore.ext.providers.credentials import Credentials
from ore.ext.providers.transport import Limits, Reply, Transport

__all__ = ["BODY_LIMIT_BYTES", "CaptureFiles", "Capturing", "RecordedAnswer", "recorded_answer", "recorded_body"]

log = logging.getLogger(__name__)

BODY_LIMIT_BYTES: Final = 32 << 20
"""Of a longer answer only the beginning is written down."""

_SECRET: Final = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "api-key"})
_SECRET_ENDS: Final = ("-key", "-token", "-secret")
_GONE: Final = "…"


class CaptureFiles:
    """Where the requests of one run go: the first to `path`, the next ones to `name.2.json`, `name.3.json` beside it.

    Transports that share this object never write over each other's. What an
    earlier run left at a place is replaced. What is no file, such as a pipe,
    gets all of them.

    Args:
        path: The first one, such as `name.json`.

    Raises:
        InputError: No file can be made there.
    """

    def __init__(self, path: str) -> None:
        self._path = _checked(path)
        self._numbers = itertools.count(1)  # which any thread may ask

    def next(self) -> Path:
        """Where the next request goes."""
        number = next(self._numbers)
        path = self._path
        if number == 1 or (path.exists() and not path.is_file()):
            return path
        return path.with_name(f"{path.stem}.{number}{path.suffix}")


class Capturing:
    """A transport that writes each request and its answer into a file.

    Files are for the user alone (0600) and written when an answer has ended,
    however it did. Each is one JSON object:

    - `ore_capture`: 1, the version of the format
    - `request`: `method`, `url`, `headers`, and `body` as it was sent
    - `response`: `null` when none came; else `status`, `headers` and `body`, the text of the
      answer, or `body_base64` where that is no UTF-8
    - `end`: `whole`, `closed` when the reader left early, or the error object

    Keys, cookies and parameters in the URL are replaced by `…`, wherever in
    it they stand. `recorded_body` gives the answer back, for `ore wire decode`.

    Args:
        transport: Who does the work.
        path: The file of the first request, or what names one file after the other.

    Raises:
        InputError: No file can be made there.
    """

    def __init__(self, transport: Transport, path: str | CaptureFiles) -> None:
        self._transport = transport
        self._files = CaptureFiles(path) if isinstance(path, str) else path

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], limits: Limits) -> Reply:
        """Post, and write down what came of it."""
        record = _Record(self._files.next(), url, body, headers)
        try:
            reply = await self._transport.post(url, body, headers, limits)
        except BaseException as error:
            record.write(None, error)
            raise
        return _CapturedReply(reply, record)


class RecordedAnswer(NamedTuple):
    """The answer inside a capture.

    Attributes:
        status: HTTP status; `None` when no answer came.
        headers: With names in lower case.
        end: How it ended: `whole`, `closed`, or the error object.
    """

    status: int | None
    headers: Mapping[str, str]
    body: bytes
    end: str | Mapping[str, Any]


def recorded_answer(raw: bytes) -> RecordedAnswer | None:
    """What a capture holds; `None` when these bytes are none, or not a whole one."""
    try:
        kept = _decode(raw)
        response = kept.response
        if response is None:
            return RecordedAnswer(None, {}, b"", kept.end)
        body = response.body.encode() if response.body_base64 is None else b64decode(response.body_base64)
        return RecordedAnswer(response.status, response.headers, body, kept.end)
    except (ValueError, RecursionError):  # msgspec's errors and those of base64 are ValueErrors
        return None


def recorded_body(raw: bytes) -> bytes:
    """The answer inside a capture; bytes that are no capture are taken for the answer itself."""
    found = recorded_answer(raw)
    return raw if found is None else found.body


class _Response(msgspec.Struct):
    status: int
    headers: dict[str, str] = {}
    body: str = ""
    body_base64: str | None = None


class _Kept(msgspec.Struct):
    ore_capture: int
    end: str | dict[str, Any] = "whole"
    response: _Response | None = None


_decode: Final = msgspec.json.Decoder(_Kept).decode


class _CapturedReply:
    """An answer that is written down as it is read."""

    def __init__(self, reply: Reply, record: "_Record") -> None:
        self._reply = reply
        self._record: _Record | None = record

    @property
    def status(self) -> int:
        return self._reply.status

    @property
    def headers(self) -> Mapping[str, str]:
        return self._reply.headers

    def __aiter__(self) -> "_CapturedReply":
        return self

    async def __anext__(self) -> bytes:
        try:
            block = await self._reply.__anext__()
        except StopAsyncIteration:
            self._write("whole")
            raise
        except Exception as error:
            self._write(error)
            raise
        if self._record is not None:
            self._record.keep(block)
        return block

    def close(self) -> None:
        self._write("closed")
        self._reply.close()

    def _write(self, end: str | Exception) -> None:
        record, self._record = self._record, None
        if record is not None:
            record.write(self._reply, end)


class _Record:
    """One request and its answer, on their way into a file."""

    def __init__(self, path: Path, url: str, body: bytes, headers: Mapping[str, str]) -> None:
        self._path = path
        self._credentials = Credentials({name: value for name, value in headers.items() if _is_secret(name)})
        self._request = {
            "method": "POST",
            "url": _without_parameters(url),
            "headers": _shown(headers),
            "body": msgspec.Raw(self._scrub(body)),
        }
        self._blocks: list[bytes] = []
        self._left_bytes = BODY_LIMIT_BYTES

    def keep(self, block: bytes) -> None:
        if self._left_bytes > 0:
            self._blocks.append(block[: self._left_bytes])
            self._left_bytes -= len(block)

    def write(self, reply: Reply | None, end: str | BaseException) -> None:
        """Into the file; a failure is logged, since the answer matters more."""
        record = {
            "ore_capture": 1,
            "request": self._request,
            "response": None if reply is None else self._response(reply),
            "end": end if isinstance(end, str) else describe(end),
        }
        try:
            _write(self._path, msgspec.json.encode(record) + b"\n")
        except OSError as error:
            log.warning("capture: %s cannot be written: %s", self._path, error.strerror)

    def _response(self, reply: Reply) -> dict[str, Any]:
        body = self._scrub(b"".join(self._blocks))
        try:
            shown = {"body": body.decode()}
        except UnicodeDecodeError:
            shown = {"body_base64": b64encode(body).decode()}
        headers = {name: self._credentials.scrub(value) for name, value in _shown(reply.headers).items()}
        return {"status": reply.status, "headers": headers, **shown}

    def _scrub(self, body: bytes) -> bytes:
        text = body.decode("utf-8", "surrogateescape")
        clean = self._credentials.scrub(text)
        return body if clean is text else clean.encode("utf-8", "surrogateescape")


def _checked(path: str) -> Path:
    target = Path(path)
    folder = target.parent
    try:
        usable = not target.is_dir() and folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)
    except (OSError, ValueError):  # too long a name, or a null in it
        usable = False
    if not usable:
        raise InputError(f"capture: expected a file in a folder that can be written to, got {path!r}")
    return target


def _write(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(descriptor, "wb") as file:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.fchmod(descriptor, 0o600)  # also where the file was there before
        file.write(content)


def _shown(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: _GONE if _is_secret(name) else value for name, value in headers.items()}


def _is_secret(name: str) -> bool:
    name = name.lower()
    return name in _SECRET or name.endswith(_SECRET_ENDS)


def _without_parameters(url: str) -> str:
    parts = urlsplit(url)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    shown = [f"{quote(name)}={quote(value) if name in OPEN_PARAMETERS else _GONE}" for name, value in pairs]
    return parts._replace(query="&".join(shown)).geturl()

"""What Gemini refuses about the contents of a request, as far as it is known, checked without it.

Written from "Function calling", "Thought signatures" and "Content" of its
documentation (read 2026-11), and from what its server was reported to answer.
"""

import base64
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["check_gemini"]

_NAME = re.compile("[a-zA-Z_][a-zA-Z0-9_.-]{0,63}")
_DATA = ("text", "functionCall", "functionResponse", "inlineData", "fileData", "executableCode", "codeExecutionResult")


def check_gemini(body: bytes, *, wants_signatures: bool = False) -> Mapping[str, Any]:
    """Assert that the vendor would take a request, and give it."""
    request: Mapping[str, Any] = json.loads(body)
    json.dumps(request, ensure_ascii=False).encode()  # no half characters
    contents = request["contents"]
    assert [content["role"] for content in contents] == [("user", "model")[n % 2] for n in range(len(contents))]
    assert contents[-1]["role"] == "user"
    due: list[Mapping[str, Any]] = []
    for content in contents:
        assert content["parts"]
        for part in content["parts"]:
            _check_part(part, content["role"])
        responses = [part["functionResponse"] for part in content["parts"] if "functionResponse" in part]
        _check_pairs(due, responses)
        calls = [part for part in content["parts"] if "functionCall" in part]
        assert not (wants_signatures and calls) or calls[0]["thoughtSignature"]
        due = [part["functionCall"] for part in calls]
    return request


def _check_pairs(calls: Sequence[Mapping[str, Any]], responses: Sequence[Mapping[str, Any]]) -> None:
    assert [(call["name"], call.get("id")) for call in calls] == [(one["name"], one.get("id")) for one in responses]


def _check_part(part: Mapping[str, Any], role: str) -> None:
    kind = next(name for name in _DATA if name in part)
    assert set(part) <= {kind, "thought", "thoughtSignature"}
    assert "thoughtSignature" not in part or (role == "model" and part["thoughtSignature"])
    match kind:
        case "text":
            assert part["text"].strip() or "thoughtSignature" in part
        case "functionCall":
            assert role == "model"
            assert _NAME.fullmatch(part[kind]["name"])
            assert isinstance(part[kind]["args"], dict)
        case "functionResponse":
            assert role == "user"
            assert isinstance(part[kind]["response"], dict)
        case "inlineData":
            assert part[kind]["mimeType"]
            assert base64.b64decode(part[kind]["data"], validate=True)
        case "fileData":
            assert part[kind]["fileUri"].startswith(("https://", "http://", "gs://"))

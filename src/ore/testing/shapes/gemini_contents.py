"""The contents of a request to Gemini: who speaks when, and what of."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from ore.testing.shapes.at import At
from ore.testing.shapes.media import check_base64

__all__ = ["FUNCTION_NAME", "check_contents", "check_instruction"]

FUNCTION_NAME: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}")
"""By "FunctionDeclaration" of the Gemini API reference (read 2026-11)."""

_BESIDE: Final = "mediaResolution partMetadata thought thoughtSignature videoMetadata"
"""What may stand beside the one thing that a part holds."""

_SIDES: Final[Mapping[str, Sequence[str]]] = {
    "text": ("user", "model"),
    "inlineData": ("user", "model"),
    "fileData": ("user", "model"),
    "functionCall": ("model",),
    "functionResponse": ("user",),
    "executableCode": ("model",),
    "codeExecutionResult": ("model",),
}
"""What a part may hold, and who may say it."""

_ADDRESS: Final = re.compile(r"(https?|gs)://[^\s/]+\S*")


def check_contents(at: At, *, wants_signatures: bool, issued: Collection[str] | None) -> None:
    """Check all contents; see `check_gemini`."""
    due: Sequence[At] = ()
    contents = at.items(least=1)
    for place, content in enumerate(contents):
        fields = content.fields("parts role")
        side = fields["role"].one_of("user", "model")
        if side != ("user", "model")[place % 2]:
            fields["role"].refuse("user and model by turns, the user first", repr(side))
        held = [_part(part, side, issued) for part in fields["parts"].items(least=1)]
        _paired(due, [inside for name, inside in held if name == "functionResponse"], content)
        due = [inside for name, inside in held if name == "functionCall"]
        if wants_signatures and due:
            first = next(part for part in fields["parts"].items() if part.key("functionCall").value is not None)
            first.key("thoughtSignature").text(least=1)
    if contents[-1].key("role").value == "model":
        contents[-1].key("role").refuse("the user at the end", "'model'")


def check_instruction(at: At) -> None:
    """What the system says, which is text alone."""
    fields = at.fields("parts", "role")
    for part in fields["parts"].items(least=1):
        _said(part.fields("text")["text"], is_signed=False)


def _paired(calls: Sequence[At], responses: Sequence[At], content: At) -> None:
    """As many responses as the content before it has calls, and of the same names."""
    if len(calls) != len(responses):
        content.key("parts").refuse(
            f"a functionResponse for each of {len(calls)} calls right before it", f"{len(responses)}"
        )
    for call, response in zip(calls, responses, strict=True):
        for name in ("name", "id"):
            if response.key(name).value != call.key(name).value:
                response.key(name).refuse(f"that of its call, {call.key(name).value!r}", repr(response.key(name).value))


def _part(at: At, side: str, issued: Collection[str] | None) -> tuple[str, At]:
    """Check a part; gives what it holds."""
    fields = at.fields("", f"{' '.join(_SIDES)} {_BESIDE}")
    held = [name for name in _SIDES if name in fields]
    if len(held) != 1:
        at.refuse("one thing in each part", f"{len(held)} ({', '.join(held)})" if held else "none")
    name = held[0]
    if side not in _SIDES[name]:
        fields[name].refuse(f"it only where the {_SIDES[name][0]} ones speak", f"it of the {side}")
    if "thought" in fields:
        fields["thought"].boolean()
    if "thoughtSignature" in fields:
        _signature(fields["thoughtSignature"], side, issued)
    _inside(name, fields[name], is_signed="thoughtSignature" in fields)
    return name, fields[name]


_UNSIGNED: Final = ("skip_thought_signature_validator", "context_engineering_is_the_way_to_go")
"""The vendor's own words for there being none: "Thought signatures" of its documentation (read 2026-11)."""


def _signature(at: At, side: str, issued: Collection[str] | None) -> None:
    signature = at.text(least=1)
    if side != "model":
        at.refuse("signatures with the model's parts alone")
    if issued is not None and signature not in issued and signature not in _UNSIGNED:
        at.refuse("a signature that this model gave")


def _inside(name: str, at: At, *, is_signed: bool) -> None:
    match name:
        case "text":
            _said(at, is_signed=is_signed)
        case "functionCall":
            _named(at.fields("name", "args id"), "args")
        case "functionResponse":
            _named(at.fields("name response", "id parts scheduling willContinue"), "response")
        case "inlineData":
            fields = at.fields("data mimeType", "displayName")
            fields["mimeType"].text(least=1)
            check_base64(fields["data"])
        case "fileData":
            fields = at.fields("fileUri", "displayName mimeType")
            if not _ADDRESS.fullmatch(fields["fileUri"].text()):
                fields["fileUri"].refuse("an https or gs address")
        case "executableCode":
            at.fields("code language")["code"].text()
        case _:
            at.fields("outcome", "output")["outcome"].text(least=1)


def _named(fields: Mapping[str, At], inside: str) -> None:
    fields["name"].name(FUNCTION_NAME)
    if "id" in fields:
        fields["id"].text(least=1)
    if inside in fields:
        fields[inside].object()


def _said(at: At, *, is_signed: bool) -> None:
    text: Any = at.text()
    if not text.strip() and not is_signed:
        at.refuse("text that is not blank")

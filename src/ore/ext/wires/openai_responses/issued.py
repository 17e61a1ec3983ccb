"""`Form`, `item_of`: items that a model issued, as they go back to it."""

import re
from base64 import b64encode
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ore.artifact import Image, ProviderData, Reasoning
from ore.ext.wires.openai_responses.dialect import Dialect

__all__ = ["Form", "Issued", "issued", "picture", "reasoning", "without_identity"]

Item = dict[str, Any]

_ID: Final = re.compile("[A-Za-z0-9_-]{1,64}")
_PREFIXES: Final = {"message": "msg", "reasoning": "rs", "function_call": "fc", "custom_tool_call": "ctc"}
"""How ids begin, or the vendor refuses them ("Expected an ID that begins with 'msg'", read 2026-11)."""


class Form(NamedTuple):
    """What the bytes of a conversation depend on beside its turns.

    Attributes:
        dialect: Of the server.
        provider: Who is asked.
        model: Which model.
    """

    dialect: Dialect
    provider: str
    model: str


class Issued(NamedTuple):
    """An item that comes back to who issued it.

    Attributes:
        kind: Its type.
        item: All of it that was kept; without an id where the server would refuse that.
        id: The id that it was issued with.
        after: The id of the reasoning that has to stand right before it; `None` for none.
    """

    kind: str
    item: Item
    id: str
    after: str | None


def issued(data: ProviderData | None, form: Form) -> Issued | None:
    """What is in a vendor's data, where that vendor and that model are asked again; `None` for others' data."""
    if not data or data.get("provider") != form.provider or data.get("model") != form.model:
        return None
    item, after = data.get("item"), data.get("after")
    if not isinstance(item, dict) or not isinstance(item.get("type"), str):
        return None
    kind, id = item["type"], item.get("id")
    kept = dict(item)
    if not isinstance(id, str) or not _is_taken(kind, id, form.dialect):
        kept.pop("id", None)
    return Issued(kind, kept, id if isinstance(id, str) else "", after if isinstance(after, str) else None)


def reasoning(artifact: Reasoning, form: Form) -> Issued | None:
    """Reasoning as it was issued; `None` where it cannot go back.

    It goes back encrypted, or as text to a server that never encrypts, and
    only as long as nobody changed what it says.
    """
    found = issued(artifact.provider_data, form)
    if found is None or found.kind != "reasoning" or "id" not in found.item:
        return None
    item = found.item
    summary, content = _texts(item.get("summary")), _texts(item.get("content"))
    item.setdefault("summary", [])
    if item.get("encrypted_content"):
        is_own = artifact.content in ("\n\n".join(summary + content), "\n\n".join(content + summary))
        return found if is_own else None
    item.pop("encrypted_content", None)
    if not form.dialect.takes_plain_reasoning or not artifact.content:
        return None
    if not content:
        item["content"] = [{"type": "reasoning_text", "text": artifact.content}]
    return found


def picture(found: Issued, image: Image) -> Issued:
    """An image that the vendor made, with its bytes back in their place."""
    return found._replace(item={**found.item, "result": b64encode(image.data or b"").decode()})


def without_identity(kind: str, item: Item) -> Item | None:
    """An item whose reasoning does not come back, so that it may not be known again; `None` when it has to go.

    The vendor finds what belongs together by the ids.
    """
    if kind not in ("message", "function_call", "custom_tool_call"):
        return None
    return {name: value for name, value in item.items() if name not in ("id", "status")}


def _is_taken(kind: str, id: str, dialect: Dialect) -> bool:
    if not dialect.checks_ids:
        return bool(id)
    return _ID.fullmatch(id) is not None and id.startswith(_PREFIXES.get(kind, ""))


def _texts(parts: Any) -> list[str]:
    found = [part.get("text") for part in parts or () if isinstance(part, Mapping)] if isinstance(parts, list) else []
    return [text for text in found if isinstance(text, str) and text]

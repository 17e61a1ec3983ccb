"""What was sent for the answers of a session, as `ore sessions show --context` prints it."""

from collections.abc import Iterator, Sequence

from ore.artifact import to_json
from ore.cli.output import Output
from ore.ext.transforms.manifest import Change, Context, ContextManifest, contexts
from ore.ledger import Turn

__all__ = ["print_contexts"]


def print_contexts(session_id: str, path: Sequence[Turn], output: Output, *, as_json: bool) -> None:
    """Print what each answer of a path was made of.

    The JSON is `{"id", "context": [{"turn", "stored", and the fields of the manifest}]}`.
    """
    found = contexts(path)
    if as_json:
        output.json(to_json({"id": session_id, "context": [_fields(context) for context in found]}))
        return
    output.text("\n".join("".join(f"{line}\n" for line in _told(context)) for context in found))


def _fields(context: Context) -> dict[str, object]:
    manifest = {name: getattr(context.manifest, name) for name in ContextManifest.__struct_fields__}
    return {"turn": context.turn.id, "stored": context.stored, **manifest}


def _told(context: Context) -> Iterator[str]:
    manifest = context.manifest
    yield f"{context.turn.id} ({manifest.model}): about {manifest.tokens:,} tokens, {manifest.bytes:,} bytes"
    if not context.stored:
        yield "  as the ledger tells it, without instructions and tools"
    for part in manifest.parts:
        yield f"  {part.name:<16} {part.count:>6,} {part.tokens:>9,} tokens"
    for change in manifest.transforms:
        yield f"  {change.transform} {_changed(change)}"
    difference = manifest.difference
    if difference is not None:
        where = f", {difference.where}" if difference.where else ""
        yield f"  differs from the request before at byte {difference.byte:,}{where}: {difference.cause}"
    elif manifest.compared:
        yield "  is the request before, byte for byte"


def _changed(change: Change) -> str:
    counts = ((change.added, "added"), (change.removed, "removed"), (change.changed, "changed"))
    return ", ".join(f"{word} {count}" for count, word in counts if count) + " of the turns"

"""`export_html`: a thread as one page that needs nothing and does nothing."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from ore.artifact import Artifact, Media, Reasoning, StopReason, Text, ToolCall, ToolResult, Usage
from ore.ext.export.escaping import escape
from ore.ext.export.markdown import markdown
from ore.ext.export.pictures import picture
from ore.ext.export.story import Branch, Piece, Told, tell
from ore.ext.export.style import POLICY, STYLE
from ore.ext.export.wording import cut, ended, notes, stopped, total, used, when
from ore.ledger import TITLE_KEY, Control, StoredThread

__all__ = ["export_html"]


def export_html(stored: StoredThread) -> str:
    """The thread as a self-contained page: no script, nothing is loaded, every branch is there.

    Calls fold together with their results, wherever those stand; thinking is
    folded, and not rendered. Texts are Markdown (the extra `export`; without
    it they are shown as they were written). Whatever stands in the thread is
    text on the page.
    """
    title = escape(stored.metadata.get(TITLE_KEY) or stored.id)
    body = "\n".join([_head(stored, title), *_trunks(tell(stored))])
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _head(stored: StoredThread, title: str) -> str:
    facts = "".join(
        f'<dt>{escape(key)}</dt><dd dir="auto">{escape(value)}</dd>' for key, value in sorted(stored.metadata.items())
    )
    about = f"{escape(stored.id)} · {len(stored.turns)} turns · {escape(used(total(stored.turns)))}"
    shown = f'<details class="facts"><summary>facts</summary><dl>{facts}</dl></details>' if facts else ""
    return f'<header>\n<h1 dir="auto">{title}</h1>\n<p class="about">{about}</p>\n{shown}</header>'


def _trunks(trunks: Sequence[Branch]) -> Iterator[str]:
    for place, trunk in enumerate(trunks):
        if place:
            behind = "another beginning" if trunk.behind is None else f"a branch behind turn {escape(trunk.behind)}"
            yield _folded(trunk, behind)
        else:
            yield f"<main>\n{_turns(trunk)}\n</main>"


def _folded(branch: Branch, what: str) -> str:
    plural = "s" * (branch.count != 1)
    summary = f"<summary>{what}: {branch.count} turn{plural}</summary>"
    return f'<details class="branch">{summary}\n{_turns(branch)}\n</details>'


def _turns(branch: Branch) -> str:
    return "\n".join(part for told in branch.turns for part in _turn(told))


def _turn(told: Told) -> Iterator[str]:
    turn = told.turn
    if turn.control is Control.STOP:
        yield '<p class="boundary">models are shown the conversation from here on</p>'
    classes = f"{turn.role.value} hidden" if turn.control is Control.SKIP else turn.role.value
    said = f'<span class="note">{escape(", ".join(notes(turn)))}</span>' if notes(turn) else ""
    moment = f'<time class="time" datetime="{when(turn)}">{when(turn)}</time>' if when(turn) else ""
    yield f'<article class="{classes}" id="turn-{escape(turn.id)}">'
    yield f'<header><span class="who">{turn.role.value}</span>{moment}{said}</header>'
    yield from map(_piece, told.pieces)
    yield "</article>"
    for branch in told.branches:
        yield _folded(branch, "another branch from here")


def _piece(piece: Piece) -> str:
    artifact = piece.artifact
    if isinstance(artifact, ToolCall):
        return _call(artifact, piece.result)
    for kind, render in _RENDERERS.items():
        if isinstance(artifact, kind):
            return render(artifact)
    return f'<pre dir="auto">{escape(artifact.for_human() or artifact.kind)}</pre>'


def _call(call: ToolCall, result: ToolResult | None) -> str:
    how = ended(result) if result is not None else "without a result"
    bad = " tool-result-error" if how else ""
    summary = f'<summary><code>{escape(call.name)}</code> <span class="ended">{escape(how)}</span></summary>'
    arguments = f'<pre dir="auto">{escape(call.for_human())}</pre>'
    shown = _content(result) if result is not None else ""
    return f'<details class="call{bad}">{summary}{arguments}{shown}</details>'


def _result(result: ToolResult) -> str:
    how = ended(result)
    bad = " tool-result-error" if how else ""
    name = f"Result ({escape(result.tool_call_id)})"
    summary = f'<summary>{name} <span class="ended">{escape(how)}</span></summary>'
    return f'<details class="result{bad}">{summary}{_content(result)}</details>'


def _content(result: ToolResult) -> str:
    shown = markdown(result.display) if result.display is not None else f"<pre>{escape(result.content)}</pre>"
    note = cut(result.truncation)
    missing = f'<p class="truncation-note">{escape(note)}</p>' if note else ""
    media = "".join(picture(one) for one in result.media or ())
    return f'<div class="text" dir="auto">{shown}</div>{missing}{media}'


def _text(text: Text) -> str:
    return f'<div class="text" dir="auto">{markdown(text.content)}</div>'


def _reasoning(reasoning: Reasoning) -> str:
    words = escape(reasoning.content) if reasoning.content else "only its vendor can read it"
    return (
        f'<details class="reasoning"><summary>thinking</summary><pre class="plain" dir="auto">{words}</pre></details>'
    )


def _stop_reason(reason: StopReason) -> str:
    said = stopped(reason)
    return f'<p class="note">stopped: {escape(said)}</p>' if said else ""


def _used(usage: Usage) -> str:
    return f'<p class="used">{escape(used(usage))}</p>'


_RENDERERS: Final[Mapping[type[Artifact], Callable[[Any], str]]] = {
    Text: _text,
    Reasoning: _reasoning,
    ToolResult: _result,
    Media: picture,
    StopReason: _stop_reason,
    Usage: _used,
}

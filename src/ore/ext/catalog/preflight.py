"""`preflight`: what a change of model means for a conversation, before anything is sent."""

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

import msgspec

from ore.artifact import Artifact, Media, Notice, Reasoning, ServerTool, Severity, Text, ToolCall, ToolResult
from ore.ext.catalog.size import estimated_tokens
from ore.ext.catalog.target import Target, wanted
from ore.ledger import Turn
from ore.models import Spec, ThinkingLevel
from ore.provider import MaxTokensOption, Option, OutputOption, option, tools_of

__all__ = ["Action", "Finding", "Preflight", "asked_for", "preflight", "said", "too_long", "unknown"]


class Action(StrEnum):
    """What will be done about something."""

    SENT = "sent"
    """It goes as it is, and the vendor decides."""
    LEFT_OUT = "left_out"
    """It stays in the conversation and is not sent."""
    FAILS = "fails"
    """The request will be refused unless somebody changes something."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that the target does not take as it is.

    Attributes:
        what: `unknown_model`, `media`, `reasoning`, `signatures`, `server_tools`,
            `tools`, `output`, `window`, or the field of the spec.
        message: What it is and what will be done about it, for people.
        count: How many there are; tokens for a window.
        ability: The one that media need.
    """

    what: str
    action: Action
    message: str
    count: int = 1
    ability: str | None = None

    def notice(self) -> Notice:
        """The message as a notice."""
        severity = Severity.WARN if self.action is Action.FAILS else Severity.INFO
        return Notice(content=self.message, severity=severity)


class Preflight(msgspec.Struct, frozen=True, kw_only=True):
    """What was found.

    Attributes:
        tokens: Of the prompt at the target, estimated.
    """

    findings: tuple[Finding, ...]
    tokens: int

    @property
    def fits(self) -> bool:
        """Whether nothing that is known stands in the way."""
        return all(finding.action is not Action.FAILS for finding in self.findings)

    @property
    def notices(self) -> Sequence[Notice]:
        """One for each finding."""
        return [finding.notice() for finding in self.findings]


def preflight(turns: Sequence[Turn], spec: Spec, options: Sequence[Option], target: Target) -> Preflight:
    """Say what `target` cannot take of a conversation, and what will be done about it.

    Nothing is sent and nothing is changed; what is unknown counts as taken, so
    a model that nobody knows is never refused. Media are left out by `fitted`,
    data of other vendors by the wires.

    Args:
        turns: The active path.
        spec: How the target shall answer.
        options: Those of the inference, such as its tools.
        target: Who is asked next.
    """
    tokens = estimated_tokens(turns, tools_of(options), target)
    found = (
        *unknown(target),
        *said(turns, target),
        *asked_for(spec, options, target),
        *too_long(tokens, spec, options, target),
    )
    return Preflight(findings=found, tokens=tokens)


def unknown(target: Target) -> Sequence[Finding]:
    """What a target is that nobody lists."""
    return tuple(_unknown(target))


def said(turns: Sequence[Turn], target: Target) -> Sequence[Finding]:
    """What it does not take of what was said; nothing is wrong with plain text."""
    return () if _is_plain(turns) else (*_media(turns, target), *_issued(turns, target))


def asked_for(spec: Spec, options: Sequence[Option], target: Target) -> Sequence[Finding]:
    """What it does not take of what is asked for, whatever was said; the tools count, not which ones they are."""
    return (*_asked(options, target), *_spec(spec, target))


def too_long(tokens: int, spec: Spec, options: Sequence[Option], target: Target) -> Sequence[Finding]:
    """Whether so many tokens and the answer are more than it takes."""
    if target.info is None or target.info.window is None:
        return ()
    return tuple(_limits(tokens, _answer_tokens(spec, options), target))


def _is_plain(turns: Sequence[Turn]) -> bool:
    for turn in turns:
        for artifact in turn.artifacts:
            if type(artifact) is ToolResult:
                if artifact.media:
                    return False
            elif type(artifact) not in (Text, ToolCall) or getattr(artifact, "provider_data", None):
                return False
    return True


def _unknown(target: Target) -> Iterator[Finding]:
    if target.info is None:
        yield Finding(
            what="unknown_model",
            action=Action.SENT,
            message=f"nothing is known of {target.name}: no window, no price, no abilities; it is asked as it is",
        )


# ── the conversation ─────────────────────────────────────────────────────────

WORDS: Final = {"vision": "pictures", "audio": "sounds", "video": "films", "files": "files"}
"""What people call that which needs an ability."""


def _media(turns: Sequence[Turn], target: Target) -> Iterator[Finding]:
    refused = [wanted(media) for media in _all_media(turns) if not target.takes(media)]
    for kind, count in sorted(Counter(refused).items()) if refused else ():
        yield Finding(
            what="media",
            action=Action.LEFT_OUT,
            message=f"{target.name} takes no {WORDS[kind]}: {count} left out, a line of text in the place of each",
            count=count,
            ability=kind,
        )


def _all_media(turns: Sequence[Turn]) -> Iterator[Media]:
    for artifact in _artifacts(turns):
        if isinstance(artifact, Media):
            yield artifact
        elif isinstance(artifact, ToolResult):
            yield from artifact.media or ()


_ISSUED: Final = {
    "reasoning": "blocks of thinking are not its own: {count} left out; the text that followed them is sent",
    "server_tools": "tool items were run by another vendor: {count} left out; the text about them is sent",
    "signatures": "signatures and other data are not its own: {count} left out; what they belong to is sent",
}


def _issued(turns: Sequence[Turn], target: Target) -> Iterator[Finding]:
    """Data that only whoever issued it can read; what the target itself left unsigned is no news."""
    others = [turn for turn in turns if turn.model != target.name]
    found = [what for artifact in _artifacts(others) if (what := _foreign(artifact, target))]
    foreign = Counter(found) if found else {}
    for what, message in _ISSUED.items():
        if count := foreign.get(what):
            full = f"{target.name}: {message.format(count=count)}"
            yield Finding(what=what, action=Action.LEFT_OUT, message=full, count=count)


def _foreign(artifact: Artifact, target: Target) -> str | None:
    if not isinstance(artifact, Reasoning | ServerTool | Text | ToolCall) or target.issued(artifact.provider_data):
        return None
    if isinstance(artifact, Reasoning):
        return "reasoning"
    if isinstance(artifact, ServerTool):
        return "server_tools"
    return "signatures" if artifact.provider_data else None


def _artifacts(turns: Sequence[Turn]) -> Iterator[Artifact]:
    return (artifact for turn in turns for artifact in turn.artifacts)


# ── what is asked for ────────────────────────────────────────────────────────


def _asked(options: Sequence[Option], target: Target) -> Iterator[Finding]:
    tools = tools_of(options)
    if tools and target.lacks("tools"):
        yield Finding(
            what="tools",
            action=Action.FAILS,
            message=f"{target.name} calls no tools: the request will be refused; take the {len(tools)} away, or "
            "choose another model",
            count=len(tools),
        )
    wants_json = option(options, OutputOption) is not None
    if wants_json and target.lacks("tools") and not target.has("structured_output"):  # a call is the other way
        yield Finding(
            what="output",
            action=Action.FAILS,
            message=f"{target.name} gives no JSON of a schema: the request will be refused; ask for text, or choose "
            "another model",
        )


def _spec(spec: Spec, target: Target) -> Iterator[Finding]:
    temperature = spec.temperature is not None and spec.temperature != 1
    thinking = spec.thinking_level not in (None, ThinkingLevel.OFF)
    asked = {"temperature": ("temperature", temperature), "thinking_level": ("thinking", thinking)}
    for field, (needed, is_wanted) in asked.items():
        if is_wanted and target.lacks(needed):
            yield _field(field, f"does not take {field}={getattr(spec, field)}", "leave it out", target)
    limit = target.info.max_output_tokens if target.info else None
    if limit is not None and spec.max_output_tokens is not None and spec.max_output_tokens > limit:
        fault = f"answers with {limit:,} tokens at most, {spec.max_output_tokens:,} were asked for"
        yield _field("max_output_tokens", fault, "ask for less", target)


def _field(field: str, fault: str, advice: str, target: Target) -> Finding:
    action = Action.LEFT_OUT if target.lenient else Action.FAILS
    done = "it is left out where its wire knows that" if target.lenient else f"the request may be refused; {advice}"
    return Finding(what=field, action=action, message=f"{target.name} {fault}: {done}")


def _answer_tokens(spec: Spec, options: Sequence[Option]) -> int:
    found = option(options, MaxTokensOption)
    return (found.tokens if found is not None and found.tokens > 0 else spec.max_output_tokens) or 0


def _limits(tokens: int, answer: int, target: Target) -> Iterator[Finding]:
    window = target.info.window if target.info else None
    if window is not None and tokens + answer > window:
        room = f" and {answer:,} for the answer" if answer else ""
        yield Finding(
            what="window",
            action=Action.FAILS,
            message=f"{target.name} has a window of {window:,} tokens, and the conversation about {tokens:,}{room}: "
            "the request may be refused; shorten the conversation first, or choose a larger model",
            count=tokens,
        )

"""An answer that is cut anywhere says no more than what came of it, and nothing that was not in it."""

from collections.abc import Sequence
from itertools import chain

import pytest

from ore.artifact import Artifact, Blocks, Reasoning, ServerTool, Text, ToolCall
from ore.errors import ProviderError
from ore.ext.replay.protocols import decoder_of
from providers.any_answers import SPEAKERS, Issued, Part

VENDORS = {
    "openai-chat": "openrouter",
    "openai-responses": "openai-responses",
    "anthropic": "anthropic",
    "gemini": "google",
    "ollama": "ollama",
}

PARTS = (
    Part(kind="thought", words="hm", is_signed=True),
    Part(kind="hidden", is_signed=True),
    Part(kind="text", words="Let me see."),
    Part(kind="server"),
    Part(kind="image"),
    Part(kind="call", id="c1", name="look", arguments='{"place": "roof"}'),
    Part(kind="call", id="c2", name="look", arguments='{"place": "door"}'),
)


def read(protocol: str, body: bytes) -> Sequence[Artifact]:
    """What is kept of a body: all of it, or what came before it broke."""
    blocks = Blocks("turn", lambda artifact, block: None)
    decoder = decoder_of(protocol)
    try:
        for artifact in chain.from_iterable(chain(decoder.feed(body), decoder.close())):
            blocks.add(artifact)
    except ProviderError:
        return blocks.cut()
    return blocks.close()


def shown(artifact: Artifact) -> str:
    """What people see of it; a call's name and arguments."""
    return f"{artifact.name} {artifact.arguments}" if isinstance(artifact, ToolCall) else artifact.for_human()


@pytest.mark.requirement("B33")
@pytest.mark.parametrize("protocol", VENDORS)
def test_what_is_kept_of_a_cut_answer_is_a_beginning_of_the_whole_one(protocol: str) -> None:
    vendor = VENDORS[protocol]
    body = b"".join(SPEAKERS[vendor](PARTS, "stop", Issued(vendor=vendor)))
    whole = [
        artifact for artifact in read(protocol, body) if isinstance(artifact, Text | Reasoning | ToolCall | ServerTool)
    ]
    for place in range(0, len(body), 7):
        kept = read(protocol, body[:place])
        of_the_answer = [
            artifact for artifact in kept if isinstance(artifact, Text | Reasoning | ToolCall | ServerTool)
        ]
        for artifact, complete in zip(of_the_answer, whole, strict=False):
            assert type(artifact) is type(complete)
            assert shown(complete).startswith(shown(artifact))
            assert not isinstance(artifact, ServerTool) or artifact == complete
        assert len(of_the_answer) <= len(whole)

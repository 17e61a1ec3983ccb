"""`Dialect`: where those who speak Responses differ."""

from dataclasses import dataclass
from typing import Final

__all__ = ["AZURE", "COMPATIBLE", "OPENAI", "Dialect"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What one kind of server takes and says.

    Attributes:
        name: Of the dialect; not of a provider.
        system_role: The role of system turns that stand inside a conversation.
        checks_ids: Ids of items have to begin as OpenAI's do, and may have 64
            characters; others are left out, since they would be refused.
        asks_the_unknown: A model of an unknown name is asked for its encrypted
            reasoning; one that does not reason would refuse the request.
        takes_files: Takes files; else their text is sent, where they have any.
        takes_plain_reasoning: Reasoning goes back as text where it was not encrypted.
        caches_by_key: Takes `prompt_cache_key`, also where nobody asks for it.
        calls_in_parallel: Has to be told that it may make several calls at once.
        least_output_tokens: The smallest limit on an answer.
        trusts_status: `completed` means that the answer was not cut.
    """

    name: str
    system_role: str = "developer"
    checks_ids: bool = True
    asks_the_unknown: bool = True
    takes_files: bool = True
    takes_plain_reasoning: bool = False
    caches_by_key: bool = True
    calls_in_parallel: bool = False
    least_output_tokens: int = 16
    trusts_status: bool = True


OPENAI: Final = Dialect(name="openai")
"""The vendor itself: "Create a model response" of its API reference (read 2026-11)."""

AZURE: Final = Dialect(name="azure", asks_the_unknown=False)
"""Azure: models are called as whoever deployed them likes. That its keys go in
another header, and its base URL, are the provider's business."""

COMPATIBLE: Final = Dialect(
    name="compatible",
    system_role="system",
    checks_ids=False,
    takes_files=False,
    takes_plain_reasoning=True,
    caches_by_key=False,
    calls_in_parallel=True,
    least_output_tokens=1,
    trusts_status=False,
)
"""Servers of others, such as llama.cpp's: it knows no `developer`, makes one call
at a time unless told otherwise, and says `completed` of what its limit cut."""

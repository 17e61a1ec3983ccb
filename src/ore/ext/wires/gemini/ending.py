"""`ending`: why a model stopped, or why that is no answer.

By "FinishReason" and "BlockReason" of the Gemini API reference (read 2026-11).
"""

import re
from typing import Final

from ore.artifact import StopReason
from ore.errors import BadRequestError, ContentFilterError, ProtocolError, ProviderError

__all__ = ["blocked", "ending"]

_STOPS: Final = frozenset(("STOP", "FUNCTION_CALL"))

_FILTERED: Final = frozenset((
    *("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"),
    *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
))  # fmt: skip

_UNREADABLE: Final = frozenset(("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE"))

_WORD: Final = re.compile("[A-Z_]{1,40}")


def ending(provider: str, finish: str, *, has_calls: bool, has_content: bool) -> StopReason | ProviderError:
    """What a finish reason means.

    A turn of calls says `STOP` like any other. A filter that left something
    standing is a refusal, one that left nothing an error; so is a call that
    the vendor could not read, unless others stand.
    """
    if finish == "MAX_TOKENS":
        return StopReason(reason="length")
    if finish in _FILTERED:
        return StopReason(reason="refusal") if has_content else blocked(provider, finish, "the answer")
    if finish in _UNREADABLE and not has_calls:
        return ProtocolError(
            f"expected a call or an answer, but the model wrote what the vendor could not read ({finish}); ask again",
            provider=provider,
        )
    if finish == "MISSING_THOUGHT_SIGNATURE":
        return BadRequestError(
            "the vendor misses the signature of an earlier call; begin anew, or take another model", provider=provider
        )
    if finish in _STOPS or (finish in _UNREADABLE and has_calls):
        return StopReason(reason="tool_use" if has_calls else "stop")
    return StopReason(reason="other")


def blocked(provider: str, reason: str, what: str) -> ContentFilterError:
    """The vendor's filter took everything.

    Args:
        reason: In the vendor's word.
        what: Whether it was the prompt or the answer.
    """
    word = f" ({reason})" if _WORD.fullmatch(reason) else ""
    return ContentFilterError(f"the vendor's filter blocked {what}{word}; say it in another way", provider=provider)

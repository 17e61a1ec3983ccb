"""`OpenAI`, played: interfaces, keys, heads of answers."""

from collections.abc import Collection, Mapping, Sequence

from ore.ext.mock.openai_chat import OpenAIChat
from ore.ext.mock.openai_errors import error_body, error_status
from ore.ext.mock.openai_responses import OpenAIResponses
from ore.ext.mock.vendor import Endpoint, Refusal
from ore.ext.providers.script import Failure

__all__ = ["OpenAI"]


class OpenAI:
    """Plays OpenAI, or a server that speaks as it does.

    Args:
        extra_fields: Fields that are taken beside the vendor's.
    """

    def __init__(self, extra_fields: Collection[str] = ()) -> None:
        self.endpoints: Sequence[Endpoint] = (OpenAIChat(extra_fields), OpenAIResponses(extra_fields))

    def unfit(self, headers: Mapping[str, str], api_key: str | None) -> Failure | None:
        """Any other key than `api_key` is."""
        if api_key is None or headers.get("authorization") == f"Bearer {api_key}":
            return None
        return Failure("authentication", "Incorrect API key provided.")

    def refusal(self, failure: Failure, number: int) -> Refusal:
        """`{"error": {"message", "type", "param", "code"}}`."""
        wait = {} if failure.retry_after_s is None else {"Retry-After": f"{failure.retry_after_s:g}"}
        return Refusal(status=error_status(failure), body=error_body(failure), headers=wait)

    def headers(self, number: int) -> Mapping[str, str]:
        """The request's id."""
        return {"x-request-id": f"req_mock{number:06d}", "openai-processing-ms": "1", "openai-version": "2020-10-01"}

"""`Anthropic`, played: interfaces, keys, heads of answers."""

from collections.abc import Collection, Mapping, Sequence

from ore.ext.mock.anthropic_errors import error_body, error_status
from ore.ext.mock.anthropic_messages import AnthropicMessages
from ore.ext.mock.vendor import Endpoint, Refusal
from ore.ext.providers.script import Failure

__all__ = ["Anthropic"]


class Anthropic:
    """Plays Anthropic.

    Args:
        extra_fields: Fields that are taken beside the vendor's.
        issued: Signatures of thinking that were issued elsewhere, each with what it signs.
    """

    def __init__(self, extra_fields: Collection[str] = (), issued: Mapping[str, str] | None = None) -> None:
        self.endpoints: Sequence[Endpoint] = (AnthropicMessages(extra_fields, issued),)

    def unfit(self, headers: Mapping[str, str], api_key: str | None) -> Failure | None:
        """Any other key than `api_key` is, and a request that names no version of the interface.

        The key may stand in either header: the vendor's own client sends it as a bearer since 2026-10.
        """
        given = (headers.get("x-api-key"), headers.get("authorization", "").removeprefix("Bearer "))
        if api_key is not None and api_key not in given:
            return Failure("authentication", "invalid x-api-key")
        if not headers.get("anthropic-version"):
            return Failure("bad_request", "anthropic-version: header is required")
        return None

    def refusal(self, failure: Failure, number: int) -> Refusal:
        """`{"type": "error", "error": {"type", "message"}, "request_id"}`."""
        wait = {} if failure.retry_after_s is None else {"retry-after": f"{failure.retry_after_s:g}"}
        body = {**error_body(failure), "request_id": self.headers(number)["request-id"]}
        return Refusal(status=error_status(failure), body=body, headers=wait)

    def headers(self, number: int) -> Mapping[str, str]:
        """The request's id."""
        return {"request-id": f"req_mock{number:06d}", "anthropic-organization-id": "org_mock"}

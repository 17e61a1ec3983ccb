"""`Credentials`: what proves to a server who asks, and is shown nowhere."""

import re
from collections.abc import Mapping
from typing import Final

__all__ = ["Credentials"]

_SHORTEST: Final = 6
"""Characters; what is shorter, such as the `x` that a local server is happy with, would tear words apart."""


class Credentials:
    """Headers that hold secrets.

    Args:
        headers: With names in lower case.
        secrets: What else must not be shown, such as a password that a header holds in another form.
    """

    __slots__ = ("_secrets", "headers")

    def __init__(self, headers: Mapping[str, str], *secrets: str) -> None:
        self.headers = dict(headers)
        words = {word for value in headers.values() for word in (value, value.rpartition(" ")[2])}
        self._secrets = sorted({*words, *secrets}, key=len, reverse=True)

    def __repr__(self) -> str:
        return f"Credentials({', '.join(self.headers)})"

    def scrub(self, text: str) -> str:
        """The text without the secrets; servers like to repeat a key that they do not take."""
        lowered = text.lower()
        for secret in self._secrets:
            if len(secret) >= _SHORTEST and secret.lower() in lowered:
                text = re.sub(re.escape(secret), "…", text, flags=re.IGNORECASE)  # codes come in lower case
        return text

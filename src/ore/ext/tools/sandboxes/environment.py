"""The environment of commands: that of the program, without its secrets."""

import os
import re
from collections.abc import Mapping

__all__ = ["environment", "is_secret"]

_SECRET = re.compile(
    r"KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|COOKIE|(^|_)(AUTH|PAT|DSN)($|_)|DATABASE_URL|CONNECTION_STRING"
    r"|SSH_AUTH_SOCK|GPG_AGENT_INFO|KUBECONFIG|NETRC",
    re.IGNORECASE,
)
_WITH_PASSWORD = re.compile(r"://[^/@\s]+:[^/@\s]+@")


def is_secret(name: str, value: str) -> bool:
    """Whether a variable may hold what no command of a model should know."""
    return name.startswith("ORE_") or bool(_SECRET.search(name)) or bool(_WITH_PASSWORD.search(value))


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The program's variables without those that look like secrets.

    Left out are names with KEY, TOKEN, SECRET, PASSWORD and the like in them,
    ore's own, and addresses with a password inside. Colours and pagers are off.

    Args:
        extra: Variables that commands get as they are.
    """
    kept = {name: value for name, value in os.environ.items() if not is_secret(name, value)}
    return (
        kept
        | {"TERM": "dumb", "NO_COLOR": "1", "PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0"}
        | (dict(extra) if extra else {})
    )

"""How a worker speaks."""

import json
import os
import select


def say(*words: object) -> None:
    """A JSON list in one system call, so that a kill cuts no line."""
    line = json.dumps(words).encode() + b"\n"
    while line:
        select.select([], [1], [])  # the loop reads from the same socket, so that it does not wait
        line = line[os.write(1, line) :]

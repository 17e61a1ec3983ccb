"""Forks fresh worker processes on demand, each in milliseconds: ore is imported once, and nothing else has happened.

`python -m faults.zygote SOCKET`: for each connection, and as long as standard
input is open, a worker that speaks over it. The first line that comes in is a
JSON object with the environment and the words for `worker.main`; beside what
the worker says, the connection tells its `pid`, when it was `stopped`, and its
`exit` code.
"""

import json
import os
import random
import select
import signal
import socket
import sys
import traceback
from typing import Any

from faults import worker


def main(path: str) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen(64)
        print("ready", flush=True)
        while server in select.select([server, sys.stdin], [], [])[0]:
            connection, _ = server.accept()
            if os.fork() == 0:
                server.close()
                watch(connection)
            connection.close()


def watch(connection: socket.socket) -> None:
    """Start a worker and say what becomes of it; never returns."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    request = json.loads(line_from(connection))
    pid = os.fork()
    if pid == 0:
        become(connection, request)
    tell(connection, "pid", pid)
    while True:
        _, status = os.waitpid(pid, os.WUNTRACED)
        if os.WIFSTOPPED(status):
            tell(connection, "stopped")
        else:
            tell(connection, "exit", os.waitstatus_to_exitcode(status))
            os._exit(0)


def become(connection: socket.socket, request: dict[str, Any]) -> None:
    code = 1
    try:
        os.environ.update(request["environment"])
        errors = os.open(request["errors"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        for descriptor, place in ((connection.fileno(), 0), (connection.fileno(), 1), (errors, 2)):
            os.dup2(descriptor, place)
        connection.close()
        random.seed()  # else all forks would wait for the same random times
        worker.main(*request["words"])
        code = 0
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


def line_from(connection: socket.socket) -> bytes:
    """One line and not a byte more: the rest is the worker's."""
    line = b""
    while not line.endswith(b"\n"):
        line += connection.recv(1) or b"\n"
    return line


def tell(connection: socket.socket, *words: object) -> None:
    try:
        connection.sendall(json.dumps(words).encode() + b"\n")
    except OSError:  # whoever asked is gone
        os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])

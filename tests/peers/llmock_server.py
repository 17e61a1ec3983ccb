"""llmock, as a child: says where it answers, and ends when its standard input does.

Words set its limits, such as `LLMOCK_TPM=6000`; it reads them when it is imported.
"""

import os
import socket
import sys
import threading
from importlib import import_module

import uvicorn


def main(*limits: str) -> None:
    os.environ.update(dict(limit.split("=") for limit in limits))
    app = import_module("llmock.main").app
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))

    def end() -> None:
        sys.stdin.read()
        server.should_exit = True

    threading.Thread(target=end, daemon=True).start()
    print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    server.run(sockets=[listening])


if __name__ == "__main__":
    main(*sys.argv[1:])

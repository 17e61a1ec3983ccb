"""llmock, as a child: says where it answers, and ends when its standard input does."""

import socket
import sys
import threading

import uvicorn
from llmock.main import app


def main() -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))

    def end() -> None:
        sys.stdin.read()
        server.should_exit = True

    threading.Thread(target=end, daemon=True).start()
    print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    server.run(sockets=[listening])


if __name__ == "__main__":
    main()

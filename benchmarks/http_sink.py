"""A process that reads from sockets and throws it away, so that reading is no part of what is measured.

`python -m benchmarks.http_sink`: on each line of standard input a port, a
number of connections, and what each sends first, as hex; answers with a line
once each of them has got its first bytes.
"""

import selectors
import socket
import sys


def main() -> None:
    selector = selectors.DefaultSelector()
    selector.register(sys.stdin, selectors.EVENT_READ)
    waiting: set[socket.socket] = set()
    while True:
        for key, _ in selector.select():
            found = key.fileobj
            if not isinstance(found, socket.socket):
                line = sys.stdin.readline()
                if not line:
                    return
                waiting |= _connected(line, selector)
                continue
            if not found.recv(1 << 16):
                selector.unregister(found)
                found.close()
            if found in waiting:
                waiting.discard(found)
                if not waiting:
                    print("ready", flush=True)


def _connected(line: str, selector: selectors.BaseSelector) -> set[socket.socket]:
    port, count, first = line.split()
    made = set()
    for _ in range(int(count)):
        one = socket.create_connection(("127.0.0.1", int(port)))
        one.sendall(bytes.fromhex(first))
        selector.register(one, selectors.EVENT_READ)
        made.add(one)
    return made


if __name__ == "__main__":
    main()

"""The program that searches where ripgrep is not installed; its arguments are a pattern and `/dev/fd/N` of each file.

It prints what ripgrep would: `path NUL line : column : text`. It imports
nothing of ore, and whoever started it ends it when it takes too long.
"""

import codecs
import io
import re
import sys
from collections.abc import Iterator

MARKS = ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def main(pattern: str, paths: list[str]) -> int:
    """Search; 0 when something was found, 1 when nothing, 2 when the pattern is none."""
    try:
        search = re.compile(pattern).search
    except (re.error, OverflowError, RecursionError, MemoryError) as error:
        print(error, file=sys.stderr)
        return 2
    found = False
    for path in paths:
        for number, line in enumerate(lines(int(path.rpartition("/")[2])), 1):
            match = search(line)
            if match:
                found = True
                column = len(line[: match.start()].encode("utf-8", "replace")) + 1
                head = f"{path}\0{number}:{column}:".encode()
                sys.stdout.buffer.write(head + line.encode("utf-8", "replace") + b"\n")
                sys.stdout.buffer.flush()
    return 0 if found else 1


def lines(opened: int) -> Iterator[str]:
    """The lines of an open file, without their ends and marks."""
    with open(opened, "rb", closefd=False) as file:
        head = file.peek(4)
        encoding = next((name for mark, name in MARKS if head.startswith(mark)), None)
        if encoding:
            for text in io.TextIOWrapper(file, encoding, "replace", newline="\n"):
                yield text.removesuffix("\n").removesuffix("\r")
            return
        if head.startswith(codecs.BOM_UTF8):
            file.read(3)
        for raw in file:
            yield raw.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "replace")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))

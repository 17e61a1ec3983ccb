"""`JsonFormatter`: log records as JSON, without content."""

import logging
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TextIO

from ore.artifact import to_json
from ore.errors import OreError
from ore.ext.observe.logs.context import ContextFilter

__all__ = ["JsonFormatter", "log_json"]

_IDS: Final = {"session_id": "session", "message_id": "message", "call_path": "path"}


class JsonFormatter(logging.Formatter):
    """One JSON object a line: `time`, `level`, `logger`, `text`, ids, and what the record adds as `facts`.

    Of an exception it says the class, the code and where it was, but not its
    words, which may hold what was said or a key; also where one stands among
    a record's arguments.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "text": _text(record),
        }
        line |= {name: value for key, name in _IDS.items() if (value := getattr(record, key, None)) is not None}
        line |= getattr(record, "facts", {})
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            line["error"] = _error(error)
        return to_json(line).decode()


def log_json(stream: TextIO | None = None, *, level: int = logging.INFO, logger: str = "ore") -> logging.Handler:
    """Write the records of a logger and those below it as JSON lines.

    Args:
        stream: Where to; standard error by default.
        level: From which level on.
        logger: Whose records; ore's own by default.

    Returns:
        The handler, for `logging.getLogger(logger).removeHandler`.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter())
    handler.addFilter(ContextFilter())
    target = logging.getLogger(logger)
    target.addHandler(handler)
    target.setLevel(level)
    return handler


def _text(record: logging.LogRecord) -> str:
    if isinstance(record.args, tuple):
        arguments = tuple(type(one).__name__ if isinstance(one, BaseException) else one for one in record.args)
        return str(record.msg) % arguments if arguments else str(record.msg)
    return record.getMessage()


def _error(error: BaseException) -> dict[str, Any]:
    frames = traceback.extract_tb(error.__traceback__)
    told: dict[str, Any] = {"type": type(error).__qualname__}
    if isinstance(error, OreError):
        told["code"] = error.code
    told["at"] = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
    return told

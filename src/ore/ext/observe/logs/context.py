"""`ContextFilter`: log records know the session and the message that they belong to."""

import logging

from ore.event import current_context

__all__ = ["ContextFilter"]


class ContextFilter(logging.Filter):
    """Puts `session_id`, `message_id` and `call_path` on every record; `None` outside any.

    Add it to a handler: the record is marked by whoever logs, also where
    another thread writes it. A format such as `%(session_id)s` shows them.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Mark the record; none is dropped."""
        here = current_context()
        record.session_id = here.thread_id
        record.message_id = here.message
        record.call_path = here.path
        return True

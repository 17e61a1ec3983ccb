"""`small_reads`: a connection that takes little memory for each read."""

from asyncio import BaseTransport
from typing import Any, Final

__all__ = ["small_reads"]

_READ_BYTES: Final = 1 << 14
"""What is read at once: as much as a record of TLS holds, and many events."""


def small_reads(transport: BaseTransport | None) -> None:
    """Let asyncio take `_READ_BYTES` of memory for a read of this connection, and not 256 KiB.

    From 128 KiB on the C library gets memory from the system for each read
    and gives it back behind it, however little came. A page that is touched for
    the first time costs as much as two events (5 us on a virtual machine,
    measured 2026-12). A loop that reads in its own way is left as it is.
    """
    reader: Any = getattr(transport, "_ssl_protocol", transport)
    if getattr(reader, "max_size", 0) > _READ_BYTES:
        reader.max_size = _READ_BYTES

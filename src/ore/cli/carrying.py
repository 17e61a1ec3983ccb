"""Sessions as files: out of one store, into another."""

import asyncio
import os
import secrets
import sys
from argparse import Namespace
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from ore.cli.failures import run
from ore.cli.opened import opened, print_id
from ore.cli.output import Output
from ore.cli.progress import Progress
from ore.cli.status import DONE, Status
from ore.errors import ConflictError, InputError, OreError, SessionOwnedError
from ore.ledger import Store, StoredThread, check_id, export_thread, import_thread, read_export
from ore.session import LocalPlacement

__all__ = ["export_session", "import_session"]


def export_session(options: Namespace) -> Status:
    """Write a session with every branch, to standard output or into a file for the user alone.

    Raises:
        NotFoundError: There is none of that id.
        InputError: Two formats were asked for, or the file cannot be made.
        OreError: The store cannot be used, or the file not be written.
    """
    if options.json and options.format != "json":
        raise InputError(f"export: expected one format, got --json and --format {options.format}")
    return run(_export(options))


def import_session(options: Namespace) -> Status:
    """Make a session of an export, and print its id.

    Raises:
        ConflictError: A session of that id exists.
        InputError: The file cannot be read, or is no export that a session could go on with.
        OreError: The store cannot be used.
    """
    raw = _read(options.file)
    return run(_import(raw, options))


async def _export(options: Namespace) -> Status:
    async with opened(options) as store:
        stored = await store.load(options.id)
    with Progress("putting it into its form"):
        content = await asyncio.to_thread(_exported, stored, options.format)
    output = Output()
    if options.output != "-":
        _write(Path(options.output), content.encode("utf-8", "replace"))
    elif options.format == "json":
        output.json(content.removesuffix("\n").encode())
    else:
        output.text(content)
    return output.status(DONE)


def _exported(stored: StoredThread, form: str) -> str:
    """The thread in one of its forms."""
    if form == "json":
        return export_thread(stored).decode() + "\n"
    from ore.ext.export import export_html, export_text

    return export_html(stored) if form == "html" else export_text(stored)


async def _import(raw: bytes, options: Namespace) -> Status:
    with Progress("reading the export"):
        thread = await asyncio.to_thread(read_export, raw)
    name = thread.id if options.as_id is None else check_id(options.as_id)
    async with opened(options) as store, _held(store, name):
        await import_thread(store, thread, as_id=name)
    return print_id(name, options)


@asynccontextmanager
async def _held(store: Store, session_id: str) -> AsyncIterator[None]:
    """Keep others from going on with a session that is not whole yet.

    Raises:
        ConflictError: Another process has one of that id.
    """
    placement = LocalPlacement(store.lock_folder)
    try:
        placement.acquire(session_id)
    except SessionOwnedError:
        raise ConflictError(f"session {session_id!r} exists, and another live process has it") from None
    try:
        yield
    finally:
        placement.release(session_id)


def _read(name: str) -> bytes:
    if name != "-":
        try:
            return Path(name).read_bytes()
        except (OSError, ValueError) as error:
            raise InputError(f"import: {name!r} cannot be read: {_why(error)}") from None
    if sys.stdin is None:
        raise InputError("import: expected the export on standard input, which is closed")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise InputError(f"import: standard input cannot be read: {_why(error)}") from None


def _write(path: Path, content: bytes) -> None:
    """Put `content` at `path`, whole or not at all; what is no plain file, such as a pipe, just gets it."""
    if path.exists() and not path.is_file():
        _fill(path, path, content)
        return
    target = Path(os.path.realpath(path))
    part = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        _fill(path, part, content)
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def _fill(named: Path, path: Path, content: bytes) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise InputError(f"export: {str(named)!r} cannot be made: {_why(error)}") from None
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            if path != named:
                os.fsync(descriptor)
    except OSError as error:
        raise OreError(f"export: {str(named)!r} cannot be written: {_why(error)}") from None


def _why(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)

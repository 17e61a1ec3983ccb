"""The file: where it may stand, who may read it, and its tables, version by version."""

import os
import random
import sqlite3
import time
from pathlib import Path

from ore.errors import StoreError
from ore.ext.stores.sqlite.faults import is_busy

__all__ = ["BUSY_S", "MIGRATIONS", "MOUNTS", "check_library", "open_database"]

BUSY_S = 5.0
"""Seconds that a write or a read waits for other processes."""

OPEN_S = 30.0
"""Seconds that opening waits: many may make, migrate or recover one file at once."""

MOUNTS = Path("/proc/mounts")
"""Where Linux lists its file systems."""

OLDEST_LIBRARY = (3, 35, 0)
"""SQLite that knows RETURNING, and the trigram tokenizer where it has FTS5."""

APPLICATION = 0x6F726520
"""`PRAGMA application_id`: "ore " in ASCII, so that another program's file is not taken for a store."""

WAL_LIMIT_BYTES = 64 << 20
"""To this length the write-ahead log is cut again after it grew beyond."""

NETWORK = {
    *("afs", "beegfs", "ceph", "cifs", "davfs", "gfs2", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "smb3"),
    *("smbfs", "fuse.ceph", "fuse.davfs", "fuse.gcsfuse", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs"),
}
"""File systems over a network, by the kernel's names: there SQLite's locks and shared memory do not hold."""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        # `number` is never used again, so that what belonged to a deleted thread finds no successor.
        """CREATE TABLE session (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            epoch INTEGER NOT NULL DEFAULT 1,
            sequence INTEGER NOT NULL DEFAULT 0,
            stop INTEGER NOT NULL DEFAULT 0,
            title TEXT,
            preview TEXT,
            turns INTEGER NOT NULL DEFAULT 0,
            last_at TEXT,
            written INTEGER NOT NULL,
            indexed INTEGER NOT NULL DEFAULT 0
        )""",
        "CREATE INDEX session_written ON session (written)",
        # A rowid table: what many sessions append in one transaction lands on few pages.
        """CREATE TABLE log (
            session INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            epoch INTEGER NOT NULL,
            body BLOB NOT NULL,
            PRIMARY KEY (session, sequence)
        )""",
        """CREATE TABLE metadata (
            session INTEGER NOT NULL,
            key TEXT NOT NULL,
            value TEXT NOT NULL,
            PRIMARY KEY (session, key)
        ) WITHOUT ROWID""",
        "CREATE INDEX metadata_value ON metadata (key, value)",
        """CREATE TABLE inbox (
            position INTEGER PRIMARY KEY,
            session INTEGER NOT NULL,
            id TEXT NOT NULL,
            mode TEXT NOT NULL,
            digest BLOB NOT NULL,
            body BLOB NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            taken INTEGER NOT NULL DEFAULT 0,
            parked INTEGER NOT NULL DEFAULT 0,
            UNIQUE (session, id)
        )""",
        # The open questions: what their messages wait for is no attempt.
        """CREATE TABLE question (
            session INTEGER NOT NULL,
            key TEXT NOT NULL,
            PRIMARY KEY (session, key)
        ) WITHOUT ROWID""",
        # `sequence` is the number of the record in the log; `digest` is null when the message came through no inbox.
        """CREATE TABLE ending (
            session INTEGER NOT NULL,
            message TEXT NOT NULL,
            digest BLOB,
            sequence INTEGER NOT NULL,
            PRIMARY KEY (session, message)
        ) WITHOUT ROWID""",
    ),
)
"""The statements that lead from version n to n + 1, from an empty file on. Never changed, only added to."""


def open_database(path: Path, mounts: Path = MOUNTS) -> sqlite3.Connection:
    """Open a store's file; make and migrate it first where that is needed.

    Any number of threads and processes may do so at once.

    Raises:
        StoreError: The file is another program's or a newer ore's, stands on a
            network file system, or SQLite is too old.
        sqlite3.Error: It cannot be opened.
        OSError: It cannot be made.
    """
    check_library(sqlite3.sqlite_version_info)
    _check_file_system(path, mounts)
    _make_private(path)
    deadline = time.monotonic() + OPEN_S
    while True:
        connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
        try:
            _prepare(connection, path)
        except BaseException as error:
            connection.close()
            if not is_busy(error) or time.monotonic() >= deadline:
                raise
            # SQLite does not wait by itself where it suspects a deadlock, as at the switch to WAL.
            time.sleep(random.uniform(0.001, 0.02))
        else:
            return connection


def check_library(found: tuple[int, ...]) -> None:
    """Refuse an SQLite that is too old.

    Raises:
        StoreError: It is.
    """
    if found < OLDEST_LIBRARY:
        wanted, have = (".".join(map(str, version)) for version in (OLDEST_LIBRARY, found))
        raise StoreError(f"expected SQLite {wanted} or newer, this Python has {have}")


def _make_private(path: Path) -> None:
    """Make the file, 0600, and the folders that are missing, 0700; SQLite's own files take after it."""
    missing = [folder for folder in path.parents if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        return


def _check_file_system(path: Path, mounts: Path) -> None:
    try:
        table = mounts.read_text(errors="surrogateescape")
    except OSError:  # not Linux
        return
    place, kind = Path(os.path.realpath(path)), ""
    longest = -1
    for fields in [line.split(" ") for line in table.splitlines() if line.count(" ") > 2]:
        point = Path(_unescaped(fields[1]))
        if len(point.parts) >= longest and place.is_relative_to(point):  # the last of two on one point covers the other
            longest, kind = len(point.parts), fields[2]
    if kind in NETWORK:
        raise StoreError(
            f"store {str(path)!r} stands on a network file system ({kind}), where SQLite can lose what it wrote; "
            "expected a local disk"
        )


def _unescaped(text: str) -> str:
    for character in " \t\n\\":
        text = text.replace(f"\\{ord(character):03o}", character)
    return text


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    version = _version(connection, path)
    if _value(connection, "PRAGMA journal_mode") != "wal" and _value(connection, "PRAGMA journal_mode = WAL") != "wal":
        raise StoreError(f"store {str(path)!r}: SQLite cannot keep a write-ahead log there")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA journal_size_limit = {WAL_LIMIT_BYTES}")
    if version < len(MIGRATIONS):
        _migrate(connection, path)


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Take the missing steps, all or none; whoever comes second finds them taken."""
    connection.execute("BEGIN IMMEDIATE")
    for step in MIGRATIONS[_version(connection, path) :]:
        for statement in step:
            connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
    connection.execute("COMMIT")


def _version(connection: sqlite3.Connection, path: Path) -> int:
    """The file's version; nothing was changed when it is refused."""
    # In this order: should another process migrate in between, the later answers allow for the earlier ones.
    is_empty = not _value(connection, "SELECT count(*) FROM sqlite_master")
    version = int(_value(connection, "PRAGMA user_version"))
    application = int(_value(connection, "PRAGMA application_id"))
    if application != APPLICATION and not (is_empty and application == version == 0):
        raise StoreError(f"store {str(path)!r} is another program's SQLite file")
    if version > len(MIGRATIONS):
        raise StoreError(
            f"store {str(path)!r} has schema version {version}, this ore knows versions up to {len(MIGRATIONS)}; "
            "it needs a newer ore"
        )
    return version


def _value(connection: sqlite3.Connection, statement: str) -> str | int:
    value: str | int = connection.execute(statement).fetchone()[0]
    return value

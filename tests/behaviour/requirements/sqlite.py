"""The SQLite store and the provider contract."""

from behaviour._requirements import held, promise

REQUIREMENTS = (
    held("B53", "Fresh files open from many processes and sessions at once, and parallel writers lose nothing."),
    held("C080", "An option that nobody knows is passed over."),
    held("C081", "A limit on tokens that is not positive is the same as none."),
    promise("D-group-commit", 4, "What all sessions appended meanwhile is committed in one transaction."),
    promise("D-sqlite-durable", 4, "What a killed process was told is durable is there."),
    promise("D-sqlite-private", 10, "Files and folders are for the user alone."),
    promise("D-sqlite-newer", 4, "A file of a newer schema is refused and left alone."),
    promise("D-sqlite-network", 4, "A network file system is refused."),
)

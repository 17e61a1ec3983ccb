"""MCP servers: pages, deaths, tasks, noise; questions that they ask."""

from behaviour._requirements import held, promise

REQUIREMENTS = (
    held("B72", "Every page of a list is read, with the cursor as it came; a list without an end is an error."),
    held(
        "B74",
        "A server that dies in a call, or answers with 500, is an error at once; the next call reaches it again, with "
        "pauses that are bounded and counted, and other servers do not notice.",
    ),
    held("B76", "A server is opened, used and closed from different tasks; nothing is raised, no process is left."),
    held(
        "B77",
        "What a server prints that is no message is passed over with one warning, whatever it is and however long; "
        "one that prints nothing else fails in bounded time, and the failure shows it.",
    ),
    promise(
        "D-mcp-elicitation", 7, "What a server asks in a call is a question like any other, and ends with the call."
    ),
    held(
        "D-mcp-real",
        "A server that others wrote, from the index, works over stdio and HTTP, killed and restarted in mid-session.",
        source="issue 6, must hold",
    ),
    promise("D-mcp-open", 7, "An agent keeps the servers among its tools open while it works."),
)

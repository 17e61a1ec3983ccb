from mcp.server.mcpserver import MCPServer
from mcp.types import ToolAnnotations

server = MCPServer("notes", log_level="WARNING")
notes: list[str] = []


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def list_notes() -> list[str]:
    """All notes."""
    return notes


@server.tool()
def add_note(text: str) -> str:
    """Add a note."""
    notes.append(text)
    return f"note {len(notes)}"


@server.resource("notes://first")
def first() -> str:
    return notes[0]


server.run()

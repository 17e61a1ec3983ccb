"""Tools, resources and prompts of MCP servers."""

from ore.ext.tools.mcp.config import read_config
from ore.ext.tools.mcp.offers import McpArgument, McpPrompt, McpResource
from ore.ext.tools.mcp.server import McpServer
from ore.ext.tools.mcp.servers import McpServers, tools
from ore.ext.tools.mcp.settings import Http, McpOptions, Stdio, Where

__all__ = [
    "Http",
    "McpArgument",
    "McpOptions",
    "McpPrompt",
    "McpResource",
    "McpServer",
    "McpServers",
    "Stdio",
    "Where",
    "read_config",
    "tools",
]

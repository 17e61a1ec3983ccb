"""Shapes: what the vendors refuse about a request, checked without them.

`ore.testing.shapes` knows nothing of ore's wires: it takes bytes, whoever
built them, so it judges any client.
"""

from ore.testing.shapes.anthropic import check_anthropic
from ore.testing.shapes.fault import ShapeError
from ore.testing.shapes.gemini import check_gemini
from ore.testing.shapes.ollama import check_ollama
from ore.testing.shapes.openai_chat import check_openai_chat
from ore.testing.shapes.openai_responses import check_openai_responses

__all__ = [
    "ShapeError",
    "check_anthropic",
    "check_gemini",
    "check_ollama",
    "check_openai_chat",
    "check_openai_responses",
]

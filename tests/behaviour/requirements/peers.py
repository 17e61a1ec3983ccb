"""What holds against real servers of others."""

from behaviour._requirements import held

REQUIREMENTS = (
    held(
        "D-peer-llama",
        "llama.cpp's own server is spoken to over chat completions, Anthropic messages and Responses.",
        source="issues 4 and 5, must hold: real peers",
    ),
    held(
        "D-peer-llmock",
        "Every fault that llmock has ends as an error with its own code, and the session goes on.",
        source="issues 4 and 5, must hold: real peers",
    ),
    held(
        "D-peer-aimock",
        "aimock is spoken to over Gemini, Ollama, Azure and Responses: calls at once, faults, changes of vendor.",
        source="issue 5, must hold: aimock for Gemini and Ollama",
    ),
)

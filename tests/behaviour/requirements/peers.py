"""What holds against real servers of others."""

from behaviour._requirements import held

REQUIREMENTS = (
    held(
        "D-peer-llama",
        "llama.cpp's own server is spoken to over chat completions and Anthropic messages.",
        source="issue 4, must hold: real peers",
    ),
    held(
        "D-peer-llmock",
        "Every fault that llmock has ends as an error with its own code, and the session goes on.",
        source="issue 4, must hold: real peers",
    ),
)

"""Other models, recordings, and stored conversations as tests."""

from behaviour._requirements import promise

REQUIREMENTS = (
    promise(
        "D-fallback", 6, "Another model answers when one cannot, also behind its first words; no text comes twice."
    ),
)

"""Other models, recordings, and stored conversations as tests."""

from behaviour._requirements import held, promise

REQUIREMENTS = (
    promise(
        "D-fallback", 6, "Another model answers when one cannot, also behind its first words; no text comes twice."
    ),
    held("D-cassette", "What was recorded is played without a network, and becomes a test.", source="issue 5, build 3"),
    held("D-no-real-requests", "A pytest plugin forbids real requests.", source="issue 5, build 3"),
    held("D-replay", "A stored conversation is a test: where it first differs is named.", source="issue 5, build 4"),
    held("D-replay-faults", "Models and tools fail on purpose, and sessions go on.", source="issue 5, build 4"),
)

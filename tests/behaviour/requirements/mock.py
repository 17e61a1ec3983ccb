"""Strict fakes: the vendors' shapes, the mock server, and recordings that are decoded."""

from behaviour._requirements import held

_ISSUE = "issue 4, strict vendor shapes and a mock server"

REQUIREMENTS = (
    held(
        "D-shapes",
        "A request that OpenAI, Anthropic, Gemini or Ollama would refuse is refused, at the place that is wrong and "
        "without its content; what they take is taken.",
        source=f"{_ISSUE}; spec/cases.md, top",
    ),
    held(
        "D-mock",
        "A mock server plays a script in a vendor's own format, whole and as a stream.",
        source=_ISSUE,
    ),
    held(
        "D-mock-strict",
        "A request that the vendor would refuse gets the vendor's 400 with what is wrong, and takes nothing of the "
        "script.",
        source=_ISSUE,
    ),
    held(
        "D-mock-failures",
        "Errors of a script are the vendor's statuses and events, dropped connections, cut answers and silence.",
        source=_ISSUE,
    ),
    held(
        "D-mock-journal",
        "A mock server keeps every request without its keys, shows them to this machine only, and may want a key.",
        source=_ISSUE,
    ),
    held(
        "D-mock-command",
        "`ore mock` serves a script on loopback, says where in one line, and ends with 0 on SIGINT and SIGTERM.",
        source=_ISSUE,
    ),
    held(
        "D-mock-sdk",
        "The openai and anthropic SDKs work with `ore mock`: whole and streamed answers, tools, thinking, errors.",
        source="issue 4, must hold",
    ),
    held(
        "D-wire-decode",
        "`ore wire decode` prints what a recorded answer holds: complete artifacts in order and the error, or the "
        "stream as it came; status 0 also when the recording holds an error.",
        source="contract.md section 2",
    ),
)

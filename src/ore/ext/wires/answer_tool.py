"""`AnswerTool`: a tool that a model calls to answer, where its vendor takes no schema beside other tools."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from ore.provider import OutputOption
from ore.tool import Tool

__all__ = ["AnswerTool"]

_DESCRIPTION: Final = "Gives the answer. Call it once, alone, when everything else that is needed is known."


class AnswerTool(NamedTuple):
    """What stands among the tools of a request.

    Its call is no call for whoever asked: a decoder gives the arguments as text.
    """

    name: str
    description: str
    schema: Mapping[str, Any]

    @classmethod
    def of(cls, output: OutputOption, tools: Sequence[Tool]) -> "AnswerTool":
        """The tool for an output; no other tool has its name."""
        taken = {tool.name for tool in tools}
        names = (output.name, *(f"{output.name[:56]}_{number}" for number in range(len(tools))))
        return cls(next(name for name in names if name not in taken), _DESCRIPTION, output.schema)

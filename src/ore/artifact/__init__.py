"""Artifacts: extensible pieces of content; fragments stream and fold into complete ones."""

from ore.artifact.base import Artifact, Delta, ProviderData, tag_of
from ore.artifact.blocks import Block, Blocks
from ore.artifact.codec import BUILTIN_KINDS, CODEC, Codec, Unknown, clean, encode, to_json
from ore.artifact.control import BlockEnd, Notice, Restart, Severity
from ore.artifact.media import Audio, File, Image, Media
from ore.artifact.reasoning import Reasoning, ReasoningDelta
from ore.artifact.rendering import (
    HumanRenderer,
    ModelRenderer,
    StatusContributor,
    display_text,
    has_method,
    human_text,
    model_text,
)
from ore.artifact.server_tool import ServerTool
from ore.artifact.sound import check_artifact
from ore.artifact.stop_reason import Reason, StopReason
from ore.artifact.text import Text, TextDelta
from ore.artifact.tool_call import ToolCall, ToolCallDelta
from ore.artifact.tool_result import ResultStatus, ToolResult
from ore.artifact.truncation import Cut, Truncation, TruncationStyle, count_lines, footer, truncate
from ore.artifact.usage import Usage

__all__ = [
    "BUILTIN_KINDS",
    "CODEC",
    "Artifact",
    "Audio",
    "Block",
    "BlockEnd",
    "Blocks",
    "Codec",
    "Cut",
    "Delta",
    "File",
    "HumanRenderer",
    "Image",
    "Media",
    "ModelRenderer",
    "Notice",
    "ProviderData",
    "Reason",
    "Reasoning",
    "ReasoningDelta",
    "Restart",
    "ResultStatus",
    "ServerTool",
    "Severity",
    "StatusContributor",
    "StopReason",
    "Text",
    "TextDelta",
    "ToolCall",
    "ToolCallDelta",
    "ToolResult",
    "Truncation",
    "TruncationStyle",
    "Unknown",
    "Usage",
    "check_artifact",
    "clean",
    "count_lines",
    "display_text",
    "encode",
    "footer",
    "has_method",
    "human_text",
    "model_text",
    "tag_of",
    "to_json",
    "truncate",
]

"""Providers: whoever answers."""

from ore.provider.options import (
    MaxTokensOption,
    Option,
    OutputOption,
    PromptCacheOption,
    RequestOption,
    ToolsOption,
    ViewOption,
    WithTools,
    option,
    tools_of,
)
from ore.provider.provider import BATCH_LIMIT, Batch, Provider, Resolve

__all__ = [
    "BATCH_LIMIT",
    "Batch",
    "MaxTokensOption",
    "Option",
    "OutputOption",
    "PromptCacheOption",
    "Provider",
    "RequestOption",
    "Resolve",
    "ToolsOption",
    "ViewOption",
    "WithTools",
    "option",
    "tools_of",
]

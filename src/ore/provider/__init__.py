"""Providers: whoever answers."""

from ore.provider.misuse import invoked, misfit
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
from ore.provider.provider import BATCH_LIMIT, Batch, Count, Provider, Resolve, as_it_is

__all__ = [
    "BATCH_LIMIT",
    "Batch",
    "Count",
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
    "as_it_is",
    "invoked",
    "misfit",
    "option",
    "tools_of",
]

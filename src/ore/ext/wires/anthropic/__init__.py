"""Anthropic's messages, as the vendor and those who copy it speak them."""

from ore.ext.wires.anthropic.dialect import ANTHROPIC, GATEWAY, Dialect
from ore.ext.wires.anthropic.messages import AnthropicMessages

__all__ = ["ANTHROPIC", "GATEWAY", "AnthropicMessages", "Dialect"]

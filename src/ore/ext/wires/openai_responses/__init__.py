"""OpenAI's Responses, as it, Azure and those who speak like it mean them."""

from ore.ext.wires.openai_responses.dialect import AZURE, COMPATIBLE, OPENAI, Dialect
from ore.ext.wires.openai_responses.responses import OpenAIResponses

__all__ = ["AZURE", "COMPATIBLE", "OPENAI", "Dialect", "OpenAIResponses"]

"""OpenAI's chat completions, as it and those who speak like it mean them."""

from ore.ext.wires.openai_chat.chat import OpenAIChat
from ore.ext.wires.openai_chat.dialect import COMPATIBLE, LLAMA_CPP, MINIMAX, OPENAI, OPENROUTER, VERCEL, Dialect

__all__ = ["COMPATIBLE", "LLAMA_CPP", "MINIMAX", "OPENAI", "OPENROUTER", "VERCEL", "Dialect", "OpenAIChat"]

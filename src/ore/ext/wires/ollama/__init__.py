"""Ollama's chat protocol."""

from ore.ext.wires.ollama.wire import Ollama

__all__ = ["Ollama"]

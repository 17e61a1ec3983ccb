"""Google's generateContent protocol."""

from ore.ext.wires.gemini.wire import Gemini

__all__ = ["Gemini"]

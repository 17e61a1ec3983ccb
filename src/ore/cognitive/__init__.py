"""Patterns: how inferences become an answer."""

from ore.cognitive.limits import RunLimits
from ore.cognitive.pattern import Check, Pattern, Runtime
from ore.cognitive.react import ReAct
from ore.cognitive.single_shot import SingleShot

__all__ = ["Check", "Pattern", "ReAct", "RunLimits", "Runtime", "SingleShot"]

"""Guardrails: rules, functions and models that look at what is said and called."""

from ore.ext.transforms.guardrails.extension import Guardrails
from ore.ext.transforms.guardrails.incoming import InputGuard
from ore.ext.transforms.guardrails.model import ModelGuard
from ore.ext.transforms.guardrails.outgoing import REFUSAL, GuardedOutput
from ore.ext.transforms.guardrails.rules import matching, only_tools, redacting
from ore.ext.transforms.guardrails.verdict import Action, Guard, Looked, Verdict, ask, block, rewrite

__all__ = [
    "REFUSAL",
    "Action",
    "Guard",
    "GuardedOutput",
    "Guardrails",
    "InputGuard",
    "Looked",
    "ModelGuard",
    "Verdict",
    "ask",
    "block",
    "matching",
    "only_tools",
    "redacting",
    "rewrite",
]

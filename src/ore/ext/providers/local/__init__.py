"""The embedded model: llama.cpp in the process, and weights that a package brings."""

from ore.ext.providers.local.provider import LocalProvider, Wishes, make
from ore.ext.providers.local.runtime import Engine, Load, OnChunk, Runtime, Runtimes, Settings, load_engine
from ore.ext.providers.local.weights import SMOLLM2, Weights, find

__all__ = [
    "SMOLLM2",
    "Engine",
    "Load",
    "LocalProvider",
    "OnChunk",
    "Runtime",
    "Runtimes",
    "Settings",
    "Weights",
    "Wishes",
    "find",
    "load_engine",
    "make",
]

"""Patterns: more ways in which inferences become an answer."""

from ore.ext.patterns.exec_verifier import ExecVerifier
from ore.ext.patterns.hand_off import HandOff, active_agent
from ore.ext.patterns.verification import FunctionVerifier, Standing, Verification, Verifier, verify_all
from ore.ext.patterns.verified import Verified, verified

__all__ = [
    "ExecVerifier",
    "FunctionVerifier",
    "HandOff",
    "Standing",
    "Verification",
    "Verified",
    "Verifier",
    "active_agent",
    "verified",
    "verify_all",
]

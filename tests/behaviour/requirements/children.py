"""Agents inside calls."""

from behaviour._requirements import promise

REQUIREMENTS = (
    promise("D-child-nests", 1, "What an agent does inside a call is told inside that call, and is not the caller's."),
    promise("D-child-cancel", 1, "Stopping one agent leaves its siblings and the message."),
    promise("D-child-budget", 1, "An agent inside a call never uses more than its caller may."),
    promise("D-child-permissions", 1, "What an agent may do is asked where its caller is asked."),
    promise("D-child-thread", 1, "An agent's conversation is stored beside its caller's, is in no list, goes with it."),
    promise("D-child-resume", 1, "After a crash an agent goes on where it was; no finished call of it runs again."),
)

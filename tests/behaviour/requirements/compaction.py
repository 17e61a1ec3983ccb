"""Compaction: conversations that may go on for ever."""

from behaviour._requirements import held

MUST = "issue 7, must hold: compaction"

REQUIREMENTS = (
    held("B19", "A cut inside a batch of parallel calls moves to the nearest place where no call loses its result."),
    held(
        "B22",
        "The request for a summary is pair-safe, also when it is made again because it was too long; what fails at "
        "last changes nothing.",
    ),
    held(
        "D-compaction",
        "A summary stands in the place of earlier turns, which stay where they are; the model is told so.",
        source="issue 7, build 1",
    ),
    held(
        "D-compaction-cuts",
        "At every cut of a history with parallel calls the vendors' checkers accept what is left, through real wires.",
        source=MUST,
    ),
    held(
        "D-compaction-automatic",
        "A conversation is compacted at a share of its window, by real usage and an estimate, and when the model "
        "refuses it as too long; it never stops working.",
        source=MUST,
    ),
    held(
        "D-compaction-endless",
        "On llama.cpp's own server, with a small window and real overflows, a conversation goes on for ever.",
        source=MUST,
    ),
    held(
        "D-compaction-outputs",
        "Long outputs of tools are moved out first, and can be read again.",
        source="issue 7, build 1",
    ),
    held(
        "D-compaction-refused",
        "A summary that is empty, cut, refused or an error is none, and changes nothing.",
        source="issue 7, build 1; spec/extensions.md section 14, D21",
    ),
    held("D-compaction-undo", "Undoing a compaction brings back the very same turns.", source=MUST),
    held("D-compaction-queue", "Compacting touches nothing that waits.", source="issue 7, build 1"),
    held("D-compaction-crash", "A kill in the middle of compacting leaves a thread that goes on.", source=MUST),
    held(
        "D-artifact-kinds",
        "Stores that are named by a URL know the kinds of ore's extensions and those of installed packages.",
        source="design.md section 2, entry points of ore.artifacts; spec/extensions.md section 13, P07",
    ),
)

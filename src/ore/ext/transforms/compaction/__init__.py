"""Compaction: conversations may go on for ever."""

from ore.ext.transforms.compaction.automatic import Compacting
from ore.ext.transforms.compaction.boundary import Boundary, Strategy, boundary_of, last_boundary
from ore.ext.transforms.compaction.command import compact, undo_compaction
from ore.ext.transforms.compaction.extension import Compaction, compaction_of
from ore.ext.transforms.compaction.settings import CompactionSettings

__all__ = [
    "Boundary",
    "Compacting",
    "Compaction",
    "CompactionSettings",
    "Strategy",
    "boundary_of",
    "compact",
    "compaction_of",
    "last_boundary",
    "undo_compaction",
]

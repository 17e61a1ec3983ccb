"""`ScreenSettings`: how a screen looks and behaves."""

from dataclasses import dataclass, field
from pathlib import Path

from ore.ext.conduits.terminal.asking import QUIET_S
from ore.ext.conduits.terminal.recall import PromptHistory
from ore.ext.conduits.terminal.status import Zones

__all__ = ["ScreenSettings"]


@dataclass(slots=True, kw_only=True)
class ScreenSettings:
    """How a screen looks and behaves.

    Attributes:
        name: Of the program, for the window's title.
        palette: `dark`, `light` or `plain`; with `auto` the terminal is asked for its background.
        has_few_colours: Whether the terminal has 16 of them; `show` finds it out with the background.
        zones: Where facts of a session are shown.
        prompts: What was typed before.
        folder: Where commands run and files are looked for.
        folder_line: How it is shown.
        typed: What was typed before the screen was there.
        quiet_s: Seconds without a key until a question takes keys.
        has_bell: Whether the terminal's bell rings when a message ends, and when something is asked.
    """

    name: str = "Ore"
    palette: str = "auto"
    has_few_colours: bool = False
    zones: Zones = field(default_factory=Zones)
    prompts: PromptHistory = field(default_factory=PromptHistory)
    folder: Path = field(default_factory=Path.cwd)
    folder_line: str = ""
    typed: str = ""
    quiet_s: float = QUIET_S
    has_bell: bool = True

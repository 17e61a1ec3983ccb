"""`CommandResult`: what a command came to."""

from dataclasses import dataclass

from ore.artifact import Cut, clean, count_lines, truncate
from ore.ext.tools.bash.spool import Spool
from ore.ext.tools.fences import fenced
from ore.ext.tools.inert import inert

__all__ = ["CommandResult", "Output", "output_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """One stream.

    Attributes:
        text: Its newest part, cut to what a model takes, with signs for control characters.
        total_bytes: All that was printed.
        is_cut: Whether `text` is not all of it.
        path: The file that holds more of it; `None` when nothing is missing, or it could not be written.
    """

    text: str
    total_bytes: int
    total_lines: int
    is_cut: bool = False
    path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """What a command came to.

    Attributes:
        exit_code: Its status; below zero the signal that ended it; `None` when
            it was ended at its limit of time.
    """

    stdout: Output
    stderr: Output
    exit_code: int | None

    def for_model(self) -> str:
        """Both streams, what is missing of them, and how it ended."""
        parts = [_told("stdout", self.stdout), _told("stderr", self.stderr)]
        ending = "ended at its time limit" if self.exit_code is None else f"exit code {self.exit_code}"
        return "\n".join([*(part for part in parts if part), ending])

    def for_human(self) -> str:
        """Both streams, in a block of Markdown."""
        texts = [output.text.rstrip("\n") for output in (self.stdout, self.stderr) if output.text]
        ending = [] if self.exit_code == 0 else [f"exit code {self.exit_code}" if self.exit_code else "timed out"]
        return fenced("\n".join([*texts, *ending]) or "(no output)")


def output_of(spool: Spool, cut: Cut) -> Output:
    """The newest part of a stream; what is missing of it is in its file."""
    tail = spool.tail()
    text, missing = truncate(inert(clean(tail.replace("\r\n", "\n"))), cut)
    is_cut = missing is not None or spool.is_longer
    path = spool.keep() if is_cut else None
    return Output(
        text=text,
        total_bytes=spool.total_bytes,
        total_lines=spool.lines,
        is_cut=is_cut,
        path=None if path is None else str(path),
    )


def _told(name: str, output: Output) -> str:
    if not output.total_bytes:
        return ""
    lines = [f"{name}:", output.text.rstrip("\n")]
    if output.is_cut:
        where = f"; the rest is in {output.path}" if output.path else ""
        lines.append(
            f"[{name} is cut: the last {count_lines(output.text)} of {output.total_lines} lines, "
            f"of {output.total_bytes} bytes{where}]"
        )
    return "\n".join(lines)

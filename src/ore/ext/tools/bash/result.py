"""`CommandResult`: what a command came to."""

from dataclasses import dataclass

from ore.artifact import Cut, clean, count_lines, truncate
from ore.ext.tools.bash.spool import Spool

__all__ = ["CommandResult", "Output", "output_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """One stream.

    Attributes:
        text: Its newest part, cut to what a model takes.
        total_bytes: All that was printed.
        path: The file that holds more of it; `None` when nothing is missing, or it could not be written.
    """

    text: str
    total_bytes: int
    total_lines: int
    path: str | None = None

    @property
    def is_cut(self) -> bool:
        """Whether `text` is not all of it."""
        return self.total_bytes > len(self.text.encode("utf-8", "replace"))


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
        """Both streams, as they are."""
        texts = [output.text.rstrip("\n") for output in (self.stdout, self.stderr) if output.text]
        ending = [] if self.exit_code == 0 else [f"exit code {self.exit_code}" if self.exit_code else "timed out"]
        return "```\n" + "\n".join([*texts, *ending]).replace("```", "'''") + "\n```"


def output_of(spool: Spool, cut: Cut) -> Output:
    """The newest part of a stream."""
    text, _ = truncate(clean(spool.tail()), cut)
    is_cut = spool.total_bytes > len(text.encode("utf-8", "replace"))
    return Output(
        text=text,
        total_bytes=spool.total_bytes,
        total_lines=spool.lines,
        path=str(spool.path) if is_cut and spool.path is not None else None,
    )


def _told(name: str, output: Output) -> str:
    if not output.total_bytes:
        return ""
    lines = [f"{name}:", output.text.rstrip("\n")]
    if output.is_cut:
        where = f"; the rest is in {output.path}" if output.path else ""
        lines.append(
            f"[{name} is cut: the last {count_lines(output.text)} of {output.total_lines} lines, "
            f"{len(output.text.encode('utf-8', 'replace'))} of {output.total_bytes} bytes{where}]"
        )
    return "\n".join(lines)

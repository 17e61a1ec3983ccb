"""`Calls`: the lists of a script, taken one after the other."""

from collections.abc import Sequence

from ore.artifact import Artifact
from ore.ext.providers.script import Failure, Item, Script

__all__ = ["Calls", "script_of"]


def script_of(*calls: Sequence[Item | Artifact], repeat: bool = False) -> Script:
    """A script of values instead of a file.

    Args:
        calls: One list for each answer: artifacts, artifacts that arrive
            together, `Pause`, `Hang` and `Failure`. A missing stop reason is
            `tool_use` after calls and `stop` otherwise.
        repeat: Whether the lists begin again after the last one.
    """
    lists = [[(item,) if isinstance(item, Artifact) else item for item in call] for call in calls]
    return Script(path="values", calls=lists, repeat=repeat)


class Calls:
    """Gives each answer its list, in the order in which requests came.

    Args:
        script: The lists.

    Attributes:
        taken: How many answers were begun.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self.taken = 0

    def take(self) -> Sequence[Item]:
        """The next list; behind the last one a failure that says so."""
        lists = self._script.calls
        self.taken += 1
        if not lists or (self.taken > len(lists) and not self._script.repeat):
            said = f"the script has {len(lists)} lists and this is answer {self.taken}; add one, or set `repeat`"
            return [Failure("bad_request", said)]
        return lists[(self.taken - 1) % len(lists)]

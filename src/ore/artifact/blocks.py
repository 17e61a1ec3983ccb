"""`Blocks`: fragments fold into complete artifacts."""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from ore.artifact.base import Artifact, Delta, ProviderData
from ore.artifact.control import BlockEnd

__all__ = ["Block", "Blocks"]


class Block:
    """The fragments of one artifact in the making, in order of arrival.

    Whoever shows it reads `parts`; nothing here joins them before the block
    closes, and a closed block lets go of them. `note` is the event log's own,
    which remembers there where each fragment stands.
    """

    __slots__ = ("closed", "id", "key", "kind", "note", "parts")

    def __init__(self, id: str, key: str, kind: type[Delta]) -> None:
        self.id = id
        self.key = key
        self.kind = kind
        self.parts: list[Delta] = []
        self.note: Any = None
        self.closed = False

    @property
    def so_far(self) -> Artifact | None:
        """What the fragments make up to now, `None` when they do not fit together; joins them, so not for each one."""
        try:
            return self.kind.assemble(self.parts) if self.parts else None
        except Exception:
            return None

    def close(self) -> None:
        """No fragment follows, and those that came are no longer needed."""
        self.closed = True
        self.parts = []


Publish = Callable[[Artifact, Block | None], None]
"""Called for everything that can be seen, in order: fragments as they come and
each complete artifact once, with the block it belongs to."""

PublishRun = Callable[[Sequence[Delta], Block], None]
"""Called instead for fragments that arrived together and go on a block."""


class Blocks:
    """Collects one answer.

    A block closes when a delta of another family or a complete artifact
    arrives; blocks of one family stay open side by side. So text, reasoning,
    text makes three blocks, and two calls that arrive in turns make two.

    Args:
        prefix: What block ids begin with, such as a turn id.
        publish: Sees fragments and complete artifacts as they come.
        publish_run: Sees fragments that arrived together; without it `publish` sees each.
    """

    __slots__ = (
        "_count",
        "_family",
        "_open",
        "_prefix",
        "_publish",
        "_publish_run",
        "artifacts",
        "fault",
        "finish",
        "last",
    )

    def __init__(
        self,
        prefix: str,
        publish: Publish,
        *,
        publish_run: PublishRun | None = None,
        finish: Callable[[Artifact], Artifact] | None = None,
    ) -> None:
        self._prefix = prefix
        self._publish = publish
        self._publish_run = publish_run
        self.last: Block | None = None
        """The open block that the last fragment went to: more of its kind may go there by `add_run`."""
        self._open: dict[str, Block] = {}
        self._family = ""
        self._count = 0
        self.artifacts: list[Artifact] = []
        """The complete artifacts so far, in the order in which their blocks began."""
        self.finish = finish
        self.fault: Exception | None = None
        """Why a block could not be made of its fragments; it is left out."""

    def add(self, artifact: Artifact) -> None:
        """Take the next thing that arrived, and publish what follows from it."""
        if not isinstance(artifact, Delta):
            if type(artifact) is BlockEnd:
                if self._open:
                    self._flush(artifact.provider_data)
                return
            if self._open:
                self._flush()
            if self.finish is not None or not artifact.persistent:
                self._complete(artifact, None)
            else:
                self.artifacts.append(artifact)
                self._publish(artifact, None)
            return
        if artifact.family != self._family:
            if self._open:
                self._flush()
            self._family = artifact.family
        key = artifact.key
        self.last = block = self._open[key] if key in self._open else self._begin(key, type(artifact))
        block.parts.append(artifact)
        self._publish(artifact, block)

    def add_run(self, batch: Sequence[Artifact], start: int) -> int:
        """Take the artifacts from `start` on that go on the block of the last fragment.

        The same as adding one after the other, at a price that hardly grows
        with their number.

        Returns:
            How many there were; perhaps none.
        """
        block = self.last
        if block is None:
            return 0
        kind, key, end = block.kind, block.key, start
        count = len(batch)
        while end < count and type(artifact := batch[end]) is kind and artifact.key == key:
            end += 1
        run: Any = batch[start:end]
        block.parts += run
        if self._publish_run is not None and end - start > 1:
            self._publish_run(run, block)
        else:
            for artifact in run:
                self._publish(artifact, block)
        return end - start

    def close(self) -> Sequence[Artifact]:
        """Close what is open and return all that is complete."""
        if self._open:
            self._flush()
        return tuple(self.artifacts)

    def cut(self) -> Sequence[Artifact]:
        """Close after an interruption: text stays, half calls are dropped."""
        self.last = None
        for key, block in tuple(self._open.items()):
            if block.kind.family == "tool_call":
                block.close()
                del self._open[key]
        return self.close()

    def restart(self) -> None:
        """Forget everything, closed blocks too: the answer begins again."""
        for block in self._open.values():
            block.close()
        self._open = {}
        self._family = ""
        self.last = None
        self.artifacts = []

    def _begin(self, key: str, kind: type[Delta]) -> Block:
        self._count += 1
        block = self._open[key] = Block(f"{self._prefix}:{self._count}", key, kind)
        return block

    def _flush(self, provider_data: ProviderData | None = None) -> None:
        closing = [(block, block.parts) for block in self._open.values()]
        self._open = {}
        self._family = ""
        self.last = None
        for block, _ in closing:
            block.close()
        for block, parts in closing:
            try:
                artifact = block.kind.assemble(parts)
            except Exception as error:  # fragments that do not fit together; the end of the answer says so
                self.fault = self.fault or error
                continue
            if artifact is not None:
                if provider_data is not None and block is closing[-1][0]:
                    artifact = replace(artifact, provider_data=provider_data)
                self._complete(artifact, block)

    def _complete(self, artifact: Artifact, block: Block | None) -> None:
        if self.finish is not None:
            artifact = self.finish(artifact)
        if artifact.persistent:
            self.artifacts.append(artifact)
        self._publish(artifact, block)

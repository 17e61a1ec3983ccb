"""`CallRecords`: which fragment belongs to which call."""

import secrets
from collections.abc import Iterator

import msgspec

from ore.artifact import Artifact, TextDelta, ToolCallDelta
from ore.ext.wires.halves import Halves
from ore.ext.wires.openai_chat.structs import CallPart

__all__ = ["CallRecords"]


class _Record:
    """One call in the making; `number` is its place among those that began."""

    __slots__ = ("id", "index", "is_output", "name", "number", "parts")

    def __init__(self, number: int) -> None:
        self.number = number
        self.index: int | None = None
        self.id = ""
        self.name = ""
        self.parts: list[str] = []
        self.is_output = False

    @property
    def is_whole(self) -> bool:
        """Whether its arguments are an object by now; joins them, so only where that is in doubt."""
        text = "".join(self.parts)
        try:
            return text.rstrip().endswith("}") and isinstance(msgspec.json.decode(text), dict)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return False

    def ends_before(self, name: str) -> bool:
        """Whether a fragment that names a tool begins another call."""
        return bool(name and self.name) and self.is_whole


class CallRecords:
    """Puts fragments together that servers number and name in their own ways.

    Calls are numbered as they begin. A record learns every index and every id
    that its fragments carry, and each of them finds it again; so both may be
    missing, come late, repeat or begin anew. Without either a fragment goes on
    the call before it. The first name and the first id that are not empty hold.

    Args:
        output: The tool whose call is an answer in disguise: its arguments are text.
    """

    __slots__ = ("_by_id", "_by_index", "_halves", "_last", "_output", "_records")

    def __init__(self, output: str | None = None) -> None:
        self._output = output
        self._records: list[_Record] = []
        self._by_index: dict[int, _Record] = {}
        self._by_id: dict[str, _Record] = {}
        self._last: _Record | None = None
        self._halves = Halves()

    @property
    def any(self) -> bool:
        """Whether a call began that is no answer in disguise."""
        return any(not record.is_output for record in self._records)

    @property
    def is_whole(self) -> bool:
        """Whether no call waits for more of its arguments."""
        return all(record.is_whole for record in self._records)

    def take(self, part: CallPart) -> Artifact | None:
        """What a fragment adds; `None` when it is nothing."""
        function = part.function
        name = (function and function.name) or ""
        found = function and function.arguments
        if part.index is not None and not part.id and not name and type(found) is str:
            going_on = self._by_index.get(part.index)
            if going_on is not None:  # as most fragments do
                self._last = going_on
                return self._added(going_on, "", "", found)
        arguments = found if isinstance(found, str) else msgspec.json.encode(found).decode() if found else ""
        id = part.id or ""
        record = self._known(part.index, id, name) or self._begin()
        self._last = record
        if part.index is not None:
            record.index = part.index if record.index is None else record.index
            self._by_index[part.index] = record
        new_id = "" if record.id else id
        record.id = record.id or id
        if id:
            self._by_id[id] = record
        if name and record.name and arguments and arguments == "".join(record.parts) and record.is_whole:
            return None  # said once more, whole
        return self._added(record, name, new_id, arguments)

    def settle(self) -> Iterator[Artifact]:
        """Ids for the calls that got none; nothing may be added to them afterwards."""
        for record in self._records:
            if record.is_output:
                continue
            if not record.id:
                record.id = f"call_{secrets.token_hex(12)}"
                yield ToolCallDelta(index=record.number, id=record.id)

    def _added(self, record: _Record, name: str, id: str, arguments: str) -> Artifact | None:
        new_name = "" if record.name else name
        record.name = record.name or name
        arguments = self._halves.join(record.number, arguments)
        record.parts.append(arguments)
        if self._output is not None and record.name == self._output:
            record.is_output = True
            return TextDelta(content=arguments) if arguments else None
        if not (new_name or id or arguments):
            return None
        return ToolCallDelta(index=record.number, id=id, name=new_name, arguments=arguments)

    def _begin(self) -> _Record:
        record = _Record(len(self._records))
        self._records.append(record)
        return record

    def _known(self, index: int | None, id: str, name: str) -> _Record | None:
        """The record that a fragment goes on; `None` when it begins one."""
        named = self._by_id.get(id) if id else None
        if index is None:
            return named or self._unplaced(id, name)
        placed = self._by_index.get(index)
        if placed is None:
            return self._newly_placed(named, id, name)
        if not id:
            return None if placed.ends_before(name) else placed
        if placed.id in ("", id):
            return None if not placed.id and placed.ends_before(name) else placed
        # Another id at a known place: a call that is known by it, another
        # call where a name comes with it, else an id that changes on the way.
        return named or (None if name else placed)

    def _unplaced(self, id: str, name: str) -> _Record | None:
        """No index, and no id that is known."""
        last = self._last
        if last is None:
            return None
        if id:
            return last if not name and not last.id else None
        if name and last.name and (name != last.name or last.is_whole):
            return None
        return last

    def _newly_placed(self, named: _Record | None, id: str, name: str) -> _Record | None:
        """An index that is new."""
        if named is not None:
            return named if named.index is None or not name else None
        last = self._last
        return last if last is not None and last.index is None and not id and not name else None

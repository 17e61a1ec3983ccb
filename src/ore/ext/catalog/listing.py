"""`Listing`: the figures that stand in the package."""

import re
from collections.abc import Sequence
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Final

import msgspec

from ore.ext.catalog.names import stem, written
from ore.ext.catalog.row import Row

__all__ = ["Listing", "Source"]

_FILE: Final = Path(__file__).with_name("models.json")


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A package that figures were taken from.

    Attributes:
        gives: Which figures.
    """

    package: str
    version: str
    licence: str
    gives: str


class _File(msgspec.Struct, frozen=True, kw_only=True):
    read: date
    sources: tuple[Source, ...]
    addresses: dict[str, str]
    models: dict[str, msgspec.Raw]


class _Models:
    """The models of one provider, by every name they have."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self._by_name: dict[str, Row] = {}
        for row in rows:
            self._by_name[row.name.lower()] = row
        for row in rows:
            for name in row.names:
                self._by_name.setdefault(name, row)
        # Last, so that they take no model's own name: dashes for dots, and no
        # date, by which the youngest is found.
        for name, row in sorted(self._by_name.items(), reverse=True):
            self._by_name.setdefault(name.replace(".", "-"), row)
            self._by_name.setdefault(stem(name), row)

    def find(self, name: str) -> Row | None:
        return next((row for form in written(name) if (row := self._by_name.get(form))), None)


class Listing:
    """The models of each provider, from `models.json`.

    `make catalog` writes that file; `sources` say where each figure comes
    from, `read` when. Nothing is read before it is asked for, and no more
    lists than are needed. Any number of threads may ask.

    Args:
        file: Another file of the same form.
    """

    def __init__(self, file: Path = _FILE) -> None:
        self._path = file
        self._lists: dict[str, _Models] = {}

    @property
    def read(self) -> date:
        """The day on which the figures were taken."""
        return self._file.read

    @property
    def sources(self) -> Sequence[Source]:
        """Where they were taken from."""
        return self._file.sources

    @property
    def providers(self) -> Sequence[str]:
        """Who keeps a list, in order."""
        return list(self._file.models)

    def rows(self, provider: str) -> Sequence[Row]:
        """All models of a provider, in order; none of one that keeps no list."""
        models = self._models(provider)
        return models.rows if models else ()

    def find(self, provider: str, name: str) -> Row | None:
        """A model by any of its names."""
        models = self._models(provider)
        return models.find(name) if models else None

    def at(self, base_url: str, likely: str) -> str | None:
        """Whose address it is; `None` when it is nobody's here.

        Args:
            base_url: The address.
            likely: Who is tried first, since making ready to read all addresses takes milliseconds.
        """
        addresses = self._file.addresses
        names = (likely, *addresses) if likely in addresses else addresses
        return next((name for name in names if re.match(addresses[name], base_url)), None)

    @cached_property
    def _file(self) -> _File:
        return msgspec.json.decode(self._path.read_bytes(), type=_File)

    def _models(self, provider: str) -> _Models | None:
        found = self._lists.get(provider)
        if found is None and (raw := self._file.models.get(provider)):
            found = self._lists[provider] = _Models(msgspec.json.decode(raw, type=list[Row]))
        return found

"""`new_file`: files that commands make: under names of ours, for the user alone, never over another."""

import os
from pathlib import Path
from typing import Final

from ore.errors import InputError, OreError

__all__ = ["free_path", "new_file"]

_TRIES: Final = 1_000


def new_file(folder: Path, stem: str, ending: str, content: bytes) -> Path:
    """Write a file that was not there before.

    Args:
        folder: Made when it is not there.
        stem: Its name without a number and an ending; never what somebody typed.

    Raises:
        OreError: It cannot be written.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in _names(folder, stem, ending):
            try:
                descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            except FileExistsError:
                continue
            with open(descriptor, "wb") as file:
                file.write(content)
            return path
    except OSError as error:
        raise OreError(f"{str(folder)!r} cannot be written to: {error.strerror}") from None
    raise InputError(f"{str(folder)!r} holds {_TRIES} files of that name already")


def free_path(folder: Path, stem: str, ending: str) -> Path:
    """A path at which there is nothing; somebody else may put something there meanwhile.

    Raises:
        OreError: The folder cannot be made.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise OreError(f"{str(folder)!r} cannot be made: {error.strerror}") from None
    for path in _names(folder, stem, ending):
        if not path.exists():
            return path
    raise InputError(f"{str(folder)!r} holds {_TRIES} files of that name already")


def _names(folder: Path, stem: str, ending: str) -> list[Path]:
    return [folder / f"{stem}{'' if number == 1 else f'-{number}'}.{ending}" for number in range(1, _TRIES + 1)]

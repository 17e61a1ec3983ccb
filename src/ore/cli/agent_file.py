"""`--agent module:attribute`: an agent from a file of the user's."""

import os
import sys
import sysconfig
import traceback
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from ore.app import Agent
from ore.errors import InputError

__all__ = ["load_agent"]


def load_agent(name: str) -> Agent:
    """The agent of `module:attribute`, from the current folder or the path.

    Raises:
        InputError: It is not there, is no agent, or its module failed; the
            message then ends with the lines of the user's own files.
    """
    module_name, separator, attribute = name.partition(":")
    parts = module_name.split(".")
    if not separator or not attribute or not all(part.isidentifier() for part in parts) or parts[-1] == "py":
        raise InputError(f"agent: expected module:attribute as for import, such as counter:agent, got {name!r}")
    return _attribute(_module(module_name), attribute)


def _module(name: str) -> ModuleType:
    folder = os.getcwd()
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise InputError(f"agent: no module {error.name!r} in {folder} or on the path") from None
        raise _failed(name, error) from None
    except (Exception, SystemExit) as error:
        raise _failed(name, error) from None


def _failed(name: str, error: BaseException) -> InputError:
    """The error, with the lines of the traceback that are the user's own."""
    told = traceback.TracebackException.from_exception(error)
    libraries = _libraries()
    own = [frame for frame in told.stack if not frame.filename.startswith(libraries)]
    told.stack = traceback.StackSummary.from_list(own)
    return InputError(f"agent: module {name!r} cannot be imported\n{''.join(told.format(chain=False)).rstrip()}")


def _libraries() -> tuple[str, ...]:
    """What the paths of files begin with that the user did not write: Python's, installed ones, ore's."""
    paths = sysconfig.get_paths()
    folders = [paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    return ("<frozen ", *(os.path.join(folder, "") for folder in folders), str(Path(__file__).parents[1]))


def _attribute(module: ModuleType, name: str) -> Agent:
    found: Any = module
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise InputError(f"agent: {module.__name__!r} has no attribute {name!r}{_agents(module)}") from None
    if not isinstance(found, Agent):
        expected = f"agent: expected {module.__name__}:{name} to be an ore Agent, got {type(found).__name__}"
        raise InputError(f"{expected}{_agents(module)}")
    return found


def _agents(module: ModuleType) -> str:
    """The agents that there are instead."""
    names = sorted(name for name, value in vars(module).items() if isinstance(value, Agent))
    return f"; its agents are: {', '.join(names)}" if names else ""

"""Sandboxes: where commands run and files are, and what keeps them there."""

from ore.ext.tools.sandboxes.bubblewrap import BubblewrapSandbox, Confinement
from ore.ext.tools.sandboxes.environment import environment, is_secret
from ore.ext.tools.sandboxes.folder import FolderSandbox
from ore.ext.tools.sandboxes.host import HostSandbox
from ore.ext.tools.sandboxes.launch import CommandSandbox, Launch

__all__ = [
    "BubblewrapSandbox",
    "CommandSandbox",
    "Confinement",
    "FolderSandbox",
    "HostSandbox",
    "Launch",
    "environment",
    "is_secret",
]

"""The plugin, installed by pip into a folder of its own, and the command with it on its path."""

import os
import subprocess
import sys
from pathlib import Path

from examples.started import EXAMPLES

__all__ = ["installed", "with_plugin"]


def installed(folder: Path) -> Path:
    """Build and install the plugin as any distribution is, without asking an index."""
    words = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    source = EXAMPLES / "plugin_out_of_tree"
    subprocess.run([*words, "--no-compile", "--target", folder, source], check=True, timeout=200)
    return folder


def with_plugin(plugin: Path) -> dict[str, str]:
    """Variables for a process that finds it."""
    return {"PYTHONPATH": os.pathsep.join((str(plugin), *filter(None, [os.environ.get("PYTHONPATH")])))}

"""Context manifests: what each inference was sent, and where that left the one before."""

from ore.ext.transforms.manifest.extension import ContextManifests
from ore.ext.transforms.manifest.manifest import Change, ContextManifest, Difference, Part, manifest_of
from ore.ext.transforms.manifest.recomputing import Context, contexts

__all__ = [
    "Change",
    "Context",
    "ContextManifest",
    "ContextManifests",
    "Difference",
    "Part",
    "contexts",
    "manifest_of",
]

"""Models: which one, how it shall answer, what is known of it."""

from ore.models.info import ModelInfo, Price, PriceTier
from ore.models.names import split_name
from ore.models.spec import MODEL_KEYS, MODEL_PREFIX, Spec, check_model_key, merge, spec_from_metadata
from ore.models.thinking import ThinkingLevel

__all__ = [
    "MODEL_KEYS",
    "MODEL_PREFIX",
    "ModelInfo",
    "Price",
    "PriceTier",
    "Spec",
    "ThinkingLevel",
    "check_model_key",
    "merge",
    "spec_from_metadata",
    "split_name",
]

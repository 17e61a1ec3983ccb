"""The catalog: names, windows, limits, abilities and prices of models, and what follows from them."""

from ore.ext.catalog.catalog import Catalog, shared_catalog
from ore.ext.catalog.cost import cost, priced
from ore.ext.catalog.fitting import fitted
from ore.ext.catalog.listing import Listing, Source
from ore.ext.catalog.preflight import Action, Finding, Preflight, preflight
from ore.ext.catalog.size import estimated_tokens
from ore.ext.catalog.target import Target

__all__ = [
    "Action",
    "Catalog",
    "Finding",
    "Listing",
    "Preflight",
    "Source",
    "Target",
    "cost",
    "estimated_tokens",
    "fitted",
    "preflight",
    "priced",
    "shared_catalog",
]

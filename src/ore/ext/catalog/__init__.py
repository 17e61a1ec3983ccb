"""The catalog: names, windows, limits, abilities and prices of models, and what follows from them."""

from ore.ext.catalog.catalog import Catalog, shared_catalog
from ore.ext.catalog.cost import cost, priced
from ore.ext.catalog.listing import Listing, Source

__all__ = ["Catalog", "Listing", "Source", "cost", "priced", "shared_catalog"]

"""Tools that come with ore, each found by its name."""

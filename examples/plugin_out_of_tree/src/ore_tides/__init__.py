"""Tides for ore; what ore finds here stands in the entry points of pyproject.toml."""

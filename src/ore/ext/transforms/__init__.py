"""Transforms: what a model is shown of a conversation, and what keeps watch over it."""

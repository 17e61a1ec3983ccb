"""Anthropic's messages, as the vendor and those who copy it speak them."""

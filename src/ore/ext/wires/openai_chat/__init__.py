"""OpenAI's chat completions, as it and those who speak like it mean them."""

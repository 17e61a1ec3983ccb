"""Names of models and of whoever serves them, as people and gateways write them."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

__all__ = ["list_of", "stem", "written"]

_LISTS: Final[Mapping[str, str]] = {
    **{"openai-responses": "openai", "openai-chat": "openai"},
    **{"gemini": "google", "vertex": "google", "google-vertex": "google"},
    **{"xai": "x-ai", "grok": "x-ai", "mistralai": "mistral", "meta-llama": "meta", "moonshot": "moonshotai"},
    **{"z-ai": "zai", "minimaxai": "minimax", "deepseek-ai": "deepseek", "azure-openai": "azure"},
}
"""Other names of those who keep a list."""

_FOLDER: Final = re.compile(r"^(?:publishers/[^/]+/)?models/")
"""What Google's interfaces put before a name."""

_DATE: Final = re.compile(r"[-@](?:20\d{6}|20\d\d-\d\d-\d\d)$")


def list_of(provider: str) -> str:
    """Whose list a provider's or a vendor's models stand in."""
    name = provider.lower().lstrip("~")
    return _LISTS.get(name, name)


def stem(name: str) -> str:
    """The name without the date at its end."""
    return _DATE.sub("", name)


def written(name: str) -> Iterator[str]:
    """How a list may write a name, the closest first: as it stands, with dashes for dots, without its date."""
    plain = _FOLDER.sub("", name.lower().strip())
    undated = stem(plain)
    for form in (plain, undated, undated.removesuffix("-latest")):
        yield form
        yield form.replace(".", "-")

"""`digest`: by which a text is known again."""

from hashlib import blake2b

__all__ = ["digest"]


def digest(text: str) -> str:
    """16 hexadecimal characters of a text: signed thinking that was changed must not go back."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

"""Model names: `provider:name` or `provider/name`."""

__all__ = ["split_name"]


def split_name(name: str) -> tuple[str | None, str]:
    """Split at the first of `:` and `/`.

    Returns:
        The provider, `None` when there is no separator, and the rest.
    """
    places = [place for place in (name.find(":"), name.find("/")) if place >= 0]
    if not places:
        return None, name
    return name[: min(places)], name[min(places) + 1 :]

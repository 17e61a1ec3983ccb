"""`proxy_for`: which proxy the environment wants for an address."""

import os
from urllib.parse import urlsplit
from urllib.request import proxy_bypass

from ore.ext.providers.address import is_loopback

__all__ = ["proxy_for"]


def proxy_for(url: str) -> str | None:
    """The proxy that `HTTPS_PROXY`, `HTTP_PROXY` or `ALL_PROXY` names, unless `NO_PROXY` excepts the host.

    Names in small letters count too, and before those in capitals. What this
    machine answers itself never goes through a proxy. The result may hold a
    password.
    """
    parts = urlsplit(url)
    proxy = _set(f"{parts.scheme}_proxy") or _set("all_proxy")
    if not proxy or is_loopback(parts.hostname or "") or proxy_bypass(parts.netloc):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def _set(name: str) -> str:
    return os.environ.get(name) or os.environ.get(name.upper()) or ""

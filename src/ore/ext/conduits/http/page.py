"""The page: its files, how to log in to it, and how to build it."""

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from ore.ext.conduits.http.options import HttpOptions
from ore.ext.conduits.http.token import Token

__all__ = ["POLICY", "page_routes"]

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "media-src 'self' data: blob:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
"""Nothing from elsewhere, and no script or style that stands in the page itself."""

_FILE: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")
_HASHED: Final = re.compile(r".*-[A-Za-z0-9]{8,}\.\w+")
"""Names that change with what is inside."""

_FRAME: Final = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>ore</title></head>
<body><main>{}</main></body>
</html>
"""

_BUILD: Final = """<h1>The page is not built</h1>
<p>The server runs, and every route of it works. To get the page, run <code>make web</code> in the source folder of ore
(it needs Node 20 or newer), then load this address again.</p>"""

_LOGIN: Final = """<h1>ore</h1>
<p>{}</p>
<form method="get" action="">
<p><label>Token <input type="password" name="token" autocomplete="current-password" required autofocus></label>
<button>Log in</button></p>
</form>"""


def page_routes(options: HttpOptions) -> Sequence[BaseRoute]:
    """The routes of the page; none when there shall be no page."""
    if not options.ui:
        return ()
    page = _Page(options.static, Token(options.token))
    return (
        Route("/", page.show),
        Route("/chat", page.show),
        Route("/static/{name:path}", page.file),
    )


class _Page:
    def __init__(self, folder: Path, token: Token) -> None:
        self._folder = folder
        self._token = token

    async def show(self, request: Request) -> Response:
        """The page; with the right token in the address, a cookie for it and the address without."""
        given = request.query_params.get("token")
        if given is not None and self._token.is_needed:
            return self._entered(request, given)
        index = self._folder / "index.html"
        if index.is_file():
            return FileResponse(index, headers={**_HEADERS, "Cache-Control": "no-cache"})
        if self._token.lets(Headers(scope=request.scope)):
            return HTMLResponse(_FRAME.format(_BUILD), 503, headers=_HEADERS)
        return _login("This server asks for its token.")

    async def file(self, request: Request) -> Response:
        """One of its files."""
        name: str = request.path_params["name"]
        path = self._folder / name
        if _FILE.fullmatch(name) is None or not path.is_file():
            raise HTTPException(404)
        cached = "public, max-age=31536000, immutable" if _HASHED.fullmatch(name) else "no-cache"
        return FileResponse(path, headers={**_HEADERS, "Cache-Control": cached})

    def _entered(self, request: Request, given: str) -> Response:
        if not self._token.fits(given):
            return _login("That is not the token.")
        root = request.scope.get("root_path", "")
        kept = [(name, value) for name, value in request.query_params.multi_items() if name != "token"]
        # Relative, since a proxy may know this address under another path.
        place = (request.scope["path"].rpartition("/")[2] or "./") + (f"?{urlencode(kept)}" if kept else "")
        cookie = self._token.cookie(given, path=f"{root}/", secure=request.url.scheme == "https")
        return RedirectResponse(place, 303, headers={"Set-Cookie": cookie})


def _login(said: str) -> Response:
    return HTMLResponse(_FRAME.format(_LOGIN.format(escape(said))), 401, headers=_HEADERS)


_HEADERS: Final = {"Content-Security-Policy": POLICY}

"""Sessions over HTTP: lines of JSON for each message, server-sent events for all, and a page to talk in."""

from ore.ext.conduits.http.app import http_app
from ore.ext.conduits.http.conduit import HttpConduit, Listening, make
from ore.ext.conduits.http.options import HttpLimits, HttpOptions

__all__ = ["HttpConduit", "HttpLimits", "HttpOptions", "Listening", "http_app", "make"]

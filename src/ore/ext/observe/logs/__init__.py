"""Structured logs: with the ids of session, message and turn, and without content."""

from ore.ext.observe.logs.context import ContextFilter
from ore.ext.observe.logs.json_lines import JsonFormatter, log_json
from ore.ext.observe.logs.log_tracer import LogTracer

__all__ = ["ContextFilter", "JsonFormatter", "LogTracer", "log_json"]

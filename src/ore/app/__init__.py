"""The front door."""

from ore.app.agent import Agent, OnQuestion
from ore.app.places import data_folder, default_store_url
from ore.app.resolve import (
    ConduitSettings,
    ProviderSettings,
    Resolver,
    conduit_by_name,
    default_model,
    open_store,
    slash_commands,
    tools_by_name,
)
from ore.app.result import Result
from ore.app.run import Run
from ore.app.serving import live_sessions, serve
from ore.app.session import Session
from ore.app.usage_limits import UsageLimits

__all__ = [
    "Agent",
    "ConduitSettings",
    "OnQuestion",
    "ProviderSettings",
    "Resolver",
    "Result",
    "Run",
    "Session",
    "UsageLimits",
    "conduit_by_name",
    "data_folder",
    "default_model",
    "default_store_url",
    "live_sessions",
    "open_store",
    "serve",
    "slash_commands",
    "tools_by_name",
]

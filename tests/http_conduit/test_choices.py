"""What can be chosen: agents, models, commands."""

import pytest

from http_conduit.conftest import Serve
from ore.errors import AuthenticationError, ModelNotFoundError
from ore.ext.commands import Commands, Invocation
from ore.provider import Provider
from ore.testing import ScriptedProvider


def only_anthropic(name: str) -> tuple[Provider, str]:
    """As it is where one key is in the environment."""
    provider, _, model = name.partition(":")
    if provider == "openai":
        raise AuthenticationError("no key", provider=provider)
    if provider != "anthropic":
        raise ModelNotFoundError(f"no provider {provider!r}", provider=provider)
    return ScriptedProvider(name=provider), model


async def deploy(invocation: Invocation) -> None:
    """Do nothing."""


async def test_commands_are_those_of_every_interceptor_that_has_some(serve: Serve) -> None:
    class Other:
        async def intercept(self, stream: object, message: object) -> object:
            raise NotImplementedError

    first, second = Commands(), Commands()
    first.bind("deploy", "deploy to a place", deploy)
    second.bind("deploy", "nobody gets here", deploy)
    second.bind("clean", "clean up", deploy)
    on = await serve(interceptors=(Other(), first, second))
    assert (await on.client.get("/commands")).json["commands"] == [
        {"name": "clean", "description": "clean up"},
        {"name": "deploy", "description": "deploy to a place"},
        {"name": "help", "description": "what commands there are"},
    ]


async def test_without_commands_there_are_none(serve: Serve) -> None:
    on = await serve()
    assert (await on.client.get("/commands")).json == {"commands": []}


async def test_models_are_those_of_the_agents_and_of_vendors_that_can_be_asked(serve: Serve) -> None:
    on = await serve(model="small", resolve=only_anthropic)
    models = (await on.client.get("/models?limit=500")).json["models"]
    assert models[0] == {"name": "scripted:small", "agents": ["agent"]}
    assert {model["name"].partition(":")[0] for model in models[1:]} == {"anthropic"}
    assert len({model["name"] for model in models}) == len(models) > 3
    assert any(model.get("window_tokens", 0) >= 100_000 for model in models)


@pytest.mark.parametrize(("query", "expected"), [("q=CLAUDE+opus", "opus"), ("q=small", "small")])
async def test_models_are_found_by_the_words_in_their_names(serve: Serve, query: str, expected: str) -> None:
    on = await serve(model="small", resolve=only_anthropic)
    models = (await on.client.get(f"/models?{query}")).json["models"]
    assert models
    assert all(expected in model["name"] for model in models)


async def test_so_many_models_are_listed_as_were_asked_for(serve: Serve) -> None:
    on = await serve(resolve=only_anthropic)
    for limit, count in (("2", 2), ("0", 1), ("-3", 1)):
        models = (await on.client.get(f"/models?limit={limit}")).json["models"]
        assert len(models) == count
    assert (await on.client.get("/models?limit=many")).status == 422


async def test_where_sessions_cannot_change_model_only_those_of_the_agents_are_listed(serve: Serve) -> None:
    on = await serve(model="small", agents=("one", "two"))
    assert (await on.client.get("/models")).json == {"models": [{"name": "scripted:small", "agents": ["one", "two"]}]}

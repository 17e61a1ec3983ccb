"""Keys and addresses: from where they come, which wins, and what is said when one is missing."""

import asyncio
from contextlib import aclosing
from dataclasses import replace

import pytest

from ore.artifact import Artifact, Text
from ore.errors import AuthenticationError, InputError
from ore.ext.providers.aiohttp_transport import AiohttpTransport
from ore.ext.providers.credentials import Credentials
from ore.ext.providers.vendor import Access, Vendor, connect, in_header, own_header
from ore.ledger import Buffer, Role
from ore.models import Spec
from ore.provider import Provider
from providers.loopback import Exchange, Server, serving
from providers.plain_wire import END, PATH, PlainWire, line

VENDOR = Vendor(
    name="plain",
    wire=lambda address: PlainWire(),
    path=PATH,
    base_url="https://plain.test/v1",
    key_variable="PLAIN_API_KEY",
    base_url_variable="PLAIN_BASE_URL",
)
OWN = Vendor(
    name="own",
    wire=lambda address: PlainWire(),
    path=PATH,
    base_url="https://own.test",
    key_variable="PLAIN_API_KEY",
    key_header=own_header,
)
KEY = "sk-canary-0123"


async def hello(exchange: Exchange) -> None:
    exchange.whole(line("Hel"), END)


async def ask(provider: Provider) -> list[Artifact]:
    state = Buffer()
    state.add(Role.USER, Text(content="Hello?"))
    async with asyncio.timeout(5), aclosing(provider.invoke(state, Spec(name="m"))) as batches:
        return [artifact async for batch in batches for artifact in batch]


async def sent(vendor: Vendor, access: Access, server: Server) -> dict[str, str | None]:
    """The headers that say who asks."""
    await ask(connect(vendor, access))
    headers = server.requests[-1].headers
    return {name: headers[name] for name in ("authorization", "x-api-key") if name in headers}


def access(url: str | None, key: str | None = None) -> Access:
    return Access(api_key=key, base_url=url, transport=AiohttpTransport())


@pytest.mark.requirement("D-keys")
async def test_key_and_address_come_from_the_environment_by_the_vendor_s_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with serving(hello) as server:
        monkeypatch.setenv("PLAIN_BASE_URL", server.url)
        monkeypatch.setenv("PLAIN_API_KEY", f"{KEY}\n")
        assert await sent(VENDOR, access(None), server) == {"authorization": f"Bearer {KEY}"}
        assert await sent(OWN, access(server.url), server) == {"x-api-key": KEY}


@pytest.mark.requirement("D-keys")
async def test_what_is_given_beats_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(hello) as server:
        monkeypatch.setenv("PLAIN_BASE_URL", "http://127.0.0.1:1")
        monkeypatch.setenv("PLAIN_API_KEY", "other")
        assert await sent(VENDOR, access(server.url, KEY), server) == {"authorization": f"Bearer {KEY}"}


@pytest.mark.requirement("D-keys")
@pytest.mark.parametrize("key", [None, "", " \n"])
def test_a_missing_key_is_said_when_the_provider_is_made(monkeypatch: pytest.MonkeyPatch, key: str | None) -> None:
    monkeypatch.setenv("PLAIN_API_KEY", "")
    with pytest.raises(AuthenticationError) as caught:
        connect(VENDOR, access(None, key))
    assert caught.value.provider == "plain"
    assert str(caught.value) == (
        "plain: no key for https://plain.test; expected it in the environment variable PLAIN_API_KEY"
    )


@pytest.mark.requirement("D-keys")
async def test_a_second_variable_is_looked_at_where_the_first_holds_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    vendor = replace(OWN, other_key_variable="OTHER_API_KEY", key_header=in_header("x-api-key"))
    monkeypatch.setenv("PLAIN_API_KEY", " \n")
    monkeypatch.setenv("OTHER_API_KEY", "two words")
    with pytest.raises(AuthenticationError, match="key in OTHER_API_KEY to be one word"):
        connect(vendor)
    monkeypatch.setenv("OTHER_API_KEY", "other")
    async with serving(hello) as server:
        assert await sent(vendor, access(server.url), server) == {"x-api-key": "other"}
        monkeypatch.setenv("PLAIN_API_KEY", KEY)
        assert await sent(vendor, access(server.url), server) == {"x-api-key": KEY}


def test_a_vendor_that_needs_no_key_needs_none_anywhere() -> None:
    connect(replace(VENDOR, needs_key=False), access("https://far.test"))


def test_a_vendor_without_an_address_of_its_own_says_where_to_name_one(monkeypatch: pytest.MonkeyPatch) -> None:
    vendor = replace(VENDOR, base_url=None)
    with pytest.raises(InputError, match="expected the base URL, or the environment variable PLAIN_BASE_URL with it"):
        connect(vendor, access(None, KEY))
    monkeypatch.setenv("PLAIN_BASE_URL", "https://ours.test")
    connect(vendor, access(None, KEY))


async def test_a_server_of_this_machine_needs_no_key() -> None:
    async with serving(hello) as server:
        assert await sent(VENDOR, access(server.url), server) == {}
    connect(VENDOR, access("http://localhost:8080/v1"))
    with pytest.raises(AuthenticationError):
        connect(VENDOR, access("http://localhost.evil.test/v1"))


async def test_a_name_and_a_password_in_the_address_are_sent_instead_of_a_bearer_key() -> None:
    async with serving(hello) as server:
        url = server.url.replace("127.0.0.1", "ada:secret@127.0.0.1")
        assert await sent(VENDOR, access(url, KEY), server) == {"authorization": "Basic YWRhOnNlY3JldA=="}
        assert await sent(OWN, access(url, KEY), server) == {
            "authorization": "Basic YWRhOnNlY3JldA==",
            "x-api-key": KEY,
        }
    connect(VENDOR, access("https://ada:secret@plain.test"))


@pytest.mark.parametrize("key", ["two words", "línea", "a\nb", "a\x00b"])
def test_a_key_that_no_header_can_hold_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(AuthenticationError) as caught:
        connect(VENDOR, access(None, key))
    assert str(caught.value) == (
        "plain: expected the key in api_key to be one word of plain characters, got something else"
    )


def test_an_address_that_is_none_is_wrong_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAIN_BASE_URL", "ada:secret@host")
    with pytest.raises(InputError) as caught:
        connect(VENDOR, access(None, KEY))
    assert "secret" not in str(caught.value)


def test_nothing_shows_a_key_or_a_password() -> None:
    given = access(f"https://ada:{KEY}@plain.test/v1?key={KEY}", KEY)
    provider = connect(VENDOR, given)
    assert repr(provider) == "Retrying(Sparing(RemoteProvider('plain', Address('https://plain.test/v1'))))"
    assert KEY not in repr(given)


async def test_a_name_of_one_s_own_is_the_provider_s() -> None:
    provider = connect(VENDOR, Access(name="ours", api_key=KEY))
    assert provider.name == "ours"


def test_a_key_that_a_server_says_in_small_letters_is_a_key() -> None:
    """Codes of errors are told so."""
    told = Credentials({"authorization": f"Bearer {KEY.upper()}"}).scrub(f"code bad_{KEY.lower()}")
    assert told == "code bad_…"

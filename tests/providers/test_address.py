"""Base URLs as people write them, proxies, and how long a server asks to wait."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.errors import InputError
from ore.ext.providers.address import Address, is_loopback
from ore.ext.providers.credentials import Credentials
from ore.ext.providers.proxies import proxy_for
from ore.ext.providers.retry_after import retry_after_s

CHAT = "chat/completions"


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("https://host", "https://host/v1/chat/completions"),
        ("https://host/", "https://host/v1/chat/completions"),
        ("https://host/v1", "https://host/v1/chat/completions"),
        ("https://host/v1/", "https://host/v1/chat/completions"),
        ("http://127.0.0.1:8080/openai", "http://127.0.0.1:8080/openai/v1/chat/completions"),
        ("http://[::1]:8080", "http://[::1]:8080/v1/chat/completions"),
        ("https://host/api/paas/v4", "https://host/api/paas/v4/chat/completions"),
        ("https://host/v1beta/openai/", "https://host/v1beta/openai/chat/completions"),
        ("https://host/inference/chat/completions", "https://host/inference/chat/completions"),
        ("https://host/x?api-version=2025-01-01", "https://host/x/chat/completions?api-version=2025-01-01"),
        ("HTTPS://Host/V", "https://host/V/v1/chat/completions"),
        ("https://ada:secret@host/v1", "https://host/v1/chat/completions"),
    ],
)
@pytest.mark.requirement("D-base-url")
def test_a_base_url_works_with_its_version_or_without(base: str, url: str) -> None:
    assert Address(base, path=CHAT).url(CHAT) == url


GEMINI = "models/m:streamGenerateContent?alt=sse"


@pytest.mark.parametrize(
    ("path", "folder", "base", "url"),
    [
        ("models", "v1beta", "https://host", f"https://host/v1beta/{GEMINI}"),
        ("models", "v1beta", "https://host/v1", f"https://host/v1/{GEMINI}"),
        ("models", "v1beta", "https://host/v1beta/models/", f"https://host/v1beta/{GEMINI}"),
        ("models", "v1beta", "https://host/v1beta?key=k", f"https://host/v1beta/{GEMINI}&key=k"),
        ("responses", "openai/v1", "https://r.test/", "https://r.test/openai/v1/responses"),
        ("responses", "openai/v1", "https://r.test/openai", "https://r.test/openai/v1/responses"),
        ("responses", "openai/v1", "https://r.test/api/openai/v1/", "https://r.test/api/openai/v1/responses"),
        ("responses", "openai/v1", "https://r.test?api-version=p", "https://r.test/openai/v1/responses?api-version=p"),
        ("responses", "openai/v1", "https://r.test/openai/responses?a=b", "https://r.test/openai/responses?a=b"),
        ("api/chat", "", "http://host:11434", "http://host:11434/api/chat"),
        ("api/chat", "", "http://host:11434/api/", "http://host:11434/api/chat"),
        ("api/chat", "", "http://host:11434/v1", "http://host:11434/api/chat"),
        ("api/chat", "", "http://host/ollama/api/chat", "http://host/ollama/api/chat"),
    ],
)
@pytest.mark.requirement("D-base-url")
def test_each_vendor_s_interface_stands_in_a_folder_of_its_own(path: str, folder: str, base: str, url: str) -> None:
    asked = GEMINI if path == "models" else path
    assert Address(base, path=path, folder=folder).url(asked) == url


def test_name_and_password_become_basic_authentication_and_are_not_shown() -> None:
    address = Address("https://ada:s%2Fcret@host:8443/x?key=k-12345&api-version=1", path=CHAT)
    assert address.basic == "Basic YWRhOnMvY3JldA=="
    assert address.origin == "https://host:8443"
    assert repr(address) == "Address('https://host:8443/x')"
    assert address.secrets == ("ada", "s/cret", "k-12345")


@pytest.mark.parametrize(
    ("base", "got"),
    [
        ("host/v1", "one without http:// or https://"),
        ("localhost:8080", "one without http:// or https://"),
        ("", "one without http:// or https://"),
        ("ftp://secret@host", "one without http:// or https://"),
        ("https://", "one without a host"),
        ("https://secret@", "one without a host"),
        ("https://host:secret/v1", "one whose host or port cannot be read"),
        ("https://host:0/v1", "one with port 0"),
        ("https://[secret/v1", "one whose host or port cannot be read"),
        ("https://secret host/v1", "one with blanks or control characters"),
        ("https://secret\nhost/v1", "one with blanks or control characters"),
    ],
)
def test_what_is_no_address_is_refused_without_quoting_it(base: str, got: str) -> None:
    with pytest.raises(InputError) as caught:
        Address(base, path=CHAT)
    assert str(caught.value) == f"base URL: expected an address such as https://host/v1, got {got}"


@given(st.text())
def test_any_text_is_an_address_or_refused_as_one(text: str) -> None:
    for base in (text, f"https://{text}", f"https://host/{text}"):
        try:
            address = Address(base, path=CHAT)
        except InputError:
            continue
        assert address.url(CHAT).startswith(address.origin)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True),
        ("LOCALHOST.", True),
        ("app.localhost", True),
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("0.0.0.0", True),
        ("localhost.evil.test", False),
        ("10.0.0.1", False),
        ("host", False),
        ("", False),
    ],
)
def test_this_machine_is_known_by_its_names(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


@pytest.mark.parametrize(
    ("environment", "url", "proxy"),
    [
        ({}, "https://host/v1", None),
        ({"HTTPS_PROXY": "http://p:1"}, "https://host/v1", "http://p:1"),
        ({"HTTPS_PROXY": "http://p:1"}, "http://host/v1", None),
        ({"https_proxy": "http://small:1", "HTTPS_PROXY": "http://large:1"}, "https://host/", "http://small:1"),
        ({"ALL_PROXY": "p:1"}, "https://host/", "http://p:1"),
        ({"ALL_PROXY": "http://p:1", "NO_PROXY": "other,host"}, "https://host/", None),
        ({"ALL_PROXY": "http://p:1", "NO_PROXY": ".corp"}, "https://api.corp:8443/", None),
        ({"ALL_PROXY": "http://p:1", "NO_PROXY": "*"}, "https://host/", None),
        ({"ALL_PROXY": "http://p:1"}, "http://127.0.0.1:8080/", None),
    ],
)
def test_the_environment_says_which_proxy(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], url: str, proxy: str | None
) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert proxy_for(url) == proxy


@pytest.mark.requirement("B39")
@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, 2.0),
        ({"retry-after": "Wed, 21 Oct 2026 07:00:00 GMT"}, 0.0),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "9", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "9", "retry-after-ms": "?"}, 9.0),
    ],
)
def test_a_server_asks_for_a_wait_in_seconds_or_as_a_date(headers: dict[str, str], seconds: float | None) -> None:
    now_s = 1792567678.0  # 2026-10-21 07:27:58
    assert retry_after_s(headers, now_s) == seconds


@given(st.text())
def test_any_text_is_a_wait_or_none(text: str) -> None:
    found = retry_after_s({"retry-after": text}, 1e9)
    assert found is None or found >= 0


def test_secrets_are_taken_out_of_a_text_in_every_form() -> None:
    credentials = Credentials({"authorization": "Bearer sk-canary-1"}, "password", "x")
    assert repr(credentials) == "Credentials(authorization)"
    assert credentials.scrub("no key sk-canary-1, Bearer sk-canary-1 or password; x stays") == (
        "no key …, … or …; x stays"
    )

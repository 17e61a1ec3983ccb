"""Who may come in, with what, and what is said to those who may not."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from http_conduit.client import Client
from http_conduit.conftest import Serve
from ore.artifact import TextDelta
from ore.errors import InputError
from ore.ext.conduits.http import HttpLimits, HttpOptions, http_app
from ore.ext.conduits.http.hosts import is_loopback
from ore.session import Manager
from ore.testing import ScriptedProvider
from session.watch import agent

HELLO = [TextDelta(content="Hello")]
TOKEN = "s3cret token/;ü"
PLAIN = HttpOptions(token="s3cret")


@pytest.mark.parametrize(
    "origin", ["friend.example", "null", "", "ftp://friend.example", "https://friend.example/page", "https://*.example"]
)
def test_what_is_no_origin_is_refused_and_lets_no_page_in_that_has_none(origin: str) -> None:
    """A page in a sandbox says `null`, which must never be what somebody misspelled."""
    with pytest.raises(InputError):
        http_app(Manager(agent(ScriptedProvider())), HttpOptions(origins=[origin]))


@pytest.mark.parametrize("name", ["http://ore.example", "", "ore.example/x", "*", "a, b", "ore.example:x"])
def test_what_is_no_name_of_a_host_is_refused(name: str) -> None:
    with pytest.raises(InputError):
        http_app(Manager(agent(ScriptedProvider())), HttpOptions(hosts=[name]))


@pytest.mark.requirement("B80")
@pytest.mark.parametrize(
    ("host", "status"),
    [
        *(("localhost:7654", 200), ("127.0.0.1:7654", 200), ("[::1]:7654", 200), ("LOCALHOST", 200), ("[::1]", 200)),
        *(("127.0.0.2:7654", 200), ("localhost.:7654", 200), ("chat.example:7654", 200), ("other.example:8443", 200)),
        *(("evil.example:7654", 403), ("localhost.evil.example", 403), ("192.168.1.5:7654", 403), ("", 403)),
        *(("127.0.0.1.evil.example", 403), ("localhost:x", 403), ("other.example:1", 403)),
        *(("0.0.0.0:7654", 403), ("evil.example#localhost", 403), ("evil.example@localhost", 403)),
    ],
)
async def test_names_that_this_machine_was_made_to_have_are_refused(serve: Serve, host: str, status: int) -> None:
    """With or without an origin and a token, on every kind of route."""
    options = HttpOptions(hosts=["chat.example", "other.example:8443"])
    for on in (await serve(options=options), await serve(options=HttpOptions(token="s3cret", hosts=options.hosts))):
        for path in ("/healthz", "/sessions", "/", "/nowhere"):
            headers = {"host": host, "authorization": "Bearer s3cret"}
            answer = await on.client.get(path, headers=headers)
            assert (answer.status == 403) is (status == 403), path
            if status == 403:
                assert answer.json["code"] == "permission"


@pytest.mark.requirement("B80")
@pytest.mark.parametrize(
    ("origin", "status"),
    [
        *(("http://127.0.0.1:7654", 200), ("https://friend.example", 200)),
        *(("https://evil.example", 403), ("null", 403), ("http://127.0.0.1:3000", 403), ("http://localhost:7654", 403)),
        *(("http://127.0.0.1", 403), ("https://friend.example.evil", 403), ("", 403), ("http://[", 403)),
    ],
)
async def test_pages_from_elsewhere_are_refused_unless_they_are_named(serve: Serve, origin: str, status: int) -> None:
    on = await serve(HELLO, options=HttpOptions(origins=["https://friend.example"]))
    session = await on.session()
    for method, path in (("GET", "/sessions"), ("GET", f"/sessions/{session}/turns"), ("POST", "/sessions")):
        answer = await on.client.call(method, path, headers={"origin": origin})
        assert (answer.status == 403) is (status == 403)
    answer = await on.client.call("HEAD", f"/sessions/{session}/events", headers={"origin": origin})
    assert answer.status == status


async def test_a_named_page_is_told_what_it_may_and_others_are_told_nothing(serve: Serve) -> None:
    on = await serve(options=HttpOptions(origins=["https://friend.example"], token="s3cret"))
    asked = {"origin": "https://friend.example", "access-control-request-method": "PATCH"}
    more = {**asked, "access-control-request-headers": "authorization, content-type"}
    answer = await on.client.call("OPTIONS", "/sessions", headers=more)
    assert answer.status == 204
    assert answer.headers["access-control-allow-origin"] == "https://friend.example"
    assert answer.headers["access-control-allow-headers"] == "authorization, content-type"
    assert "PATCH" in answer.headers["access-control-allow-methods"]
    assert "access-control-allow-credentials" not in answer.headers
    foreign = await on.client.call("OPTIONS", "/sessions", headers={**asked, "origin": "https://evil.example"})
    assert (foreign.status, "access-control-allow-origin" in foreign.headers) == (403, False)
    own = await on.client.get("/sessions", headers={"authorization": "Bearer s3cret"})
    assert "access-control-allow-origin" not in own.headers


@pytest.mark.requirement("B80")
@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; x=y"])
async def test_what_a_page_may_post_without_asking_is_no_request(serve: Serve, media_type: str) -> None:
    on = await serve(HELLO)
    session = await on.session()
    answer = await on.client.post(
        f"/sessions/{session}/messages", {"content": "hi"}, headers={"content-type": media_type}
    )
    assert (answer.status, answer.json["code"]) == (415, "bad_request")
    assert not on.live(session).turns


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": "Bearer s3cret"}, 200),
        ({"authorization": "bearer  s3cret"}, 200),
        ({"authorization": "Bearer s3cre"}, 401),
        ({"authorization": "Bearer s3cret2"}, 401),
        ({"authorization": "Basic s3cret"}, 401),
        ({"authorization": "Bearer "}, 401),
        ({"authorization": "s3cret"}, 401),
        ({"cookie": "ore_token=s3cret"}, 200),
        ({"cookie": "a=b; ore_token=old; ore_token=s3cret"}, 200),
        ({"cookie": "ore_token=S3cret"}, 401),
        ({"cookie": "other=s3cret"}, 401),
        ({"cookie": "ore_token"}, 401),
    ],
)
async def test_with_a_token_only_those_come_in_who_show_it(serve: Serve, headers: Any, status: int) -> None:
    on = await serve(options=PLAIN)
    for path in ("/sessions", "/threads", "/agents", "/openapi.json"):
        answer = await on.client.get(path, headers=headers)
        assert answer.status == status
        if status == 401:
            assert (answer.json["code"], answer.headers["www-authenticate"]) == ("authentication", 'Bearer realm="ore"')
            assert b"s3cret" not in answer.body


async def test_without_the_token_nothing_is_said_about_what_there_is(serve: Serve) -> None:
    """The same answer for sessions that are and that are not there, and for any method."""
    on = await serve(options=PLAIN)
    on.client.headers["authorization"] = "Bearer s3cret"
    session = await on.session()
    del on.client.headers["authorization"]
    for path in (f"/sessions/{session}", "/sessions/nobody", "/nowhere", "/sessions/.."):
        for method in ("GET", "DELETE", "PUT"):
            assert (await on.client.call(method, path)).status == 401
    assert (await on.client.get("/healthz")).status == 200
    assert (await on.client.get("/static/nothing.js")).status == 404


async def test_the_page_is_entered_with_the_token_once(serve: Serve, tmp_path: Path) -> None:
    """The address then holds no token, and the cookie is out of reach of scripts and of other sites."""
    (tmp_path / "index.html").write_text("<!doctype html><title>page</title>")
    on = await serve(options=HttpOptions(token=TOKEN, static=tmp_path))
    answer = await on.client.get("/chat?thread=x&token=s3cret%20token%2F%3B%C3%BC")
    assert (answer.status, answer.headers["location"]) == (303, "chat?thread=x")
    cookie, *fields = answer.headers["set-cookie"].split("; ")
    assert fields == ["Path=/", "Max-Age=2592000", "HttpOnly", "SameSite=Strict"]
    assert (await on.client.get("/sessions", headers={"cookie": cookie})).status == 200
    wrong = await on.client.get("/?token=wrong")
    assert (wrong.status, "set-cookie" in wrong.headers) == (401, False)
    assert b"<form" in wrong.body and b"wrong" not in wrong.body


async def test_a_mounted_page_keeps_its_cookie_to_itself(serve: Serve) -> None:
    on = await serve(options=PLAIN)
    mounted = Client(on.client.app, root_path="/agents/one")
    answer = await mounted.get("/?token=s3cret")
    assert answer.headers["location"] == "./"
    assert "; Path=/agents/one/;" in answer.headers["set-cookie"]
    made = await mounted.post("/sessions", headers={"cookie": "ore_token=s3cret"})
    assert made.json["events_url"] == f"/agents/one/sessions/{made.json['id']}/events"


async def test_without_its_files_the_server_says_how_to_build_the_page(serve: Serve, tmp_path: Path) -> None:
    on = await serve(options=HttpOptions(static=tmp_path))
    for path in ("/", "/chat?thread=x"):
        answer = await on.client.get(path)
        assert (answer.status, answer.headers["content-type"]) == (503, "text/html; charset=utf-8")
        assert b"make web" in answer.body
    closed = await serve(options=HttpOptions(static=tmp_path, token="s3cret"))
    login = await closed.client.get("/")
    assert login.status == 401 and b'name="token"' in login.body and b"make web" not in login.body
    built = await closed.client.get("/", headers={"cookie": "ore_token=s3cret"})
    assert built.status == 503


async def test_the_page_and_its_files_are_served_with_a_strict_policy(serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<!doctype html><title>page</title>")
    (tmp_path / "chunk-ABCDEF12.js").write_text("export {}")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.css").write_text("a{}")
    (tmp_path.parent / "secret.txt").write_text("no")
    on = await serve(options=HttpOptions(static=tmp_path))
    for path in ("/", "/chat", "/chat?thread=x"):
        page = await on.client.get(path)
        assert (page.status, page.body) == (200, b"<!doctype html><title>page</title>")
        policy = page.headers["content-security-policy"]
        assert "script-src 'self';" in policy and "unsafe" not in policy and "default-src 'none'" in policy
    script = await on.client.get("/static/chunk-ABCDEF12.js")
    assert script.headers["content-type"].startswith("text/javascript")
    assert script.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert (await on.client.get("/static/sub/a.css")).headers["cache-control"] == "no-cache"
    for name in ("../secret.txt", "%2e%2e/secret.txt", "..%2fsecret.txt", "sub/../../secret.txt", ".hidden", "sub", ""):
        assert (await on.client.get(f"/static/{name}")).status == 404, name


async def test_without_a_page_there_is_none(serve: Serve) -> None:
    on = await serve(options=HttpOptions(ui=False))
    for path in ("/", "/chat", "/static/index.html"):
        assert (await on.client.get(path)).status == 404


async def test_every_answer_is_safe_to_hold(serve: Serve) -> None:
    on = await serve(HELLO)
    session = await on.session()
    for path in ("/sessions", "/nowhere", "/healthz", f"/sessions/{session}/snapshot"):
        headers = (await on.client.get(path)).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"


# Bodies


def chunks(app: Any, size: int, count: int, path: str, headers: dict[str, str]) -> Any:
    """A request without a length whose body comes in so many pieces; its status, and how many were taken."""
    taken = 0
    status = 0

    async def receive() -> dict[str, Any]:
        nonlocal taken
        taken += 1
        return {"type": "http.request", "body": b" " * size, "more_body": taken < count}

    async def send(message: dict[str, Any]) -> None:
        nonlocal status
        status = message.get("status", status)

    async def run() -> tuple[int, int]:
        scope = Client(app)._scope("POST", path, b"", True, {"transfer-encoding": "chunked", **headers})
        await app(scope, receive, send)
        return status, taken

    return run()


@pytest.mark.parametrize("path", ["/sessions", "/nowhere", "/sessions/../messages", "/sessions/nobody/messages"])
async def test_a_body_that_is_too_large_is_refused_before_anything_else_is_looked_at(serve: Serve, path: str) -> None:
    on = await serve(limits={"body_bytes": 1_000})
    said = await on.client.call("POST", path, body=b"x" * 1_001)
    assert (said.status, said.json["code"]) == (413, "limit")
    assert await chunks(on.client.app, 100, 1_000_000, path, {}) == (413, 11)
    assert (await on.client.call("POST", path, body=b"{" * 1_000)).status in (400, 404, 405)


async def test_hosts_and_tokens_come_before_the_size(serve: Serve) -> None:
    on = await serve(options=PLAIN, limits={"body_bytes": 10})
    for headers, status in (
        ({}, 401),
        ({"host": "evil.example"}, 403),
        ({"host": "evil.example", "authorization": "Bearer s3cret"}, 403),
        ({"authorization": "Bearer s3cret"}, 413),
    ):
        answer = await on.client.call("POST", "/sessions", body=b"x" * 11, headers=headers)
        assert answer.status == status
        assert (await chunks(on.client.app, 11, 2, "/sessions", headers))[0] == status


async def test_the_default_limit_is_ten_mebibytes() -> None:
    assert HttpLimits().body_bytes == 10 * 1024 * 1024


async def test_a_body_that_does_not_come_is_not_waited_for_for_ever(serve: Serve) -> None:
    on = await serve(limits={"body_s": 0.01})

    async def receive() -> dict[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError

    statuses: list[int] = []

    async def send(message: dict[str, Any]) -> None:
        statuses.append(message.get("status", 0))

    scope = on.client._scope("POST", "/sessions", b"x" * 5, True, {})
    async with asyncio.timeout(5):
        await on.client.app(scope, receive, send)
    assert statuses[0] == 408


async def test_a_client_that_leaves_in_the_middle_of_its_body_gets_nothing(serve: Serve) -> None:
    on = await serve()

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        raise AssertionError(message)

    await on.client.app(on.client._scope("POST", "/sessions", b"x" * 5, True, {}), receive, send)
    assert on.sessions.list() == ()


@pytest.mark.parametrize("body", [b"", b"{", b"nope", b"\xff\xfe", b'{"content": NaN}', b"[" * 100_000, b'{"a":1}x'])
async def test_what_is_no_json_is_malformed(serve: Serve, body: bytes) -> None:
    on = await serve(HELLO)
    session = await on.session()
    answer = await on.client.call("POST", f"/sessions/{session}/messages", body=body)
    assert (answer.status, answer.json["code"]) == (400, "bad_request")


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        *(("localhost", True), ("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("[::1]", True)),
        *(("0.0.0.0", False), ("::", False), ("192.168.1.5", False), ("example.org", False), ("", False)),
    ],
)
def test_loopback_is_known_by_its_names(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


async def test_bound_to_more_than_loopback_an_address_is_a_host_too(serve: Serve) -> None:
    """No name can be made to mean one."""
    on = await serve(options=HttpOptions(token="s3cret", any_address=True))
    for host, status in (("192.168.1.5:7654", 200), ("[fe80::1]:7654", 200), ("evil.example:7654", 403)):
        assert (await on.client.get("/healthz", headers={"host": host})).status == status


async def test_a_websocket_is_turned_away(serve: Serve) -> None:
    on = await serve()
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {**on.client._scope("GET", "/", b"", False, {}), "type": "websocket"}
    await on.client.app(scope, None, send)
    assert sent == [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize("token", ["", " ", " s3cret", "s3cret\n"])
def test_a_token_that_anybody_could_show_is_refused(token: str) -> None:
    with pytest.raises(InputError):
        HttpOptions(token=token)


async def test_a_token_may_be_any_text(serve: Serve) -> None:
    """Clients send it in UTF-8, which servers read as Latin-1."""
    on = await serve(options=HttpOptions(token=TOKEN))
    for shown, status in ((TOKEN, 200), (TOKEN + "x", 401)):
        answer = await on.client.get("/sessions", headers={"authorization": f"Bearer {shown}"})
        assert answer.status == status


def test_options_do_not_show_the_token() -> None:
    assert "s3cret" not in repr(PLAIN)
    assert callable(http_app)

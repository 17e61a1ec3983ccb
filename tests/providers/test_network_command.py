"""The command with a vendor behind a network: addresses, keys, limits, captures."""

import json
import ssl
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from cli.command import Done, ore, script
from ore.app import default_model
from ore.app.resolve import _KEYED
from ore.artifact import StopReason, TextDelta, Usage
from ore.cli.main import main
from ore.ext.catalog import shared_catalog
from ore.ext.providers.capture import recorded_body
from ore.ext.wires.openai_chat import OpenAIChat
from ore.testing.contracts.provider import Answer
from providers.loopback import Answering, Exchange, serving_in_a_thread
from providers.vendor_answers import CLAUDE, GEMINI, JSON, OLLAMA, RESPONSES, Speech, answering
from wires.corpus import an_ask

KEY = "sk-canary-0123"
CERTIFICATE = Path(__file__).parent / "tls" / "server.pem"
HELLO = Answer(text=("Hel", "lo"))
GEMINI_TARGET = "/v1beta/models/m:streamGenerateContent?alt=sse"


Run = Callable[..., Done]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`ore COMMAND --store memory:` in this process; quicker than one of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    def run(command: str, *words: str, **env: str) -> Done:
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        status = main([command, "--store", "memory:", *words])
        return Done(status, *capsys.readouterr())

    return run


def failing(status: int, body: Mapping[str, object]) -> Answering:
    async def answer(exchange: Exchange) -> None:
        exchange.whole(json.dumps(body).encode(), status=status, headers=JSON)

    return answer


async def stalls(exchange: Exchange) -> None:
    exchange.head()
    await exchange.gone.wait()


@pytest.mark.requirement("D-base-url")
@pytest.mark.parametrize("ending", ["", "/v1"])
def test_an_answer_streams_from_the_base_url(run: Run, ending: str) -> None:
    with serving_in_a_thread(answering([HELLO, HELLO])) as server:
        flag = run("run", "--model", "openai:gpt-6-sol", "--base-url", server.url + ending, "Hi")
        variable = run("run", "--model", "openai:gpt-6-sol", "Hi", OPENAI_BASE_URL=server.url + ending)
    assert [(done.status, done.out) for done in (flag, variable)] == [(0, "Hello\n")] * 2
    assert [exchange.target for exchange in server.requests] == ["/v1/chat/completions"] * 2
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.requests[0].asked["model"] == "gpt-6-sol"


@pytest.mark.requirement("D-keys", "D-cli-status")
@pytest.mark.parametrize(
    ("provider", "variable"),
    [
        ("openai", "OPENAI_API_KEY"),
        ("openai-responses", "OPENAI_API_KEY"),
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("google", "GEMINI_API_KEY or GOOGLE_API_KEY"),
        ("azure", "AZURE_OPENAI_API_KEY"),
        ("openrouter", "OPENROUTER_API_KEY"),
        ("vercel", "AI_GATEWAY_API_KEY"),
        ("minimax", "MINIMAX_API_KEY"),
    ],
)
def test_a_missing_key_is_status_2_and_says_which(run: Run, provider: str, variable: str) -> None:
    azure = {"AZURE_OPENAI_ENDPOINT": "https://ours.openai.azure.com"}
    done = run("run", "--model", f"{provider}:m", "Hi", OPENAI_API_KEY="", **azure)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"ore: {provider}: no key for https://")
    assert done.err.endswith(f"expected it in the environment variable {variable}\n")


@pytest.mark.requirement("D-keys", "D-base-url")
@pytest.mark.parametrize(
    ("model", "speech", "variables", "target", "header"),
    [
        ("openai-responses:m", RESPONSES, ("OPENAI_API_KEY", "OPENAI_BASE_URL"), "/v1/responses", "authorization"),
        ("google:m", GEMINI, ("GEMINI_API_KEY", "GOOGLE_BASE_URL"), GEMINI_TARGET, "x-goog-api-key"),
        ("google:m", GEMINI, ("GOOGLE_API_KEY", "GOOGLE_BASE_URL"), GEMINI_TARGET, "x-goog-api-key"),
        ("azure:m", RESPONSES, ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT"), "/openai/v1/responses", "api-key"),
        ("ollama:m", OLLAMA, ("OLLAMA_API_KEY", "OLLAMA_BASE_URL"), "/api/chat", "authorization"),
    ],
)
def test_a_vendor_is_reached_by_its_own_variables(
    run: Run, model: str, speech: Speech, variables: tuple[str, str], target: str, header: str
) -> None:
    with serving_in_a_thread(answering([HELLO], speech)) as server:
        done = run("run", "--model", model, "Hi", **dict(zip(variables, (KEY, server.url), strict=True)))
    assert (done.status, done.out) == (0, "Hello\n")
    (asked,) = server.requests
    assert (asked.target, asked.headers[header].removeprefix("Bearer ")) == (target, KEY)


def test_azure_without_an_address_is_status_2_and_says_where_to_name_it(run: Run) -> None:
    done = run("run", "--model", "azure:m", "Hi", AZURE_OPENAI_API_KEY=KEY)
    assert (done.status, done.out) == (2, "")
    assert done.err == (
        "ore: azure: expected the base URL, or the environment variable AZURE_OPENAI_ENDPOINT with it, got neither\n"
    )


@pytest.mark.requirement("D-cli-status")
def test_an_address_that_is_none_is_status_2_without_its_password(run: Run) -> None:
    done = run("run", "--model", "openai:m", "--base-url", f"ada:{KEY}@host", "Hi")
    assert done.status == 2
    assert "base URL: expected an address such as https://host/v1" in done.err
    assert KEY not in done.err


@pytest.mark.requirement("D-http-limits")
def test_the_silence_that_is_allowed_is_an_option(run: Run) -> None:
    with serving_in_a_thread(stalls) as server:
        done = run("run", "--model", "openai:m", "--base-url", server.url, "--timeout-s", "0.05", "--json", "Hi")
    error = json.loads(done.out)["error"]
    assert (done.status, error["code"], error["provider"]) == (1, "timeout", "openai")
    assert "for 0.05 s; --timeout-s allows more" in error["message"]
    assert len(server.requests) == 3
    assert "attempt 2/3 in" in done.err


@pytest.mark.requirement("D-http-secrets")
def test_a_wrong_key_is_said_and_not_shown(run: Run) -> None:
    wrong = {"error": {"message": f"Incorrect API key provided: {KEY}", "code": "invalid_api_key"}}
    with serving_in_a_thread(failing(401, wrong)) as server:
        done = run("run", "--model", "openai:m", "--base-url", server.url, "--events", "Hi")
        found = run("doctor", "--model", "openai:m", "--base-url", server.url)
    assert done.status == 1
    assert "the run failed (authentication)" in done.err
    assert "  fails (authentication): " in found.out
    assert KEY not in done.out + done.err + found.out + found.err


def test_a_model_that_the_vendor_does_not_know_is_status_2(run: Run) -> None:
    unknown = {"error": {"message": "no such model", "code": "model_not_found"}}
    with serving_in_a_thread(failing(404, unknown)) as server:
        done = run("run", "--model", "openai:m", "--base-url", server.url, "Hi")
    assert (done.status, "(not_found)" in done.err) == (2, True)


@pytest.mark.requirement("D-default-model")
def test_a_key_in_the_environment_chooses_the_model_and_that_is_said_once(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving_in_a_thread(answering([HELLO], CLAUDE)) as server:
        done = run("run", "Hi", ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=server.url)
    model, reason = "anthropic:claude-sonnet-5-5", "ANTHROPIC_API_KEY is set"
    assert (done.status, done.out) == (0, "Hello\n")
    assert done.err.splitlines()[0] == f"ore: model {model}: {reason}"
    assert default_model() == (model, reason)
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    assert default_model() == ("openai-responses:gpt-6-sol", "OPENAI_API_KEY is set")
    assert default_model("https://api.openai.com/v1")[0] == "openai-responses:gpt-6-sol"
    assert default_model("http://127.0.0.1:8080")[0] == "openai:gpt-6-sol"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8080")
    assert default_model()[0] == "openai:gpt-6-sol"
    monkeypatch.setenv("OPENAI_API_KEY", "")
    for variable in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.setenv(variable, KEY)
        assert default_model() == ("google:gemini-3.8-flash", f"{variable} is set")
        monkeypatch.delenv(variable)


@pytest.mark.requirement("D-default-model")
@pytest.mark.parametrize("model", [name for _, name in _KEYED])
def test_a_default_model_is_one_that_is_known_and_calls_tools(model: str) -> None:
    found = shared_catalog().named(model)
    assert found is not None
    assert "tools" in found.abilities


@pytest.mark.requirement("D-base-url")
def test_the_default_model_is_asked_in_the_way_that_all_copies_of_its_vendor_speak(run: Run) -> None:
    with serving_in_a_thread(answering([HELLO])) as server:
        done = run("run", "--base-url", server.url, "Hi")
    assert (done.status, done.out) == (0, "Hello\n")
    assert [exchange.target for exchange in server.requests] == ["/v1/chat/completions"]


def test_a_certificate_of_one_s_own_is_trusted_where_ssl_cert_file_names_it(run: Run, tmp_path: Path) -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(CERTIFICATE)
    with serving_in_a_thread(answering([HELLO]), tls=context) as server:
        words = ("--model", "openai:m", "--base-url", server.url, "Hi")
        refused = run("run", *words)
        env = {"OPENAI_API_KEY": KEY, "SSL_CERT_FILE": str(CERTIFICATE)}
        trusted = ore("run", "--store", "memory:", *words, folder=tmp_path, env=env)
    assert (refused.status, "SSL_CERT_FILE" in refused.err, "attempt 2" in refused.err) == (1, True, False)
    assert (trusted.status, trusted.out) == (0, "Hello\n")


# ── --capture ────────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-capture")
def test_a_capture_holds_the_request_and_an_answer_that_can_be_decoded(run: Run, tmp_path: Path) -> None:
    with serving_in_a_thread(answering([HELLO])) as server:
        done = run("run", "--model", "openai:m", "--base-url", server.url, "--capture", "wire.json", "Hi")
    path = tmp_path / "wire.json"
    raw = path.read_bytes()
    assert (done.status, done.out, path.stat().st_mode & 0o777) == (0, "Hello\n", 0o600)
    assert KEY.encode() not in raw
    request = json.loads(raw)["request"]
    assert (request["url"], request["headers"]["authorization"]) == (f"{server.url}/v1/chat/completions", "…")
    assert request["body"] == server.requests[0].asked
    decoder = OpenAIChat().decoder(an_ask())
    batches = [*decoder.feed(recorded_body(raw)), *decoder.close()]
    assert [artifact for batch in batches for artifact in batch] == [
        TextDelta(content="Hel"),
        TextDelta(content="lo"),
        StopReason(reason="stop"),
        Usage(prompt_tokens=7, completion_tokens=3, total_tokens=10),
    ]


@pytest.mark.requirement("D-capture")
def test_where_nothing_can_be_captured_that_is_wrong_use(run: Run, tmp_path: Path) -> None:
    scripted = script(tmp_path, [])
    for words in (
        ("--model", scripted, "--capture", "wire.json"),
        ("--model", "local", "--capture", "wire.json"),
        ("--model", "openai:m", "--capture", "missing/wire.json"),
    ):
        done = run("run", *words, "Hi")
        assert (done.status, done.err.startswith("ore: capture: expected ")) == (2, True)
    assert not (tmp_path / "wire.json").exists()


@pytest.mark.requirement("D-capture")
def test_two_models_of_one_run_are_captured_side_by_side(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pair.py").write_text("from ore import Agent\nagent = Agent(['openai:m', 'anthropic:c'])\n")
    full = failing(400, {"error": {"message": "prompt is too long", "code": "context_length_exceeded"}})
    with serving_in_a_thread(full) as first, serving_in_a_thread(answering([HELLO], CLAUDE)) as second:
        env = {"OPENAI_BASE_URL": first.url, "ANTHROPIC_BASE_URL": second.url, "ANTHROPIC_API_KEY": KEY}
        done = run("run", "--agent", "pair:agent", "--capture", "wire.json", "Hi", **env)
    assert (done.status, done.out) == (0, "Hello\n")
    files = {name: json.loads((tmp_path / name).read_bytes()) for name in ("wire.json", "wire.2.json")}
    assert [found["response"]["status"] for found in files.values()] == [400, 200]
    assert [found["request"]["url"].removesuffix("?") for found in files.values()] == [
        f"{first.url}/v1/chat/completions",
        f"{second.url}/v1/messages",
    ]
    assert not any(KEY in (tmp_path / name).read_text() for name in files)

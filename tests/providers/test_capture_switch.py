"""Single requests are written down when somebody asks, for providers that were made with the switch."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from ore.app import ProviderSettings, Resolver
from ore.artifact import Text
from ore.errors import AuthenticationError
from ore.event import CURRENT, EventContext
from ore.ext.providers.capture_switch import CaptureSwitch
from ore.ext.providers.shared_transport import replaced_transport
from ore.ext.providers.transport import Limits, Reply
from ore.ledger import Buffer, Role
from ore.models import Spec


class Refusing:
    """A network on which nobody is let in."""

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], limits: Limits) -> Reply:
        raise AuthenticationError("no", provider="openai")


def files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def test_the_next_request_of_a_session_is_written_down_once_without_its_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The vendor refuses it: the request is there all the same."""
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
    switch = CaptureSwitch()
    settings = ProviderSettings(base_url="http://127.0.0.1:9/v1", capture_switch=switch)
    provider, name = Resolver(settings)("openai:gpt-x")
    state = Buffer()
    state.add(Role.USER, Text(content="hello"))
    switch.arm("mine", str(tmp_path / "one.json"))
    switch.arm("gone", str(tmp_path / "nowhere" / "two.json"))
    for session in ("other", "mine", "mine", "gone"):
        token = CURRENT.set(EventContext(thread_id=session))
        with pytest.raises(AuthenticationError), replaced_transport(Refusing()):
            async for _ in provider.invoke(state, Spec(name=name)):
                pass
        CURRENT.reset(token)
    (made,) = files(tmp_path)
    capture = json.loads(made.read_text())
    assert capture["request"]["url"] == "http://127.0.0.1:9/v1/chat/completions"
    assert "secret-key" not in made.read_text() and "hello" in made.read_text()

"""Whatever the protocol: recorded, played, compared, and broken on purpose."""

import asyncio
import json
from pathlib import Path

import pytest

from ore.artifact import Notice
from ore.errors import InputError, OreError, describe
from ore.ext.replay import Broken, Replaying, check_cassette, read_cassette, unpack
from ore.ext.replay.matching import without_ids
from ore.ledger import MemoryStore
from ore.testing import Recorder
from replay.every_wire import VENDORS, agent, record

EVERY = pytest.mark.parametrize("vendor", VENDORS)
NOWHERE = "http://127.0.0.1:9"


@EVERY
@pytest.mark.requirement("D-cassette")
async def test_what_was_recorded_is_played_and_is_a_test_of_its_wire(tmp_path: Path, vendor: str) -> None:
    """Where a vendor gives calls no ids, too."""
    kind = VENDORS[vendor]
    assert await record(kind, tmp_path) == "It is 21 °C."
    player = Replaying(tmp_path, block_bytes=7)
    assert (await agent(kind, NOWHERE, player).run("Weather in Lisbon?")).text == "It is 21 °C."
    assert player.left == ()
    made = await asyncio.to_thread(unpack, tmp_path)
    names = [f"00{place}-{kind.protocol}.{ending}" for place in (1, 2) for ending in (kind.ending, "expected.json")]
    assert [path.name for path in made] == names
    check_cassette(tmp_path)
    expected = json.loads(await asyncio.to_thread(made[3].read_text))
    assert (expected["protocol"], expected["error"]) == (kind.protocol, None)
    assert expected["artifacts"][0]["content"] == "It is 21 °C."


@EVERY
@pytest.mark.requirement("D-cassette")
def test_an_answer_that_is_read_in_another_way_fails_the_test_and_says_where(tmp_path: Path, vendor: str) -> None:
    """As a reader with a bug would, or the one of today, once its result was mended by hand."""
    asyncio.run(record(VENDORS[vendor], tmp_path))
    unpack(tmp_path)
    path = next(tmp_path.glob("002-*.expected.json"))
    path.write_text(path.read_text().replace("21 °C.", "22 °C."))
    with pytest.raises(AssertionError, match=r"002-\S+: expected something else at /artifacts/0/content") as caught:
        check_cassette(tmp_path)
    assert "°C" not in str(caught.value)


def test_a_folder_with_nothing_to_compare_is_no_test(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="expected a file that ends in"):
        check_cassette(tmp_path)


@EVERY
@pytest.mark.requirement("D-cassette")
async def test_arguments_called_id_are_content_and_ids_of_calls_are_not(tmp_path: Path, vendor: str) -> None:
    """In a history, where some vendors want an object and others text."""
    await record(VENDORS[vendor], tmp_path)
    second = read_cassette(tmp_path)[1].request
    text = json.dumps(second)
    renamed = text.replace("call_weather_1", "call_other")
    assert without_ids(json.loads(renamed)) == without_ids(second)
    changed = text.replace('"12"', '"13"').replace('\\"12\\"', '\\"13\\"')
    assert changed != text
    assert without_ids(json.loads(changed)) != without_ids(second)


# ── Faults ───────────────────────────────────────────────────────────────────

LONG = 10_000
FAULTS = {
    "refused": (Broken(kind="status", headers={"retry-after": "0"}), "rate_limit", True),
    "full": (Broken(kind="status", status=503), "overloaded", True),
    "wrong key": (Broken(kind="status", status=401), "authentication", False),
    "cut at once": (Broken(kind="cut"), "protocol", False),
    "cut late": (Broken(kind="cut", after_bytes=60), "protocol", False),
    "no JSON": (Broken(kind="bad_json"), "protocol", False),
}


@EVERY
@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.requirement("D-replay-faults")
async def test_a_request_that_goes_wrong_is_made_again_where_that_helps_and_else_the_session_goes_on(
    tmp_path: Path, vendor: str, name: str
) -> None:
    """The second of two requests; what was recorded is still there for the next one."""
    kind, (fault, code, helps) = VENDORS[vendor], FAULTS[name]
    await record(kind, tmp_path)
    player = Replaying(tmp_path, faults={2: fault})
    asked = agent(kind, NOWHERE, player, attempts=2 if helps else 1)
    async with asked.session("s", store=MemoryStore()) as session, Recorder(session.handle) as seen:
        try:
            ended = (await session.run("Weather in Lisbon?")).text
        except OreError as error:
            ended = describe(error).code
    assert ended == ("It is 21 °C." if helps else code)
    notices = [entry.event.content for entry in seen.entries if isinstance(entry.event, Notice)]
    assert any("attempt 2/2" in notice for notice in notices) is helps
    assert len(player.left) == (0 if helps else 1)


def test_what_cannot_go_wrong_is_named() -> None:
    with pytest.raises(InputError, match="expected one of cut, bad_json, status, got 'slow'"):
        Broken(kind="slow")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="expected a status from 400 to 599, got 200"):
        Broken(kind="status", status=200)

"""The description is true: a generator of requests finds no answer that it does not foresee."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    positive_data_acceptance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from cli.command import call, delta, script
from cli.served import serving
from http_conduit.checked import DESCRIPTION
from http_conduit.conftest import Serve
from ore.ext.conduits.http.operations import OPERATIONS

CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
    unsupported_method,
)


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The description as a server gives it, which has a session or two."""
    folder = tmp_path_factory.mktemp("server")
    model = script(folder, [delta("Hello")], [call("calculator", expression="6*7")], [delta("42")], repeat=True)
    with serving(folder, model, "--tool", "calculator") as (client, _):
        for name in ("one", "two"):
            session = client.post("/sessions", json={"metadata": {"ore.title": name}}).json()["id"]
            client.post(f"/sessions/{session}/messages", json={"content": "hi"})
        yield schemathesis.openapi.from_url(f"{client.base_url}/openapi.json")


# An event stream has no end that a generator could wait for; tests of their own read it.
OPERATION_IDS = [
    id
    for path in DESCRIPTION["paths"].values()
    for operation in path.values()
    if (id := operation["operationId"]) != "follow_events"
]


@pytest.mark.slow
@pytest.mark.requirement("D-openapi")
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=lambda mode: str(mode.value))
@pytest.mark.parametrize("id", OPERATION_IDS)
def test_no_request_gets_an_answer_that_is_not_described(described: Any, id: str, mode: GenerationMode) -> None:
    """Requests as the description wants them, and requests that it does not want."""
    checks = [*CHECKS]
    if id != "list_threads":  # nobody can guess a cursor
        checks.append(positive_data_acceptance)
    operation = next(
        found.ok() for found in described.get_all_operations() if found.ok().definition.raw["operationId"] == id
    )

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(max_examples=15, suppress_health_check=[*HealthCheck], deadline=None)
    def ask(case: Any) -> None:
        case.call_and_validate(checks=checks, timeout=20)

    try:
        ask()
    except Unsatisfiable:  # whatever is asked is as wanted, such as a route without parameters
        assert mode is GenerationMode.NEGATIVE


async def test_the_server_describes_itself_to_whoever_may_come_in(serve: Serve) -> None:
    on = await serve()
    answer = await on.client.get("/openapi.json")
    assert (answer.status, answer.json["openapi"]) == (200, "3.1.0")
    assert answer.json["paths"] == DESCRIPTION["paths"]
    assert "security" not in answer.json and DESCRIPTION["security"] == [{"token": []}, {"cookie": []}]
    assert answer.json["components"]["schemas"]["NewSession"]["properties"]["agent"]["anyOf"][0] == {"enum": ["agent"]}


def test_every_route_is_described_under_a_name_of_its_own() -> None:
    names = [operation["operationId"] for path in DESCRIPTION["paths"].values() for operation in path.values()]
    assert len(names) == len({*names}) == len(OPERATIONS) + 2


def test_every_reference_leads_somewhere() -> None:
    def found(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            yield from ([value["$ref"]] if "$ref" in value else [])
            for item in value.values():
                yield from found(item)
        elif isinstance(value, list):
            for item in value:
                yield from found(item)

    known = {f"#/components/schemas/{name}" for name in DESCRIPTION["components"]["schemas"]}
    assert {*found(DESCRIPTION)} - known == set()

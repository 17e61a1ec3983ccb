"""What holds for every test: no task outlives it, none takes long, none sees the user's own settings."""

import asyncio
import os
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from hypothesis import settings

SLOW_LIMIT_S = 300

# Whatever the machine is doing, an example is judged by its result, not its speed.
settings.register_profile("dev", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

SETTINGS = (
    *("ORE_", "OPENAI_", "ANTHROPIC_", "GEMINI_", "GOOGLE_", "AZURE_", "OLLAMA_", "OPENROUTER_", "AI_GATEWAY_"),
    "MINIMAX_",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give `slow` tests their longer limit; `timeout` in pyproject.toml is everyone else's."""
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.timeout(SLOW_LIMIT_S))


@pytest.fixture(scope="session", autouse=True)
def own_surroundings(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Start without keys and with an empty data folder, in this process and those that tests start."""
    for name in [name for name in os.environ if name.startswith(SETTINGS)]:
        del os.environ[name]
    os.environ["XDG_DATA_HOME"] = str(tmp_path_factory.mktemp("data"))


@pytest.fixture(autouse=True)
def no_task_left(request: pytest.FixtureRequest) -> None:
    """Fail an async test that leaves a task running; see `_tasks_end`."""
    if pytest_asyncio.is_async_test(request.node):
        request.getfixturevalue("_tasks_end")


@pytest_asyncio.fixture
async def _tasks_end() -> AsyncIterator[None]:
    # Set up first, so torn down last: what fixtures close is closed by now.
    yield
    me = asyncio.current_task()
    for _ in range(10):  # a task whose work is over may still need its last steps
        await asyncio.sleep(0)
    left = asyncio.all_tasks() - {me}
    assert not left, f"left running: {', '.join(sorted(task.get_name() + ' ' + str(task.get_coro()) for task in left))}"

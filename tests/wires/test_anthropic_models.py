"""What a model of Anthropic's protocol takes, by its name."""

import pytest

from ore.ext.wires.anthropic.claude import Claude, claude


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("claude-3-7-sonnet-20250219", "claude-3.7-sonnet"),
        ("anthropic/claude-3.5-haiku", "claude-3-5-haiku-latest"),
        ("claude-sonnet-4-20250514", "anthropic/claude-sonnet-4"),
        ("claude-opus-4-1-20250805", "anthropic/claude-opus-4.1"),
        ("claude-sonnet-4-5-20250929", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
        ("claude-haiku-4-5@20251001", "anthropic/claude-haiku-4.5"),
        ("claude-opus-4-7", "anthropic/claude-4.7-opus"),
        ("claude-opus-4-8", "anthropic/claude-opus-4.8:thinking"),
        ("claude-opus-5-5", "anthropic/claude-opus-5.5"),
        ("claude-sonnet-5-5", "claude-sonnet-9"),
    ],
)
def test_a_model_has_many_names(name: str, same: str) -> None:
    assert claude(name) == claude(same)
    assert claude(name).is_claude


@pytest.mark.parametrize("name", ["MiniMax-M3", "qwen3:8b", "gpt-5", "claude", "x/claude-2.1", ""])
def test_other_models_are_their_servers_business(name: str) -> None:
    assert claude(name) == Claude()


@pytest.mark.parametrize(
    ("name", "thinks", "off", "takes"),
    [
        ("claude-3-5-sonnet-20241022", "never", "unset", "samples prefill"),
        ("claude-3-7-sonnet-latest", "budget", "unset", "samples prefill"),
        ("claude-opus-4-0", "budget", "unset", "samples prefill"),
        ("claude-opus-4-1", "budget", "unset", "samples one_sampler prefill structured"),
        ("claude-sonnet-4-5", "budget", "unset", "samples one_sampler prefill structured"),
        ("claude-sonnet-4-6", "adaptive", "unset", "samples one_sampler structured"),
        ("claude-opus-4-7", "adaptive", "unset", "one_sampler structured hides"),
        ("claude-opus-4-8", "adaptive", "unset", "one_sampler structured hides system_messages"),
        ("claude-sonnet-5", "adaptive", "disabled", "one_sampler structured hides"),
        ("claude-opus-5", "adaptive", "disabled", "one_sampler structured hides system_messages"),
        ("claude-fable-5", "adaptive", "impossible", "one_sampler structured hides system_messages"),
        ("claude-mythos-preview", "adaptive", "impossible", "one_sampler structured hides system_messages"),
        ("claude-fable-5-1", "adaptive", "impossible", "one_sampler structured hides system_messages binds"),
        ("claude-opus-5-5", "adaptive", "impossible", "one_sampler structured hides system_messages binds"),
        ("claude-sonnet-5-5", "adaptive", "between_tools", "one_sampler structured hides system_messages binds"),
        ("claude-haiku-5-5", "adaptive", "disabled", "one_sampler structured hides system_messages binds"),
    ],
)
def test_each_generation_takes_less_and_does_more(name: str, thinks: str, off: str, takes: str) -> None:
    """By the pages that `claude` names."""
    found = claude(name)
    assert (found.thinks, found.off) == (thinks, off)
    names = ("samples", "one_sampler", "prefill", "structured", "hides", "system_messages", "binds")
    assert {trait for trait in names if getattr(found, trait)} == set(takes.split())

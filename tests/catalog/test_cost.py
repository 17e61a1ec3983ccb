"""What an inference cost: exact, each token once, unknown where anything is."""

from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.artifact import StopReason, TextDelta, Usage
from ore.ext.catalog import cost, priced
from ore.models import ModelInfo, Price, PriceTier

CACHED = Price(input_usd=Decimal("1.4"), cache_read_usd=Decimal("0.26"), output_usd=Decimal("4.4"))
PLAIN = Price(input_usd=Decimal("1.4"), output_usd=Decimal("4.4"))
LONG = Usage(prompt_tokens=27_147, cache_read_tokens=27_146, completion_tokens=351)

counts = st.integers(min_value=0, max_value=10**12)
prices = st.decimals(min_value=0, max_value=10_000, places=16, allow_nan=False, allow_infinity=False)


def model(price: Price | None) -> ModelInfo:
    return ModelInfo(name="m", provider="p", price=price)


@pytest.mark.requirement("B105")
def test_cached_tokens_are_charged_once_and_at_their_own_price() -> None:
    assert cost(LONG, model(CACHED)) == Decimal("0.00860376")


@pytest.mark.requirement("B105")
def test_without_a_price_for_cached_tokens_the_price_of_the_prompt_holds_for_all_of_it() -> None:
    assert cost(LONG, model(PLAIN)) == (27_147 * Decimal("1.4") + 351 * Decimal("4.4")) / 1_000_000


@pytest.mark.requirement("D-cost-exact")
def test_written_cache_costs_what_writing_does_and_thinking_is_part_of_the_completion() -> None:
    usage = Usage(
        prompt_tokens=1_000, cache_write_tokens=600, cache_read_tokens=300, completion_tokens=50, reasoning_tokens=40
    )
    price = Price(
        input_usd=Decimal(3), output_usd=Decimal(15), cache_read_usd=Decimal("0.3"), cache_write_usd=Decimal("3.75")
    )
    assert cost(usage, model(price)) == Decimal("0.00339") + Decimal(0)  # 100 x 3 + 300 x 0.3 + 600 x 3.75 + 50 x 15


@pytest.mark.requirement("D-cost-exact")
@pytest.mark.parametrize(("tokens", "usd"), [(200_000, "0.8"), (200_001, "1.6")])
def test_a_prompt_over_the_bound_of_a_tier_has_its_prices_for_all_tokens(tokens: int, usd: str) -> None:
    tier = PriceTier(over_tokens=200_000, input_usd=Decimal(8), output_usd=Decimal(30))
    price = Price(input_usd=Decimal(4), output_usd=Decimal(20), tiers=(tier,))
    usage = Usage(prompt_tokens=tokens, completion_tokens=0)
    assert cost(usage, model(price)) == Decimal(usd) + Decimal(tokens - 200_000) * 8 / 1_000_000


@pytest.mark.requirement("D-cost-exact")
def test_of_several_tiers_the_highest_that_is_passed_holds() -> None:
    tiers = tuple(
        PriceTier(over_tokens=bound, input_usd=Decimal(usd), output_usd=Decimal(1)) for bound, usd in [(10, 2), (20, 3)]
    )
    price = Price(input_usd=Decimal(1), output_usd=Decimal(1), tiers=tiers)
    found = [cost(Usage(prompt_tokens=n, completion_tokens=0), model(price)) for n in (10, 11, 21)]
    assert found == [Decimal("0.000010"), Decimal("0.000022"), Decimal("0.000063")]


@pytest.mark.requirement("D-cost-unknown")
@pytest.mark.parametrize(
    ("usage", "price"),
    [
        (LONG, None),
        (LONG, Price()),
        (LONG, Price(input_usd=Decimal(1))),
        (LONG, Price(output_usd=Decimal(1))),
        (Usage(prompt_tokens=5), PLAIN),
        (Usage(completion_tokens=5), PLAIN),
        (Usage(total_tokens=5), PLAIN),
        (Usage(), PLAIN),
    ],
)
def test_where_a_count_or_a_price_is_unknown_so_is_the_cost(usage: Usage, price: Price | None) -> None:
    assert cost(usage, model(price)) is None
    assert cost(usage, None) is None


@pytest.mark.requirement("D-cost-unknown")
def test_no_tokens_and_free_tokens_cost_nothing_which_is_known() -> None:
    free = Price(input_usd=Decimal(0), output_usd=Decimal(0))
    assert str(cost(LONG, model(free))) == "0"
    assert str(cost(Usage(prompt_tokens=0, completion_tokens=0), model(PLAIN))) == "0"
    assert cost(Usage(prompt_tokens=10, completion_tokens=0), model(Price(input_usd=Decimal(1)))) == Decimal("0.00001")


@pytest.mark.requirement("D-cost-exact")
@given(plain=counts, read=counts, write=counts, completion=counts, usd=st.tuples(prices, prices, prices, prices))
def test_a_cost_is_the_exact_sum_of_its_parts(
    plain: int, read: int, write: int, completion: int, usd: tuple[Decimal, Decimal, Decimal, Decimal]
) -> None:
    """Whatever precision the caller's own arithmetic has."""
    price = Price(input_usd=usd[0], output_usd=usd[1], cache_read_usd=usd[2], cache_write_usd=usd[3])
    usage = Usage(
        prompt_tokens=plain + read + write,
        cache_read_tokens=read,
        cache_write_tokens=write,
        completion_tokens=completion,
    )
    with localcontext() as context:
        context.prec = 3
        found = cost(usage, model(price))
    parts = zip((plain, completion, read, write), usd, strict=True)
    assert found is not None
    assert Fraction(found) == sum((tokens * Fraction(each) for tokens, each in parts), Fraction(0)) / 1_000_000


@pytest.mark.requirement("D-cost-exact")
@given(
    prompt=counts, completion=counts, read=st.none() | counts, write=st.none() | counts, usd=st.tuples(prices, prices)
)
def test_where_the_cache_has_no_prices_its_counts_change_nothing(
    prompt: int, completion: int, read: int | None, write: int | None, usd: tuple[Decimal, Decimal]
) -> None:
    """Not even counts of a server that says more of the prompt was cached than there was."""
    price = model(Price(input_usd=usd[0], output_usd=usd[1]))
    usage = Usage(prompt_tokens=prompt, completion_tokens=completion)
    split = Usage(prompt_tokens=prompt, completion_tokens=completion, cache_read_tokens=read, cache_write_tokens=write)
    cached = (read or 0) + (write or 0)
    found, whole = cost(split, price), cost(usage, price)
    assert found is not None
    assert whole is not None
    assert found == whole if cached <= prompt else found >= whole


@pytest.mark.requirement("D-cost-priced")
def test_a_provider_prices_the_usage_in_a_batch_and_nothing_else() -> None:
    batch = [TextDelta(content="a"), StopReason(reason="stop"), Usage(prompt_tokens=1_000, completion_tokens=100)]
    found = priced(batch, provider="anthropic", model="claude-3-haiku-20240307")
    assert found == [*batch[:2], Usage(prompt_tokens=1_000, completion_tokens=100, cost_usd=Decimal("0.000375"))]


@pytest.mark.requirement("D-cost-priced")
def test_a_cost_that_the_vendor_named_stays() -> None:
    usage = Usage(prompt_tokens=1_000, completion_tokens=100, cost_usd=Decimal("0.5"))
    assert priced([usage], provider="anthropic", model="claude-3-haiku-20240307") == [usage]


@pytest.mark.requirement("D-cost-priced")
def test_usage_of_a_model_that_nobody_knows_is_passed_on_as_it_came() -> None:
    usage = Usage(prompt_tokens=1_000, completion_tokens=100)
    assert priced([usage], provider="anthropic", model="claude-of-tomorrow") == [usage]


@pytest.mark.requirement("D-cost-priced")
def test_a_batch_without_usage_is_given_back_and_nothing_is_read() -> None:
    class Unreadable:
        def find(self, *names: str, **more: str) -> None:
            raise AssertionError("somebody looked something up")

    batch = [TextDelta(content="a")]
    assert priced(batch, provider="openai", model="gpt-5", catalog=Unreadable()) is batch  # type: ignore[arg-type]

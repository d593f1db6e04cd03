"""Amounts as integers: read and written exactly, rounded only where that misleads nobody."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pmtui.domain.money import (
    ONE,
    SCALE,
    Micros,
    MoneyError,
    format_micros,
    group_micros,
    parse_micros,
    round_micros,
    round_price,
)

STEPS = st.sampled_from([100, 1_000, 2_500, 10_000]).map(Micros)


@given(st.integers(-(10**15), 10**15).map(Micros))
def test_an_amount_that_is_written_is_read_again(amount: Micros) -> None:
    assert parse_micros(format_micros(amount)) == amount
    assert parse_micros(group_micros(amount).replace(",", "")) == amount


@pytest.mark.parametrize("text", ["", ".", "1,5", "1e3", "0.0000001", "٣"])
def test_what_is_no_exact_amount_is_refused(text: str) -> None:
    with pytest.raises(MoneyError):
        parse_micros(text)


def test_noise_of_floats_is_rounded_away() -> None:
    assert round_micros(str(0.1 + 0.2)) == 300_000
    assert round_micros("-0.0000005") == -1
    with pytest.raises(MoneyError):
        round_micros("NaN")


@example(Micros(999_500), Micros(1_000))
@example(Micros(999_999), Micros(1_000))
@example(Micros(1), Micros(10_000))
@given(st.integers(0, SCALE).map(Micros), STEPS)
def test_a_rounded_price_is_on_its_step_and_on_its_side_of_both_ends(
    price: Micros, step: Micros
) -> None:
    rounded = round_price(price, step)
    assert rounded % step == 0
    assert (rounded == 0) is (price == 0)
    assert (rounded == ONE) is (price == ONE)
    assert abs(rounded - price) < step
    if step <= price <= ONE - step:
        assert 2 * abs(rounded - price) <= step


def test_sums_and_differences_of_prices_are_rounded_to_the_nearest() -> None:
    tenth = Micros(1_000)
    assert [round_price(Micros(n), tenth) for n in (1_000_400, 1_000_500, 1_001_500, -400)] == [
        1_000_000, 1_000_000, 1_002_000, 0,
    ]  # fmt: skip

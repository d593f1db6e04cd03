"""Numbers from outside: exact money, or the one error that says they are none."""

from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pmtui.domain.money import (
    ONE,
    SCALE,
    Micros,
    MoneyError,
    Range,
    cents_near,
    counted_mid,
    format_micros,
    is_one_sided,
    midpoint,
    parse_micros,
    round_micros,
    round_price,
    spread,
    write_dollars,
    write_fee,
)

STEPS = st.sampled_from([100, 1_000, 2_500, 10_000]).map(Micros)

HOSTILE = [
    "1e1000000",
    "-1e1000000",
    "1e99999999999999999999",
    "9" * 1_000_000,
    "0." + "9" * 1_000_000,
    "0x10",
    "１２",
    "١",
    " 1 ",
    "1 ",
    "+1",
    "1_000",
    "NaN",
    "sNaN",
    "Infinity",
    "-inf",
    "1e",
    "e5",
    ".",
    "-",
    "",
    "1,5",
    "1\n",
    "1e5.5",
    "1e٣",
    "2" + "0" * 24,
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:12])
def test_what_is_no_sensible_number_is_a_money_error(text: str) -> None:
    for read in (parse_micros, round_micros):
        with pytest.raises(MoneyError) as caught:
            read(text)
        assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("1e-1000000", 0),
        ("-1e-99999999999999999999", 0),
        ("0e1000000", 0),
        ("5e-7", 1),
        ("4.9e-7", 0),
        ("-5e-7", -1),
        ("1E+2", 100 * SCALE),
        ("0.1000000000000000055511151231257827", 100_000),
        ("1e24", 10**30),
        (".5", 500_000),
        ("1.", SCALE),
    ],
)
def test_noise_and_exponents_are_rounded_half_up(text: str, units: int) -> None:
    assert round_micros(text) == units


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20))
def test_rounding_is_to_the_nearest_millionth(number: Decimal) -> None:
    text = str(number)
    if len(text) > 100:
        return
    assert abs(Decimal(round_micros(text)) / SCALE - number) * 2 <= Decimal(1) / SCALE


@given(st.text() | st.from_regex(r"[-+]?[0-9]{0,40}(\.[0-9]{0,80})?([eE][-+]?[0-9]{1,30})?"))
def test_any_text_is_an_amount_or_a_money_error(text: str) -> None:
    for read in (parse_micros, round_micros):
        try:
            amount = read(text)
        except MoneyError:
            continue
        assert abs(amount) <= 10**30


@given(st.integers(-(10**29), 10**29))
def test_what_is_written_is_read_again(units: int) -> None:
    text = format_micros(Micros(units))
    assert parse_micros(text) == round_micros(text) == units


@given(st.integers(), st.integers(), st.integers())
def test_a_range_takes_its_ends_and_nothing_beyond(low: int, high: int, number: int) -> None:
    within = Range("size", low, high)
    if low <= number <= high:
        assert within.check(number) == number
    else:
        with pytest.raises(MoneyError, match="size out of range"):
            within.check(number)


def test_whole_numbers_of_any_length_are_judged_at_once() -> None:
    assert round_micros(-7) == -7 * SCALE
    with pytest.raises(MoneyError):
        round_micros(10**5_000)


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


def test_a_missing_side_counts_as_it_does_in_the_sum() -> None:
    assert counted_mid(None, Micros(20_000)) == Micros(10_000)
    assert counted_mid(Micros(980_000), None) == Micros(990_000)
    assert counted_mid(None, None) is None


@given(*[st.none() | st.integers(0, SCALE).map(Micros)] * 2)
def test_two_prices_have_a_middle_and_a_distance_and_one_alone_has_neither(
    bid: Micros | None, ask: Micros | None
) -> None:
    middle, apart = midpoint(bid, ask), spread(bid, ask)
    if bid is None or ask is None:
        assert middle is apart is None
        assert is_one_sided(bid, ask) is (bid is not ask)
    else:
        assert apart == ask - bid
        assert middle in ((bid + ask) / 2, (bid + ask - 1) / 2)
        assert middle == counted_mid(bid, ask)
        assert not is_one_sided(bid, ask)


@given(st.integers(0, 10**9))
def test_a_fee_is_written_to_the_nearest_cent_and_never_as_none(fee: int) -> None:
    text = write_fee(fee)
    if 0 < fee < 5_000:
        assert text == "<$0.01"
    else:
        assert text == write_dollars(cents_near(fee))
        assert fee == 0 or text != "$0.00"

"""Scalars in the service's spellings, friendly and hostile."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.money import (
    CASH,
    CHANGE,
    PRICE,
    PRICE_CHANGE,
    RATE,
    SIZE,
    TICK,
    Micros,
    Range,
    format_micros,
)
from pmtui.wire.bounds import WireError
from pmtui.wire.rows import (
    to_condition_id,
    to_count,
    to_epoch_moment,
    to_micros,
    to_moment,
    to_texts,
    to_token_id,
)

NOON = datetime(2026, 3, 11, 21, tzinfo=UTC)
WIDE = Range("number", -(10**30), 10**30)
scalars = st.none() | st.text() | st.integers() | st.floats()


@pytest.mark.parametrize(
    ("value", "amount"),
    [
        (None, None),
        ("", None),
        (0, 0),
        (5, 5_000_000),
        ("0.0055", 5_500),
        (0.001, 1_000),
        (0.12000001318105698, 120_000),
        ("80362.86028499973", 80_362_860_285),
        (1e-07, 0),
        (-0.0005, -500),
        (10**20, 10**26),
        ("1e2", 100_000_000),
    ],
)
def test_amounts_are_exact_or_rounded(value: str | int | float | None, amount: int | None) -> None:
    assert to_micros(value, "x", WIDE) == (None if amount is None else Micros(amount))


@pytest.mark.parametrize("value", ["abc", "1,5", "NaN", float("inf"), 10**40, "--1", "0x10"])
def test_what_is_no_number_names_its_field(value: str | int | float) -> None:
    with pytest.raises(WireError) as caught:
        to_micros(value, "bestBid", WIDE)
    assert caught.value.field == "bestBid"


@given(st.integers(-(10**24), 10**24))
def test_six_decimals_survive_as_text(units: int) -> None:
    sign, digits = ("-" if units < 0 else ""), f"{abs(units):07d}"
    assert to_micros(f"{sign}{digits[:-6]}.{digits[-6:]}", "x", WIDE) == units


@pytest.mark.parametrize("within", [PRICE, PRICE_CHANGE, SIZE, CASH, CHANGE, RATE, TICK])
def test_a_number_beyond_its_range_is_refused(within: Range) -> None:
    for number in (within.low, within.high):
        assert to_micros(format_micros(Micros(number)), "x", within) == number
    for number in (within.low - 1, within.high + 1):
        with pytest.raises(WireError, match="out of range"):
            to_micros(format_micros(Micros(number)), "x", within)


@given(scalars)
def test_any_scalar_is_a_number_or_a_wire_error(value: str | int | float | None) -> None:
    for is_count in (False, True):
        try:
            amount = to_count(value, "x") if is_count else to_micros(value, "x", CASH)
        except WireError as error:
            assert error.field == "x"  # noqa: PT017 - most examples raise nothing
        else:
            assert amount is None or 0 <= amount <= CASH.high


@given(scalars)
def test_any_scalar_is_a_moment_or_nothing(value: str | int | float | None) -> None:
    for moment in (to_moment(value), to_epoch_moment(value)):
        assert moment is None or moment.utcoffset() is not None


def test_counts_drop_their_fraction_toward_zero() -> None:
    assert [to_count(v, "x") for v in (None, 3, "7", 1.9)] == [None, 3, 7, 1]
    with pytest.raises(WireError, match="out of range"):
        to_count(-1, "x")


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        (None, ()),
        ("", ()),
        ("[]", ()),
        ('["Yes", "No"]', ("Yes", "No")),
        ("[1, 0.5, null]", ("1", "0.5", "")),
        (["a", 1], ("a", "1")),
    ],
)
def test_lists_come_out_of_their_strings(
    value: str | list[str | int | float | None] | None, texts: tuple[str, ...]
) -> None:
    assert to_texts(value, "outcomes", most=3) == texts


@pytest.mark.parametrize("value", ["[", '{"a":1}', "[[1]]", "Yes", '["\\ud800"]', "[" * 100_000])
def test_a_string_without_a_list_is_a_wire_error(value: str) -> None:
    with pytest.raises(WireError) as caught:
        to_texts(value, "outcomes", most=2)
    assert caught.value.field == "outcomes"


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2026-03-11T21:00:00Z", NOON),
        ("2026-03-11T21:00:00.25Z", NOON.replace(microsecond=250_000)),
        ("2026-03-11T21:00:00.123456Z", NOON.replace(microsecond=123_456)),
        ("2026-03-11 21:00:00+00", NOON),
        ("2026-03-11 21:00:00.835+00", NOON.replace(microsecond=835_000)),
        ("2026-03-11T23:00:00+02:00", NOON),
        ("2026-03-11T21:00:00", NOON),
        ("2026-03-11", NOON.replace(hour=0)),
        (1773262800, NOON),
        ("1773262800", NOON),
        (1773262800000, NOON),
        ("NOW*()", None),
        ("0001-01-01T00:00:00+23:00", None),
        ("", None),
        (0, None),
        (-5, None),
        (10**30, None),
        (10**9 * 86_400, None),
        ("3000-01-01", None),
        ("tomorrow", None),
    ],
)
def test_dates_of_every_spelling(value: str | int, moment: datetime | None) -> None:
    assert to_moment(value) == moment


def test_ids_of_another_shape_are_none() -> None:
    condition = "0x" + "aB" * 32
    assert to_condition_id(condition) == condition.lower()
    assert [to_condition_id(t) for t in (None, "", "0x12", condition + "\n")] == [None] * 4
    assert to_token_id("123") == "123"
    assert [to_token_id(t) for t in (None, "", "0x12", "9" * 79, "١")] == [None] * 5

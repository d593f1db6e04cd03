from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.formats import (
    format_cents,
    format_dollars_down,
    format_shares,
    parse_cents,
    parse_size,
)
from pmtui.domain.money import Micros, format_micros, parse_micros
from pmtui.domain.ticket.draft import SizeUnit, TicketField
from pmtui.domain.ticket.fields import affordable_cash, parse_life, unit_of
from pmtui.domain.ticket.ticket import check_ticket
from tests.domain.ticket.test_ticket import BUY, SELL, WORLD

m = parse_micros


@given(st.integers(0, 10**9).map(Micros))
def test_cents_read_back_what_was_written(price: Micros) -> None:
    assert parse_cents(format_cents(price)) == price
    assert parse_cents(f" {format_cents(price)}¢ ") == price


@given(st.integers(0, 10**15).map(Micros))
def test_sizes_read_back_with_and_without_thousands(size: Micros) -> None:
    text = format_micros(size)
    whole, point, decimals = text.partition(".")
    grouped = f"{int(whole):,}{point}{decimals}"
    for written in (text, grouped, f"${text}", f"{grouped}%"):
        assert parse_size(written) == size


@pytest.mark.parametrize("text", ["1,5", "1,50", "1,5000", ",500", "1,,000", "1.000,5", "", "$"])
def test_a_comma_that_could_be_a_decimal_point_is_refused(text: str) -> None:
    assert parse_size(text) is None


def test_a_sign_typed_with_the_number_outweighs_the_unit() -> None:
    assert unit_of(replace(BUY, size_text="5%")) is SizeUnit.PERCENT
    assert unit_of(replace(BUY, size_text="$5")) is SizeUnit.DOLLARS
    assert unit_of(BUY) is SizeUnit.SHARES


@given(st.integers(1, 366 * 86_400))
def test_a_life_in_seconds_reads_back(seconds: int) -> None:
    assert parse_life(f"{seconds}s") == timedelta(seconds=seconds)


def test_what_is_affordable_is_never_more_than_wanted_or_there() -> None:
    assert affordable_cash(WORLD, m("10"), m("0.5"), has_fee=True) == m("10")
    fitted = affordable_cash(WORLD, m("1000"), m("0.5"), has_fee=True)
    assert m("970") < fitted < m("990")
    assert affordable_cash(WORLD, m("1000"), m("0.5"), has_fee=False) > m("999.9")
    unknown = replace(WORLD, available_cash=None)
    assert affordable_cash(unknown, m("10"), m("0.5"), has_fee=True) == 0


def test_the_nearest_price_is_never_worse_than_the_one_typed() -> None:
    for draft, typed, nearest in (
        (BUY, "3.05", "3"), (SELL, "3.05", "4"), (SELL, "51.000000001", "52"),
    ):  # fmt: skip
        (problem,) = check_ticket(replace(draft, price_text=typed), WORLD).of(TicketField.PRICE)
        assert problem.fix is not None
        assert problem.fix.price_text == nearest


def test_amounts_in_sentences_have_two_decimals_and_separators() -> None:
    assert format_dollars_down(m("9743.78569")) == "$9,743.78"
    assert format_shares(m("274547.21")) == "274,547.21"
    assert (format_shares(m("1200")), format_shares(m("0.5")), format_shares(m("0"))) == (
        "1,200",
        "0.5",
        "0",
    )


def test_a_decimal_comma_is_named() -> None:
    (problem,) = check_ticket(replace(BUY, price_text="3,1"), WORLD).of(TicketField.PRICE)
    assert "comma" in problem.text


def test_shares_in_open_orders_are_named_where_none_are_free() -> None:
    world = replace(WORLD, available_shares=m("0"), resting_shares=m("1250"))
    (problem,) = check_ticket(SELL, world).of(TicketField.SIZE)
    assert problem.text == "Nothing to sell; 1,250 in working orders"

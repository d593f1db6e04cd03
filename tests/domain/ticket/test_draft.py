from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.formats import (
    format_cents,
    format_dollars_down,
    format_shares,
    parse_cents,
    parse_size,
)
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, format_micros, parse_micros
from pmtui.domain.orders.amounts import TICK_RULES, is_on_tick
from pmtui.domain.orders.order import TimeInForce
from pmtui.domain.ticket.draft import (
    OrderKind,
    SizeUnit,
    Step,
    TicketField,
    affordable_cash,
    after_sending,
    next_kind,
    next_time_in_force,
    next_unit,
    parse_life,
    step_cents,
    step_price,
    step_size,
    switch_side,
    toggle_post_only,
    unit_of,
)
from pmtui.domain.ticket.ticket import check_ticket
from tests.domain.ticket.test_ticket import BUY, MARKET, SELL, TERMS, WORLD, YES

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


def test_sides_and_post_only_go_back_and_forth() -> None:
    assert switch_side(BUY).side is Side.SELL
    assert switch_side(switch_side(BUY)) == BUY
    assert toggle_post_only(BUY).is_post_only
    assert toggle_post_only(toggle_post_only(BUY)) == BUY


def test_a_market_order_starts_without_the_limits_price_and_shares() -> None:
    market = next_kind(replace(BUY, is_post_only=True))
    assert (market.kind, market.time_in_force, market.size_unit) == (
        OrderKind.MARKET, TimeInForce.FOK, SizeUnit.DOLLARS,
    )  # fmt: skip
    assert (market.price_text, market.size_text, market.is_post_only) == ("", "", False)
    dollars = next_kind(replace(BUY, size_unit=SizeUnit.DOLLARS, time_in_force=TimeInForce.FAK))
    assert (dollars.size_text, dollars.time_in_force) == ("100", TimeInForce.FAK)
    sale = next_kind(SELL)
    assert (sale.size_unit, sale.size_text) == (SELL.size_unit, SELL.size_text)
    back = next_kind(market)
    assert (back.kind, back.time_in_force) == (OrderKind.LIMIT, TimeInForce.GTC)


def test_a_limit_order_that_was_a_market_order_for_a_moment_is_as_before() -> None:
    back = next_kind(next_kind(BUY))
    assert back == BUY
    # What was typed in dollars meanwhile does not count shares.
    dollars = replace(next_kind(BUY), size_text="25")
    assert next_kind(dollars) == BUY
    spent = replace(BUY, size_unit=SizeUnit.DOLLARS)
    assert next_kind(replace(next_kind(spent), size_text="25")) == replace(spent, size_text="25")
    # After it was sent the price stays and no size does.
    after = next_kind(after_sending(dollars))
    assert (after.price_text, after.size_text, after.size_unit) == (
        BUY.price_text, "", SizeUnit.SHARES,
    )  # fmt: skip
    # A stop and a target were for the shares of that order.
    protected = replace(BUY, stop_text="30", target_text="70")
    for draft in (protected, next_kind(protected)):
        assert after_sending(draft) == after_sending(replace(draft, stop_text="", target_text=""))
    assert after_sending(next_kind(protected)).limit == replace(BUY, size_text="")


def test_times_in_force_go_round_both_ways_among_those_allowed() -> None:
    draft, seen = BUY, []
    for _ in range(7):
        seen.append((draft.time_in_force, draft.expiry_text))
        draft = next_time_in_force(draft)
    gtd, fok, fak = TimeInForce.GTD, TimeInForce.FOK, TimeInForce.FAK
    assert seen == [
        (TimeInForce.GTC, ""), (gtd, "5m"), (gtd, "15m"), (gtd, "60m"), (gtd, "close"),
        (fok, "close"), (fak, "close"),
    ]  # fmt: skip
    assert draft == replace(BUY, expiry_text="close")
    hour = replace(BUY, time_in_force=gtd, expiry_text="60m")
    assert next_time_in_force(hour, has_close=False).time_in_force is fok
    close = replace(hour, expiry_text="close")
    assert next_time_in_force(close, Step.DOWN) == hour
    assert next_time_in_force(BUY, Step.DOWN).time_in_force is TimeInForce.FAK
    assert next_time_in_force(MARKET).time_in_force is TimeInForce.FAK
    resting = replace(MARKET, time_in_force=TimeInForce.GTC)
    assert not next_time_in_force(resting).time_in_force.rests
    assert not next_time_in_force(resting, Step.DOWN).time_in_force.rests


@pytest.mark.parametrize(
    ("typed", "step", "life"),
    [
        ("15m", Step.UP, "60m"), ("2h", Step.UP, "close"), ("2h", Step.DOWN, "60m"), ("20m", Step.UP, "60m"), ("20m", Step.DOWN, "15m"),
        ("900s", Step.DOWN, "5m"), ("", Step.UP, "5m"), ("1", Step.UP, "5m"), ("soon", Step.UP, "5m"),
    ],
)  # fmt: skip
def test_a_life_that_was_typed_goes_on_from_its_length(typed: str, step: Step, life: str) -> None:
    draft = next_time_in_force(replace(BUY, time_in_force=TimeInForce.GTD, expiry_text=typed), step)
    assert (draft.time_in_force, draft.expiry_text) == (TimeInForce.GTD, life)


def test_units_go_round_and_take_the_number_away() -> None:
    assert next_unit(BUY).size_unit is SizeUnit.DOLLARS
    assert next_unit(BUY, Step.DOWN).size_unit is SizeUnit.PERCENT
    typed = next_unit(replace(BUY, size_text="50%"))
    assert (typed.size_unit, typed.size_text) == (SizeUnit.SHARES, "")
    assert next_unit(MARKET).size_unit is SizeUnit.PERCENT


@pytest.mark.parametrize(
    ("text", "step", "moved"),
    [
        ("51", Step.UP, "52"), ("51", Step.DOWN, "50"), ("51.5", Step.UP, "52"),
        ("51.5", Step.DOWN, "51"), ("99", Step.UP, "99"), ("1", Step.DOWN, "1"),
        ("250", Step.UP, "99"),
    ],
)  # fmt: skip
def test_a_price_moves_by_the_tick_and_stays_on_the_grid(text: str, step: Step, moved: str) -> None:
    assert step_price(replace(BUY, price_text=text), WORLD, step).price_text == moved


def test_an_empty_price_starts_at_the_best_of_its_own_side() -> None:
    empty = replace(BUY, price_text="")
    assert step_price(empty, WORLD, Step.UP).price_text == "51"
    assert step_price(replace(SELL, price_text=""), WORLD, Step.UP).price_text == "53"
    assert step_price(MARKET, WORLD, Step.UP).price_text == "53"
    bare = replace(WORLD, book=BookView(YES, BookState.LIVE))
    assert step_price(empty, bare, Step.DOWN).price_text == "50"


@pytest.mark.parametrize(
    ("text", "unit", "step", "moved"),
    [
        ("", SizeUnit.SHARES, Step.UP, "5"), ("7", SizeUnit.SHARES, Step.UP, "8"),
        ("9", SizeUnit.SHARES, Step.UP, "10"), ("10", SizeUnit.SHARES, Step.UP, "20"),
        ("10", SizeUnit.SHARES, Step.DOWN, "9"), ("100", SizeUnit.SHARES, Step.DOWN, "90"),
        ("150", SizeUnit.SHARES, Step.DOWN, "100"), ("150", SizeUnit.SHARES, Step.UP, "200"),
        ("5", SizeUnit.SHARES, Step.DOWN, "5"), ("12.5", SizeUnit.DOLLARS, Step.UP, "20"),
        ("1", SizeUnit.DOLLARS, Step.DOWN, "1"), ("", SizeUnit.PERCENT, Step.UP, "5"),
        ("95", SizeUnit.PERCENT, Step.UP, "100"), ("100", SizeUnit.PERCENT, Step.UP, "100"),
        ("5", SizeUnit.PERCENT, Step.DOWN, "5"), ("33", SizeUnit.PERCENT, Step.DOWN, "30"),
        ("$30", SizeUnit.SHARES, Step.UP, "40"),
    ],
)  # fmt: skip
def test_a_size_moves_by_its_leading_digit(
    text: str, unit: SizeUnit, step: Step, moved: str
) -> None:
    draft = replace(BUY, size_text=text, size_unit=unit)
    assert step_size(draft, WORLD, step).size_text == moved


@given(
    st.sampled_from(sorted(TICK_RULES)), st.text("0123456789.", max_size=8), st.sampled_from(Step)
)
def test_every_step_lands_on_the_grid(tick: int, text: str, step: Step) -> None:
    world = replace(WORLD, terms=replace(TERMS, tick_size=tick))  # type: ignore[arg-type]
    moved = parse_cents(step_price(replace(BUY, price_text=text), world, step).price_text)
    assert moved is not None
    assert is_on_tick(moved, world.terms.tick_size)


@pytest.mark.parametrize(
    ("text", "step", "stepped"),
    [
        ("50", Step.UP, "51"), ("50", Step.DOWN, "49"), ("50.5", Step.UP, "51"),
        ("50.5", Step.DOWN, "50"), ("99", Step.UP, "99"), ("1", Step.DOWN, "1"),
        ("", Step.UP, ""), ("fifty", Step.DOWN, "fifty"),
    ],
)  # fmt: skip
def test_a_typed_price_steps_on_the_grid(text: str, step: Step, stepped: str) -> None:
    assert step_cents(text, step, m("0.01")) == stepped

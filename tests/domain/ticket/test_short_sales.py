from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.book_view import mirrored_view
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, Micros, complement, parse_micros
from pmtui.domain.orders.order import LimitIntent, TimeInForce
from pmtui.domain.orders.single_keys import (
    SingleKey,
    SingleKeyPlan,
    SingleKeyProblem,
    plan_single_key,
)
from pmtui.domain.ticket.draft import OrderKind, SizeUnit, TicketDraft, TicketField, TicketRules
from pmtui.domain.ticket.short_sales import is_short_sale, other_side_of
from pmtui.domain.ticket.ticket import check_ticket
from tests.domain.ticket.test_ticket import NO, WORLD, YES

m = parse_micros
SELL = TicketDraft(Side.SELL, 0, price_text="52", size_text="100")
FLAT = replace(WORLD, available_shares=Micros(0))


def test_a_sale_of_what_is_not_held_buys_the_other_outcome_at_the_rest_of_a_dollar() -> None:
    check = check_ticket(SELL, FLAT)
    assert check.is_mirrored
    assert isinstance(check.intent, LimitIntent)
    intent = check.intent
    assert (intent.token_id, intent.side) == (NO, Side.BUY)
    assert (intent.price, intent.size) == (m("0.48"), m("100"))
    assert check.warnings[0] == "Sell 100 Yes at 52¢ = buy 100 No at 48¢"
    assert check.of(TicketField.SIDE)[0].is_warning


def test_what_is_held_is_sold_and_no_order_does_both() -> None:
    check = check_ticket(SELL, replace(WORLD, available_shares=m("40")))
    assert not check.is_mirrored
    assert check.intent is None
    assert check.blocking[0].field is TicketField.SIZE
    rests = replace(FLAT, resting_shares=m("40"))
    assert not check_ticket(SELL, rests).is_mirrored


PAIRS = replace(WORLD, available_shares=m("37.6"), other_shares=m("37.59"))


def test_more_than_the_pairs_held_is_sold_short_and_less_of_them_is_sold() -> None:
    check = check_ticket(SELL, PAIRS)
    assert check.is_mirrored
    assert isinstance(check.intent, LimitIntent)
    assert (check.intent.token_id, check.intent.size) == (NO, m("100"))
    within = check_ticket(replace(SELL, size_text="37.6"), PAIRS)
    assert isinstance(within.intent, LimitIntent)
    assert (within.intent.token_id, within.intent.side) == (YES, Side.SELL)
    everything = replace(SELL, size_text="100", size_unit=SizeUnit.PERCENT)
    assert not check_ticket(everything, PAIRS).is_mirrored


def test_beyond_the_pairs_no_sale_is_short_while_what_is_left_is_an_order() -> None:
    long = replace(PAIRS, other_shares=m("32.6"))
    assert not check_ticket(SELL, long).is_mirrored
    rests = replace(PAIRS, available_shares=Micros(0), resting_shares=m("37.6"))
    assert check_ticket(SELL, rests).is_mirrored
    assert not check_ticket(replace(SELL, size_text="30"), rests).is_mirrored


@pytest.mark.parametrize(("size", "token", "side"), [("100", NO, Side.BUY), ("30", YES, Side.SELL)])
def test_a_single_key_with_pairs_sells_them_or_goes_short(
    size: str, token: TokenId, side: Side
) -> None:
    plan = plan_single_key(
        SingleKey.HIT_BID, cursor=None, size=m(size), outcome_index=0, context=PAIRS
    )
    assert isinstance(plan, SingleKeyPlan)
    assert (plan.intent.token_id, plan.intent.side, plan.intent.size) == (token, side, m(size))


def test_it_is_refused_where_the_trader_does_not_permit_it() -> None:
    strict = replace(FLAT, rules=TicketRules(sells_short=False))
    check = check_ticket(SELL, strict)
    assert (check.is_mirrored, check.intent) == (False, None)
    assert not is_short_sale(replace(SELL, kind=OrderKind.MARKET), FLAT)
    assert not is_short_sale(replace(SELL, side=Side.BUY), FLAT)


def test_problems_and_what_mends_them_are_in_terms_of_what_was_typed() -> None:
    check = check_ticket(replace(SELL, size_text="1"), FLAT)
    fix = check.blocking[0].fix
    assert fix is not None
    assert (fix.side, fix.outcome_index, fix.price_text) == (Side.SELL, 0, "52")
    assert fix.size_text == "5"


@given(st.integers(1, ONE // 10_000 - 1), st.sampled_from(SizeUnit), st.booleans())
def test_twice_the_other_side_is_the_same_order(cents: int, unit: SizeUnit, post: bool) -> None:
    draft = replace(SELL, price_text=str(cents), size_unit=unit, is_post_only=post)
    assert other_side_of(other_side_of(draft)) == draft


def test_a_mirrored_book_bids_what_the_other_asks() -> None:
    book = FLAT.book
    other = mirrored_view(book, NO)
    assert book.best_ask is not None
    assert other.best_bid == complement(book.best_ask)
    assert [level.size for level in other.asks] == [level.size for level in book.bids]
    assert mirrored_view(other, YES).bids == book.bids
    assert other.own_last_price == (
        None if book.own_last_price is None else complement(book.own_last_price)
    )


@pytest.mark.parametrize("key", [SingleKey.SELL_HERE, SingleKey.JOIN_ASK, SingleKey.HIT_BID])
def test_a_single_key_that_sells_goes_short_while_flat(key: SingleKey) -> None:
    plan = plan_single_key(key, cursor=m("0.55"), size=m("10"), outcome_index=0, context=FLAT)
    assert isinstance(plan, SingleKeyPlan)
    intent, book = plan.intent, FLAT.book
    assert (intent.token_id, intent.side, intent.size) == (NO, Side.BUY, m("10"))
    price = {
        SingleKey.SELL_HERE: m("0.55"),
        SingleKey.JOIN_ASK: book.best_ask,
        SingleKey.HIT_BID: book.best_bid,
    }[key]
    assert price is not None
    assert intent.price == complement(price)
    assert plan.takes is (key is SingleKey.HIT_BID)
    assert intent.time_in_force is (TimeInForce.FAK if key.crosses else TimeInForce.GTC)
    assert plan.warnings[0].startswith("Sell 10 Yes at ")


@pytest.mark.parametrize("time_in_force", [TimeInForce.FAK, TimeInForce.GTC])
def test_a_short_sale_is_no_larger_than_its_size_at_the_prices_of_the_book(
    time_in_force: TimeInForce,
) -> None:
    draft = replace(SELL, price_text="48", size_text="50", time_in_force=time_in_force)
    check = check_ticket(draft, FLAT)
    assert isinstance(check.intent, LimitIntent)
    assert check.numbers is not None
    assert FLAT.book.best_bid is not None
    assert check.intent.price > complement(FLAT.book.best_bid)
    assert m("49.97") < check.numbers.fills_now <= m("50")
    assert not check.of(TicketField.SIZE)
    assert check.problems[0].text.startswith("Sell 50 Yes at 48¢ = buy 50 No")


def test_a_key_that_buys_a_short_back_leaves_no_fraction_of_it() -> None:
    for held, sent in (("101.75", "101.75"), ("110.1", "100"), ("105", "100")):
        short = replace(FLAT, other_shares=m(held))
        plan = plan_single_key(
            SingleKey.TAKE_ASK, cursor=None, size=m("100"), outcome_index=0, context=short
        )
        assert isinstance(plan, SingleKeyPlan)
        assert (plan.intent.side, plan.intent.size) == (Side.SELL, m(sent))
    few = replace(FLAT, other_shares=m("9.9"))
    plan = plan_single_key(
        SingleKey.TAKE_ASK, cursor=None, size=m("5"), outcome_index=0, context=few
    )
    assert isinstance(plan, SingleKeyPlan)
    assert plan.intent.size == m("5")


def test_a_price_too_far_for_a_single_key_is_as_far_from_the_other_side() -> None:
    plan = plan_single_key(
        SingleKey.SELL_HERE, cursor=Micros(m("0.20")), size=m("10"), outcome_index=0, context=FLAT
    )
    assert isinstance(plan, SingleKeyProblem)
    assert "too far" in plan.text

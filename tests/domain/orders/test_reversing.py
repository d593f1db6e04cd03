from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.book_view import BookState, BookView, Level, mirrored_view
from pmtui.domain.ids import OrderId, TokenId
from pmtui.domain.markets.market import NO_FEE, Side
from pmtui.domain.money import ONE, Micros, complement
from pmtui.domain.orders.amounts import TICK_RULES, order_amounts, size_floor
from pmtui.domain.orders.flattening import net_position, plan_flatten_net
from pmtui.domain.orders.order import LimitIntent, Order, TimeInForce
from pmtui.domain.orders.reversing import ReversePlan, plan_reverse
from pmtui.domain.orders.single_keys import SingleKeyProblem
from pmtui.domain.ticket.draft import TicketContext, TicketRules
from pmtui.domain.ticket.estimate import TicketNumbers, estimate
from tests.domain.orders.test_single_keys import own_order
from tests.domain.ticket.test_ticket import NO, TERMS, WORLD, YES, m


def levels(*each: tuple[str, str]) -> tuple[Level, ...]:
    return tuple(Level(m(price), m(size)) for price, size in each)


BOOK = BookView(
    YES, BookState.LIVE,
    bids=levels(("0.51", "120"), ("0.50", "400"), ("0.40", "900")),
    asks=levels(("0.53", "40"), ("0.54", "300")),
)  # fmt: skip
FREE = replace(TERMS, fee=NO_FEE)
FLAT = replace(WORLD, book=BOOK, terms=FREE, available_shares=Micros(0))


def plan(
    yes: str, no: str = "0", *, context: TicketContext = FLAT
) -> ReversePlan | SingleKeyProblem:
    held = {YES: m(yes), NO: m(no)}
    return plan_reverse(held=lambda token: held[token], context=context)


def planned(yes: str, no: str = "0", *, context: TicketContext = FLAT) -> ReversePlan:
    found = plan(yes, no, context=context)
    assert isinstance(found, ReversePlan), found
    return found


def refused(yes: str, no: str = "0", *, context: TicketContext = FLAT) -> str:
    found = plan(yes, no, context=context)
    assert isinstance(found, SingleKeyProblem), found
    return found.text


def test_a_long_is_sold_and_as_much_of_the_other_outcome_bought() -> None:
    found = planned("100")
    assert found.sale == plan_flatten_net(
        held=lambda token: m("100") if token == YES else m("0"), orders=(), book=BOOK, terms=FREE
    )
    # The sale leaves 20 bid at 51 cents: the other 80 are met at 50.
    assert found.entry.intent == LimitIntent(
        condition_id=TERMS.condition_id, token_id=NO, side=Side.BUY, price=m("0.50"),
        size=m("100"), time_in_force=TimeInForce.FAK, spend=m("49.8"),
    )  # fmt: skip
    assert found.entry.takes
    assert found.entry.warnings == ()
    assert found.sale.again == m("0.50")


def test_a_short_is_sold_and_as_much_of_this_outcome_bought() -> None:
    found = planned("0", "100")
    assert (found.sale.intent.token_id, found.sale.intent.side) == (NO, Side.SELL)
    # All of the 40 at 53 cents and 60 of those at 54 close the short.
    assert found.entry.intent == LimitIntent(
        condition_id=TERMS.condition_id, token_id=YES, side=Side.BUY, price=m("0.54"),
        size=m("100"), time_in_force=TimeInForce.FAK,
    )  # fmt: skip


def test_from_the_other_outcome_it_is_the_same_plan() -> None:
    seen = replace(FLAT, book=mirrored_view(BOOK, NO))
    for yes, no in (("100", "0"), ("0", "100")):
        here, there = planned(yes, no), planned(yes, no, context=seen)
        assert here.entry == there.entry
        assert here.sale.intent == there.sale.intent


def test_pairs_stay_and_are_not_sold_for_it() -> None:
    found = planned("100", "60", context=replace(FLAT, available_shares=m("100")))
    assert (found.sale.intent.size, found.sale.pairs) == (m("40"), m("60"))
    assert found.entry.intent.size == m("40")
    assert found.entry.intent.token_id == NO


def test_own_orders_in_the_way_of_the_sale_count_for_neither_and_free_their_cash() -> None:
    mine = own_order("0.51", "120")
    poor = replace(FLAT, available_cash=m("0"), own=(mine,))
    found = planned("100", context=poor)
    assert found.sale.in_the_way == (mine,)
    assert found.entry.intent.price == m("0.50")
    assert found.entry.intent.spend is None
    # An order across, in the other outcome's book, ties up shares and no dollars.
    across = replace(mine, order_id=OrderId("0x2"), token_id=NO, side=Side.SELL, price=m("0.49"))
    assert "Costs more" in refused("100", context=replace(poor, own=(across,)))


def test_the_sale_does_not_pay_for_what_follows_before_it_is_settled() -> None:
    assert "Costs more than the $20.00 available" in refused(
        "100", context=replace(FLAT, available_cash=m("20"))
    )
    # As long as the cash is not known, the venue judges.
    assert planned("100", context=replace(FLAT, available_cash=None)).entry.takes


@pytest.mark.parametrize(
    ("yes", "no", "words"),
    [
        ("0", "0", "no position in this market"),
        ("100", "100", "the position is net zero"),
        ("300", "0", "bids of only 520 down to 46¢; reversing 300 takes 600"),
        ("0", "200", "asks of only 340 up to 57¢; reversing 200 takes 400"),
    ],
)
def test_what_cannot_be_reversed_whole_is_refused_before_anything_is_sold(
    yes: str, no: str, words: str
) -> None:
    assert refused(yes, no) == words


def test_a_short_sale_that_is_not_wanted_is_refused_and_its_way_back_is_not() -> None:
    context = replace(FLAT, rules=TicketRules(sells_short=False))
    assert "sell_short = false" in refused("100", context=context)
    assert planned("0", "100", context=context).entry.takes


def test_a_price_that_is_far_from_the_midpoint_is_refused() -> None:
    thin = replace(BOOK, bids=levels(("0.51", "100"), ("0.46", "100")), asks=levels(("0.53", "9")))
    near = replace(FLAT, book=thin, rules=TicketRules(worst_price_percent=10))
    assert "too far for a single key" in refused("100", context=near)
    anywhere = replace(near, rules=TicketRules(worst_price_percent=0))
    assert planned("100", context=anywhere).entry.takes
    # What the sale takes moves the midpoint towards the price: it is that of the book shown.
    wide = replace(thin, bids=levels(("0.51", "100"), ("0.47", "100")))
    assert "above the midpoint 48¢" in refused(
        "100", context=replace(near, book=wide, rules=TicketRules(worst_price_percent=9))
    )


def test_less_than_a_dollar_cannot_be_bought_back() -> None:
    cheap = BookView(
        YES, BookState.LIVE, bids=levels(("0.90", "50"), ("0.89", "50")), asks=levels(("0.92", "9"))
    )
    context = replace(FLAT, book=cheap, rules=TicketRules(worst_price_percent=0))
    assert "at least $1" in refused("8", context=context)
    # At the worst price it is a dollar, and what the best one leaves over would buy too much.
    turn = replace(cheap, bids=levels(("0.90", "18"), ("0.89", "50")))
    assert refused("9.1", context=replace(context, book=turn)) == "marketable buys need at least $1"


def test_a_market_of_one_token_has_no_other_side() -> None:
    alone = replace(FREE, token_ids=(YES,), outcome_labels=("Yes",))
    assert "no other outcome" in refused("100", context=replace(FLAT, terms=alone))


def numbers(intent: LimitIntent, book: BookView, tick: Micros) -> TicketNumbers:
    amounts = order_amounts(intent, tick)
    is_buy = intent.side is Side.BUY
    cash, shares = (amounts.maker, amounts.taker) if is_buy else (amounts.taker, amounts.maker)
    return estimate(intent, cash=cash, shares=shares, book=book, fee=NO_FEE, available_cash=None)


@st.composite
def worlds(draw: st.DrawFn) -> TicketContext:
    """A book that is not crossed on any grid, shown from either outcome, and perhaps an own order in it."""
    tick = draw(st.sampled_from(sorted(TICK_RULES)))
    top = ONE // tick - 1
    bid = draw(st.integers(1, top - 1))
    sizes = st.integers(1, 10**9)
    bids = tuple(
        Level(Micros(i * tick), Micros(draw(sizes))) for i in range(bid, max(bid - 4, 0), -1)
    )
    asks = tuple(
        Level(Micros(i * tick), Micros(draw(sizes))) for i in range(bid + 1, min(bid + 5, top + 1))
    )
    book = BookView(YES, BookState.LIVE, bids, asks, tick)
    own: tuple[Order, ...] = ()
    if draw(st.booleans()):
        level = draw(st.sampled_from(bids))
        size = Micros(draw(st.integers(1, level.size)))
        own = (replace(own_order("0.5", "1"), price=level.price, original_size=size),)
    if draw(st.booleans()):
        book = mirrored_view(book, NO)
    rules = TicketRules(worst_price_percent=draw(st.sampled_from((0, 10))))
    terms = replace(FREE, tick_size=tick)
    return replace(
        FLAT, terms=terms, book=book, rules=rules, own=own, available_cash=Micros(10**12)
    )


def seen_from(book: BookView, token: TokenId) -> BookView:
    return book if book.token_id == token else mirrored_view(book, token)


@given(world=worlds(), yes=st.integers(0, 10**9), no=st.integers(0, 10**9))
def test_both_orders_are_of_one_size_and_the_book_shown_has_enough_for_both(
    world: TicketContext, yes: int, no: int
) -> None:
    held: Mapping[TokenId, Micros] = {YES: Micros(yes), NO: Micros(no)}
    found = plan_reverse(held=lambda token: held[token], context=world)
    if isinstance(found, SingleKeyProblem):
        assert found.text
        return
    sale, entry, tick = found.sale.intent, found.entry.intent, world.terms.tick_size
    net = net_position(Micros(yes), Micros(no))
    assert sale.size == entry.size == size_floor(net.excess)
    assert {sale.token_id, entry.token_id} == {YES, NO}
    assert (sale.side, entry.side) == (Side.SELL, Side.BUY)
    assert sale.time_in_force is entry.time_in_force is TimeInForce.FAK
    assert sale.size <= held[sale.token_id]
    # The second may pay no worse price than the first may fill at.
    assert complement(entry.price) >= sale.price
    # By the book shown, less our own: the sale fills whole, and what it leaves brings all but dust, never more.
    bids = {level.price: level.size for level in seen_from(world.book, sale.token_id).bids}
    for order in world.own:
        price = order.price if sale.token_id == YES else None
        if price in bids:
            bids[price] = Micros(bids[price] - order.remaining_size)
    left = sale.size
    after: list[Level] = []
    for price, size in bids.items():
        taken = min(size, left) if price >= sale.price else 0
        left = Micros(left - taken)
        if size > taken:
            after.append(Level(price, Micros(size - taken)))
    assert left == 0
    rest = BookView(sale.token_id, BookState.LIVE, bids=tuple(after), asks=(), tick_size=tick)
    bought = numbers(entry, mirrored_view(rest, entry.token_id), tick)
    assert bought.fills_now <= entry.size
    # A cent that cannot be spent is the most that is missing.
    assert (entry.size - bought.fills_now) * entry.price <= 2 * 10_000 * ONE

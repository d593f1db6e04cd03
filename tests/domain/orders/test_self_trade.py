"""Orders of our own that a new one would meet, of both outcomes, and how much of them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.position import Position
from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, complement, notional_ceil
from pmtui.domain.orders.order import (
    LimitIntent,
    MarketBuyIntent,
    Order,
    OrderIntent,
    OrderStatus,
    TimeInForce,
)
from pmtui.domain.orders.self_trade import (
    OwnOrdersMet,
    best_bid_of_others,
    describe_own_order,
    mark_of,
    midpoint_of_others,
    own_bids_from,
    own_orders_met,
)
from pmtui.domain.orders.single_keys import (
    SingleKey,
    SingleKeyPlan,
    SingleKeyProblem,
    plan_single_key,
)
from pmtui.domain.ticket.ticket import PlannedOrder, action_warnings, check_ticket
from tests.domain.ticket.test_ticket import BOOK, BUY, NO, NOW, SELL, TERMS, WORLD, YES, m

CENT = 10_000


def own(
    side: Side, price: str, size: str = "10", *, token: TokenId = YES,
    status: OrderStatus = OrderStatus.LIVE,
) -> Order:  # fmt: skip
    return Order(
        order_id=OrderId(f"{side}{price}{size}{token}"), condition_id=TERMS.condition_id,
        token_id=token, outcome="Yes" if token == YES else "No", side=side, price=m(price), original_size=m(size),
        matched_size=Micros(0), status=status, time_in_force=TimeInForce.GTC, created_at=NOW,
    )  # fmt: skip


def limit(side: Side, price: str, size: str = "100", *, token: TokenId = YES) -> LimitIntent:
    return LimitIntent(TERMS.condition_id, token, side, m(price), m(size))


def met_by(
    intent: OrderIntent, mine: list[Order], *, is_trusted: bool = True, delays_takers: bool = False
) -> OwnOrdersMet | None:
    return own_orders_met(intent, mine, BOOK, is_trusted=is_trusted, delays_takers=delays_takers)


ASK, OTHER_BID = own(Side.SELL, "0.53"), own(Side.BUY, "0.47", token=NO)
BID, OTHER_ASK = own(Side.BUY, "0.51"), own(Side.SELL, "0.49", token=NO)


@pytest.mark.parametrize("mine", [ASK, OTHER_BID])
def test_a_purchase_meets_own_sales_and_purchases_of_the_other_outcome(mine: Order) -> None:
    met = met_by(limit(Side.BUY, "0.53"), [mine])
    assert met is not None
    assert (met.orders, met.size) == ((mine,), m("10"))
    assert met_by(limit(Side.BUY, "0.52"), [mine]) is None
    assert met_by(limit(Side.SELL, "0.01"), [mine]) is None


@pytest.mark.parametrize("mine", [BID, OTHER_ASK])
def test_a_sale_meets_own_purchases_and_sales_of_the_other_outcome(mine: Order) -> None:
    met = met_by(limit(Side.SELL, "0.51"), [mine])
    assert met is not None
    assert met.size == m("10")
    assert met_by(limit(Side.SELL, "0.52"), [mine]) is None
    assert met_by(limit(Side.BUY, "0.99"), [mine]) is None


def test_what_others_offer_better_is_taken_first() -> None:
    behind = own(Side.SELL, "0.54", "20")
    assert met_by(limit(Side.BUY, "0.54", "40"), [behind]) is None
    met = met_by(limit(Side.BUY, "0.54", "45"), [behind])
    assert met is not None
    assert met.size == m("5")
    # A book that is not proven may hide that nobody is there.
    assert met_by(limit(Side.BUY, "0.54", "40"), [behind], is_trusted=False) is not None
    unproven = replace(WORLD, own=(behind,), book=replace(BOOK, state=BookState.STALE))
    check = check_ticket(replace(BUY, price_text="54", size_text="40"), unproven)
    assert any("your SELL 20 Yes @ 54¢" in text for text in check.warnings)


def test_dollars_reach_as_far_as_they_go() -> None:
    behind = own(Side.SELL, "0.54", "20")
    spend = MarketBuyIntent(TERMS.condition_id, YES, m("21.2"), m("0.60"))
    assert met_by(spend, [behind]) is None
    met = met_by(replace(spend, amount=m("22")), [behind])
    assert met is not None
    assert m("1.4") < met.size < m("1.5")


def test_what_cannot_meet_counts_nothing() -> None:
    over = own(Side.SELL, "0.53", status=OrderStatus.CANCELLED)
    elsewhere = replace(ASK, condition_id=ConditionId("0xbb"))
    assert met_by(limit(Side.BUY, "0.53"), [over, elsewhere]) is None
    careful = replace(limit(Side.BUY, "0.53"), is_post_only=True)
    assert met_by(careful, [ASK]) is None


IN_FLIGHT = [OrderStatus.PENDING, OrderStatus.SENT, OrderStatus.UNKNOWN]


@pytest.mark.parametrize("status", IN_FLIGHT)
@pytest.mark.parametrize("time_in_force", [TimeInForce.FAK, TimeInForce.FOK])
def test_an_order_in_flight_is_met_only_if_it_can_rest(
    status: OrderStatus, time_in_force: TimeInForce
) -> None:
    resting = replace(ASK, status=status)
    taking = replace(resting, time_in_force=time_in_force)
    buys = limit(Side.BUY, "0.53")
    takes = replace(buys, time_in_force=TimeInForce.FAK)
    for intent in (buys, takes):
        assert met_by(intent, [resting]) is not None
        assert met_by(intent, [taking]) is None
    sale = limit(Side.SELL, "0.51")
    bid = replace(BID, status=status, time_in_force=time_in_force)
    assert own_bids_from(sale, [bid]) == ()
    assert best_bid_of_others(
        BOOK, TERMS.condition_id, [replace(bid, original_size=m("100000"))]
    ) == (BOOK.best_bid)


def test_a_taker_that_the_venue_makes_wait_meets_what_comes_to_rest_meanwhile() -> None:
    buys = limit(Side.BUY, "0.53")
    takes = replace(buys, time_in_force=TimeInForce.FAK)
    waits = replace(ASK, time_in_force=TimeInForce.FAK, status=OrderStatus.DELAYED)
    assert met_by(buys, [waits]) is not None
    assert met_by(takes, [waits]) is None
    # Before the answer it is known from the market's terms alone that it will wait.
    sent = replace(waits, status=OrderStatus.SENT)
    assert met_by(buys, [sent], delays_takers=True) is not None
    assert met_by(takes, [sent], delays_takers=True) is None
    spends = MarketBuyIntent(TERMS.condition_id, YES, m("22"), m("0.60"), TimeInForce.GTC)
    assert met_by(spends, [sent], delays_takers=True) is None


def test_an_own_order_is_named_with_its_own_outcome() -> None:
    bid = own(Side.BUY, "0.52", "50")
    # A sale of what is not held is a purchase of No: the bid of Yes stays a bid of Yes.
    check = check_ticket(
        replace(SELL, price_text="52"), replace(WORLD, own=(bid,), available_shares=Micros(0))
    )
    assert check.is_mirrored
    assert any("Self-trade with your BUY 50 Yes @ 52¢" in text for text in check.warnings)
    assert describe_own_order(replace(bid, outcome="")) == "BUY 50 @ 52¢"


def test_the_ticket_warns_names_the_order_and_stops_nothing() -> None:
    world = replace(WORLD, own=(ASK,))
    check = check_ticket(replace(BUY, price_text="53"), world)
    assert check.intent is not None
    said = "Self-trade with your SELL 10 Yes @ 53¢: up to 10 shares"
    assert said in check.warnings
    check = check_ticket(replace(SELL, price_text="51"), replace(WORLD, own=(OTHER_ASK, BID)))
    assert check.intent is not None
    assert any("your SELL 10 No @ 49¢ and 1 more: up to 20" in w for w in check.warnings)


def test_cards_of_several_orders_warn_once() -> None:
    planned = [
        PlannedOrder(intent, notional_ceil(intent.price, intent.size))
        for intent in (limit(Side.BUY, "0.52"), limit(Side.BUY, "0.53"))
    ]
    said = action_warnings(planned, replace(WORLD, own=(ASK,)))
    assert sum("your SELL 10 Yes @ 53¢" in text for text in said) == 1


@pytest.mark.parametrize("key", [SingleKey.TAKE_ASK, SingleKey.BUY_HERE])
def test_a_single_key_sends_nothing_and_says_why(key: SingleKey) -> None:
    world = replace(WORLD, own=(OTHER_BID,))
    plan = plan_single_key(key, cursor=m("0.53"), size=m("10"), outcome_index=0, context=world)
    said = "Self-trade with your BUY 10 No @ 47¢"
    assert plan == SingleKeyProblem(said, OTHER_BID, "own")
    free = plan_single_key(key, cursor=m("0.53"), size=m("10"), outcome_index=0, context=WORLD)
    assert isinstance(free, SingleKeyPlan)


def test_an_own_order_that_is_the_best_moves_no_midpoint() -> None:
    best = Level(m("0.525"), m("10"))
    book = replace(BOOK, bids=(best, *BOOK.bids))
    mine = own(Side.BUY, "0.525")
    assert BOOK.midpoint != book.midpoint
    assert midpoint_of_others(book, TERMS.condition_id, [mine]) == BOOK.midpoint
    assert midpoint_of_others(book, TERMS.condition_id, []) == book.midpoint
    assert midpoint_of_others(book, ConditionId("0xff"), [mine]) == book.midpoint
    alone = replace(book, bids=(best,))
    assert midpoint_of_others(alone, TERMS.condition_id, [mine]) == book.midpoint


def test_a_position_is_worth_what_others_make_of_it_in_either_book() -> None:
    here, other = BOOK.token_id, TokenId("other")
    best = Level(m("0.525"), m("10"))
    book, mine = replace(BOOK, bids=(best, *BOOK.bids)), own(Side.BUY, "0.525")
    held = Position(
        token_id=here, condition_id=TERMS.condition_id, title="", outcome="", size=m("5"),
        average_price=m("0.5"), current_price=m("0.1"), realized=m("0"), opposite_token_id=other,
    )  # fmt: skip
    opposite = replace(held, token_id=other, opposite_token_id=here)
    (mark, of_other) = (mark_of(each, {here: book}.get, [mine]) for each in (held, opposite))
    assert mark == BOOK.midpoint
    assert mark is not None
    assert of_other == complement(mark)
    assert mark_of(held, lambda _: None, [mine]) is None
    stale = replace(book, state=BookState.STALE)
    assert mark_of(opposite, {here: stale}.get, [mine]) is None
    assert mark_of(replace(opposite, opposite_token_id=None), {here: book}.get, []) is None


prices = st.integers(1, 99).map(lambda cents: Micros(cents * CENT))
sizes = st.integers(1, 500).map(lambda tenths: Micros(tenths * 100_000))
orders = st.lists(
    st.builds(
        lambda side, price, size, token: replace(
            ASK, side=side, price=price, original_size=size, token_id=token
        ),
        st.sampled_from(Side), prices, sizes, st.sampled_from([YES, NO]),
    ),
    max_size=6,
)  # fmt: skip
intents = st.builds(
    lambda side, price, size, token: LimitIntent(TERMS.condition_id, token, side, price, size),
    st.sampled_from(Side), prices, sizes, st.sampled_from([YES, NO]),
)  # fmt: skip
depths = st.dictionaries(prices, sizes, max_size=8)


def taken_from_us(intent: LimitIntent, mine: list[Order], depth: dict[Micros, Micros]) -> int:
    """Match the order step by step, the others' shares at a price behind ours."""
    is_buy = intent.side is Side.BUY
    ours: dict[Micros, int] = {}
    for each in mine:
        price = each.price if each.token_id == intent.token_id else complement(each.price)
        side = each.side if each.token_id == intent.token_id else each.side.opposite
        if side is not intent.side:
            ours[price] = ours.get(price, 0) + each.remaining_size
    left, from_us = int(intent.size), 0
    for price in sorted({*ours, *depth}, reverse=not is_buy):
        if price > intent.price if is_buy else price < intent.price:
            break
        resting = ours.get(price, 0)
        part = min(left, resting)
        from_us += part
        left -= part
        left -= min(left, max(depth.get(price, Micros(0)) - resting, 0))
    return from_us


@given(intent=intents, mine=orders, depth=depths)
def test_as_much_is_met_as_matching_would_take_from_us_at_most(
    intent: LimitIntent, mine: list[Order], depth: dict[Micros, Micros]
) -> None:
    is_buy = intent.side is Side.BUY
    levels = tuple(Level(price, depth[price]) for price in sorted(depth, reverse=not is_buy))
    book = BookView(
        intent.token_id, BookState.LIVE,
        bids=() if is_buy else levels, asks=levels if is_buy else (),
    )  # fmt: skip
    met = own_orders_met(intent, mine, book, is_trusted=True, delays_takers=False)
    assert (0 if met is None else met.size) == taken_from_us(intent, mine, depth)
    if met is not None:
        assert 0 < met.size <= intent.size
        assert all(order in mine for order in met.orders)


SIDES, TOKENS = st.sampled_from(list(Side)), st.sampled_from([YES, NO])
PRICES = st.integers(1, 99).map(lambda cents: Micros(cents * CENT))


@st.composite
def mine(draw: st.DrawFn) -> list[Order]:
    cents = draw(st.lists(st.tuples(SIDES, TOKENS, PRICES, st.integers(1, 50)), max_size=6))
    return [
        replace(
            own(side, "0.5", token=token), order_id=OrderId(str(number)), price=price,
            original_size=Micros(size * 1_000_000),
        )
        for number, (side, token, price, size) in enumerate(cents)
    ]  # fmt: skip


@given(mine(), PRICES)
def test_a_sale_meets_exactly_the_own_bids_down_to_its_price(
    orders: list[Order], price: Micros
) -> None:
    sale = replace(limit(Side.SELL, "0.01", "100000"), price=price)
    met = own_orders_met(sale, orders, BOOK, is_trusted=False, delays_takers=False)
    bids = own_bids_from(sale, orders)
    assert {order.order_id for order in bids} == {
        order.order_id for order in (met.orders if met is not None else ())
    }
    prices = [order.price if order.token_id == YES else complement(order.price) for order in bids]
    assert prices == sorted(prices, reverse=True)


@given(mine())
def test_the_best_bid_of_others_is_in_the_book_and_not_all_ours(orders: list[Order]) -> None:
    found = best_bid_of_others(BOOK, TERMS.condition_id, orders)
    assert best_bid_of_others(BOOK, TERMS.condition_id, ()) == BOOK.best_bid
    here = {level.price: level.size for level in BOOK.bids}
    for level in BOOK.bids:
        ours = sum(
            order.remaining_size
            for order in own_bids_from(replace(limit(Side.SELL, "0.5"), price=level.price), orders)
            if (order.price if order.token_id == YES else complement(order.price)) == level.price
        )
        if level.price == found:
            assert here[found] > ours
            return
        assert level.size <= ours
    assert found is None

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.fees import taker_fee
from pmtui.domain.markets.market import NO_FEE, FeeSchedule, MarketTerms, Side
from pmtui.domain.money import ONE, Micros
from pmtui.domain.orders.basket import (
    BasketMarket,
    BasketSide,
    SetLeg,
    SetPrice,
    basket_room,
    has_one_winner,
    is_decided,
    least_sets,
    legs_of,
    most_sets,
    plan_basket,
    set_prices,
)
from pmtui.domain.orders.order import Order, OrderStatus, TimeInForce
from pmtui.domain.orders.self_trade import own_orders_met
from tests.ui import believable

prices = st.integers(1, 999).map(lambda n: Micros(n * 1_000))
fees = st.sampled_from((NO_FEE, FeeSchedule(Micros(50_000)), FeeSchedule(Micros(70_000))))
legs = st.builds(
    SetLeg, st.just("One"), prices | st.none(), prices | st.none(), fees | st.none(), st.booleans()
)
ELECTION = believable.election()


def leg(bid: int, ask: int, fee: FeeSchedule | None = NO_FEE, **more: bool) -> SetLeg:
    return SetLeg("One", Micros(bid * 1_000), Micros(ask * 1_000), fee, **more)


def test_the_pair_of_sums_decides_and_not_the_mids() -> None:
    found = set_prices([leg(396, 398), leg(387, 388), leg(106, 108), leg(102, 104)])
    assert found.buying == SetPrice(Micros(998_000), Micros(0), Micros(2_000))
    assert found.selling == SetPrice(Micros(991_000), Micros(0), Micros(-9_000))


def test_fees_can_take_more_than_the_sums_leave() -> None:
    fee = FeeSchedule(Micros(50_000))
    found = set_prices([leg(390, 497, fee), leg(480, 499, fee)])
    assert found.buying is not None
    each = [taker_fee(ONE, Micros(ask), fee) for ask in (497_000, 499_000)]
    assert found.buying.fees == sum(each)
    assert found.buying.gain is not None
    assert found.buying.gain < 0


@given(st.lists(legs, max_size=6))
def test_a_side_without_a_price_in_every_leg_has_no_sum(found: list[SetLeg]) -> None:
    known = set_prices(found)
    assert (known.buying is None) is (not found or any(leg.ask is None for leg in found))
    assert (known.selling is None) is (not found or any(leg.bid is None for leg in found))
    assert len(known.halted) == sum(leg.is_halted for leg in found)


@given(st.lists(legs, min_size=1, max_size=6))
def test_what_a_set_brings_is_its_dollar_less_everything_paid(found: list[SetLeg]) -> None:
    known = set_prices(found)
    for side, sign in ((known.buying, 1), (known.selling, -1)):
        if side is not None:
            assert (side.gain is None) is (side.fees is None)
            if side.gain is not None and side.fees is not None:
                assert side.gain + side.fees == sign * (ONE - side.total)
                assert side.fees >= 0


def test_only_open_markets_of_an_event_with_one_winner_make_a_set() -> None:
    event = replace(ELECTION, neg_risk=True)
    assert has_one_winner(event)
    assert all(not m.closed for m in legs_of(event))
    assert not has_one_winner(replace(event, neg_risk=False))
    first = event.markets[0]
    won = replace(
        first, closed=True,
        outcomes=(replace(first.outcomes[0], price=ONE), *first.outcomes[1:]),
    )  # fmt: skip
    decided = replace(event, markets=(won, *event.markets[1:]))
    assert is_decided(decided)
    assert not has_one_winner(decided)


TICK = Micros(10_000)


def terms(number: int, fee: FeeSchedule = NO_FEE) -> MarketTerms:
    return MarketTerms(
        condition_id=ConditionId(f"0x{number:064x}"),
        token_ids=(TokenId(f"{number}0"), TokenId(f"{number}1")), outcome_labels=("Yes", "No"),
        tick_size=TICK, min_order_size=Micros(5 * ONE), neg_risk=True, fee=fee,
    )  # fmt: skip


def market(
    number: int,
    *asks: tuple[int, int],
    side: BasketSide = BasketSide.YES,
    fee: FeeSchedule = NO_FEE,
) -> BasketMarket:
    """Return a market whose asks are given in cents and whole shares, best first."""
    rules = terms(number, fee)
    levels = tuple(Level(Micros(p * 10_000), Micros(size * ONE)) for p, size in asks)
    book = BookView(rules.token_ids[side.value], BookState.LIVE, (), levels)
    return BasketMarket(f"Outcome {number}", rules, book)


levels = st.lists(
    st.tuples(st.integers(1, 98), st.integers(1, 5_000)), min_size=1, max_size=4,
    unique_by=lambda level: level[0],
).map(sorted)  # fmt: skip
books = st.lists(levels, min_size=2, max_size=5)


@given(
    books, st.integers(500, 100_000).map(lambda n: Micros(n * 10_000)), st.sampled_from(BasketSide)
)
def test_every_leg_is_paid_for_at_no_worse_price_than_it_needs(
    found: list[list[tuple[int, int]]], sets: Micros, side: BasketSide
) -> None:
    markets = [market(n + 1, *asks, side=side) for n, asks in enumerate(found)]
    plan = plan_basket(markets, side, sets)
    assert plan.is_whole is all(leg.intent is not None for leg in plan.legs)
    for leg, each in zip(plan.legs, markets, strict=True):
        if leg.intent is None:
            assert leg.problem
            continue
        assert each.book is not None
        assert each.terms is not None
        assert leg.intent.token_id == each.terms.token_ids[side.value]
        assert leg.intent.time_in_force is TimeInForce.FOK
        within = [level for level in each.book.asks if level.price <= leg.intent.worst_price]
        assert sum(level.size for level in within) >= sets
        assert sum(level.size for level in within[:-1]) < sets
        # Rounded up to a cent: it never buys fewer shares than were wanted.
        assert 0 <= leg.intent.amount * ONE - _exact(within, sets) < 10_000 * ONE
        assert leg.intent.amount % 10_000 == 0


def _exact(within: list[Level], sets: int) -> int:
    cost, left = 0, sets
    for level in within:
        taken = min(level.size, left)
        cost, left = cost + taken * level.price, left - taken
    return cost


@given(
    books, st.integers(500, 5_000).map(lambda n: Micros(n * 10_000)), st.sampled_from(BasketSide),
    st.integers(1, 200), fees,
)  # fmt: skip
def test_with_slack_each_leg_spends_the_same_and_promises_what_the_worst_price_brings(
    found: list[list[tuple[int, int]]], sets: Micros, side: BasketSide, slack: int, fee: FeeSchedule
) -> None:
    markets = [market(n + 1, *asks, side=side, fee=fee) for n, asks in enumerate(found)]
    exact = plan_basket(markets, side, sets)
    plan = plan_basket(markets, side, sets, slack=slack)
    assert plan.is_whole is exact.is_whole
    for before, leg in zip(exact.legs, plan.legs, strict=True):
        if leg.intent is None or before.intent is None:
            continue
        assert leg.intent.amount == before.intent.amount
        most = max(before.intent.worst_price, ONE - TICK)
        assert leg.intent.worst_price == min(before.intent.worst_price + slack * TICK, most)
        assert leg.fee >= before.fee
        assert plan.fewest * leg.intent.worst_price <= leg.intent.amount * ONE
    assert plan.fewest <= plan.sets
    if plan.gain is not None and exact.gain is not None:
        assert plan.gain <= exact.gain


def test_a_set_below_a_dollar_gains_and_no_is_its_mirror() -> None:
    yes = plan_basket(
        [market(1, (40, 100)), market(2, (58, 100))], BasketSide.YES, Micros(10 * ONE)
    )
    assert (yes.cost, yes.pays, yes.gain) == (9_800_000, 10 * ONE, 200_000)
    no = plan_basket(
        [market(n, (p, 100), side=BasketSide.NO) for n, p in ((1, 60), (2, 60), (3, 85))],
        BasketSide.NO, Micros(10 * ONE),
    )  # fmt: skip
    assert (no.cost, no.pays, no.gain) == (20_500_000, 20 * ONE, -500_000)


def test_a_leg_that_cannot_be_bought_says_why_and_nothing_is_promised() -> None:
    good = market(1, (40, 100))
    assert good.book is not None
    stale = replace(market(2, (50, 100)), book=replace(good.book, state=BookState.STALE))
    cases = (
        (market(2), "No asks"), (market(2, (50, 3)), "Not enough offered"),
        (BasketMarket("Outcome 2", None, None), "Loading"),
        (replace(good, why_not="Paused"), "Paused"), (stale, f"Book {BookState.STALE.words}"),
        (market(2, (1, 100)), "Each leg must be at least $1"),
    )  # fmt: skip
    for other, problem in cases:
        plan = plan_basket([good, other], BasketSide.YES, Micros(10 * ONE))
        assert not plan.is_whole
        assert plan.legs[1].problem == problem
        assert plan.gain is None
        assert len(plan.intents) == 1
    assert (
        plan_basket([good], BasketSide.YES, Micros(ONE)).legs[0].problem == "Below the minimum size"
    )


def own_order(price: int, *, side: Side = Side.SELL, index: int = 0) -> Order:
    """Return an order of ours of ten shares in the first market, at a price in cents."""
    return Order(
        order_id=OrderId("0x1"), condition_id=terms(1).condition_id,
        token_id=terms(1).token_ids[index], outcome=terms(1).outcome_labels[index], side=side,
        price=Micros(price * 10_000), original_size=Micros(10 * ONE), matched_size=Micros(0),
        status=OrderStatus.LIVE, time_in_force=TimeInForce.GTC,
        created_at=datetime(2026, 6, 15, tzinfo=UTC),
    )  # fmt: skip


def test_what_is_ours_in_a_book_is_not_counted_as_offered() -> None:
    found = [market(1, (40, 40), (42, 100)), market(2, (50, 30))]
    behind = own_order(40)
    assert most_sets(found) == 30 * ONE
    assert most_sets(found[:1], [behind]) == 30 * ONE
    plan = plan_basket(found[1:], BasketSide.YES, Micros(20 * ONE), [behind])
    assert plan.is_whole
    assert most_sets([replace(found[0], why_not="Paused")]) == 0
    assert most_sets([]) == 0


@pytest.mark.parametrize(
    ("mine", "said"),
    [
        (own_order(40), "Own SELL 10 Yes @ 40¢"),
        (own_order(60, side=Side.BUY, index=1), "Own BUY 10 No @ 60¢"),
    ],
)
def test_a_leg_that_would_trade_with_an_own_order_is_refused_and_names_it(
    mine: Order, said: str
) -> None:
    found = [market(1, (40, 10), (42, 100)), market(2, (50, 30))]
    plan = plan_basket(found, BasketSide.YES, Micros(10 * ONE), [mine])
    assert not plan.is_whole
    assert plan.gain is None
    assert (plan.legs[0].problem, plan.legs[0].meets) == (said, mine)
    assert plan.legs[1].intent is not None
    # One that the leg does not reach is in nobody's way.
    beyond = replace(
        mine, price=Micros(mine.price + (30_000 if mine.side is Side.SELL else -30_000))
    )
    assert plan_basket(found, BasketSide.YES, Micros(10 * ONE), [beyond]).is_whole


owns = st.lists(st.builds(own_order, st.integers(1, 98)), max_size=3)


@given(levels, owns, st.integers(5, 500))
def test_no_leg_reaches_an_own_order(
    asks: list[tuple[int, int]], mine: list[Order], sets: int
) -> None:
    found = market(1, *asks)
    assert found.book is not None
    for intent in plan_basket([found], BasketSide.YES, Micros(sets * ONE), mine).intents:
        assert (
            own_orders_met(intent, mine, found.book, is_trusted=True, delays_takers=False) is None
        )


def test_fees_come_off_what_a_basket_brings() -> None:
    fee = FeeSchedule(Micros(50_000))
    plan = plan_basket(
        [market(1, (40, 100), fee=fee), market(2, (58, 100), fee=fee)],
        BasketSide.YES,
        Micros(10 * ONE),
    )
    assert plan.fees > 0
    assert plan.shown_fees == 240_000
    assert plan.gain == 200_000 - plan.shown_fees


@given(books)
def test_as_few_sets_as_make_every_leg_an_order_are_enough(
    found: list[list[tuple[int, int]]],
) -> None:
    markets = [market(n + 1, (asks[0][0], 100_000)) for n, asks in enumerate(found)]
    least = least_sets(markets)
    assert plan_basket(markets, BasketSide.YES, least).is_whole
    assert not plan_basket(markets, BasketSide.YES, Micros(least - ONE)).is_whole
    assert least_sets([]) == 0


@given(books, st.integers(5, 20_000))
def test_where_a_basket_is_impossible_no_size_makes_one(
    found: list[list[tuple[int, int]]], size: int
) -> None:
    markets = [market(n + 1, *asks) for n, asks in enumerate(found)]
    room = basket_room(markets)
    plan = plan_basket(markets, BasketSide.YES, Micros(size * ONE))
    assert room.offered == min(sum(s for _, s in asks) for asks in found) * ONE
    assert room.at_best <= room.offered
    if room.is_impossible and size * ONE >= room.least:
        assert not plan.is_whole
    if room.least <= room.offered:
        assert (
            plan_basket(markets, BasketSide.YES, room.least).is_whole or room.at_best < room.least
        )


def test_the_leg_in_the_way_of_a_basket_is_named_once_the_books_are_known() -> None:
    cheap = market(2, (1, 93))
    room = basket_room([market(1, (40, 500)), cheap])
    assert (room.least, room.offered, room.thinnest) == (100 * ONE, 93 * ONE, "Outcome 2")
    assert room.is_impossible
    assert basket_room([market(1, (40, 500)), replace(cheap, why_not="Paused")]).offered == 0
    assert not basket_room([market(1, (40, 500)), replace(cheap, book=None)]).is_impossible
    assert not basket_room([]).is_impossible

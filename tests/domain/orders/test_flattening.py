from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.position import Stake
from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import NO_FEE, MarketTerms, Side
from pmtui.domain.money import ONE, Micros, parse_micros
from pmtui.domain.orders.amounts import SIZE_STEP, TICK_RULES, is_on_tick, pairs_of
from pmtui.domain.orders.flattening import (
    Closing,
    FlattenPlan,
    FlattenProblem,
    NetPosition,
    close_now,
    net_of_market,
    net_position,
    plan_flatten,
    plan_flatten_net,
    reprice,
    worst_price,
)
from pmtui.domain.orders.order import Order, OrderStatus, TimeInForce

m = parse_micros
YES = TokenId("1")
TERMS = MarketTerms(
    condition_id=ConditionId("0xaa"), token_ids=(YES, TokenId("2")),
    outcome_labels=("Yes", "No"), tick_size=m("0.01"), min_order_size=m("5"), neg_risk=False,
    fee=NO_FEE,
)  # fmt: skip
BOOK = BookView(
    YES, BookState.LIVE,
    bids=(Level(m("0.50"), m("40")), Level(m("0.48"), m("30")), Level(m("0.40"), m("500"))),
    asks=(Level(m("0.53"), m("40")),),
)  # fmt: skip
SALE = Order(
    order_id=OrderId("0x1"), condition_id=TERMS.condition_id, token_id=YES, outcome="Yes",
    side=Side.SELL, price=m("0.60"), original_size=m("10"), matched_size=m("0"),
    status=OrderStatus.LIVE, time_in_force=TimeInForce.GTC,
    created_at=datetime(2026, 6, 15, tzinfo=UTC),
)  # fmt: skip


def plan(
    held: str, *orders: Order, book: BookView = BOOK, terms: MarketTerms = TERMS
) -> FlattenPlan | FlattenProblem:
    return plan_flatten(held=m(held), orders=orders, book=book, terms=terms)


def planned(held: str, *orders: Order, book: BookView = BOOK) -> FlattenPlan:
    found = plan(held, *orders, book=book)
    assert isinstance(found, FlattenPlan)
    return found


def problem(held: str, *orders: Order, **changes: object) -> str:
    found = plan(held, *orders, **changes)  # type: ignore[arg-type]  # a test names what differs
    assert isinstance(found, FlattenProblem)
    return found.text


def test_all_of_it_is_offered_at_a_stated_worst_price() -> None:
    found = planned("60")
    intent = found.intent
    assert (intent.side, intent.size, intent.time_in_force) == (
        Side.SELL, m("60"), TimeInForce.FAK,
    )  # fmt: skip
    assert (found.best_bid, intent.price) == (m("0.50"), m("0.45"))
    assert found.numbers.fills_now == m("60")
    assert found.numbers.fills_now_cash == m("29.6")
    assert found.expected == m("0.4934")
    assert (found.stays, found.sales, found.warnings) == (0, (), ())


def test_what_nobody_bids_for_within_the_worst_price_stays() -> None:
    assert planned("100").stays == m("30")


@pytest.mark.parametrize(
    ("held", "price"), [("20", "0.50"), ("35", "0.48"), ("36", None), ("60", None)]
)
def test_the_price_for_as_many_again_is_within_the_same_limit(held: str, price: str | None) -> None:
    assert planned(held).again == (None if price is None else m(price))


def test_where_bids_end_within_the_limit_nobody_takes_as_many_again() -> None:
    assert planned("60", book=replace(BOOK, bids=BOOK.bids[:2])).again is None


def test_own_sales_in_the_way_are_named() -> None:
    other = replace(SALE, order_id=OrderId("0x2"), token_id=TokenId("2"))
    purchase = replace(SALE, order_id=OrderId("0x3"), side=Side.BUY)
    assert planned("60", SALE, other, purchase).sales == (SALE,)


def bid(price: str, size: str, token: str = "1") -> Order:
    side = Side.BUY if token == YES else Side.SELL
    return replace(
        SALE, order_id=OrderId(f"0x{token}{price}"), token_id=TokenId(token), side=side,
        price=m(price), original_size=m(size),
    )  # fmt: skip


def test_own_bids_that_it_may_meet_are_in_the_way_of_either_outcome() -> None:
    here, across, low = bid("0.48", "30"), bid("0.50", "10", "2"), bid("0.40", "50")
    found = planned("60", SALE, low, here, across)
    assert found.bids == (across, here)
    assert found.in_the_way == (across, here, SALE)
    # Of the fifty cents thirty are of others, and nothing at forty-eight.
    assert found.numbers.fills_now == m("30")


def test_own_orders_of_the_market_that_are_not_in_its_way_are_known() -> None:
    low = bid("0.30", "50")
    elsewhere = replace(SALE, condition_id=ConditionId("0xbb"), token_id=TokenId("8"))
    taker = replace(bid("0.20", "5"), time_in_force=TimeInForce.FAK)
    found = planned("60", SALE, low, elsewhere, taker)
    assert (found.in_the_way, found.others) == ((SALE,), (low,))
    assert planned("60").others == ()


def test_how_far_it_may_fall_is_counted_from_the_bids_of_others() -> None:
    found = planned("60", bid("0.50", "40"))
    assert (found.best_bid, found.intent.price) == (m("0.48"), m("0.44"))


def test_a_later_book_changes_what_a_sale_brings_and_not_the_sale() -> None:
    found = planned("60")
    lower = replace(BOOK, bids=(Level(m("0.47"), m("50")), Level(m("0.44"), m("50"))))
    later = reprice(found, lower, (bid("0.47", "10"),), TERMS)
    assert (later.intent, later.sales) == (found.intent, found.sales)
    assert (later.best_bid, later.stays) == (m("0.47"), m("20"))
    assert later.numbers.fills_now_cash == m("18.8")
    gone = reprice(found, replace(BOOK, bids=()), (), TERMS)
    assert (gone.best_bid, gone.stays) == (None, m("60"))


def test_where_only_we_bid_nothing_is_cancelled() -> None:
    alone = replace(BOOK, bids=BOOK.bids[:1])
    assert problem("60", bid("0.50", "40"), book=alone) == "no bids but your own"


def test_a_sale_still_being_checked_comes_first() -> None:
    assert "checked" in problem("60", replace(SALE, status=OrderStatus.UNKNOWN))


def test_dust_is_explained() -> None:
    assert "dust" in problem("0.004")
    assert planned("60.004").warnings == ("0.004 shares are dust and stay",)


def test_less_than_the_minimum_is_warned_of_not_blocked() -> None:
    (warning,) = planned("3").warnings
    assert "minimum of 5" in warning


@pytest.mark.parametrize(
    ("held", "changes", "words"),
    [
        ("0", {}, "no position"),
        ("60", {"book": replace(BOOK, bids=())}, "no bids"),
        ("60", {"terms": replace(TERMS, accepting_orders=False)}, "no orders"),
    ],
)
def test_why_it_cannot_be_sold(held: str, changes: dict[str, object], words: str) -> None:
    assert words in problem(held, **changes)


def test_a_bad_book_is_warned_of() -> None:
    stale = replace(BOOK, state=BookState.STALE)
    assert "stale" in planned("60", book=stale).warnings[0]


@given(st.sampled_from(sorted(TICK_RULES)), st.integers(1, 9_999), st.integers(0, 100))
def test_the_worst_price_is_on_the_grid_and_no_further_below_than_said(
    tick: Micros, steps: int, percent: int
) -> None:
    best = Micros(min(steps * tick, ONE - tick))
    worst = worst_price(best, tick, percent)
    assert is_on_tick(worst, tick)
    assert worst <= best
    # A tick is always given: the best bid may be gone by the time the sale arrives.
    assert worst < best or best == tick
    assert worst * 100 >= best * (100 - percent) or worst == max(tick, best - tick)


NO = TokenId("2")


def net_plan(
    yes: str, no: str, *orders: Order, terms: MarketTerms = TERMS
) -> FlattenPlan | FlattenProblem:
    held = {YES: m(yes), NO: m(no)}
    return plan_flatten_net(held=lambda token: held[token], orders=orders, book=BOOK, terms=terms)


@pytest.mark.parametrize(
    ("yes", "no", "sold", "token", "pairs"),
    [
        ("100", "101.58", "1.58", NO, "100"),
        ("101.58", "100", "1.58", YES, "100"),
        ("0", "101.58", "101.58", NO, "0"),
        ("60", "0", "60", YES, "0"),
    ],
)
def test_only_what_is_held_beyond_the_other_outcome_is_sold(
    yes: str, no: str, sold: str, token: TokenId, pairs: str
) -> None:
    found = net_plan(yes, no)
    assert isinstance(found, FlattenPlan)
    assert (found.intent.token_id, found.intent.size) == (token, m(sold))
    assert found.pairs == m(pairs)
    assert found.what == ("whole position" if pairs == "0" else "net position")
    assert found.best_bid == m("0.47" if token == NO else "0.50")


def test_pairs_alone_are_no_position() -> None:
    found = net_plan("100", "100")
    assert found == FlattenProblem("the position is net zero", m("100"))
    tiny = net_plan("100", "100.004")
    assert isinstance(tiny, FlattenProblem)
    assert "dust" in tiny.text


def test_resting_sales_stay_where_enough_of_the_excess_is_free() -> None:
    found = net_plan("100", "60", replace(SALE, original_size=m("50")))
    assert isinstance(found, FlattenPlan)
    assert (found.intent.size, found.sales) == (m("40"), ())


def test_a_market_of_one_token_is_flattened_whole() -> None:
    alone = replace(TERMS, token_ids=(YES,), outcome_labels=("Yes",))
    found = net_plan("60", "60", terms=alone)
    assert isinstance(found, FlattenPlan)
    assert (found.intent.size, found.pairs) == (m("60"), 0)


@pytest.mark.parametrize(
    ("yes", "no", "long"), [("45", "50", (NO,)), ("50", "45", (YES,)), ("45", "45", ()), ("0", "5", (NO,))]
)  # fmt: skip
def test_only_the_outcome_that_more_is_held_of_is_long(
    yes: str, no: str, long: tuple[TokenId, ...]
) -> None:
    held = {YES: m(yes), NO: m(no)}
    found = [t for t in held if net_of_market(lambda token: held[token], t, TERMS).is_long]
    assert found == list(long)


def test_the_net_position_is_what_is_held_beyond_the_other() -> None:
    assert net_position(m("100"), m("101.58")) == NetPosition(m("1.58"), m("100"), is_short=True)
    # Dust of the other outcome is no part of a pair: all that is held is sold.
    assert net_position(m("100"), m("0.0037")) == NetPosition(m("100"), m("0"), is_short=False)


shares = st.integers(0, 10**9).map(Micros)


@given(shares, shares)
def test_flattening_never_raises_the_net_position(yes: Micros, no: Micros) -> None:
    held = {YES: yes, NO: no}
    found = plan_flatten_net(held=lambda token: held[token], orders=(), book=BOOK, terms=TERMS)
    before = yes - no
    if isinstance(found, FlattenProblem):
        assert abs(before) < SIZE_STEP
        return
    held[found.intent.token_id] = Micros(held[found.intent.token_id] - found.intent.size)
    after = held[YES] - held[NO]
    assert abs(after) < SIZE_STEP
    assert found.pairs == pairs_of(yes, no)
    assert before * after >= 0 or not found.pairs


OWN_BID = replace(
    SALE, order_id=OrderId("0x2"), side=Side.BUY, price=m("0.50"), original_size=m("40")
)


@pytest.mark.parametrize("orders", [(), (OWN_BID,), (OWN_BID, SALE)])
@pytest.mark.parametrize("size", ["20", "60", "100", "900.005"])
def test_what_closing_brings_is_what_the_card_says(size: str, orders: tuple[Order, ...]) -> None:
    net = Stake(m(size), m("0.45"))
    found, sale = close_now(net, BOOK, orders, tick=TERMS.tick_size), planned(size, *orders)
    assert found is not None
    assert (found.size, found.fills) == (sale.intent.size, sale.numbers.fills_now)
    assert found.profit == sale.numbers.fills_now_cash - net.part(found.fills).cost
    assert found.is_partial is (sale.stays > 0)


def test_closing_walks_down_the_bids_of_others_to_the_worst_price() -> None:
    net = Stake(m("100"), m("0.45"))
    # 30 at 48c: the 40 at 50c are ours, and 40c is more than a tenth below the best.
    found = close_now(net, BOOK, (OWN_BID,), tick=TERMS.tick_size)
    assert found == Closing(m("0.9"), m("30"), m("100"))
    alone = replace(BOOK, bids=BOOK.bids[:1])
    assert close_now(net, alone, (OWN_BID,), tick=TERMS.tick_size) is None


def test_a_short_is_closed_at_the_asks_of_others() -> None:
    net = Stake(m("50"), m("0.40"), is_other=True)
    asks = tuple(Level(m(price), m("20")) for price in ("0.50", "0.52", "0.54"))
    mine = replace(OWN_BID, side=Side.SELL, original_size=m("20"))
    # 20 at 48c and 20 at 46c of the other outcome.
    found = close_now(net, replace(BOOK, asks=asks), (mine,), tick=TERMS.tick_size)
    assert found == Closing(m("2.8"), m("40"), m("50"))


def test_each_outcome_is_closed_at_the_price_that_somebody_pays_for_it() -> None:
    yes = Stake(Micros(100 * ONE), Micros(400_000))
    no = Stake(Micros(100 * ONE), Micros(400_000), is_other=True)
    bid, ask = Level(Micros(500_000), Micros(100 * ONE)), Level(Micros(520_000), Micros(100 * ONE))
    book = BookView(TokenId("1"), BookState.LIVE, (bid,), (ask,), Micros(10_000))

    def profit(net: Stake, book: BookView = book) -> Micros | None:
        closing = close_now(net, book, (), tick=Micros(10_000))
        return None if closing is None else closing.profit

    assert profit(yes) == 10_000_000
    # A No is worth what buyers of No pay: 48c where Yes is asked at 52c.
    assert profit(no) == 8_000_000
    assert profit(no, replace(book, asks=())) is None

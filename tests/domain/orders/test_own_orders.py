from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.ids import OrderId, TokenId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, Micros
from pmtui.domain.orders.life import Contradiction, Flaw, merge_fill, merge_order
from pmtui.domain.orders.order import Fill, Order, OrderStatus, TimeInForce, TradeStatus
from pmtui.domain.orders.own_orders import (
    UNDONE,
    OwnChange,
    OwnOrders,
    own_changes,
    reserved_shares,
    ticks_away,
)
from tests.domain.orders.order_kit import FILL, ORDER, START, TOKEN, m
from tests.ui import believable


def _apply(facts: Sequence[Order | Fill]) -> OwnOrders:
    own = OwnOrders()
    for fact in facts:
        _ = own.apply_order(fact) if isinstance(fact, Order) else own.apply_fill(fact)
    return own


def _state(facts: Sequence[Order | Fill]) -> tuple[object, ...]:
    own = _apply(facts)
    return (
        own.order(ORDER.order_id),
        own.fills(),
        own.open_orders(),
        frozenset(own.take_contradictions()),
    )


@pytest.mark.parametrize(
    ("facts", "status", "matched"),
    [
        ([ORDER], OrderStatus.LIVE, "0"),
        ([ORDER, FILL], OrderStatus.PARTIALLY_FILLED, "40"),
        ([ORDER, FILL, FILL], OrderStatus.PARTIALLY_FILLED, "40"),
        ([ORDER, FILL, replace(FILL, trade_id=TradeId("t2"), size=m("60"))],
         OrderStatus.FILLED, "100"),
        ([ORDER, replace(ORDER, matched_size=m("100"))], OrderStatus.FILLED, "100"),
        ([ORDER, FILL, replace(ORDER, status=OrderStatus.CANCELLED)],
         OrderStatus.CANCELLED, "40"),
        ([ORDER, FILL, replace(FILL, status=TradeStatus.FAILED)], OrderStatus.LIVE, "0"),
        ([replace(ORDER, status=OrderStatus.UNKNOWN), FILL],
         OrderStatus.PARTIALLY_FILLED, "40"),
        ([replace(ORDER, status=OrderStatus.SENT, time_in_force=TimeInForce.FAK), FILL],
         OrderStatus.CANCELLED, "40"),
        ([replace(ORDER, status=OrderStatus.UNKNOWN), replace(ORDER, status=OrderStatus.SENT)],
         OrderStatus.UNKNOWN, "0"),
        # An order that was ruled out, or refused as a duplicate of itself, and rests after all.
        ([replace(ORDER, status=OrderStatus.REJECTED), ORDER], OrderStatus.LIVE, "0"),
        ([replace(ORDER, status=OrderStatus.REJECTED), FILL],
         OrderStatus.PARTIALLY_FILLED, "40"),
        ([replace(ORDER, status=OrderStatus.UNKNOWN),
          replace(ORDER, status=OrderStatus.REJECTED)], OrderStatus.REJECTED, "0"),
    ],
)  # fmt: skip
def test_facts_end_in_one_state_in_any_order(
    facts: list[Order | Fill], status: OrderStatus, matched: str
) -> None:
    states = {_state(order) for order in permutations(facts)}
    assert len(states) == 1
    order = _apply(facts).order(ORDER.order_id)
    assert order is not None
    assert (order.status, order.matched_size) == (status, m(matched))


orders = st.builds(
    replace, st.just(ORDER), status=st.sampled_from(OrderStatus),
    matched_size=st.integers(0, 100).map(lambda n: Micros(n * 1_000_000)),
    created_at=st.integers(0, 9).map(lambda s: START + timedelta(seconds=s)),
)  # fmt: skip
fills = st.builds(
    replace, st.just(FILL), trade_id=st.sampled_from([TradeId("t1"), TradeId("t2")]),
    status=st.sampled_from(TradeStatus),
    matched_at=st.integers(0, 9).map(lambda s: START + timedelta(seconds=s)),
)  # fmt: skip


@given(st.data(), st.lists(st.one_of(orders, fills), max_size=7))
def test_any_interleaving_with_repetitions_ends_in_the_same_state(
    data: st.DataObject, facts: list[Order | Fill]
) -> None:
    again = data.draw(st.lists(st.sampled_from(facts), max_size=4)) if facts else []
    shuffled = data.draw(st.permutations([*facts, *again]))
    assert _state(facts) == _state(shuffled)


@given(st.lists(st.one_of(orders, fills), max_size=7))
def test_matched_size_is_at_least_what_valid_fills_sum_to(facts: list[Order | Fill]) -> None:
    own = _apply(facts)
    order = own.order(ORDER.order_id)
    if order is not None:
        valid = sum(f.size for f in own.fills() if f.status is not TradeStatus.FAILED)
        assert order.matched_size >= valid
        assert (order.status is OrderStatus.FILLED) or order.matched_size < order.original_size


sizes = st.lists(st.integers(1, 30), min_size=1, max_size=5)


@given(st.data(), sizes)
def test_fills_sum_to_the_matched_size_whatever_failed_and_was_told(
    data: st.DataObject, parts: list[int]
) -> None:
    whole = [
        replace(FILL, trade_id=TradeId(f"t{n}"), size=m(str(part))) for n, part in enumerate(parts)
    ]
    ends = data.draw(
        st.lists(
            st.sampled_from([TradeStatus.CONFIRMED, TradeStatus.FAILED]),
            min_size=len(whole),
            max_size=len(whole),
        )
    )
    settled = [replace(f, status=end) for f, end in zip(whole, ends, strict=True)]
    order = replace(ORDER, original_size=m(str(sum(parts) + data.draw(st.integers(0, 5)))))
    told = replace(order, matched_size=m(str(sum(parts))))
    told_of: list[Order | Fill] = [order, told, *whole, *settled, *settled]
    facts = data.draw(st.permutations(told_of))
    known = _apply(facts).order(ORDER.order_id)
    assert known is not None
    held = sum(f.size for f in settled if f.status is TradeStatus.CONFIRMED)
    assert known.matched_size == held
    assert (known.status is OrderStatus.FILLED) == (held == order.original_size)


def test_a_trade_that_fails_is_undone_visibly_also_where_the_answer_told_of_it() -> None:
    filled = replace(ORDER, status=OrderStatus.FILLED, matched_size=m("100"))
    whole = replace(FILL, size=m("100"))
    own = _apply([ORDER, filled, whole])
    failed = own.apply_fill(replace(whole, status=TradeStatus.FAILED))
    order = own.order(ORDER.order_id)
    assert failed is not None
    assert order is not None
    assert (order.matched_size, order.status, order.reason) == (0, OrderStatus.CANCELLED, UNDONE)


def test_reports_that_cannot_all_be_true_are_told_once() -> None:
    confirmed = replace(FILL, status=TradeStatus.CONFIRMED)
    facts: list[Order | Fill] = [
        replace(ORDER, status=OrderStatus.REJECTED),
        ORDER,
        confirmed,
        replace(FILL, status=TradeStatus.FAILED),
        replace(FILL, size=m("41")),
    ]
    expected = {
        Contradiction(ORDER.order_id, flaw)
        for flaw in (Flaw.REFUSED_BUT_THERE, Flaw.SETTLED_AND_FAILED, Flaw.OTHER_SIZE)
    }
    for order in permutations(facts):
        assert set(_apply(order).take_contradictions()) == expected
    own = _apply([*facts, *facts])
    assert set(own.take_contradictions()) == expected
    assert own.take_contradictions() == ()


def test_only_news_is_reported() -> None:
    own = OwnOrders()
    assert own.apply_order(ORDER) == ORDER
    assert own.apply_order(ORDER) is None
    assert own.apply_fill(FILL) == FILL
    assert own.apply_fill(FILL) is None
    confirmed = replace(FILL, status=TradeStatus.CONFIRMED, transaction_hash="0xfe")
    assert own.apply_fill(confirmed) == confirmed
    assert own.fills() == (confirmed,)
    assert own.fill(ORDER.order_id, FILL.trade_id) == confirmed
    assert own.fill(ORDER.order_id, TradeId("t9")) is None
    assert own.apply_fill(replace(FILL, fee=m("0.5"))) == replace(confirmed, fee=m("0.5"))


def test_a_fill_may_come_before_its_order() -> None:
    own = _apply([FILL])
    assert own.order(ORDER.order_id) is None
    assert own.open_orders() == ()
    told = own.apply_order(ORDER)
    assert told is not None
    assert told.matched_size == m("40")


def test_open_orders_reserve_what_they_may_still_take() -> None:
    sale = replace(ORDER, order_id=OrderId("0x2"), side=Side.SELL, original_size=m("30"),
                   created_at=START + timedelta(seconds=1))  # fmt: skip
    gone = replace(sale, order_id=OrderId("0x3"), status=OrderStatus.CANCELLED)
    doubtful = replace(ORDER, order_id=OrderId("0x4"), status=OrderStatus.UNKNOWN,
                       original_size=m("10"), created_at=START + timedelta(seconds=2))  # fmt: skip
    own = _apply([ORDER, FILL, sale, gone, doubtful])
    assert own.reserved_cash() == m("31.8") + m("5.3")
    assert own.reserved_shares(TOKEN) == m("30")
    assert own.reserved_shares(TokenId("2")) == 0
    assert reserved_shares(own.open_orders(), TOKEN) == m("30")
    assert [o.order_id for o in own.open_orders()] == ["0x4", "0x2", "0x1"]


def test_merging_keeps_texts_that_only_one_side_has() -> None:
    bare = replace(ORDER, outcome="", reason="")
    told = replace(ORDER, status=OrderStatus.CANCELLED, reason="expired", expires_at=START)
    merged = merge_order(bare, told)
    assert (merged.outcome, merged.reason, merged.expires_at) == ("Yes", "expired", START)
    assert merge_fill(replace(FILL, outcome=""), FILL).outcome == "Yes"
    assert merge_order(None, ORDER) == ORDER
    assert merge_fill(None, FILL) == FILL


@given(st.lists(st.one_of(orders, fills), max_size=7))
def test_whoever_asks_between_facts_is_told_the_newest(facts: list[Order | Fill]) -> None:
    asked = OwnOrders()
    for number, fact in enumerate(facts, 1):
        before = asked.version, asked.open_orders()
        _ = asked.apply_order(fact) if isinstance(fact, Order) else asked.apply_fill(fact)
        fresh = _apply(facts[:number])
        assert asked.open_orders() == fresh.open_orders()
        assert asked.reserved_cash() == fresh.reserved_cash()
        if asked.version == before[0]:
            assert asked.open_orders() is before[1]


def test_a_conclusion_gives_way_to_a_fact_and_not_to_an_old_report() -> None:
    own = _apply([ORDER])
    _ = own.apply_conclusion(replace(ORDER, status=OrderStatus.CANCELLED))
    assert own.is_concluded(ORDER.order_id)
    partly = replace(ORDER, matched_size=m("40"), status=OrderStatus.PARTIALLY_FILLED)
    old = own.apply_order(partly, keeps_conclusion=True)
    assert old is not None
    assert (old.status, old.matched_size) == (OrderStatus.CANCELLED, m("40"))
    now = own.apply_order(partly)
    assert not own.is_concluded(ORDER.order_id)
    assert now == partly
    # Of an order that only a conclusion speaks of.
    other = replace(ORDER, order_id=OrderId("0x9"), status=OrderStatus.REJECTED)
    assert own.apply_conclusion(other) == other
    assert own.apply_order(replace(other, status=OrderStatus.LIVE)) is not None


def test_only_what_the_venue_reported_of_an_ended_order_is_its_final_record() -> None:
    own = _apply([ORDER, replace(ORDER, status=OrderStatus.CANCELLED)])
    assert own.final_record(ORDER.order_id) is None
    _ = own.apply_order(ORDER, is_record=True)
    assert own.final_record(ORDER.order_id) is None
    gone = replace(ORDER, status=OrderStatus.CANCELLED, matched_size=m("40"))
    _ = own.apply_order(gone, is_record=True)
    assert own.final_record(ORDER.order_id) == gone
    assert own.reopen(ORDER) is not None
    assert own.final_record(ORDER.order_id) is None


def order(n: int, *, price: float = 0.5, side: Side = Side.BUY, matched: float = 0) -> Order:
    status = OrderStatus.PARTIALLY_FILLED if matched else OrderStatus.LIVE
    return believable.order(n, price=price, side=side, size=100, matched=matched, status=status)


def fill(of: Order, size: int, *, status: TradeStatus = TradeStatus.MATCHED) -> Fill:
    base = believable.fill(1)
    return replace(base, order_id=of.order_id, size=Micros(size * 10**6), status=status)


def at(of: Order) -> tuple[Micros, Side]:
    return of.price, of.side


def test_orders_come_fill_and_go() -> None:
    one, two = order(1), order(2, price=0.6, side=Side.SELL)
    assert own_changes((), (one, two), ()) == {
        at(one): OwnChange.PLACED, at(two): OwnChange.PLACED,
    }  # fmt: skip
    assert own_changes((one,), (order(1, matched=20),), ()) == {at(one): OwnChange.FILLED}
    assert own_changes((one,), (), ()) == {at(one): OwnChange.CANCELLED}
    assert own_changes((one,), (), (fill(one, 100),)) == {at(one): OwnChange.FILLED}


def test_a_part_filled_earlier_does_not_make_a_cancellation_a_fill() -> None:
    partial = order(1, matched=20)
    assert own_changes((partial,), (), (fill(partial, 20),)) == {at(partial): OwnChange.CANCELLED}
    failed = fill(partial, 80, status=TradeStatus.FAILED)
    assert own_changes((partial,), (), (fill(partial, 20), failed)) == {
        at(partial): OwnChange.CANCELLED
    }


def test_of_several_at_one_price_the_fill_is_told() -> None:
    one, two, three = order(1), order(2), order(3)
    assert own_changes((one, two), (three,), (fill(two, 100),)) == {at(one): OwnChange.FILLED}


@given(st.lists(st.integers(1, 40), unique=True, max_size=8))
def test_nothing_new_is_no_change(numbers: list[int]) -> None:
    orders = tuple(order(n, price=n / 100) for n in numbers)
    assert own_changes(orders, orders[::-1], ()) == {}


TICK = Micros(10_000)
cents = st.integers(1, 99).map(lambda n: Micros(n * 10_000))


@given(cents, cents, st.sampled_from(Side))
def test_the_way_to_the_touch_is_whole_ticks_and_never_negative(
    price: Micros, best: Micros, side: Side
) -> None:
    order = replace(believable.order(1, side=side), price=price)
    level = (Level(best, ONE),)
    book = BookView(order.token_id, BookState.LIVE, level, level)
    away = ticks_away(order, book, TICK)
    assert away is not None
    behind = best - price if side is Side.BUY else price - best
    assert away == max(behind // TICK, 0)


def test_a_book_that_proves_nothing_tells_no_distance() -> None:
    order = believable.order(1)
    level = (Level(order.price, ONE),)
    book = BookView(order.token_id, BookState.LIVE, level, level)
    assert ticks_away(order, book, TICK) == 0
    assert ticks_away(order, book, None) is None
    assert ticks_away(order, replace(book, bids=()), TICK) is None
    assert ticks_away(order, replace(book, state=BookState.STALE), TICK) is None

"""Endings from answers that may be out of date: any interleaving of them ends in the truth."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import TradeId
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Fill, Order, OrderStatus
from pmtui.domain.orders.own_orders import EndingPolicy, OrderEndings, OwnOrders
from tests.domain.orders.order_kit import FILL, ORDER, m

ID = ORDER.order_id
LAG_S = 15.0
POLICY = EndingPolicy(lag_s=LAG_S, ruled_out_after_s=30.0)
LONGEST_WAY_S = POLICY.ruled_out_after_s - LAG_S
CHECK_PERIOD_S = 5.0
"""Of the looks after those that hypothesis chooses."""
SHOWN_ENDED_AFTER_S = 3 * LAG_S + 6 * CHECK_PERIOD_S
"""From the true end, with looks at that pace; the end may first be missed for two lags."""
HORIZON_S = 60.0 + SHOWN_ENDED_AFTER_S + 30.0
END_STATES = (OrderStatus.CANCELLED, OrderStatus.REJECTED)


@dataclass(frozen=True)
class Life:
    """What is true of one order."""

    is_answered: bool
    arrived_s: float | None
    fills: tuple[tuple[float, Fill], ...]
    cancelled_s: float | None

    @property
    def ended_s(self) -> float | None:
        """When it left the book; None while it rests, or where it never arrived."""
        if sum(fill.size for _, fill in self.fills) == ORDER.original_size:
            return self.fills[-1][0]
        return self.cancelled_s

    def is_open(self, at_s: float) -> bool:
        has_arrived = self.arrived_s is not None and at_s >= self.arrived_s
        return has_arrived and (self.ended_s is None or at_s < self.ended_s)

    def fills_at(self, at_s: float) -> tuple[Fill, ...]:
        return tuple(fill for told_s, fill in self.fills if told_s <= at_s)

    def row_at(self, at_s: float) -> Order | None:
        """Return what a read that sees the state of a moment shows."""
        if not self.is_open(at_s):
            return None
        matched = Micros(sum(fill.size for fill in self.fills_at(at_s)))
        status = OrderStatus.PARTIALLY_FILLED if matched else OrderStatus.LIVE
        return replace(ORDER, status=status, matched_size=matched)


@dataclass(frozen=True)
class Look:
    """A list, the own trades and the order itself, each as of a moment of its own."""

    asked_s: float
    answered_s: float
    behind_s: tuple[float, float, float]


seconds = st.integers(0, 600).map(lambda tenths: tenths / 10)
lag = st.one_of(
    st.sampled_from([0.0, LAG_S]), st.integers(0, int(LAG_S * 10)).map(lambda tenths: tenths / 10)
)
lags = st.tuples(lag, lag, lag)


@st.composite
def lives(draw: st.DrawFn) -> Life:
    is_answered = draw(st.booleans())
    way = st.integers(0, int(LONGEST_WAY_S * 10)).map(lambda tenths: tenths / 10)
    arrived_s = 0.0 if is_answered else draw(st.one_of(st.none(), way))
    if arrived_s is None:
        return Life(is_answered, None, (), None)
    sizes = draw(st.lists(st.sampled_from([20, 40, 100]), max_size=3))
    times = sorted(draw(st.lists(seconds, min_size=len(sizes), max_size=len(sizes))))
    fills, total = [], 0
    for number, (size, after_s) in enumerate(zip(sizes, times, strict=True)):
        part = min(size, 100 - total)
        total += part
        if part:
            fill = replace(FILL, trade_id=TradeId(f"t{number}"), size=m(str(part)))
            fills.append((arrived_s + after_s, fill))
    last_s = fills[-1][0] if fills else arrived_s
    ends = draw(st.booleans()) and total < 100
    return Life(is_answered, arrived_s, tuple(fills), last_s + draw(seconds) if ends else None)


@st.composite
def looks(draw: st.DrawFn) -> tuple[Look, ...]:
    gaps = draw(st.lists(st.integers(1, 100).map(lambda tenths: tenths / 10), max_size=25))
    behind = draw(st.lists(lags, min_size=1, max_size=8))
    waits = draw(st.lists(st.sampled_from([0.0, 0.1, 1.0, 3.0]), min_size=1, max_size=5))
    asked, at_s = [], 0.0
    for gap in gaps:
        at_s += gap
        asked.append(at_s)
    while at_s < HORIZON_S:
        at_s += CHECK_PERIOD_S
        asked.append(at_s)
    return tuple(
        Look(at_s, at_s + waits[n % len(waits)], behind[n % len(behind)])
        for n, at_s in enumerate(asked)
    )


Reported = tuple[float, Order | Fill | Look]


def stream_of(life: Life, delays: Iterable[float]) -> list[Reported]:
    """Return what the user stream tells, each event late in its own way."""
    if life.arrived_s is None:
        return []
    events: list[tuple[float, Order | Fill]] = [(life.arrived_s, ORDER), *life.fills]
    for at_s, _ in life.fills:
        if (row := life.row_at(at_s)) is not None:
            events.append((at_s, row))
    if life.cancelled_s is not None:
        matched = Micros(sum(fill.size for _, fill in life.fills))
        gone = replace(ORDER, status=OrderStatus.CANCELLED, matched_size=matched)
        events.append((life.cancelled_s, gone))
    waits = list(delays)
    return [(at_s + waits[n % len(waits)], event) for n, (at_s, event) in enumerate(events)]


class Client:
    """Applies what is told in the way in which the service does."""

    def __init__(self, life: Life) -> None:
        self.own = OwnOrders()
        self.endings = OrderEndings(self.own, POLICY)
        self._life = life
        _ = self.endings.apply(replace(ORDER, status=OrderStatus.SENT), 0.0)
        if life.is_answered:
            _ = self.endings.apply(ORDER, 0.0)
        else:
            _ = self.endings.apply(replace(ORDER, status=OrderStatus.UNKNOWN), 0.0)
            self.endings.start_search(ID, 0.0)

    @property
    def order(self) -> Order:
        order = self.own.order(ID)
        assert order is not None
        return order

    def hear(self, told: Order | Fill | Look, at_s: float) -> None:
        match told:
            case Order():
                _ = self.endings.apply(told, at_s, is_record=not told.status.is_open)
            case Fill():
                _ = self.endings.apply_fill(told, at_s)
            case Look():
                self._take(told)

    def _take(self, look: Look) -> None:
        list_s, trades_s, one_s = (look.asked_s - behind_s for behind_s in look.behind_s)
        at_s = look.answered_s
        for fill in self._life.fills_at(trades_s):
            _ = self.endings.apply_fill(fill, at_s)
        shown = [row for row in map(self._life.row_at, (list_s, one_s)) if row is not None]
        for row in shown:
            _ = self.endings.apply_report(row, asked_s=look.asked_s, at_s=at_s)
        if self._life.row_at(list_s) is None:
            self.endings.note_listing(())
        if not shown:
            status = self.endings.apply_absence(ID, asked_s=look.asked_s, at_s=at_s)
            if status is not None:
                _ = self.endings.apply_conclusion(replace(self.order, status=status), at_s)


def assert_true(life: Life, order: Order, at_s: float) -> None:
    """Assert that what is known of an order is what is true of it."""
    assert order.matched_size == sum(fill.size for fill in life.fills_at(at_s))
    assert order.status.is_open == life.is_open(at_s)
    if not order.status.is_open:
        is_full = order.matched_size == ORDER.original_size
        assert order.status in ((OrderStatus.FILLED,) if is_full else END_STATES)


@given(lives(), looks(), st.booleans(), st.lists(lags, min_size=1, max_size=4))
def test_a_resting_order_is_never_shown_ended_and_every_order_ends_in_the_truth(
    life: Life, looked: tuple[Look, ...], is_streamed: bool, delays: list[tuple[float, ...]]
) -> None:
    client = Client(life)
    told: list[Reported] = [(look.answered_s, look) for look in looked]
    if is_streamed:
        told += stream_of(life, [delay for group in delays for delay in group])
    was_ended = False
    for at_s, report in sorted(told, key=lambda each: each[0]):
        client.hear(report, at_s)
        status = client.order.status
        assert status.is_open or not life.is_open(at_s), (at_s, status)
        if life.ended_s is not None and at_s >= life.ended_s + SHOWN_ENDED_AFTER_S:
            assert not status.is_open, (at_s, status)
        if client.own.is_concluded(ID) and status is not OrderStatus.REJECTED:
            assert_true(life, client.order, at_s)
        # Reports that are merely late take no true end back.
        assert not (was_ended and status.is_open), (at_s, status)
        was_ended = not status.is_open and status is not OrderStatus.REJECTED
    assert_true(life, client.order, HORIZON_S)


@pytest.mark.parametrize("status", [OrderStatus.CANCELLED, OrderStatus.FILLED])
def test_an_end_that_the_venue_goes_on_contradicting_is_taken_back(status: OrderStatus) -> None:
    own = OwnOrders()
    endings = OrderEndings(own, POLICY)
    _ = endings.apply(ORDER, 0.0)
    matched = m("100") if status is OrderStatus.FILLED else m("0")
    _ = endings.apply(replace(ORDER, status=status, matched_size=matched), 1.0)
    row = replace(ORDER, matched_size=m("30"), status=OrderStatus.PARTIALLY_FILLED)
    told: list[tuple[float, OrderStatus]] = []
    for asked_s in (2.0, 1.0 + LAG_S - 0.1, 1.0 + LAG_S, 2.0 + LAG_S, 3.0 + LAG_S):
        _ = endings.apply_report(row, asked_s=asked_s, at_s=asked_s + 0.1)
        known = own.order(ID)
        assert known is not None
        told.append((asked_s, known.status))
    # Neither early reports count, nor two that are less than the spacing apart.
    assert [s for _, s in told] == [status] * 4 + [OrderStatus.PARTIALLY_FILLED]
    known = own.order(ID)
    assert known is not None
    assert known.matched_size == m("30")
    # Then it takes the whole proof again to end it.
    assert endings.apply_absence(ID, asked_s=20.0, at_s=20.1) is None


def test_reports_that_contradict_an_end_count_only_without_a_list_that_agrees_with_it() -> None:
    own = OwnOrders()
    endings = OrderEndings(own, POLICY)
    _ = endings.apply(replace(ORDER, status=OrderStatus.CANCELLED), 0.0)
    for asked_s in (20.0, 30.0, 40.0):
        _ = endings.apply_report(ORDER, asked_s=asked_s, at_s=asked_s)
        endings.note_listing(())
    assert own.open_orders() == ()


def test_what_never_arrived_reopens_with_the_first_report_or_fill() -> None:
    for report in (ORDER, FILL):
        own = OwnOrders()
        endings = OrderEndings(own, POLICY)
        _ = endings.apply(replace(ORDER, status=OrderStatus.UNKNOWN), 0.0)
        endings.start_search(ID, 0.0)
        ended = [
            endings.apply_absence(ID, asked_s=at_s, at_s=at_s) for at_s in (1, 29, 30, 31, 32, 34)
        ]
        assert ended == [None] * 5 + [OrderStatus.REJECTED]
        _ = endings.apply_conclusion(replace(ORDER, status=OrderStatus.REJECTED), 34.0)
        if isinstance(report, Order):
            _ = endings.apply_report(report, asked_s=33.0, at_s=35.0)
        else:
            _ = endings.apply_fill(report, 35.0)
        assert [order.order_id for order in own.open_orders()] == [ID]


def test_an_answer_to_an_older_question_does_not_take_a_conclusion_back() -> None:
    own = OwnOrders()
    endings = OrderEndings(own, POLICY)
    _ = endings.apply(ORDER, 0.0)
    _ = endings.apply_conclusion(replace(ORDER, status=OrderStatus.CANCELLED), 40.0)
    row = replace(ORDER, matched_size=m("30"), status=OrderStatus.PARTIALLY_FILLED)
    _ = endings.apply_report(row, asked_s=39.9, at_s=41.0)
    known = own.order(ID)
    assert known is not None
    # What it shows as matched counts all the same.
    assert (known.status, known.matched_size) == (OrderStatus.CANCELLED, m("30"))
    _ = endings.apply_report(row, asked_s=41.0, at_s=41.1)
    assert [order.order_id for order in own.open_orders()] == [ID]


def test_an_order_that_is_held_back_may_be_missing_for_longer() -> None:
    own = OwnOrders()
    endings = OrderEndings(own, POLICY)
    _ = endings.apply(replace(ORDER, status=OrderStatus.DELAYED), 0.0)
    from_s = POLICY.held_back_s + LAG_S
    early = [endings.apply_absence(ID, asked_s=n, at_s=n) for n in range(0, int(from_s), 3)]
    assert set(early) == {None}
    asked = [from_s, from_s + 2, from_s + LAG_S]
    ends = [endings.apply_absence(ID, asked_s=at_s, at_s=at_s) for at_s in asked]
    assert ends == [None, None, OrderStatus.CANCELLED]


def test_only_orders_that_should_be_listed_are_missing() -> None:
    own = OwnOrders()
    endings = OrderEndings(own, POLICY)
    _ = endings.apply(ORDER, 10.0)
    assert endings.find_missing((), asked_s=10.0) == ()
    assert endings.find_missing((ID,), asked_s=12.0) == ()
    assert endings.find_missing((), asked_s=12.0) == (ID,)
    _ = endings.apply(replace(ORDER, status=OrderStatus.CANCELLED), 13.0)
    assert endings.find_missing((), asked_s=20.0) == ()


def test_what_is_left_below_a_hundredth_of_a_share_is_filled_at_once() -> None:
    own = OwnOrders()
    endings = OrderEndings(own, POLICY)
    row = replace(ORDER, matched_size=m("99.99"), status=OrderStatus.PARTIALLY_FILLED)
    _ = endings.apply(row, 0.0)
    assert own.open_orders() == (row,)
    _ = endings.apply(replace(row, matched_size=m("99.990001")), 0.0)
    assert own.open_orders() == ()
    filled = own.order(ID)
    assert filled is not None
    assert filled.status is OrderStatus.FILLED


def test_only_an_order_without_an_answer_is_in_doubt() -> None:
    own = OwnOrders()
    endings = OrderEndings(own, POLICY)
    assert not endings.is_due(ID, 100.0)
    assert endings.apply_absence(ID, asked_s=100.0, at_s=100.0) is None
    # Found by its first report, before the search for it begins.
    _ = endings.apply_report(ORDER, asked_s=0.0, at_s=0.1)
    endings.start_search(ID, 0.2)
    assert endings.find_missing((), asked_s=10.0) == (ID,)
    assert endings.is_due(ID, 0.1 + LAG_S)
    assert not endings.is_due(ID, LAG_S)


def test_a_fill_before_its_order_is_no_sign_of_it() -> None:
    own = OwnOrders()
    endings = OrderEndings(own, POLICY)
    assert endings.apply_fill(FILL, 1.0) == FILL
    assert not endings.is_due(ID, 100.0)
    _ = endings.apply(ORDER, 2.0)
    endings.note_listing((ID,))
    assert own.matched_size(ID) == FILL.size


def test_an_order_of_an_earlier_session_that_is_gone_was_cancelled() -> None:
    own = OwnOrders()
    endings = OrderEndings(own, POLICY)
    _ = endings.apply(replace(ORDER, status=OrderStatus.UNKNOWN), 0.0)
    endings.start_search(ID, 0.0, was_at_venue=True)
    asked = [30.0, 35.0, 40.0, 30.0 + LAG_S]
    ends = [endings.apply_absence(ID, asked_s=at_s, at_s=at_s) for at_s in asked]
    assert ends == [None, None, None, OrderStatus.CANCELLED]


def test_a_suspected_order_is_trusted_again_once_a_late_enough_report_shows_it() -> None:
    endings = OrderEndings(OwnOrders(), POLICY)
    endings.suspect((ID,), until_s=inf)
    assert not endings.is_suspected(ID)
    _ = endings.apply(ORDER, 0.0)
    endings.suspect((ID,), until_s=inf)
    _ = endings.apply_report(ORDER, asked_s=900.0, at_s=900.1)
    assert endings.is_suspected(ID)
    endings.suspect((ID,), until_s=1_000.0)
    _ = endings.apply_report(ORDER, asked_s=999.0 + LAG_S, at_s=1_020.0)
    assert endings.is_suspected(ID)
    _ = endings.apply_report(ORDER, asked_s=1_000.0 + LAG_S, at_s=1_020.0)
    assert not endings.is_suspected(ID)


def test_an_order_that_has_ended_is_suspected_no_more() -> None:
    endings = OrderEndings(OwnOrders(), POLICY)
    _ = endings.apply(ORDER, 0.0)
    endings.suspect((ID,), until_s=10.0)
    _ = endings.apply(replace(ORDER, status=OrderStatus.CANCELLED), 20.0)
    assert not endings.is_suspected(ID)

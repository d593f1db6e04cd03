"""What is marked on a ladder besides the book: queue, cost, stops and targets, the reward band. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from pmtui.domain.books.book_view import BookView
from pmtui.domain.books.ladder_axis import Axis
from pmtui.domain.conditionals.conditional import Conditional, ConditionalId, Trigger
from pmtui.domain.ids import OrderId
from pmtui.domain.markets.closing import Stake, break_even
from pmtui.domain.markets.market import RewardTerms
from pmtui.domain.markets.rewards import RewardBand, reward_band
from pmtui.domain.money import Micros, complement
from pmtui.domain.orders.order import Order


@dataclass(frozen=True, slots=True)
class StopMark:
    """A price at which a conditional order sells."""

    conditional_id: ConditionalId
    trigger: Trigger
    price: Micros
    size: Micros
    """Shares that it speaks for now."""
    is_active: bool


@dataclass(frozen=True, slots=True)
class LadderMarks:
    """Facts of the account and of the market that belong to prices. The same again is equal."""

    ahead: tuple[tuple[OrderId, Micros], ...] = ()
    """Estimates of the queue in front of own resting orders."""
    scoring: frozenset[OrderId] = frozenset()
    """Own orders that the venue says earn rewards now."""
    stakes: tuple[Stake, ...] = ()
    """What is held of the outcome on show, and of the other one where both are on show."""
    rewards: RewardTerms | None = None
    stops: tuple[StopMark, ...] = ()
    """Stops and targets of the outcome on show."""
    is_account_known: bool = True
    """Before the account has been read, own orders that appear are not news."""

    def profit_at(self, price: Micros) -> Micros | None:
        """Return the profit of closing everything at a price; None with nothing held."""
        if not self.stakes:
            return None
        return Micros(sum(stake.profit_at(price) for stake in self.stakes))

    def profit_now(self, bid: Micros | None, ask: Micros | None) -> Micros | None:
        """Return the profit of closing everything at the best prices; None where one is missing.

        What is held of the other outcome is sold to those who ask for this one.
        """
        prices = [ask if stake.is_other else bid for stake in self.stakes]
        if not prices or None in prices:
            return None
        sold = zip(self.stakes, prices, strict=True)
        return Micros(sum(stake.profit_at(price) for stake, price in sold if price is not None))


NO_MARKS = LadderMarks()


@dataclass(frozen=True, slots=True)
class PlacedMarks:
    """Marks on the rows of one axis."""

    marks: LadderMarks
    band: RewardBand | None
    entries: frozenset[int]
    """Rows nearest to the average price paid."""
    evens: frozenset[int]
    """Rows where closing breaks even after fees."""
    stops: Mapping[int, tuple[StopMark, ...]] = field(default_factory=dict)
    """By row."""


def stop_row(axis: Axis, mark: StopMark) -> int:
    """Return the row that shows a stop or a target: that of a sale at its price."""
    return axis.index_above(mark.price)


def stop_marks(conditionals: Iterable[tuple[Conditional, Micros]]) -> tuple[StopMark, ...]:
    """Return the prices at which conditional orders sell, each with the shares it speaks for."""
    return tuple(
        StopMark(each.conditional_id, trigger, price, size, each.state.is_active)
        for each, size in conditionals
        for trigger, price in ((Trigger.STOP, each.stop), (Trigger.TAKE_PROFIT, each.take_profit))
        if price is not None
    )


def place_marks(marks: LadderMarks, book: BookView, axis: Axis) -> PlacedMarks:
    """Find the rows of all marks, with the middle of the same book that the ladder shows."""
    evens = {
        axis.index_below(price) if stake.is_other else axis.index_above(price)
        for stake in marks.stakes
        if (price := break_even(stake, axis.tick)) is not None
    }
    return PlacedMarks(
        marks=marks,
        band=reward_band(marks.rewards, book.midpoint),
        entries=frozenset(axis.nearest(stake.entry) for stake in marks.stakes),
        evens=frozenset(evens),
        stops=_by_row(marks.stops, axis),
    )


def _by_row(stops: Iterable[StopMark], axis: Axis) -> dict[int, tuple[StopMark, ...]]:
    rows: dict[int, tuple[StopMark, ...]] = {}
    for mark in stops:
        row = stop_row(axis, mark)
        rows[row] = (*rows.get(row, ()), mark)
    return rows


def mirrored_orders(orders: Iterable[Order]) -> tuple[Order, ...]:
    """Return orders of the other outcome as they stand in this one's book.

    The venue matches a purchase of one outcome with a sale of the other at the complement: what
    bids for the other asks here. The ids stay, so that cancelling one cancels the real order.
    """
    return tuple(
        replace(order, side=order.side.opposite, price=complement(order.price)) for order in orders
    )

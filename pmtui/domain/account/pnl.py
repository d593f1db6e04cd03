"""Profit and loss: how a day went, and how an account's equity went before it.

A day's result is what it brought or cost since midnight UTC, in dollars, fees included. The result of a token is
what its shares are worth now, minus what those held at the day's opening were worth then, plus what sales of the
day brought, minus what purchases of the day and fees cost.
For a limit realised and unrealised parts are not told apart: a loss is a loss. `day_figures` tells them
apart for the eye: sales realise against the average price of what was held then, which begins the day
at the opening's price; what is left is unrealised; fees stand for themselves.

"Its shares" are those of the opening plus the day's own fills, not what a wallet reports: what was
redeemed, merged or split is still worth its last price here, which is what it was exchanged for.
Shares that came or went without a trade of ours change nothing of the result. Of its parts they do: as in the
venue's own figures a merge sells either outcome for half a dollar, a split buys it for that, and what is redeemed
is sold for what it pays. So a merged pair realises a dollar less what both cost on average. A conversion
realises nothing: the cost goes over to the shares that come.

A day opens when its first complete account is seen: at midnight, or when a session starts on that
day and no earlier one of the same day has left its opening behind. What was held then counts from
its price at that moment. Without the fee of every trade of the day there is no result yet.

Equity is cash plus positions at their marks: samples in time, dense for the last day and sparse for the weeks
before. A transfer in or out moves it as a trade does: it is what there is, not what was earned.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

from pmtui.domain.account.position import Activity, Position
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import SCALE, Micros, cents_down, cents_near, complement
from pmtui.domain.orders.order import Fill, TradeStatus

HALF = Micros(SCALE // 2)
"""What a split buys either outcome for, and a merge sells it for."""


@dataclass(frozen=True, slots=True)
class Holding:
    """Shares of a token and what one was worth."""

    size: Micros
    price: Micros


@dataclass(frozen=True, slots=True)
class Opening:
    """What was held when a day opened."""

    day: date
    """In UTC."""
    held: Mapping[TokenId, Holding] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Exchange:
    """Shares of a token that came or went without a trade, at the price that they count for."""

    at: datetime
    token_id: TokenId
    change: Micros | None
    """Negative for shares that went; None where all of them went."""
    price: Micros


def read_exchanges(
    activity: Iterable[Activity],
    day: date,
    *,
    tokens_of: Callable[[ConditionId], tuple[TokenId, ...]],
    settled_price: Callable[[TokenId], Micros | None],
) -> tuple[Exchange, ...]:
    """Return what was split, merged and redeemed on a day, in any order.

    Args:
        activity: a wallet's history as the venue tells it; what it does not date or measure is left out.
        day: in UTC.
        tokens_of: the outcomes of a market; empty where they are not known.
        settled_price: what a share of a resolved market pays; None while that is not known.
    """
    found: list[Exchange] = []
    for each in activity:
        if each.condition_id is None or day_of(each.at) != day:
            continue
        amount = each.size or each.cash
        for token_id in tokens_of(each.condition_id):
            pays = settled_price(token_id)
            match each.kind:
                case "SPLIT" if amount:
                    found.append(Exchange(each.at, token_id, amount, HALF))
                case "MERGE" if amount:
                    found.append(Exchange(each.at, token_id, Micros(-amount), HALF))
                case "REDEEM" if pays is not None:
                    found.append(Exchange(each.at, token_id, None, pays))
                case _:
                    pass
    return tuple(found)


def day_of(at: datetime) -> date:
    """Return the day a moment belongs to."""
    return at.astimezone(UTC).date()


def fills_of_day(fills: Iterable[Fill], day: date) -> tuple[Fill, ...]:
    """Return what was traded on a day; a trade that failed on chain never happened."""
    return tuple(
        f for f in fills if f.status is not TradeStatus.FAILED and day_of(f.matched_at) == day
    )


def is_fee_missing(fills: Iterable[Fill], day: date) -> bool:
    """Whether what a trade of the day cost is not known yet."""
    return any(fill.fee is None for fill in fills_of_day(fills, day))


def open_day(day: date, positions: Iterable[Position], fills: Iterable[Fill]) -> Opening:
    """Return a day's opening from what is held now: the day's own fills are taken off."""
    net: dict[TokenId, int] = {}
    for fill in fills_of_day(fills, day):
        net[fill.token_id] = net.get(fill.token_id, 0) + _signed(fill)
    held: dict[TokenId, Holding] = {}
    for position in positions:
        size = position.size - net.get(position.token_id, 0)
        price = position.current_price
        if size > 0:
            known = price if price is not None else position.average_price
            held[position.token_id] = Holding(Micros(size), known)
    return Opening(day, held)


def price_partners(
    prices: Mapping[TokenId, Micros],
    fills: Iterable[Fill],
    pair_of: Callable[[TokenId], tuple[TokenId, ...]],
) -> dict[TokenId, Micros]:
    """Return prices that also cover what was traded and is not known otherwise, and its other outcome.

    Of a pair that was split, an outcome that was sold is owed by our own account while the other one is held.
    Both are a dollar together: prices of different moments would count one change twice, or not at all.

    Args:
        prices: what a share is worth now, or was when it was held last.
        fills: of the day; the last price of a pair that nothing else prices.
        pair_of: the outcomes of a token's market; that token alone where they are not known.
    """
    known = dict(prices)
    real = (fill for fill in fills if fill.status is not TradeStatus.FAILED)
    for fill in sorted(real, key=lambda f: (f.matched_at, f.trade_id), reverse=True):
        others = [each for each in pair_of(fill.token_id) if each != fill.token_id]
        if fill.token_id not in known:
            priced = next((complement(known[each]) for each in others if each in known), fill.price)
            known[fill.token_id] = priced
        for other in others:
            _ = known.setdefault(other, complement(known[fill.token_id]))
    return known


def day_result(opening: Opening, fills: Iterable[Fill], prices: Mapping[TokenId, Micros]) -> Micros:
    """Return what the opening's day brought, rounded down; negative for a loss.

    Args:
        opening: of the day in question.
        fills: ours, of any day; see `is_fee_missing`.
        prices: what a share is worth now. Without one, the last own trade of the day counts, or
            the opening.
    """
    shares = {token: int(held.size) for token, held in opening.held.items()}
    worth: dict[TokenId, int] = {token: held.price for token, held in opening.held.items()}
    # In millionths of a millionth: one division at the end.
    result = -sum(held.size * held.price for held in opening.held.values())
    for fill in sorted(fills_of_day(fills, opening.day), key=lambda f: (f.matched_at, f.trade_id)):
        shares[fill.token_id] = shares.get(fill.token_id, 0) + _signed(fill)
        worth[fill.token_id] = fill.price
        result -= _signed(fill) * fill.price + (fill.fee or 0) * SCALE
    result += sum(size * prices.get(token, worth[token]) for token, size in shares.items())
    return Micros(result // SCALE)


@dataclass(frozen=True, slots=True)
class DayFigures:
    """A day's result in its parts, each a whole number of cents, so that they add up as they are shown."""

    total: Micros
    """Rounded down, like the account's total that it is part of."""
    realized: Micros
    """What sales, merges and redemptions brought beyond the average price of what went, before fees;
    nearest cent."""
    fees: Micros
    """Nearest cent."""

    @property
    def unrealized(self) -> Micros:
        """What the rest is worth more than it cost, by marks: it takes up what the others round."""
        return Micros(self.total - self.realized + self.fees)


def day_figures(
    opening: Opening,
    fills: Iterable[Fill],
    prices: Mapping[TokenId, Micros],
    exchanges: Iterable[Exchange] = (),
) -> DayFigures:
    """Return the result of the opening's day in its parts; arguments as for `day_result`.

    Args:
        opening: of the day in question.
        fills: ours, of any day.
        prices: what a share is worth now.
        exchanges: of the day; they move parts, never the total.
    """
    lots = {token: (int(h.size), Fraction(h.price)) for token, h in opening.held.items()}
    own = fills_of_day(fills, opening.day)
    moves: list[tuple[datetime, str, TokenId, int | None, Micros]] = [
        (f.matched_at, f.trade_id, f.token_id, _signed(f), f.price) for f in own
    ]
    moves += [
        # Within a second shares are traded before they are merged, and split before they are traded.
        (each.at, _LAST if (each.change or -1) < 0 else "", each.token_id, each.change, each.price)
        for each in exchanges
    ]
    realized = Fraction(0)
    for _, _, token_id, moved, price in sorted(moves, key=lambda move: move[:3]):
        size, average = lots.get(token_id, (0, Fraction(0)))
        change = -max(size, 0) if moved is None else moved
        left = size + change
        is_closing = size * change < 0
        if is_closing:
            closed = min(abs(size), abs(change)) * (1 if size > 0 else -1)
            realized += closed * (price - average)
        if not is_closing and left:
            average = (size * average + change * price) / left
        elif size * left < 0:
            # More was sold than was held by our own account of it: the excess begins anew.
            average = Fraction(price)
        lots[token_id] = left, average
    total = cents_down(day_result(opening, own, prices))
    fees = sum(fill.fee or 0 for fill in own)
    return DayFigures(total, cents_near(int(realized / SCALE)), cents_near(fees))


_LAST = "\uffff"
"""After every trade id."""


def _signed(fill: Fill) -> int:
    return fill.size if fill.side is Side.BUY else -fill.size


FINE_STEP = timedelta(minutes=1)
COARSE_STEP = timedelta(minutes=30)
FINE_FOR = timedelta(days=1)
KEPT_FOR = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class EquityPoint:
    """What an account was worth at a moment."""

    at: datetime
    value: Micros


def with_sample(
    points: Iterable[EquityPoint], value: Micros, at: datetime
) -> tuple[EquityPoint, ...]:
    """Return the samples with a new one: of each step its first sample, then the newest of all.

    Args:
        points: in ascending time; those later than the new one are dropped: a clock was set back.
        value: the equity now.
        at: now.
    """
    kept: list[EquityPoint] = []
    for point in points:
        age = at - point.at
        if age < timedelta(0) or age > KEPT_FOR:
            continue
        step = FINE_STEP if age <= FINE_FOR else COARSE_STEP
        if not kept or _slot(kept[-1].at, step) != _slot(point.at, step):
            kept.append(point)
    if not any(point.value for point in kept):
        # Before the first deposit there was nothing that could go up or down.
        kept.clear()
    return (*kept, EquityPoint(at, value))


def since(points: Iterable[EquityPoint], start: datetime) -> tuple[EquityPoint, ...]:
    """Return the samples from a moment on, with the last one before it moved to that moment."""
    before: EquityPoint | None = None
    later: list[EquityPoint] = []
    for point in points:
        if point.at >= start:
            later.append(point)
        else:
            before = point
    return (EquityPoint(start, before.value), *later) if before else tuple(later)


def midnight_before(at: datetime) -> datetime:
    """Return when the day of a moment began, in UTC."""
    return at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def _slot(at: datetime, step: timedelta) -> int:
    return int(at.timestamp() // step.total_seconds())

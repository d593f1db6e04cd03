"""Profit and loss: how a day went, and how an account's equity went before it.

A day's result is what it brought or cost since midnight UTC, in dollars, fees included. The result of a token is
what its shares are worth now, minus what those held at the day's opening were worth then, plus what sales of the
day brought, minus what purchases of the day and fees cost.
For a limit realised and unrealised parts are not told apart: a loss is a loss. `day_figures` tells them
apart for the eye: sales realise against the average price of what was held then, which begins the day
at the opening's price; what is left is unrealised; fees stand for themselves.

Shares that came or went without a trade of ours (split, merged, redeemed, converted, sent) change nothing of the
result at that moment: they count with their price then, and what came moves the result from then on. `ShareMoves`
finds them, since a wallet's reports hold more than the opening and the day's own fills. Of the result's parts they
do change something: as in the venue's own figures a merge sells either outcome for half a dollar, a split buys it for
that, and what is redeemed is sold for what it pays. So a merged pair realises a dollar less what both cost on
average. A conversion realises nothing: the cost goes over to the shares that come.

A day opens when its first complete account is seen: at midnight, or when a session starts on that
day and no earlier one of the same day has left its opening behind. What was held then counts from
its price at that moment. Without the fee of every trade of the day there is no result yet.

Equity is cash plus positions at their marks: samples in time, dense for the last day and sparse for the weeks
before. A transfer in or out moves it as a trade does: it is what there is, not what was earned.
"""

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

from pmtui.domain.account.position import Activity, Position
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import CENT, SCALE, ZERO, Micros, cents_down, cents_near, complement
from pmtui.domain.orders.order import Fill, TradeStatus

HALF = Micros(SCALE // 2)
"""What a split buys either outcome for, and a merge sells it for."""


@dataclass(frozen=True, slots=True)
class Holding:
    """Shares of a token and what one was worth."""

    size: Micros
    price: Micros


_NOTHING = Holding(ZERO, ZERO)


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


@dataclass(frozen=True, slots=True)
class DayTrades:
    """A day's own trades, added up once: another price asks for none of them again."""

    day: date
    fills: tuple[Fill, ...] = ()
    """The oldest first; without those that failed on chain."""
    markets: Mapping[TokenId, ConditionId] = field(default_factory=dict)
    """Of each token that was traded, the one traded last first."""
    last_prices: Mapping[TokenId, Micros] = field(default_factory=dict)
    """Of each token's newest trade."""
    shares: Mapping[TokenId, int] = field(default_factory=dict)
    """Bought less sold."""
    cost: int = 0
    """Paid less received, fees aside, in millionths of a millionth of a dollar."""
    fees: Micros = ZERO
    """As far as they are known."""
    has_every_fee: bool = True


def add_up_trades(fills: Iterable[Fill], day: date) -> DayTrades:
    """Return a day's trades out of fills of any day, in any order."""
    own = sorted(fills_of_day(fills, day), key=lambda f: (f.matched_at, f.trade_id))
    shares: dict[TokenId, int] = {}
    cost = 0
    for fill in own:
        change = _signed(fill)
        shares[fill.token_id] = shares.get(fill.token_id, 0) + change
        cost += change * fill.price
    newest: dict[TokenId, Fill] = {}
    for fill in reversed(own):
        _ = newest.setdefault(fill.token_id, fill)
    return DayTrades(
        day,
        tuple(own),
        {token: fill.condition_id for token, fill in newest.items()},
        {token: fill.price for token, fill in newest.items()},
        shares,
        cost,
        Micros(sum(fill.fee or 0 for fill in own)),
        all(fill.fee is not None for fill in own),
    )


def open_day(positions: Iterable[Position], trades: DayTrades) -> Opening:
    """Return a day's opening from what is held now: the day's own trades are taken off."""
    held: dict[TokenId, Holding] = {}
    for position in positions:
        size = position.size - trades.shares.get(position.token_id, 0)
        price = position.current_price
        if size > 0:
            known = price if price is not None else position.average_price
            held[position.token_id] = Holding(Micros(size), known)
    return Opening(trades.day, held)


def price_partners(
    prices: Mapping[TokenId, Micros],
    trades: DayTrades,
    pair_of: Callable[[TokenId], tuple[TokenId, ...]],
) -> dict[TokenId, Micros]:
    """Return prices that also cover what was traded and is not known otherwise, and its other outcome.

    Of a pair that was split, an outcome that was sold is owed by our own account while the other one is held.
    Both are a dollar together: prices of different moments would count one change twice, or not at all.

    Args:
        prices: what a share is worth now, or was when it was held last.
        trades: of the day; the last price of a pair that nothing else prices.
        pair_of: the outcomes of a token's market; that token alone where they are not known.
    """
    known = dict(prices)
    for token_id, price in trades.last_prices.items():
        others = [each for each in pair_of(token_id) if each != token_id]
        if token_id not in known:
            known[token_id] = next((complement(known[e]) for e in others if e in known), price)
        for other in others:
            _ = known.setdefault(other, complement(known[token_id]))
    return known


@dataclass(frozen=True, slots=True)
class ShareMove:
    """Shares of a token that came without a trade of ours, or went."""

    change: int
    """Negative for shares that went."""
    worth: int
    """With their price then, in millionths of a millionth of a dollar."""

    def resized(self, change: int, price: Micros | None) -> "ShareMove":
        """Return it for another number of shares: those that are added have the present price."""
        if self.change * change > 0 and abs(change) < abs(self.change):
            return ShareMove(change, self.worth * change // self.change)
        if self.change * change > 0:
            at = self.worth // self.change if price is None else price
            return ShareMove(change, self.worth + (change - self.change) * at)
        return ShareMove(change, change * (price or 0))


NO_MOVE = ShareMove(0, 0)
SURE_AFTER = timedelta(minutes=5)
"""A trade is told of sooner than that; and no list of positions should be wrong for longer."""


class ShareMoves:
    """What came and went on a day without a trade of ours.

    A report may hold a trade that nobody has told of yet, or be out of date. So a move counts from the moment at
    which it is seen, and leaves no trace where a trade or another report explains it in time.
    """

    def __init__(self, kept: Mapping[TokenId, ShareMove] | None = None) -> None:
        """Go on with the moves that are sure; none on a new day."""
        self.kept = dict(kept or {})
        self._young: dict[TokenId, tuple[ShareMove, datetime]] = {}

    def update(
        self,
        changes: Mapping[TokenId, int],
        prices: Mapping[TokenId, Micros],
        *,
        doubtful: Container[TokenId],
        now: datetime,
    ) -> bool:
        """Apply what the opening and the day's trades do not explain; returns whether more of it is certain.

        Args:
            changes: shares held now beyond those, by token.
            prices: what a share is worth now; what has no price yet is left for later.
            doubtful: tokens whose reports cannot be explained yet.
            now: by a clock that nobody sets.
        """
        before, self._young, is_sure = self._young, {}, False
        for token_id, change in changes.items():
            known, price = self.kept.get(token_id, NO_MOVE), prices.get(token_id)
            left = change - known.change
            if not left or (token_id not in before and price is None):
                continue
            move, since = before.get(token_id, (NO_MOVE, now))
            if move.change != left:
                move, since = move.resized(left, price), now
            if now - since >= SURE_AFTER and token_id not in doubtful:
                worth = known.worth + move.worth
                self.kept[token_id] = ShareMove(known.change + left, worth)
                is_sure = True
            else:
                self._young[token_id] = move, since
        return is_sure

    def every(self) -> dict[TokenId, ShareMove]:
        """Return all of them, those included that may still be explained."""
        found = dict(self.kept)
        for token_id, (move, _) in self._young.items():
            known = found.get(token_id, NO_MOVE)
            found[token_id] = ShareMove(known.change + move.change, known.worth + move.worth)
        return found


def expected_shares(opening: Opening, trades: DayTrades) -> dict[TokenId, int]:
    """Return what would be held if nothing had moved but by trades."""
    shares = {token: int(held.size) for token, held in opening.held.items()}
    for token_id, change in trades.shares.items():
        shares[token_id] = shares.get(token_id, 0) + change
    return shares


def day_result(
    opening: Opening,
    trades: DayTrades,
    prices: Mapping[TokenId, Micros],
    moves: Mapping[TokenId, ShareMove] | None = None,
) -> Micros:
    """Return what a day brought, rounded down; negative for a loss.

    Args:
        opening: of the day.
        trades: of the same day, with the fee of each.
        prices: what a share is worth now. Without one, the last own trade of the day counts, or
            the opening.
        moves: what came and went on that day without a trade.
    """
    # In millionths of a millionth: one division at the end.
    result = -trades.cost - trades.fees * SCALE
    result -= sum(held.size * held.price for held in opening.held.values())
    shares = expected_shares(opening, trades)
    for token_id, move in (moves or {}).items():
        shares[token_id] = shares.get(token_id, 0) + move.change
        result -= move.worth
    for token_id, size in shares.items():
        held = opening.held.get(token_id, _NOTHING)
        result += size * prices.get(token_id, trades.last_prices.get(token_id, held.price))
    return Micros(result // SCALE)


_ROUNDED_OFF = 2 * CENT
"""What the rounding of three parts and their sum can come to."""


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

    def agreeing_with(self, unrealized: Micros | None) -> "DayFigures":
        """Return the same parts with what the positions themselves say is unrealised.

        Only where rounding alone divides the two: then fees, or else what is realised, take it up.

        Args:
            unrealized: by the positions on show beside it; None where none are.
        """
        off = 0 if unrealized is None else unrealized - self.unrealized
        if not off or abs(off) > _ROUNDED_OFF:
            return self
        if self.fees:
            return replace(self, fees=Micros(self.fees + off))
        return replace(self, realized=Micros(self.realized - off)) if self.realized else self


def day_figures(total: Micros, trades: DayTrades, realized: Micros) -> DayFigures:
    """Return a day's result, see `day_result`, in its parts."""
    return DayFigures(cents_down(total), cents_near(realized), cents_near(trades.fees))


def realized_on_day(
    opening: Opening, trades: DayTrades, exchanges: Iterable[Exchange] = ()
) -> Micros:
    """Return what sales, merges and redemptions of a day brought beyond the average price of what went.

    Args:
        opening: of the day.
        trades: of the same day.
        exchanges: of the same day; they move parts of its result, never the total.
    """
    lots = {token: (int(h.size), Fraction(h.price)) for token, h in opening.held.items()}
    moves: list[tuple[datetime, str, TokenId, int | None, Micros]] = [
        (f.matched_at, f.trade_id, f.token_id, _signed(f), f.price) for f in trades.fills
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
    return Micros(int(realized / SCALE))


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

"""Profit and loss: the result of a day, and an account's equity over time.

A day's result is the profit or loss since midnight UTC, in dollars, fees included. The result of a token is the
current value of its shares, minus the value at the day's opening of those held then, plus the proceeds of the
day's sales, minus the cost of the day's purchases and fees. For a limit, realised and unrealised parts are not
separated: a loss is a loss. `day_figures` separates them for display: sales realise against the average price
of the shares held then, which begins the day at the opening's price; the rest is unrealised; fees are separate.

Shares that came or went without a trade of ours (split, merged, redeemed, converted, sent) change nothing of the
result at that moment: what came moves the result from then on. `ShareMoves` finds them, since a wallet's reports hold
more than the opening and the day's own fills. A pair counts as the dollar that it is, whatever its prices: a split or
a merge so never shifts the result. A single outcome counts with its price at that moment, what is redeemed with what
it pays. So the equity is always that of the opening plus the result, but for cash and shares sent or received. Of
the result's parts the moves do change something: as in the venue's own figures a merge sells either outcome for half a
dollar, a split buys it for that, and what is redeemed is sold for what it pays. So a merged pair realises a dollar
less what both cost, and what stays keeps the cost of its own trades, see `rebase_positions`. A conversion realises nothing: the cost goes over to the shares that come.

A day opens with its first complete account state: at midnight, or when a session starts and no earlier session
of the same day has stored an opening. Shares held then count from their price at that moment. Until the fee of
every trade of the day is known there is no result.

Equity is cash plus positions at their marks: samples in time, dense for the last day and sparse for the weeks
before. A transfer in or out changes it as a trade does: equity is what the account holds, not what it earned.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

from pmtui.domain.account.position import LEAST_HELD, Activity, Position, cost_by_trades
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import CENT, SCALE, ZERO, Micros, cents_down, cents_near, complement
from pmtui.domain.orders.order import Fill, TradeStatus

HALF = Micros(SCALE // 2)
"""The price at which a split buys each outcome, and a merge sells it."""


@dataclass(frozen=True, slots=True)
class Holding:
    """Shares of a token and the value of one."""

    size: Micros
    price: Micros


_NOTHING = Holding(ZERO, ZERO)


@dataclass(frozen=True, slots=True)
class Opening:
    """The holdings at the opening of a day."""

    day: date
    """In UTC."""
    held: Mapping[TokenId, Holding] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Exchange:
    """Shares of a token that moved without a trade, at the price that they count for."""

    at: datetime
    condition_id: ConditionId
    token_id: TokenId
    change: Micros | None
    """Negative for shares that left; None if all of them left."""
    price: Micros


def read_exchanges(
    activity: Iterable[Activity],
    day: date,
    *,
    tokens_of: Callable[[ConditionId], tuple[TokenId, ...]],
    settled_price: Callable[[TokenId], Micros | None],
) -> tuple[Exchange, ...]:
    """Return the splits, merges and redemptions of a day, in any order.

    Args:
        activity: a wallet's history from the venue; entries without a date or size are left out.
        day: in UTC.
        tokens_of: returns the outcomes of a market; empty if unknown.
        settled_price: returns the payout of a resolved market's share; None while unknown.
    """
    found: list[Exchange] = []
    for each in activity:
        if each.condition_id is None or day_of(each.at) != day:
            continue
        amount, market = each.size or each.cash, each.condition_id
        for token_id in tokens_of(each.condition_id):
            pays = settled_price(token_id)
            match each.kind:
                case "SPLIT" if amount:
                    found.append(Exchange(each.at, market, token_id, amount, HALF))
                case "MERGE" if amount:
                    found.append(Exchange(each.at, market, token_id, Micros(-amount), HALF))
                case "REDEEM" if pays is not None:
                    found.append(Exchange(each.at, market, token_id, None, pays))
                case _:
                    pass
    return tuple(found)


def day_of(at: datetime) -> date:
    """Return the UTC day of a moment."""
    return at.astimezone(UTC).date()


def fills_of_day(fills: Iterable[Fill], day: date) -> tuple[Fill, ...]:
    """Return the fills of a day, without trades that failed on chain."""
    return tuple(
        f for f in fills if f.status is not TradeStatus.FAILED and day_of(f.matched_at) == day
    )


@dataclass(frozen=True, slots=True)
class DayTrades:
    """A day's own trades, added up once, so that a price change need not add them up again."""

    day: date
    fills: tuple[Fill, ...] = ()
    """Oldest first; without those that failed on chain."""
    markets: Mapping[TokenId, ConditionId] = field(default_factory=dict)
    """The market of each traded token, the one traded last first."""
    last_prices: Mapping[TokenId, Micros] = field(default_factory=dict)
    """Price of each token's newest trade."""
    shares: Mapping[TokenId, int] = field(default_factory=dict)
    """Shares bought minus shares sold."""
    cost: int = 0
    """Amount paid minus amount received, before fees, in millionths of a millionth of a dollar."""
    fees: Micros = ZERO
    """The fees known so far."""
    has_every_fee: bool = True


def add_up_trades(fills: Iterable[Fill], day: date) -> DayTrades:
    """Return a day's trades from fills of any day, in any order."""
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
    """Return a day's opening, calculated from current holdings minus the day's own trades."""
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
    """Return prices extended to traded tokens without a price, and to their other outcomes.

    When a pair was split and one outcome sold, our count of the sold outcome is negative while the other is
    held. Both together are worth a dollar: prices from different moments would count one change twice, or not
    at all.

    Args:
        prices: current value of a share, or its value when it was last held.
        trades: of the day; their last price is used for a pair without any other price.
        pair_of: returns the outcomes of a token's market; that token alone if they are unknown.
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
    """Shares of a token that were received or left without a trade of ours."""

    change: int
    """Negative for shares that left."""
    worth: int
    """At their price then, in millionths of a millionth of a dollar."""

    def resized(self, change: int, price: Micros | None) -> "ShareMove":
        """Return the move with another number of shares: added shares count at the current price."""
        if self.change * change > 0 and abs(change) < abs(self.change):
            return ShareMove(change, self.worth * change // self.change)
        if self.change * change > 0:
            at = self.worth // self.change if price is None else price
            return ShareMove(change, self.worth + (change - self.change) * at)
        return ShareMove(change, change * (price or 0))

    def joined(self, other: "ShareMove") -> "ShareMove":
        """Return both as one."""
        return ShareMove(self.change + other.change, self.worth + other.worth)


NO_MOVE = ShareMove(0, 0)
SURE_AFTER = timedelta(minutes=5)
"""A trade is reported within this time; and no list of positions should be wrong for longer."""


class ShareMoves:
    """The share moves of a day that were not trades of ours.

    A report may hold a trade that nobody has told of yet, or be out of date. So a single outcome's move is young at
    first: it counts from the moment at which it is seen, and leaves no trace where a trade or another report explains
    it in time. That loses what shares gained that were sent here and away again, or redeemed, within that time.
    A pair needs no such wait: it comes and goes at the same value.
    """

    def __init__(
        self,
        kept: Mapping[TokenId, ShareMove] | None = None,
        young: Mapping[TokenId, tuple[ShareMove, datetime]] | None = None,
    ) -> None:
        """Go on with the moves of an earlier session; none on a new day."""
        self.kept = dict(kept or {})
        """Those that are certain."""
        self.young = dict(young or {})
        """Those that may still be explained, and since when they have been seen unchanged."""

    def update(
        self,
        changes: Mapping[TokenId, int],
        prices: Mapping[TokenId, Micros],
        *,
        pair_of: Callable[[TokenId], tuple[TokenId, ...]],
        redeemed_at: Callable[[TokenId], Micros | None],
        doubtful: Container[TokenId],
        now: datetime,
    ) -> bool:
        """Apply what the opening and the day's trades do not explain; returns whether any move is another one.

        Args:
            changes: shares held now beyond those, by token; a token of which that is not known is left as it is.
            prices: what a share is worth now; what has no price yet is left for later.
            pair_of: the outcomes of a token's market; that token alone where they are not known.
            redeemed_at: what a share paid that was redeemed today, whose price may be older; None for another.
            doubtful: tokens whose reports cannot be explained yet.
            now: by a monotonic clock.
        """
        before = self.young
        self.young = {token: move for token, move in before.items() if token not in changes}
        has_changed = self._keep_pairs(changes, pair_of)
        for token_id, change in changes.items():
            known, price = self.kept.get(token_id, NO_MOVE), prices.get(token_id)
            left = change - known.change
            paid = redeemed_at(token_id) if left else None
            if not left or (token_id not in before and price is None and paid is None):
                continue
            move, since = before.get(token_id, (NO_MOVE, now))
            if move.change != left:
                move, since = move.resized(left, price), now
            if paid is not None:
                move = ShareMove(left, left * paid)
            if now - since >= SURE_AFTER and token_id not in doubtful:
                self.kept[token_id] = known.joined(move)
            else:
                self.young[token_id] = move, since
        return has_changed or self.young != before

    def _keep_pairs(
        self,
        changes: Mapping[TokenId, int],
        pair_of: Callable[[TokenId], tuple[TokenId, ...]],
    ) -> bool:
        """Keep what came or went of both outcomes of a market: a dollar for each two, at any price."""
        left = {t: change - self.kept.get(t, NO_MOVE).change for t, change in changes.items()}
        has_changed = False
        for token_id, change in left.items():
            pair = pair_of(token_id) if change else ()
            others = [left.get(each, 0) for each in pair if each != token_id]
            if len(others) != 1 or change * others[0] <= 0:
                continue
            both = min(change, others[0], key=abs)
            for each in pair:
                known = self.kept.get(each, NO_MOVE)
                self.kept[each] = known.joined(ShareMove(both, both * HALF))
                left[each] -= both
            has_changed = True
        return has_changed

    def every(self) -> dict[TokenId, ShareMove]:
        """Return all moves, including those that may still be explained."""
        found = dict(self.kept)
        for token_id, (move, _) in self.young.items():
            found[token_id] = found.get(token_id, NO_MOVE).joined(move)
        return found


def expected_shares(opening: Opening, trades: DayTrades) -> dict[TokenId, int]:
    """Return the holdings that would result from the day's trades alone."""
    shares = {token: int(held.size) for token, held in opening.held.items()}
    for token_id, change in trades.shares.items():
        shares[token_id] = shares.get(token_id, 0) + change
    return shares


def day_result(
    opening: Opening,
    trades: DayTrades,
    prices: Mapping[TokenId, Micros],
    moves: Mapping[TokenId, ShareMove] | None = None,
) -> int:
    """Return a day's result in millionths of a millionth of a dollar; negative for a loss.

    Args:
        opening: of the day.
        trades: of the same day, with the fee of each.
        prices: current value of a share. Without one, our last trade of the day counts, or the
            opening.
        moves: shares that were received or left on that day without a trade.
    """
    result = -trades.cost - trades.fees * SCALE
    result -= sum(held.size * held.price for held in opening.held.values())
    shares = expected_shares(opening, trades)
    for token_id, move in (moves or {}).items():
        shares[token_id] = shares.get(token_id, 0) + move.change
        result -= move.worth
    for token_id, size in shares.items():
        held = opening.held.get(token_id, _NOTHING)
        result += size * prices.get(token_id, trades.last_prices.get(token_id, held.price))
    return result


@dataclass(frozen=True, slots=True)
class DayFigures:
    """A day's result in parts of whole cents, so that the displayed parts add up."""

    total: Micros
    """The equity as it is shown, less this, is what the day began with to the nearest cent."""
    realized: Micros
    """Proceeds of sales, merges and redemptions minus the average cost of those shares, before
    fees; nearest cent."""
    fees: Micros
    """Nearest cent."""

    @property
    def unrealized(self) -> Micros:
        """The gain of the remaining shares at current marks; it absorbs the rounding of the others."""
        return Micros(self.total - self.realized + self.fees)


def day_figures(
    equity: Micros, trades: DayTrades, realized: Micros, *, began: Micros
) -> DayFigures:
    """Return a day's result in its parts, of which only the unrealised one depends on prices.

    Args:
        equity: now, which is shown rounded down.
        trades: of the day, for their fees.
        realized: what sales, merges and redemptions of it brought.
        began: what the day began with, in whole cents: rounded by itself the result would now and then
            change a cent before or after the equity does.
    """
    total = Micros(cents_down(equity) - began)
    return DayFigures(total, cents_near(realized), cents_near(trades.fees))


def worth_at_opening(
    opening: Opening, balance: Micros, positions: Iterable[Position], result: int
) -> Micros:
    """Return what a day began with to the nearest cent, as an equity: the same at any price of the shares.

    Args:
        opening: of the day.
        balance: cash now.
        positions: all that is held, dust included, at the prices that the result is from.
        result: of the day, see `day_result`.
    """
    worth = balance * SCALE + sum(p.size * (p.current_price or 0) for p in positions)
    # Dust is no part of an equity.
    worth -= sum(h.size * h.price for h in opening.held.values() if h.size < LEAST_HELD)
    return cents_near((2 * (worth - result) + SCALE) // (2 * SCALE))


def agree_to_the_cent(
    figures: DayFigures, positions: Sequence[Position]
) -> tuple[DayFigures, tuple[Position, ...]]:
    """Return a day's figures and the positions with gains that add up to its unrealised part.

    Only if the two differ by rounding alone, not by what positions gained before the day: then the position
    worth most absorbs it. Where no price moves any more the realised part does, as there is no position to.

    Args:
        figures: of the day.
        positions: all that are listed, at the same prices.
    """
    plain = tuple(replace(p, odd_cents=ZERO) if p.odd_cents else p for p in positions)
    off = figures.unrealized - sum(p.unrealized or 0 for p in plain)
    if not off or abs(off) > (len(plain) + 2) * CENT:
        return figures, plain
    values = [0 if p.is_settled or p.is_dust else p.value or 0 for p in plain]
    if not any(values):
        return replace(figures, realized=Micros(figures.realized + off)), plain
    most = values.index(max(values))
    absorbing = replace(plain[most], odd_cents=Micros(off))
    return figures, (*plain[:most], absorbing, *plain[most + 1 :])


def realized_on_day(
    opening: Opening, trades: DayTrades, exchanges: Sequence[Exchange] = ()
) -> Micros:
    """Return the proceeds of a day's sales, merges and redemptions minus the average cost of those shares.

    Args:
        opening: of the day.
        trades: of the same day.
        exchanges: of the same day; they change parts of its result, never the total.
    """
    lots = {token: (int(h.size), Fraction(h.price)) for token, h in opening.held.items()}
    moves: list[tuple[datetime, str, TokenId, int | None, Micros]] = [
        (f.matched_at, f.trade_id, f.token_id, _signed(f), f.price) for f in trades.fills
    ]
    moves += [
        # Within a second, trades come before merges, and splits before trades.
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
            # More was sold than we counted as held: the excess starts a new average.
            average = Fraction(price)
        lots[token_id] = left, average
    realized += _moved_by_merges(opening, trades, exchanges, lots)
    return Micros(int(realized / SCALE))


def _moved_by_merges(
    opening: Opening,
    trades: DayTrades,
    exchanges: Iterable[Exchange],
    lots: Mapping[TokenId, tuple[int, Fraction]],
) -> int:
    """Return what merges realised at the cost of the shares that stay, as `rebase_positions` moves it, below zero.

    Of markets only in which nothing was held at the opening: else the day's cost is the price of then.
    """
    tokens: dict[ConditionId, set[TokenId]] = {}
    for token_id, condition_id in trades.markets.items():
        tokens.setdefault(condition_id, set()).add(token_id)
    for each in exchanges:
        if each.condition_id in tokens:
            tokens[each.condition_id].add(each.token_id)
    moved = 0
    for condition_id, market in tokens.items():
        more, *others = sorted(market, key=lambda token_id: -lots[token_id][0])
        size, average = lots[more]
        less, of_less = lots[others[0]] if others else (0, Fraction(0))
        if less < 0 or any(token_id in opening.held for token_id in market):
            continue
        own = (fill for fill in trades.fills if fill.condition_id == condition_id)
        cost = cost_by_trades(own, more, (Micros(size), Micros(less)), int(less * of_less))
        if cost is not None:
            moved += cost - int(size * average)
    return moved


_LAST = "\uffff"
"""Sorts after every trade id."""


def _signed(fill: Fill) -> int:
    return fill.size if fill.side is Side.BUY else -fill.size


FINE_STEP = timedelta(minutes=1)
COARSE_STEP = timedelta(minutes=30)
FINE_FOR = timedelta(days=1)
KEPT_FOR = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class EquityPoint:
    """An account's equity at a moment."""

    at: datetime
    value: Micros


def with_sample(
    points: Iterable[EquityPoint], value: Micros, at: datetime
) -> tuple[EquityPoint, ...]:
    """Return the samples with a new one: the first sample of each time step, then the newest.

    Args:
        points: in ascending time; those later than the new one are dropped, as the clock was set
            back.
        value: the equity now.
        at: the current time.
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
        # Before the first deposit there was no equity that could change.
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
    """Return the start of a moment's day, in UTC."""
    return at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def _slot(at: datetime, step: timedelta) -> int:
    return int(at.timestamp() // step.total_seconds())

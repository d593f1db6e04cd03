"""Positions of a wallet: their value, their cost, and the profit of closing them.

Closing is a sale that takes liquidity: the taker fee is deducted. Fees paid when the shares were
bought count as cost if our own fills show them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from functools import lru_cache
from typing import Final

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.fees import taker_fee
from pmtui.domain.markets.market import NO_FEE, FeeSchedule, Side
from pmtui.domain.money import (
    ONE,
    SCALE,
    ZERO,
    Micros,
    cents_down,
    cents_near,
    complement,
    notional_ceil,
    notional_floor,
)
from pmtui.domain.orders.amounts import size_floor
from pmtui.domain.orders.order import Fill, Liquidity, TradeStatus

LEAST_HELD = Micros(100_000)
"""A tenth of a share: less is what sales left over, shown as dust."""


@dataclass(frozen=True, slots=True)
class Position:
    """Shares of one outcome. Values from the analytics host lag; our own fills do not."""

    token_id: TokenId
    condition_id: ConditionId
    title: str
    outcome: str
    size: Micros
    average_price: Micros
    current_price: Micros | None
    realized: Micros
    outcome_index: int = 0
    opposite_token_id: TokenId | None = None
    event_slug: str = ""
    is_redeemable: bool = False
    is_mergeable: bool = False
    neg_risk: bool = False
    end_date: str = ""
    is_settled: bool = False
    """Whether the market is resolved, so that the current price is the payout of a share."""
    odd_cents: Micros = ZERO
    """What rounding adds to its gain, so that the parts of the day's result add up; see `agree_to_the_cent`."""

    @property
    def is_remnant(self) -> bool:
        """Whether too few shares are left for any order: the remnant of a closed position."""
        return self.size > 0 and size_floor(self.size) <= 0

    @property
    def is_dust(self) -> bool:
        """Whether it is worth less than ten cents whatever happens: too little to count or to merge."""
        return 0 < self.size < LEAST_HELD

    @property
    def value(self) -> Micros | None:
        """The value of the shares at the current price, rounded down; dust, which nothing sells, has none."""
        if self.current_price is None:
            return None
        if self.is_dust:
            return ZERO
        return notional_floor(self.current_price, self.size)

    @property
    def cost(self) -> Micros:
        """The cost of the shares, rounded up."""
        return notional_ceil(self.average_price, self.size)

    @property
    def unrealized(self) -> Micros | None:
        """Value minus cost, rounded down to the cent like the account's total that it is part of."""
        value = self.value
        if value is None:
            return None
        if self.is_dust:
            return Micros(-cents_near(self.cost))
        return Micros(cents_down(value - self.cost) + self.odd_cents)


@dataclass(frozen=True, slots=True)
class Dust:
    """Positions too small for an order: fewer shares than their market's minimum order size, or hardly any."""

    positions: tuple[Position, ...]

    @property
    def value(self) -> Micros:
        """The total value of the positions that have a price."""
        return Micros(sum(position.value or 0 for position in self.positions))


def split_dust(
    positions: Iterable[Position], minimum: Callable[[ConditionId], Micros | None]
) -> tuple[tuple[Position, ...], Dust | None]:
    """Return the positions that can be traded, and the others as one; what can be redeemed or merged is kept.

    Args:
        positions: their order is kept in both parts.
        minimum: returns the smallest order of a market in shares; None while unknown.
    """
    kept: list[Position] = []
    dust: list[Position] = []
    held = tuple(positions)
    legs = Counter(each.condition_id for each in held if each.size >= LEAST_HELD)
    for position in held:
        least = minimum(position.condition_id)
        is_small = position.is_dust or (least is not None and position.size < least)
        # Both outcomes of a market merge into cash, unless they are dust.
        has_pairs = not position.is_dust and legs[position.condition_id] >= 2
        is_dust = is_small and not position.is_redeemable and not has_pairs
        (dust if is_dust else kept).append(position)
    return tuple(kept), Dust(tuple(dust)) if dust else None


@dataclass(frozen=True, slots=True)
class ClosedPosition:
    """A closed position and its profit."""

    token_id: TokenId
    condition_id: ConditionId
    title: str
    outcome: str
    average_price: Micros
    total_bought: Micros
    realized: Micros
    closed_at: datetime | None


def close_remnants(
    positions: Iterable[Position], fills: Iterable[Fill], closed: Iterable[ClosedPosition]
) -> tuple[ClosedPosition, ...]:
    """Return closed positions plus those that the analytics host does not list as closed, so that none is missing.

    Args:
        positions: those sold but for a remnant, which the host lists among open positions, or just now.
        fills: our own fills as far as known, for the amount bought and the time of the last sale.
        closed: the positions that the analytics host lists as closed; they follow the others in its
            order. One that was closed again since is not in it as it is now.
    """
    own, listed = tuple(fills), {each.token_id: each for each in closed}
    found = [_closed(position, own) for position in positions]
    newer = [each for each in found if _is_newer(each, listed.get(each.token_id))]
    for each in newer:
        _ = listed.pop(each.token_id, None)
    return (*newer, *listed.values())


def _is_newer(closed: ClosedPosition, listed: ClosedPosition | None) -> bool:
    if listed is None or closed.closed_at is None or listed.closed_at is None:
        return listed is None
    return closed.closed_at > listed.closed_at


def _closed(remnant: Position, fills: Iterable[Fill]) -> ClosedPosition:
    own = [
        f for f in fills if f.token_id == remnant.token_id and f.status is not TradeStatus.FAILED
    ]
    return ClosedPosition(
        token_id=remnant.token_id, condition_id=remnant.condition_id,
        title=remnant.title, outcome=remnant.outcome, average_price=remnant.average_price,
        total_bought=Micros(sum(f.size for f in own if f.side is Side.BUY)),
        realized=remnant.realized,
        closed_at=max((f.matched_at for f in own if f.side is Side.SELL), default=None),
    )  # fmt: skip


CONVERSION: Final = "CONVERSION"
"""The kind of activity that converts No shares of a race into Yes shares of its other outcomes."""


@dataclass(frozen=True, slots=True)
class Activity:
    """One entry of a wallet's public history; `kind` is shown as sent, known or not."""

    kind: str
    title: str
    outcome: str
    side: str
    price: Micros | None
    size: Micros | None
    cash: Micros | None
    at: datetime
    condition_id: ConditionId | None = None
    token_id: TokenId | None = None
    transaction_hash: str = ""


@dataclass(frozen=True, slots=True)
class Stake:
    """Shares held of one outcome and their cost; or what is held of it beyond the other, with the pairs."""

    size: Micros
    average_price: Micros
    """Paid for these shares, without what pairs brought or cost."""
    entry_fees: Micros = ZERO
    """Taker fees paid for the shares that are still held, those of pairs included."""
    fee: FeeSchedule = NO_FEE
    is_other: bool = False
    """Whether it is in the other outcome, which is closed at the complement of a row's price."""
    pairs: Micros = ZERO
    """Pairs of both outcomes held beside it."""
    locked: Micros = ZERO
    """What pairs bring beyond their price, where the average contains it: a gain, or a loss below zero."""
    apart: Micros = ZERO
    """What pairs bring, where the average is that of the trades since the net was flat.

    Cost and profit are without it.
    """

    @property
    def entry(self) -> Micros | None:
        """The average price, in terms of the outcome shown: the net cost of a share, without fees.

        None outside 0 to a dollar: what the pairs locked in is more than the shares can lose or win.
        """
        if not self.locked:
            average = self.average_price
        else:
            cost = notional_ceil(self.average_price, self.size) - self.locked
            average = Micros((2 * cost * ONE + self.size) // (2 * self.size))
        if not ZERO < average < ONE:
            return None
        return complement(average) if self.is_other else average

    @property
    def is_estimate(self) -> bool:
        """Whether what pairs locked in moves the average: own fills do not show what the shares cost."""
        return self.locked != 0

    @property
    def cost(self) -> Micros:
        """The price paid, with the entry fees and less what pairs locked in, rounded up."""
        return Micros(notional_ceil(self.average_price, self.size) + self.entry_fees - self.locked)

    def profit_at(self, price: Micros) -> Micros:
        """Return the profit of closing all of it at a price of the shown outcome, net of all fees."""
        own = complement(price) if self.is_other else price
        return _profit(self.size, own, self.cost, self.fee)

    def part(self, size: Micros) -> "Stake":
        """Return a stake of `size` shares, with their part of the fees and of what pairs locked in."""
        if not self.size:
            return replace(self, size=size, entry_fees=ZERO, pairs=ZERO, locked=ZERO, apart=ZERO)
        fees, pairs, locked, apart = (
            Micros(each * size // self.size)
            for each in (self.entry_fees, self.pairs, self.locked, self.apart)
        )
        return replace(self, size=size, entry_fees=fees, pairs=pairs, locked=locked, apart=apart)

    @property
    def rounding(self) -> Micros:
        """The possible error of a profit."""
        return rounding_of(Micros(self.size + 2 * self.pairs))


def net_stake(
    stake: Stake | None,
    of_other: Stake | None,
    fills: Iterable[Fill] = (),
    *,
    tokens: tuple[TokenId, TokenId] | None = None,
) -> Stake | None:
    """Return the net holding of one outcome over the other; None if they are equal.

    Both cost what was paid for them, less a dollar for each pair, whatever happens. Where own fills since
    the net was last flat add up to it, the net cost what they paid, and the rest of that sum stands apart.
    Else all of it is the cost of the net, with what the pairs locked in.

    Args:
        stake: in one outcome.
        of_other: in the other one.
        fills: our own, in any order.
        tokens: of the stake and of the other one; None without fills.
    """
    held = [each for each in (stake, of_other) if each is not None]
    if not held:
        return None
    more = max(held, key=lambda each: each.size)
    less = min(held, key=lambda each: each.size) if len(held) > 1 else None
    pairs = ZERO if less is None else less.size
    size = Micros(more.size - pairs)
    if not size:
        return None
    net_cost = Micros(more.cost + (0 if less is None else less.cost) - pairs)
    if tokens is not None:
        own = [fill for fill in fills if fill.token_id in tokens]
        opened = _since_flat(own, tokens[0 if more is stake else 1], size, more.fee)
        if opened is not None:
            average = Micros((2 * opened.cost + size) // (2 * size))
            fees = Micros(-(-opened.fees // ONE))
            net = replace(more, size=size, pairs=pairs, average_price=average, entry_fees=fees)
            apart = Micros(net.cost - net_cost)
            if pairs:
                return replace(net, apart=apart)
            # The average differs by no more than rounding, unless pairs that were merged are in it.
            return net if abs(apart) > net.rounding else more
    if less is None:
        return more
    fees = Micros(more.entry_fees + less.entry_fees)
    locked = Micros(notional_ceil(more.average_price, size) + fees - net_cost)
    return replace(more, size=size, entry_fees=fees, pairs=pairs, locked=locked)


def rebase_positions(positions: Iterable[Position], fills: Iterable[Fill]) -> tuple[Position, ...]:
    """Return positions at the average of the net position's own trades, so that a merge changes no profit.

    The venue averages all purchases and splits of an outcome, and a merge takes shares out at that average: what
    it then calls realised is missing from the profit of those that stay. The difference moves back from
    realised to unrealised. Positions that own fills do not explain stay as they are.

    Args:
        positions: of any markets.
        fills: our own, in any order.
    """
    held = tuple(positions)
    legs: dict[ConditionId, list[Position]] = {}
    for position in held:
        if position.size:
            legs.setdefault(position.condition_id, []).append(position)
    own: dict[ConditionId, list[Fill]] = {}
    for fill in fills:
        if fill.condition_id in legs:
            own.setdefault(fill.condition_id, []).append(fill)
    rebased: dict[TokenId, Position] = {}
    for condition_id, known in own.items():
        more, *others = sorted(legs[condition_id], key=lambda each: -each.size)
        less = others[0] if others else replace(more, size=ZERO)
        cost = cost_by_trades(
            known, more.token_id, (more.size, less.size), less.size * less.average_price
        )
        if cost is None or len(others) > 1:
            continue
        average = Micros((2 * cost + more.size) // (2 * more.size))
        moved = cost // SCALE - more.size * more.average_price // SCALE
        if ZERO < average < ONE and abs(moved) > rounding_of(Micros(more.size + less.size)):
            realized = Micros(more.realized + moved)
            rebased[more.token_id] = replace(more, average_price=average, realized=realized)
    return tuple(rebased.get(each.token_id, each) for each in held) if rebased else held


def cost_by_trades(
    fills: Iterable[Fill], token_id: TokenId, sizes: tuple[Micros, Micros], cost_of_less: int
) -> int | None:
    """Return what the shares of a market's larger leg cost by our trades, in millionths of a millionth.

    Its net shares cost what the trades since the net was flat paid. Pairs cost a dollar less the gain of those
    that trades made; the smaller leg's share of that is given.

    Args:
        fills: those of the market.
        token_id: of the larger leg.
        sizes: of the larger leg and of the smaller one.
        cost_of_less: of the smaller leg.

    Returns:
        None if the trades do not explain it.
    """
    more, pairs = sizes
    size = Micros(more - pairs)
    basis = None if size < LEAST_HELD else _since_flat(fills, token_id, size, NO_FEE)
    if basis is None or (pairs and not basis.is_whole):
        return None
    gain = basis.gain if pairs >= basis.made else basis.gain * pairs // basis.made
    return basis.cost + pairs * ONE - gain - cost_of_less


def rounding_of(shares: Micros) -> Micros:
    """Return the possible error of a profit of so many shares: amounts and averages are rounded to a millionth."""
    return Micros(2 + 2 * -(-shares // ONE))


@dataclass(frozen=True, slots=True)
class _Moves:
    """The fills of one instant that change a net position in the same direction, all sales or all purchases."""

    size: int = 0
    cost: int = 0
    """In terms of the net position's outcome, in millionths of a millionth, without fees."""
    fees: int = 0
    """Taker fees, in millionths of a millionth."""
    bought: int = 0
    """The part that bought shares: it makes pairs where it closes; a sale uses pairs up where it opens."""


@dataclass(slots=True)
class _Basis:
    """A net position with what its own trades paid for it, and the pairs that trades made."""

    net: int
    is_whole: bool
    """Whether no trade is older."""
    cost: int = 0
    """In terms of the net position's outcome; all amounts in millionths of a millionth."""
    fees: int = 0
    made: int = 0
    """Pairs."""
    gain: int = 0
    """What those pairs bring beyond their cost."""

    def apply(self, moves: _Moves, sign: int) -> None:
        """Close what is open in the other direction, then open the rest."""
        if not moves.size:
            return
        open_size = abs(self.net)
        closing = min(moves.size, open_size) if self.net * sign < 0 else 0
        if closing:
            closed_cost = self.cost * closing // open_size
            made = closing * moves.bought // moves.size
            gain = (closed_cost - moves.cost * closing // moves.size) * sign
            self.made, self.gain = self.made + made, self.gain + gain * made // closing
            self.cost -= closed_cost
            self.fees -= self.fees * closing // open_size
        opening = moves.size - closing
        used = min(self.made, opening * (moves.size - moves.bought) // moves.size)
        if used:
            self.gain -= self.gain * used // self.made
            self.made -= used
        self.net += sign * moves.size
        if opening and abs(self.net) - opening < LEAST_HELD:
            # Dust costs as much as what is opened beside it; a reversal begins with what it opens.
            self.cost = moves.cost * abs(self.net) // moves.size
            self.fees = moves.fees * opening // moves.size
        elif opening:
            self.cost += moves.cost * opening // moves.size
            self.fees += moves.fees * opening // moves.size


def _since_flat(
    fills: Iterable[Fill], token_id: TokenId, size: Micros, fee: FeeSchedule
) -> _Basis | None:
    """Return what the trades since a market's net position was flat paid for it.

    Buying one outcome is selling the other at the complement. Fills of one instant count as one trade, as their
    order is unknown, but shares are sold before others are bought: what is held is closed before the
    opposite is opened, as a reversal does. Reductions leave the average.

    Args:
        fills: of the market.
        token_id: of the net position.
        size: of the net position.
        fee: the market's taker fee.

    Returns:
        None if the fills do not lead back to a moment without a net position.
    """
    instants: dict[datetime, list[Fill]] = {}
    for fill in fills:
        if fill.status is not TradeStatus.FAILED:
            instants.setdefault(fill.matched_at, []).append(fill)
    steps = [_net_moves(instants[at], token_id, fee) for at in sorted(instants)]
    net, basis = size - sum(sign * moves.size for step in steps for sign, moves in step), None
    for number, step in enumerate(steps):
        if basis is None and abs(net) < LEAST_HELD:
            basis = _Basis(net, is_whole=number == 0)
        after = net + sum(sign * moves.size for sign, moves in step)
        if basis is not None:
            is_long = (net if abs(net) >= LEAST_HELD else after) >= 0
            for sign, moves in sorted(step, key=lambda each: each[0], reverse=is_long):
                basis.apply(moves, sign)
        net = after
    if basis is None or not 0 < basis.cost < size * ONE:
        return None
    return basis


def _net_moves(
    fills: Iterable[Fill], token_id: TokenId, fee: FeeSchedule
) -> tuple[tuple[int, _Moves], ...]:
    """Return what adds to a net position of an outcome (1) and what takes from it (-1), sales before purchases."""
    found: dict[tuple[int, bool], _Moves] = {}
    for fill in fills:
        is_own, is_buy = fill.token_id == token_id, fill.side is Side.BUY
        sign = 1 if is_own is is_buy else -1
        paid = _fee_paid(fill, fee)
        price = fill.price if is_own else complement(fill.price)
        sums = found.get((sign, is_buy), _Moves())
        found[sign, is_buy] = _Moves(
            sums.size + fill.size,
            sums.cost + fill.size * price,
            sums.fees + paid * ONE,
            sums.bought + (fill.size if is_buy else 0),
        )
    return tuple(
        (sign, found[sign, is_buy]) for sign, is_buy in sorted(found, key=lambda each: each[1])
    )


def _fee_paid(fill: Fill, fee: FeeSchedule) -> Micros:
    if fill.liquidity is not Liquidity.TAKER:
        return ZERO
    return fill.fee or taker_fee(fill.size, fill.price, fee)


def profits_at_end(stakes: Iterable[Stake]) -> tuple[Micros, Micros]:
    """Return the profit after the better and after the worse resolution, given the stakes in one market."""
    held = tuple(stakes)
    cost = sum(stake.cost for stake in held)
    paid = [sum(s.size for s in held if s.is_other is is_other) for is_other in (False, True)]
    return Micros(max(paid) - cost), Micros(min(paid) - cost)


# A ladder calls this for every book; position and fee stay the same for minutes.
@lru_cache(maxsize=64)
def break_even(stake: Stake, tick: Micros) -> Micros | None:
    """Return the worst price of the shown outcome at which closing makes no loss.

    None if every price does, or none can: then pairs have locked in more than the shares can lose. Worst is the lowest, or the highest for a stake in the other outcome. A loss within the rounding
    error of the average price is ignored: it must not move the mark by a whole tick.
    """
    if stake.cost <= 0:
        return None

    def place(step: int) -> Micros:
        return Micros(ONE - step * tick if stake.is_other else step * tick)

    low, high = 1, ONE // tick
    while low < high:
        middle = (low + high) // 2
        if stake.profit_at(place(middle)) >= -stake.rounding:
            high = middle
        else:
            low = middle + 1
    return None if low == ONE // tick else place(low)


def entry_fees(
    fills: Iterable[Fill], token_id: TokenId, size: Micros, fee: FeeSchedule, *,
    of_other: tuple[TokenId, Micros] | None = None,
) -> Micros:  # fmt: skip
    """Return the taker fees in a holding, from our own fills in any order; 0 if they do not add up.

    Sales and merges reduce the fees in proportion. The fee of selling a share out of a pair is in what is held
    of the other outcome: that sale opened it. Fills that do not explain the size held (the record is
    incomplete, or shares were sent) do not show what was paid.

    Args:
        fills: our own.
        token_id: of the shares.
        size: held.
        fee: the market's taker fee.
        of_other: the market's other outcome and what is held of it: a split adds the same to both, and a
            merge takes it from both.
    """
    if not size:
        return ZERO
    sizes = {token_id: size} if of_other is None else {token_id: size, of_other[0]: of_other[1]}
    own = [f for f in fills if f.token_id in sizes and f.status is not TradeStatus.FAILED]
    own.sort(key=lambda f: (f.matched_at, f.side is Side.SELL, f.trade_id))
    moved = {token: each - _net_bought(own, token) for token, each in sizes.items()}
    change, *of_others = moved.values()
    if of_others and abs(change - of_others[0]) * 1000 <= max(sizes.values()):
        # What was split counts as the first of all: it may be sold before more is bought.
        legs = {token: _Leg(max(each, 0)) for token, each in moved.items()}
        _apply_fills(own, legs, fee)
    else:
        legs = {token_id: _Leg()}
        _apply_fills((f for f in own if f.token_id == token_id), legs, fee)
        if abs(size - legs[token_id].held) * 1000 > size:
            return ZERO
    leg = legs[token_id]
    fees = leg.fees * size / leg.held if leg.held > size else leg.fees
    return Micros(-(-fees.numerator // fees.denominator))


def _net_bought(fills: Iterable[Fill], token_id: TokenId) -> int:
    own = (fill for fill in fills if fill.token_id == token_id)
    return sum(fill.size if fill.side is Side.BUY else -fill.size for fill in own)


@dataclass(slots=True)
class _Leg:
    """Shares of one outcome, and the taker fees paid for them."""

    held: int = 0
    fees: Fraction = Fraction(0)


def _apply_fills(fills: Iterable[Fill], legs: Mapping[TokenId, _Leg], fee: FeeSchedule) -> None:
    """Apply fills, oldest first, to the legs of a market."""
    for fill in fills:
        leg = legs[fill.token_id]
        other = next((each for token, each in legs.items() if token != fill.token_id), None)
        paid = _fee_paid(fill, fee)
        if fill.side is Side.BUY:
            leg.held, leg.fees = leg.held + fill.size, leg.fees + paid
            continue
        taken = min(fill.size, leg.held)
        if other is not None:
            from_pairs = max(taken - max(leg.held - other.held, 0), 0)
            other.fees += Fraction(paid * from_pairs, fill.size)
        if taken:
            leg.fees, leg.held = leg.fees * (leg.held - taken) / leg.held, leg.held - taken


# A ladder calls this for every row of every frame; position and fee stay the same for minutes.
@lru_cache(maxsize=4096)
def _profit(size: Micros, price: Micros, cost: Micros, fee: FeeSchedule) -> Micros:
    return Micros(notional_floor(price, size) - taker_fee(size, price, fee) - cost)

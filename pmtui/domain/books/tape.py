"""The tape of public trades: which to show, which were ours, and which are missing.

A trade has the side of its aggressor, even if it is ours; our own side stands beside it.

Trades from before the subscription come from the history, which has times in seconds and the
average price paid; the stream has milliseconds and the price of the book. They share no trade id,
so the same trade is recognised by side, size, price and time.

A gap is bounded by the venue's clock: it begins with the last trade received before it. Fetched
trades close it from its newer end, as a history is read from the newest back.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum
from typing import NamedTuple

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import SCALE, ZERO, Micros, complement
from pmtui.domain.orders.order import Fill, Liquidity, TradePrint, TradeStatus

SAME_MOMENT = timedelta(seconds=3)
"""A public trade and its fill are timed by clocks of different hosts, in seconds only."""


class TapeFilter(Enum):
    """Which trades are shown; the value is the smallest size in shares. Own ones always are."""

    ALL = 0
    HUNDRED = 100
    THOUSAND = 1_000
    TEN_THOUSAND = 10_000
    OWN = -1

    @property
    def next(self) -> "TapeFilter":
        """Return the next filter, cycling."""
        every = list(TapeFilter)
        return every[(every.index(self) + 1) % len(every)]

    @property
    def words(self) -> str:
        """Its name on the screen; empty if all trades are shown."""
        if self is TapeFilter.ALL:
            return ""
        return "mine only" if self is TapeFilter.OWN else f"{self.value:,}+ and mine"


class TapeRow(NamedTuple):
    """A trade on the tape, and how much of it was ours."""

    trade: TradePrint
    """Its side is the aggressor's, even if the trade was ours."""
    own: Micros = ZERO
    """How much of it was ours."""
    own_side: Side | None = None
    """Our side; None if nothing is ours, or if we traded both sides."""


class OwnTrades(NamedTuple):
    """Own fills matched with the public trades that report them."""

    parts: dict[int, TapeRow]
    """Rows by index of the public trade."""
    unprinted: tuple[TapeRow, ...]
    """Fills that no public trade reports yet, as rows of their own."""


def match_fills(prints: Sequence[TradePrint], fills: Iterable[Fill]) -> OwnTrades:
    """Match our fills with the public trades that report them.

    A public trade reports a fill of the same token and aggressor side: preferably one of the same
    transaction, else one of the same price and time, first of equal size, then the nearest in time.
    A fill may be spread over several trades, and a trade over several fills; every share counts
    once, so that no trade of others is attributed to us.
    """
    alike: dict[object, list[int]] = {}
    for place, trade in enumerate(prints):
        alike.setdefault((trade.token_id, trade.side, trade.price), []).append(place)
        if trade.transaction_hash:
            alike.setdefault((trade.token_id, trade.side, trade.transaction_hash), []).append(place)
    parts: dict[int, TapeRow] = {}
    unprinted = []
    for fill in sorted(fills, key=_by_certainty):
        left = int(fill.size)
        for place in _places(fill, prints, alike):
            trade = prints[place]
            row = parts.get(place) or TapeRow(trade, own_side=fill.side)
            taken = min(left, trade.size - row.own)
            if taken > 0:
                did = fill.side if row.own_side is fill.side else None
                parts[place] = TapeRow(trade, Micros(row.own + taken), did)
                left -= taken
        if left and fill.status is not TradeStatus.FAILED:
            trade = print_of(fill, Micros(left))
            unprinted.append(TapeRow(trade, trade.size, fill.side))
    return OwnTrades(parts, tuple(unprinted))


def _by_certainty(fill: Fill) -> tuple[bool, int]:
    return not fill.transaction_hash, -fill.size


def _places(
    fill: Fill, prints: Sequence[TradePrint], alike: Mapping[object, list[int]]
) -> list[int]:
    """Return the indexes of trades that may report a fill, the most likely first."""
    side, digest = aggressor(fill), fill.transaction_hash
    settled = alike.get((fill.token_id, side, digest), ()) if digest else ()
    near = [
        place
        for place in alike.get((fill.token_id, side, fill.price), ())
        if abs(fill.matched_at - prints[place].at) <= SAME_MOMENT and place not in settled
    ]

    def likelihood(place: int) -> tuple[bool, bool, timedelta, int]:
        trade = prints[place]
        differs = bool(digest and trade.transaction_hash and trade.transaction_hash != digest)
        return differs, trade.size != fill.size, abs(fill.matched_at - trade.at), place

    return sorted(settled, key=likelihood) + sorted(near, key=likelihood)


def aggressor(fill: Fill) -> Side:
    """Return the aggressor's side of one of our trades."""
    return fill.side if fill.liquidity is Liquidity.TAKER else fill.side.opposite


def print_of(fill: Fill, size: Micros) -> TradePrint:
    """Return part of a fill as the public tape would report it."""
    return TradePrint(
        fill.token_id, aggressor(fill), fill.price, size, fill.matched_at, fill.transaction_hash
    )


def fills_in(
    fills: Iterable[Fill], condition_id: ConditionId, token_id: TokenId
) -> tuple[Fill, ...]:
    """Return our fills in a market with two outcomes, in terms of one of them.

    Each fill is also a trade in the other outcome: on the opposite side, at the complementary
    price.
    """
    return tuple(
        fill if fill.token_id == token_id
        else replace(fill, token_id=token_id, side=fill.side.opposite, price=complement(fill.price))
        for fill in fills
        if fill.condition_id == condition_id
    )  # fmt: skip


def tape_rows(
    prints: Sequence[TradePrint], fills: Iterable[Fill], wanted: TapeFilter, most: int
) -> tuple[TapeRow, ...]:
    """Return the newest trades that pass a filter, each with our part of it.

    Own fills are on the tape whether or not a public trade reports them. Those older than the oldest
    public trade are left out of the unfiltered tape.

    Args:
        prints: newest first.
        fills: ours, in the token shown.
        wanted: the filter.
        most: the most rows to return.
    """
    fills = tuple(fills)
    if wanted is TapeFilter.ALL and prints:
        oldest = oldest_public(prints)
        fills = tuple(fill for fill in fills if fill.matched_at >= oldest)
    own = match_fills(prints, fills)
    rows = [
        row
        for place, trade in enumerate(prints)
        if (row := own.parts.get(place) or TapeRow(trade)).own > 0
        # Own trades are shown regardless of their size.
        or (wanted is not TapeFilter.OWN and trade.size >= _least(wanted))
    ]
    if own.unprinted:
        rows = sorted([*rows, *own.unprinted], key=lambda row: row.trade.at, reverse=True)
    return tuple(rows[:most])


def oldest_public(prints: Sequence[TradePrint]) -> datetime:
    """Return when the public tape begins; before that only our own trades are known."""
    return min(trade.at for trade in prints) - SAME_MOMENT


def _least(wanted: TapeFilter) -> Micros:
    return Micros(wanted.value * SCALE)


MOST = 1_000
"""Trades requested of a market that is opened: five minutes of a fast one, in one page."""


def to_tape_of(token_id: TokenId, trade: TradePrint, *, tick: Micros | None = None) -> TradePrint:
    """Return a trade of either outcome in terms of one of them.

    Args:
        token_id: the token of the tape.
        trade: a trade in this token or in its complement.
        tick: the tick size; the average price paid may be off the grid.
    """
    is_own = trade.token_id == token_id
    price = _on_grid(trade.price, tick)
    return replace(
        trade,
        token_id=token_id,
        side=trade.side if is_own else trade.side.opposite,
        price=price if is_own else complement(price),
    )


def missing_prints(
    heard: Iterable[TradePrint], fetched: Iterable[TradePrint]
) -> tuple[TradePrint, ...]:
    """Return the fetched trades of a token that the stream did not deliver, newest first."""
    known: defaultdict[object, list[TradePrint]] = defaultdict(list)
    for trade in sorted(heard, key=lambda trade: trade.at):
        known[_likeness(trade)].append(trade)
    missing = []
    for trade in sorted(fetched, key=lambda trade: trade.at):
        alike = known[_likeness(trade)]
        # Both are in ascending time: a candidate too old for this trade is too old for the rest.
        while alike and trade.at - alike[0].at > SAME_MOMENT:
            alike.pop(0)
        if alike and alike[0].at - trade.at <= SAME_MOMENT:
            alike.pop(0)
        else:
            missing.append(trade)
    return tuple(reversed(missing))


def merge_prints(
    heard: Iterable[TradePrint], missing: Iterable[TradePrint]
) -> tuple[TradePrint, ...]:
    """Merge both into one tape, newest first; within a moment the order is kept."""
    return tuple(sorted((*heard, *missing), key=lambda trade: trade.at, reverse=True))


def _likeness(trade: TradePrint) -> object:
    return trade.side, trade.size, trade.price


def _on_grid(price: Micros, tick: Micros | None) -> Micros:
    return price if not tick else Micros((price + tick // 2) // tick * tick)


_SECOND = timedelta(seconds=1)
"""The time resolution of a history."""
MARGIN = timedelta(seconds=60)
"""How far our clock may differ from the one that dates trades, if no trade gives its time."""


@dataclass(frozen=True, slots=True)
class TapeGap:
    """A period in which trades may be missing from a tape."""

    after: datetime
    """Time of the last trade known before the gap."""
    before: datetime | None = None
    """When trades were received again; of the first known trade, if more were fetched."""
    is_final: bool = False
    """Whether nothing more will be fetched for it."""


@dataclass(frozen=True, slots=True)
class PastTrades:
    """A market's trades from a history, from some moment on."""

    prints: tuple[TradePrint, ...]
    """Newest first."""
    is_whole: bool
    """Whether it reaches back to that moment."""
    is_readable: bool = True
    """Whether every row of it could be decoded."""


def remaining_gap(gap: TapeGap, past: PastTrades) -> TapeGap | None:
    """Return what is left of a gap after merging a history; None if it is closed."""
    if not past.is_readable or (not past.is_whole and not past.prints):
        return replace(gap, is_final=True)
    if past.is_whole:
        return None
    oldest = min(trade.at for trade in past.prints)
    if oldest < gap.after - _SECOND:
        # It has more than was requested: nothing in between is missing.
        return None
    return replace(gap, before=max(oldest, gap.after), is_final=True)


def has_caught_up(gap: TapeGap, past: PastTrades) -> bool:
    """Whether a history, which lags by some seconds, has reached the end of a gap."""
    return gap.before is not None and any(trade.at > gap.before for trade in past.prints)

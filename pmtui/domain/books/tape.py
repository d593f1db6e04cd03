"""Reading the tape: which trades are worth a line, and which of them were ours.

A trade has the side of its aggressor, ours too; what we did stands beside it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from enum import Enum
from typing import NamedTuple

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import SCALE, ZERO, Micros, complement
from pmtui.domain.orders.order import Fill, Liquidity, TradePrint, TradeStatus

SAME_MOMENT = timedelta(seconds=3)
"""A print and the fill it tells of carry clocks of different hosts, and seconds only."""


class TapeFilter(Enum):
    """Which prints are shown; the value is the smallest size in shares. Own ones always are."""

    ALL = 0
    HUNDRED = 100
    THOUSAND = 1_000
    TEN_THOUSAND = 10_000
    OWN = -1

    @property
    def next(self) -> "TapeFilter":
        """The one after, around."""
        every = list(TapeFilter)
        return every[(every.index(self) + 1) % len(every)]

    @property
    def words(self) -> str:
        """How it is called on the screen; empty for every print."""
        if self is TapeFilter.ALL:
            return ""
        return "mine only" if self is TapeFilter.OWN else f"{self.value:,}+ and mine"


class TapeRow(NamedTuple):
    """A trade on the tape, and what of it was ours."""

    trade: TradePrint
    """Its side is the aggressor's, whoever traded."""
    own: Micros = ZERO
    """How much of it was ours."""
    own_side: Side | None = None
    """What we did; None where nothing is ours, or where we did both."""


class OwnTrades(NamedTuple):
    """Own fills, matched with the public trades that report the same."""

    parts: dict[int, TapeRow]
    """By the place of the public trade."""
    unprinted: tuple[TapeRow, ...]
    """What no public trade reports, or not yet: rows of their own."""


def match_fills(prints: Sequence[TradePrint], fills: Iterable[Fill]) -> OwnTrades:
    """Find the public trades that report our fills.

    A public trade reports a fill of the same token and aggressor: one of the same transaction
    first, else one of the same price and moment, the one of the very same size before others, then
    the nearest in time. A fill may be spread over several trades, as a trade over several fills;
    every share counts once, so that nothing a stranger traded beside it is called ours.
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
    """Return the places of the trades that may report a fill, the likeliest first."""
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
    """Return the side of whoever took, in a trade of ours."""
    return fill.side if fill.liquidity is Liquidity.TAKER else fill.side.opposite


def print_of(fill: Fill, size: Micros) -> TradePrint:
    """Return so much of a fill as the public tape would report it."""
    return TradePrint(
        fill.token_id, aggressor(fill), fill.price, size, fill.matched_at, fill.transaction_hash
    )


def fills_in(
    fills: Iterable[Fill], condition_id: ConditionId, token_id: TokenId
) -> tuple[Fill, ...]:
    """Return our fills in a market of two outcomes, told in terms of one of them.

    Each is a trade of the other outcome too: the other way, for what is left of a dollar.
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
    """Return the newest trades that pass a filter, each with what of it was ours.

    Own fills are on the tape whether or not a public trade reports them. Those older than the oldest
    public trade are left out of the unfiltered tape, where nobody would scroll as far.

    Args:
        prints: newest first.
        fills: ours, of the token on show.
        wanted: what to let through.
        most: how many there is room for.
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
        # What one has traded oneself is never too small to see.
        or (wanted is not TapeFilter.OWN and trade.size >= _least(wanted))
    ]
    if own.unprinted:
        rows = sorted([*rows, *own.unprinted], key=lambda row: row.trade.at, reverse=True)
    return tuple(rows[:most])


def oldest_public(prints: Sequence[TradePrint]) -> datetime:
    """Return when the public tape begins; of what is older only our own trades are known."""
    return min(trade.at for trade in prints) - SAME_MOMENT


def _least(wanted: TapeFilter) -> Micros:
    return Micros(wanted.value * SCALE)

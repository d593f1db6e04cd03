"""The tape: which public trades are worth a row, which were ours, and which are missing.

A trade has the side of its aggressor, ours too; what we did stands beside it.

Trades from before anybody listened come from the history, which names seconds and what was paid
for a share; the stream names milliseconds and the price of the book. Neither names a trade that the
other would know, so the same one is recognised by side, size, price and moment.

A gap is bounded by the venue's clock: it begins with the last trade that was heard before it. What
was fetched closes it from its newer end downwards, as a history is read from the newest back.
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


MOST = 100
"""Trades asked for at a time: what a screen shows, and no more than one page."""


def to_tape_of(token_id: TokenId, trade: TradePrint, *, tick: Micros | None = None) -> TradePrint:
    """Return a trade of either outcome as the tape of one of them shows it.

    Args:
        token_id: whose tape it is.
        trade: a trade in this token or in its opposite.
        tick: the grid of prices; what was paid for a share may lie beside it.
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
    """Return those of the fetched trades of a token that were not heard, newest first."""
    known: defaultdict[object, list[TradePrint]] = defaultdict(list)
    for trade in sorted(heard, key=lambda trade: trade.at):
        known[_likeness(trade)].append(trade)
    missing = []
    for trade in sorted(fetched, key=lambda trade: trade.at):
        alike = known[_likeness(trade)]
        # Both go forward in time: what is too old for this one is too old for all that follow.
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
    """Return both as one tape, newest first; within a moment in the order they had."""
    return tuple(sorted((*heard, *missing), key=lambda trade: trade.at, reverse=True))


def _likeness(trade: TradePrint) -> object:
    return trade.side, trade.size, trade.price


def _on_grid(price: Micros, tick: Micros | None) -> Micros:
    return price if not tick else Micros((price + tick // 2) // tick * tick)


_SECOND = timedelta(seconds=1)
"""What a history is exact to."""
MARGIN = timedelta(seconds=60)
"""How far our clock may differ from the one that dates trades, where no trade gives its time."""


@dataclass(frozen=True, slots=True)
class TapeGap:
    """A stretch of time in which trades may be missing from a tape."""

    after: datetime
    """Of the last trade known before it."""
    before: datetime | None = None
    """When trades were heard again; of the first one that is known, where more were fetched."""
    is_final: bool = False
    """Whether nothing more will be fetched for it."""


@dataclass(frozen=True, slots=True)
class PastTrades:
    """What a history tells of a market from some moment on."""

    prints: tuple[TradePrint, ...]
    """Newest first."""
    is_whole: bool
    """Whether it reaches back to that moment."""
    is_readable: bool = True
    """Whether every row of it could be read."""


def remaining_gap(gap: TapeGap, past: PastTrades) -> TapeGap | None:
    """Return what is left of a hole once a history was woven in; None when nothing is."""
    if not past.is_readable or (not past.is_whole and not past.prints):
        return replace(gap, is_final=True)
    if past.is_whole:
        return None
    oldest = min(trade.at for trade in past.prints)
    if oldest < gap.after - _SECOND:
        # It names more than was asked for: nothing in between is left out.
        return None
    return replace(gap, before=max(oldest, gap.after), is_final=True)


def has_caught_up(gap: TapeGap, past: PastTrades) -> bool:
    """Whether a history, which runs late by some seconds, tells of what came after a hole."""
    return gap.before is not None and any(trade.at > gap.before for trade in past.prints)

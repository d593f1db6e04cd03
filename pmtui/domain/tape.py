"""Reading the tape: which prints are worth a line, and which of them were ours."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from enum import Enum

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.market import Side
from pmtui.domain.money import SCALE, Micros, complement
from pmtui.domain.order import Fill, TradePrint

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
        return "own only" if self is TapeFilter.OWN else f"from {self.value:,} + own"


def own_parts(prints: Sequence[TradePrint], fills: Iterable[Fill]) -> dict[int, Micros]:
    """Return how much of which prints was surely ours, by their places.

    The stream names no trade: a fill belongs to one print of the same token, price and moment that
    is large enough, the one of the very same size before others, then the nearest in time. It
    counts once, so that nothing a stranger traded beside it is called ours.
    """
    places: dict[tuple[TokenId, Micros], list[int]] = {}
    for place, trade in enumerate(prints):
        places.setdefault((trade.token_id, trade.price), []).append(place)
    parts: dict[int, int] = {}
    for fill in sorted(fills, key=lambda each: each.size, reverse=True):
        found = [
            (prints[place].size != fill.size, abs(fill.matched_at - prints[place].at), place)
            for place in places.get((fill.token_id, fill.price), ())
            if abs(fill.matched_at - prints[place].at) <= SAME_MOMENT
            and parts.get(place, 0) + fill.size <= prints[place].size
        ]
        if found:
            place = min(found)[2]
            parts[place] = parts.get(place, 0) + fill.size
    return {place: Micros(size) for place, size in parts.items()}


def own_side(trade: TradePrint, fills: Iterable[Fill]) -> Side | None:
    """Return what we did in a print of ours: whoever rested did the other thing than it tells.

    None where nothing is known of it, or where we did both.
    """
    sides = {
        fill.side
        for fill in fills
        if fill.token_id == trade.token_id
        and fill.price == trade.price
        and abs(fill.matched_at - trade.at) <= SAME_MOMENT
    }
    return sides.pop() if len(sides) == 1 else None


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


def filter_prints(
    prints: Sequence[TradePrint], fills: tuple[Fill, ...], wanted: TapeFilter, most: int
) -> tuple[tuple[TradePrint, Micros], ...]:
    """Return the newest prints that pass a filter, each with how much of it was ours.

    Args:
        prints: newest first.
        fills: ours, of any token.
        wanted: what to let through.
        most: how many there is room for.
    """
    found: list[tuple[TradePrint, Micros]] = []
    parts = own_parts(prints, fills) if fills else {}
    for place, trade in enumerate(prints):
        if len(found) >= most:
            break
        own = parts.get(place, Micros(0))
        # What one has traded oneself is never too small to see.
        if own > 0 or (wanted is not TapeFilter.OWN and trade.size >= _least(wanted)):
            found.append((trade, own))
    return tuple(found)


def _least(wanted: TapeFilter) -> Micros:
    return Micros(wanted.value * SCALE)

"""Reading the tape: which prints are worth a line, and which of them were ours."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from enum import Enum

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import SCALE, Micros, complement
from pmtui.domain.order import Fill, TradePrint

SAME_MOMENT = timedelta(seconds=3)
"""A print and the fill it tells of carry clocks of different hosts, and seconds only."""


class TapeFilter(Enum):
    """Which prints are shown; the value is the smallest size in shares, or none for own ones."""

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
        return "own only" if self is TapeFilter.OWN else f"from {self.value:,}"


def is_own(trade: TradePrint, fills: Iterable[Fill]) -> bool:
    """Return whether one of our fills was a part of this print: same price, same moment.

    The stream names no trade, so two equal prints within seconds cannot be told apart.
    """
    return any(
        fill.token_id == trade.token_id
        and fill.price == trade.price
        and fill.size <= trade.size
        and abs(fill.matched_at - trade.at) <= SAME_MOMENT
        for fill in fills
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


def filter_prints(
    prints: Iterable[TradePrint], fills: tuple[Fill, ...], wanted: TapeFilter, most: int
) -> tuple[tuple[TradePrint, bool], ...]:
    """Return the newest prints that pass a filter, each with whether it was ours.

    Args:
        prints: newest first.
        fills: ours, of any token.
        wanted: what to let through.
        most: how many there is room for.
    """
    found: list[tuple[TradePrint, bool]] = []
    for trade in prints:
        if len(found) >= most:
            break
        own = is_own(trade, fills)
        is_wanted = own if wanted is TapeFilter.OWN else trade.size >= _least(wanted)
        if is_wanted:
            found.append((trade, own))
    return tuple(found)


def _least(wanted: TapeFilter) -> Micros:
    return Micros(wanted.value * SCALE)

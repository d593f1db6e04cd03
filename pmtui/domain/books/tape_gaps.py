"""Holes in a tape: where trades were not heard, and what the public history leaves of them.

A hole is bounded by the venue's clock: it begins with the last trade that was heard before it. What
was fetched closes it from its newer end downwards, as a history is told from the newest back.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from pmtui.domain.orders.order import TradePrint

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


def still_missing(gap: TapeGap, past: PastTrades) -> TapeGap | None:
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

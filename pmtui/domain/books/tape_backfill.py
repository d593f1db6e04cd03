"""Trades that were before anybody listened, put together with those that were heard.

The history names seconds and what was paid for a share; the stream names milliseconds and the
price of the book. Neither names a trade that the other would know, so the same one is told by
side, size, price and moment, and each tells of one other at most: equal trades stay two.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from pmtui.domain.books.tape import SAME_MOMENT
from pmtui.domain.ids import TokenId
from pmtui.domain.money import Micros, complement
from pmtui.domain.orders.order import TradePrint

MOST = 100
"""Trades asked for at a time: what a screen shows, and no more than one page."""


def seen_from(token_id: TokenId, trade: TradePrint, *, tick: Micros | None = None) -> TradePrint:
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


def weave(heard: Iterable[TradePrint], missing: Iterable[TradePrint]) -> tuple[TradePrint, ...]:
    """Return both as one tape, newest first; within a moment in the order they had."""
    return tuple(sorted((*heard, *missing), key=lambda trade: trade.at, reverse=True))


def _likeness(trade: TradePrint) -> object:
    return trade.side, trade.size, trade.price


def _on_grid(price: Micros, tick: Micros | None) -> Micros:
    return price if not tick else Micros((price + tick // 2) // tick * tick)

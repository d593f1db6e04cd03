"""Draws prices, volumes and liquidity in the proportions of the real rows."""

import math
import random
from dataclasses import dataclass

from pmtui.sim.catalogue.making.drafts import EventDraft, MarketDraft


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Where a market stands, in millionths."""

    tick: int
    bid: int
    ask: int

    @property
    def middle(self) -> int:
        """Return the midpoint."""
        return (self.bid + self.ask) // 2


def number(millionths: int) -> int | float:
    """Return a JSON number: whole values are integers."""
    whole, rest = divmod(millionths, 1_000_000)
    return whole if rest == 0 else millionths / 1_000_000


def decimal_text(millionths: int) -> str:
    """Return the shortest decimal text."""
    return f"{millionths / 1_000_000:.6f}".rstrip("0").rstrip(".")


def volume_of(draft: EventDraft, market: MarketDraft, rng: random.Random) -> float | None:
    """Return dollars traded so far; None for the many markets that never traded."""
    total = 10.0**draft.volume
    share = market.weight / math.fsum(one.weight for one in draft.markets)
    # Rounded, and summed exactly, so that every interpreter writes the same digits.
    volume = round(total * share * 10 ** rng.gauss(0, 0.45), 6)
    is_quiet = volume < 60_000 and rng.random() < 0.75
    return None if is_quiet and market.winner is None else volume


def liquidity_of(volume: float | None, rng: random.Random) -> float:
    """Return displayed liquidity in dollars: it follows volume, loosely."""
    if volume is None:
        return round(10 ** rng.gauss(2.9, 0.5), 5)
    return round(min(math.pow(10, rng.gauss(1.6, 0.45)) * math.pow(volume, 0.56), 2_400_000), 5)


def quote_of(draft: EventDraft, market: MarketDraft, liquidity: float, rng: random.Random) -> Quote:
    """Return tick, best bid and best ask for a chance and the depth behind it."""
    price = min(max(market.price, 0.0015), 0.9985)
    tick = _tick(draft, price)
    if liquidity > 60_000:
        width = 1
    elif liquidity > 5_000:
        width = rng.choice((1, 1, 1, 2, 3))
    else:
        width = rng.choice((1, 2, 2, 3, 4, 6, 9))
    if tick <= 1_000 and 0.04 < price < 0.96:
        width *= rng.choice((1, 2, 4))
    last = 1_000_000 // tick - 1
    place = price * 1_000_000 / tick
    # Near 0 and 1 there is no room for a wide spread around the same chance.
    width = max(min(width, int(2 * min(place, last + 1 - place))), 1)
    bid = min(max(round(place - width / 2), 0), last - 1)
    ask = min(bid + width, last)
    if bid == 0 and ask > 2:
        bid, ask = 1, ask - 1
    return Quote(tick=tick, bid=bid * tick, ask=ask * tick)


def _tick(draft: EventDraft, price: float) -> int:
    # The service refines the grid of a market when its price passes 0.04 or 0.96.
    if draft.tick is not None:
        return draft.tick
    if draft.fine_tick or not 0.04 < price < 0.96:
        return 1_000
    return 10_000


def noisy(dollars: float, rng: random.Random) -> float:
    """Return an amount with the digits of a sum of many fills, binary noise included."""
    return dollars + rng.randint(0, 999_999) / 1_000_000

"""Where an own order stands in the line at its price: an estimate from the book and the tape.

Nobody tells the queue. What is known is the size displayed at the price and the trades at it. The
model: whoever was displayed when the order came is in front of it; trades take from the front;
what leaves without a trade was cancelled, from in front and from behind in proportion to what
stands there; what is added stands behind. An estimate only ever shrinks. Where something was
missed, all that left is taken to have stood behind: a queue looks too long rather than too short.

A trade and the change of the level it causes come as two messages, in either order. What the last
look could not explain is therefore kept for one more look. Pure.
"""

from dataclasses import dataclass

from pmtui.domain.money import ZERO, Micros


@dataclass(frozen=True, slots=True)
class QueueSpot:
    """One order's place."""

    ahead: Micros
    """Shares that fill before it, own ones at the same price included."""
    displayed: Micros
    """Size of the level at the last look."""
    own_shown: Micros = ZERO
    """How much of the displayed size is surely ours."""
    vanished: Micros = ZERO
    """What left at the last look without a trade: its trade may still come."""
    ahead_before: Micros = ZERO
    """What was ahead before that was taken for cancelled."""
    owed: Micros = ZERO
    """What traded at the last look and the level does not show yet."""


def join_queue(displayed: Micros, *, own_shown: Micros = ZERO) -> QueueSpot:
    """Return the place of an order that has come, or is met again: behind all that is not ours."""
    return QueueSpot(_others(displayed, own_shown), displayed, own_shown)


def update_queue(
    spot: QueueSpot, displayed: Micros, *, traded: Micros = ZERO, own_shown: Micros = ZERO
) -> QueueSpot:
    """Return the place after another look at the level.

    Args:
        spot: the place at the look before.
        displayed: size of the level now.
        traded: shares that traded at the price against this side since.
        own_shown: how much of the displayed size is surely ours.
    """
    late = min(traded, spot.vanished)
    ahead = min(spot.ahead, max(0, spot.ahead_before - late)) if late else spot.ahead
    fresh = traded - late
    ahead = max(0, ahead - fresh)
    drop = max(0, spot.displayed - displayed)
    by_trades = min(drop, fresh + spot.owed)
    own_gone = max(0, spot.own_shown - own_shown)
    cancelled = max(0, drop - by_trades - own_gone)
    standing = max(cancelled, spot.displayed - by_trades - spot.own_shown)
    before = ahead
    if cancelled:
        ahead -= min(ahead, ahead * cancelled // standing)
    return QueueSpot(
        ahead=Micros(min(ahead, _others(displayed, own_shown))),
        displayed=displayed,
        own_shown=own_shown,
        vanished=Micros(cancelled),
        ahead_before=Micros(before),
        owed=Micros(max(0, fresh - max(0, by_trades - spot.owed))),
    )


def resume_queue(spot: QueueSpot, displayed: Micros, *, own_shown: Micros = ZERO) -> QueueSpot:
    """Return the place after a gap: nobody in front is known to have left but those not there."""
    ahead = Micros(min(spot.ahead, _others(displayed, own_shown)))
    return QueueSpot(ahead, displayed, own_shown)


def _others(displayed: Micros, own_shown: Micros) -> Micros:
    return Micros(max(0, displayed - own_shown))

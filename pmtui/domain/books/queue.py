"""The queue position of an own order at its price: an estimate from the book and the tape.

The venue does not publish the queue, only the size displayed at the price and the trades at it. The
model: all size displayed when the order arrived is in front of it; trades take from the front; size
removed without a trade was cancelled, in front and behind in proportion to the size there; added
size is behind. An estimate only ever shrinks. After a gap, all removed size is assumed to have been
behind: a queue looks too long rather than too short.

A trade and the level change that it causes arrive as two messages, in either order. So what one
update cannot explain is kept until the next one. Pure.
"""

from dataclasses import dataclass

from pmtui.domain.money import ZERO, Micros


@dataclass(frozen=True, slots=True)
class QueueSpot:
    """The queue position of one order."""

    ahead: Micros
    """Shares that fill before it, including own ones at the same price."""
    displayed: Micros
    """Displayed size of the level at the last update."""
    own_shown: Micros = ZERO
    """How much of the displayed size is certainly ours."""
    vanished: Micros = ZERO
    """Size removed at the last update without a trade: its trade may still arrive."""
    ahead_before: Micros = ZERO
    """Shares ahead before that size was counted as cancelled."""
    owed: Micros = ZERO
    """Size traded at the last update that the level does not reflect yet."""


def join_queue(displayed: Micros, *, own_shown: Micros = ZERO) -> QueueSpot:
    """Return the position of an order that is new, or seen again: behind all size that is not ours."""
    return QueueSpot(_others(displayed, own_shown), displayed, own_shown)


def update_queue(
    spot: QueueSpot, displayed: Micros, *, traded: Micros = ZERO, own_shown: Micros = ZERO
) -> QueueSpot:
    """Return the position after another update of the level.

    Args:
        spot: the position at the previous update.
        displayed: current size of the level.
        traded: shares traded at the price against this side since then.
        own_shown: how much of the displayed size is certainly ours.
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
    """Return the position after a gap: only size that is no longer displayed is known to have left."""
    ahead = Micros(min(spot.ahead, _others(displayed, own_shown)))
    return QueueSpot(ahead, displayed, own_shown)


def _others(displayed: Micros, own_shown: Micros) -> Micros:
    return Micros(max(0, displayed - own_shown))

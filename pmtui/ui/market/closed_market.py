"""What the footer of the trading screen offers in a market where nothing trades any more."""

from collections.abc import Iterable
from dataclasses import replace

from pmtui.ui.keys.actions import FooterEntry

_DISARM = "market.toggle_arming"
_TRADES = frozenset(
    {
        "market.buy", "market.sell", "market.flatten", "market.scaled", "market.move_order",
        "market.protect", "ladder.trade_here",
    }
)  # fmt: skip
"""All that is refused there. What cancels stays: an order may still be listed."""


def entries_when_over(
    entries: Iterable[FooterEntry], *, is_armed: bool = False
) -> tuple[FooterEntry, ...]:
    """Leave out the keys that trade; the one that arms can only disarm, where it is armed."""
    left = (entry for entry in entries if entry.id not in _TRADES)
    if is_armed:
        return tuple(
            replace(entry, label="Disarm", is_dangerous=False) if entry.id == _DISARM else entry
            for entry in left
        )
    return tuple(entry for entry in left if entry.id != _DISARM)

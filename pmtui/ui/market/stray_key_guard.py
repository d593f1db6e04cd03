"""Keys that were meant for a form rest for a moment where it did not open.

Hands are quicker than eyes: what is typed after the key of a form is a price, a size, and `enter`. On
the trading screen the same keys choose a size, place orders and open the ticket.
"""

from typing_extensions import override

from pmtui.domain.orders.single_keys import OneKey
from pmtui.ui.market.market_single_keys import MarketOneKey

_TYPED = frozenset({*"0123456789", "comma", "full_stop"})
"""What the fields of a form take, as keys are called."""


class MarketRest(MarketOneKey):
    """The part of the trading screen that takes nothing typed blindly for an order."""

    @override
    def forget_market(self) -> None:
        super().forget_market()
        self.message_line.forget_refusal()

    @override
    def action_choose_preset(self, number: int) -> None:
        if not self.message_line.ignores_key():
            super().action_choose_preset(number)

    @override
    async def _press(self, key: OneKey) -> None:
        keys = self.surface.options.keymap.keys_of(f"market.{key.name.lower()}")
        if _TYPED.isdisjoint(keys) or not self.message_line.ignores_key():
            await super()._press(key)

"""What the trading screen puts on its ladder, and the keys that change how it looks."""

from pmtui.domain.orders.order import Order
from pmtui.ui.format import format_price
from pmtui.ui.ladder.ladder_inputs import LadderInputs, ladder_inputs
from pmtui.ui.market.market_context import MarketParts
from pmtui.ui.market.market_facts import tick_size_of
from pmtui.ui.plain import plain

_LONGEST_LABEL = 16


class MarketLadder(MarketParts):
    """The part of the trading screen that feeds the ladder."""

    _is_mirrored = False

    def action_show_both(self) -> None:
        """Show the other outcome's prices and own orders on the same rows, or no more."""
        self._is_mirrored = not self._is_mirrored
        inputs = self._ladder_inputs()
        if self._is_mirrored and (inputs is None or not inputs.other_label):
            self._is_mirrored = False
            self.message_line.say("No other outcome.")
            return
        self._show_book()
        label = plain(inputs.other_label, _LONGEST_LABEL) if inputs is not None else ""
        self.message_line.confirm(
            f"Both outcomes on the ladder: {label} too."
            if self._is_mirrored
            else "One outcome on the ladder."
        )

    def action_group_prices(self) -> None:
        """Change to the next grouping of the ladder."""
        group = self.ladder.next_grouping()
        self.message_line.confirm(f"Group {format_price(group, ascii_only=self._ascii_only)}.")
        self._show_state()

    def _show_book(self) -> None:
        book, token_id, inputs = self._book_view, self.token_id, self._ladder_inputs()
        if book is not None and token_id is not None and inputs is not None:
            queries = self.surface.queries
            self.ladder.show(
                book,
                tick=tick_size_of(self._market_view),
                orders=inputs.orders,
                volume=queries.tape(token_id).volume,
                fills=queries.fills().fills,
                marks=inputs.marks,
                other_label=inputs.other_label,
            )
        self._show_state()

    def _ladder_orders(self) -> tuple[Order, ...]:
        """Return the own orders that the ladder shows, in terms of its outcome."""
        inputs = self._ladder_inputs()
        return inputs.orders if inputs is not None else ()

    def _ladder_inputs(self) -> LadderInputs | None:
        if self.token_id is None:
            return None
        return ladder_inputs(
            self.surface.queries.account(), self._market_view, self.token_id,
            fills=self.surface.queries.fills().fills, is_mirrored=self._is_mirrored,
        )  # fmt: skip

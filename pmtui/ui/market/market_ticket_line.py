"""Where the ticket of the trading screen stands, in rows in a pane or on one line; and its keys.

At 80x24 rows of fields would take the place of own orders and trades. The line is as wide as the
screen and costs the terms of trading, which the ticket names where they matter; the ladder keeps
its columns and at least fourteen rows, position, orders and trades stay where they are.
"""

from textual import on

from pmtui.ui.keys.action import Context
from pmtui.ui.keys.actions import FooterEntry, footer_entries
from pmtui.ui.market.market_context import MarketParts
from pmtui.ui.market.market_panes import CHART_FROM_WIDTH, DEPTH_FROM_WIDTH
from pmtui.ui.market.market_siblings import STRIP_FROM_HEIGHT
from pmtui.ui.ticket.form import TicketForm

LINE_FROM_WIDTH = DEPTH_FROM_WIDTH
"""All fields of the ticket, side by side."""

TRADES_FROM_HEIGHT = 12
"""Below this the line and what it says leave no room for trades."""


class MarketTicketLine(MarketParts):
    """The part of the trading screen that chooses the ticket's form."""

    def ticket_entries(self) -> tuple[FooterEntry, ...]:
        """Return the keys of the ticket that do something now."""
        entries = footer_entries(Context.TICKET, keymap=self.surface.options.keymap)
        if self.ticket.has_suggestion:
            return entries
        return tuple(entry for entry in entries if entry.id != "ticket.use_suggestion")

    @on(TicketForm.SuggestionChanged)
    def _show_whether_it_suggests(self) -> None:
        self.show_footer()

    @on(TicketForm.Reshaped)
    def _place_ticket(self) -> None:
        width, height = self.size
        is_small = LINE_FROM_WIDTH <= width < CHART_FROM_WIDTH and height < STRIP_FROM_HEIGHT
        is_line = is_small and not self.ticket.is_whole
        self.set_class(is_line, "-line")
        self.set_class(height < TRADES_FROM_HEIGHT, "-low")
        self.ticket.show_on_a_line(is_line=is_line)

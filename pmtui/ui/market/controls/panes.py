"""The panes of the trading screen: which has the keys, and where the ticket stands.

At 80x24 rows of fields would take the place of own orders and trades. There the ticket is a line as
wide as the screen: it costs the terms of trading, which the ticket names where they matter. The
ladder keeps its columns and at least fourteen rows; position, orders and trades stay where they are.
"""

from textual.widget import Widget

from pmtui.ui.market.controls.charts import CHART_FROM_WIDTH, DEPTH_FROM_WIDTH
from pmtui.ui.market.controls.outcomes import STRIP_FROM_HEIGHT
from pmtui.ui.market.controls.workspace import Workspace
from pmtui.ui.ticket.ticket import TicketPane

LINE_FROM_WIDTH = DEPTH_FROM_WIDTH
"""All fields of the ticket, side by side."""
TRADES_FROM_HEIGHT = 12
"""Below this the line and what it says leave no room for trades."""


class Panes:
    """Lets keys go to a pane, and gives the ticket its form."""

    def __init__(
        self, workspace: Workspace, *, orders: Widget, tape: Widget, ticket: TicketPane
    ) -> None:
        self._workspace = workspace
        self._page = workspace.page
        self._orders = orders
        self._tape = tape
        self._ticket = ticket

    def go_to_ladder(self) -> None:
        """Let keys go to the ladder."""
        _ = self._workspace.ladder.focus()

    def go_to_orders(self) -> None:
        """Let keys go to the own orders."""
        self._workspace.go_to(self._orders, "your orders")

    def go_to_tape(self) -> None:
        """Let keys go to the trades."""
        self._workspace.go_to(self._tape, "the trades")

    def go_to_ticket(self) -> None:
        """Let keys go to the ticket, if one is open."""
        if self._ticket.is_open:
            _ = self._ticket.size_field.focus()
            return
        buy, sell = self._workspace.key("buy"), self._workspace.key("sell")
        self._workspace.line.refuse_form(f"No ticket is open: {buy} buys, {sell} sells.")

    def place_ticket(self) -> None:
        """Show the ticket on a line on a small screen, in rows of a pane on any other."""
        width, height = self._page.size
        is_small = LINE_FROM_WIDTH <= width < CHART_FROM_WIDTH and height < STRIP_FROM_HEIGHT
        is_line = is_small and not self._ticket.is_whole
        # Neither changes a layout without a ticket: nothing has to be styled again.
        has_ticket = self._ticket.is_open
        _ = self._page.set_class(is_line, "-line", update=has_ticket)
        _ = self._page.set_class(height < TRADES_FROM_HEIGHT, "-low", update=has_ticket)
        self._ticket.show_on_a_line(is_line=is_line)

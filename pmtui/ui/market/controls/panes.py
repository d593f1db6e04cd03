"""The panes of the trading screen: charts and their range, the focus, and the place of the ticket.

At 80x24 a ticket in rows would take the place of own orders and trades. There the ticket is a line
as wide as the screen; it replaces the terms of trading, which the ticket shows where they matter.
"""

from collections.abc import Iterable
from datetime import datetime

from textual.widget import Widget

from pmtui.domain.books.book_view import Reach
from pmtui.domain.markets.history import Interval, price_line, result_of
from pmtui.domain.money import Micros
from pmtui.service.topics import HistoryTopic, Topic
from pmtui.ui.charts.chart import ChartPane, ChartStyle
from pmtui.ui.charts.depth import DepthPane
from pmtui.ui.event.event_chart import CHART_PERIOD
from pmtui.ui.market.controls.outcomes import STRIP_FROM_HEIGHT
from pmtui.ui.market.controls.side_ladders import SIDES_FROM_WIDTH
from pmtui.ui.market.controls.workspace import Part, Workspace
from pmtui.ui.market.market_model import MarketModel
from pmtui.ui.ticket.ticket import TicketPane

CHART_FROM_WIDTH = 110
DEPTH_FROM_WIDTH = 79
"""Below this width of the price chart, depth replaces the trades."""
BOTH_FROM_WIDTH, BOTH_FROM_HEIGHT = 196, 36
"""From this size on, prices and depth stand one above the other, beside the trades."""
_CHART_FROM_HEIGHT = 18


class Charts:
    """Chooses the chart that is shown and its range, and updates it."""

    def __init__(self, workspace: Workspace, prices: ChartPane, depth: DepthPane) -> None:
        self._workspace = workspace
        self._line = workspace.line
        self._page = workspace.page
        self._prices = prices
        self._depth = depth
        memory = workspace.surface.memory.now
        kept = next((each for each in Interval if each.value == memory.interval), None)
        self._interval = kept or workspace.surface.options.chart_interval
        self._has_depth = memory.has_depth
        """Whether keys act on the depth chart."""
        if memory.has_candles:
            prices.switch_style()
        self._has_both = False
        """Whether both charts fit."""
        self._is_beside_result = False
        """Whether the market has ended and a chart takes the ladder's room, whatever the width."""
        self._charted_quote: Micros | None = None
        """The book's midpoint when the chart was last updated."""
        self._charted_at: datetime | None = None

    def show_beside_result(self, *, is_beside: bool) -> bool:
        """Show the prices at any width, because no ladder needs the room; return whether that is new."""
        is_new = is_beside is not self._is_beside_result
        self._is_beside_result = is_beside
        if is_new and self._prices.panel is not None:
            # Below the result no pane is at its left, which a stroke would set it apart from.
            _ = self._prices.panel.set_class(not is_beside, "-split")
        return is_new

    def forget(self) -> None:
        """Clear both charts because the market changes."""
        self._prices.clear()
        self._depth.show(None, None)

    def topics(self) -> Iterable[Topic]:
        """Return the history shown: a hidden one is not loaded."""
        token_id = self._workspace.reader.token_id
        if token_id is not None and self._shows_prices:
            yield HistoryTopic(token_id, self._interval)

    def switch(self) -> None:
        """Switch between the price chart and the depth chart."""
        width, height = self._page.size
        if width < DEPTH_FROM_WIDTH or height < _CHART_FROM_HEIGHT:
            self._line.show(f"Charts need {DEPTH_FROM_WIDTH}x{_CHART_FROM_HEIGHT}.")
            return
        # When both are shown, it chooses which one the keys act on.
        has_focus = self._has_both or self._page.focused in (self._prices, self._depth)
        self._has_depth = not self._has_depth
        self._keep()
        _ = self._page.set_class(self._has_depth, "-depth")
        self._page.show_parts(Part.TOPICS)
        self.show_cursor()
        if has_focus:
            _ = self._page.call_after_refresh(self.focus)

    def switch_candles(self) -> None:
        """Switch between line and candles."""
        if not self._shows_prices:
            key = self._workspace.key("switch_chart")
            is_small = self._page.size.width < CHART_FROM_WIDTH
            self._line.show(
                f"The price chart needs {CHART_FROM_WIDTH} columns."
                if is_small
                else f"Depth is on show: {key} shows the prices."
            )
            return
        self._prices.switch_style()
        self._keep()

    def _keep(self) -> None:
        is_candles = self._prices.style is ChartStyle.CANDLES
        memory = self._workspace.surface.memory
        memory.keep_charts(has_candles=is_candles, has_depth=self._has_depth)

    def focus(self) -> None:
        """Focus the visible chart."""
        self._workspace.go_to(self._depth if self._has_depth else self._prices, "the chart")

    def place(self, *, is_alone: bool) -> None:
        """Show both charts if they fit.

        Args:
            is_alone: whether there are no side ladders.
        """
        width, height = self._page.size
        self._has_both = is_alone and width >= BOTH_FROM_WIDTH and height >= BOTH_FROM_HEIGHT
        _ = self._page.set_class(self._has_both, "-charts")
        _ = self._page.set_class(self._has_depth, "-depth")
        self.show_cursor()

    def zoom(self, steps: int) -> None:
        """Show a longer interval or a wider range of prices; fewer with negative steps."""
        if not self._has_depth:
            self._shift_interval(steps)
        elif not self._depth.shift_reach(steps):
            is_least = self._depth.reach is Reach.TWO
            self._line.show("Already the closest range." if is_least else "Already the whole book.")

    def show_history(self, model: MarketModel) -> None:
        """Show the price history up to the book's midpoint."""
        queries, token_id = self._workspace.queries, model.token_id
        if token_id is None or not self._shows_prices:
            return
        view = queries.history(token_id, self._interval)
        self._charted_quote, self._charted_at = model.quote, model.now
        prints = queries.tape(token_id).prints
        line = price_line(
            view.points,
            prints,
            self._interval,
            now=model.now,
            quote=model.quote,
            result=result_of(model.market.market, token_id, model.now),
        )
        self._prices.show(
            view, line, token_id=token_id, now=model.now, prints=prints, fills=model.fills
        )

    def follow_quote(self, model: MarketModel) -> None:
        """End the chart at the book's midpoint, or update its age if there is none."""
        at = self._charted_at
        is_due = at is not None and model.now - at >= CHART_PERIOD
        if is_due or model.quote != self._charted_quote:
            self.show_history(model)

    def show_cursor(self) -> None:
        """Mark the ladder's cursor price on both charts."""
        self._prices.mark(self._pointed_at)
        self.show_depth()

    def show_depth(self) -> None:
        """Update the depth chart if it is shown."""
        if self._has_depth or self._has_both:
            self._depth.show(self._workspace.ladder.book, self._pointed_at)

    @property
    def _pointed_at(self) -> Micros | None:
        cursor = self._workspace.ladder.cursor
        return None if cursor is None else cursor[0]

    @property
    def _shows_prices(self) -> bool:
        if self._is_beside_result:
            return True
        is_on_show = self._has_both or not self._has_depth
        return self._page.size.width >= CHART_FROM_WIDTH and is_on_show

    def _shift_interval(self, steps: int) -> None:
        if self._page.size.width < CHART_FROM_WIDTH:
            self._line.show(f"The chart needs {CHART_FROM_WIDTH} columns.")
            return
        interval = self._interval.shifted(steps)
        if interval is self._interval:
            which = "shorter" if steps < 0 else "longer"
            self._line.show(f"No {which} interval than {interval.value}.")
            return
        self._interval = interval
        self._workspace.surface.memory.keep_interval(interval.value)
        self._page.show_parts(Part.TOPICS)
        self.show_history(self._workspace.reader.read())


LINE_FROM_WIDTH = DEPTH_FROM_WIDTH
"""The least width for all fields of the ticket side by side."""
TRADES_FROM_HEIGHT = 12
"""Below this height the ticket's line leaves no room for trades."""
FACTS_FROM_HEIGHT, EDGE_FACTS_FROM_HEIGHT = 34, 39
"""From these heights the position pane shows exit, break-even and stops: with the trades beside it, and
with the trades below it."""

RESERVED_ORDERS = 3
"""Orders and stops that the list has room for from the start; with more of them it grows once."""


class Panes:
    """Moves the focus between panes, and lays out the ticket."""

    def __init__(
        self, workspace: Workspace, *, orders: Widget, tape: Widget, ticket: TicketPane
    ) -> None:
        self._workspace = workspace
        self._page = workspace.page
        self._orders = orders
        self._tape = tape
        self._ticket = ticket

    def go_to_ladder(self) -> None:
        """Focus the ladder."""
        _ = self._workspace.ladder.focus()

    def go_to_orders(self) -> None:
        """Focus the own orders."""
        self._workspace.go_to(self._orders, "your orders")

    def go_to_tape(self) -> None:
        """Focus the trades."""
        self._workspace.go_to(self._tape, "the trades")

    def go_to_ticket(self) -> None:
        """Focus the ticket, if one is open."""
        if self._ticket.is_open:
            _ = self._ticket.size_field.focus()
            return
        buy, sell = self._workspace.key("buy"), self._workspace.key("sell")
        self._workspace.line.refuse_form(f"No ticket is open: {buy} buys, {sell} sells.")

    @property
    def has_facts(self) -> bool:
        """Whether the position's pane has room for what closing it brings, and the like."""
        width, height = self._page.size
        is_edge = width >= SIDES_FROM_WIDTH
        return height >= (EDGE_FACTS_FROM_HEIGHT if is_edge else FACTS_FROM_HEIGHT)

    def place_ticket(self) -> None:
        """Show the ticket on one line on a small screen, else in rows of a pane."""
        width, height = self._page.size
        is_small = LINE_FROM_WIDTH <= width < CHART_FROM_WIDTH and height < STRIP_FROM_HEIGHT
        is_line = is_small and not self._ticket.is_whole
        # Without a ticket these classes change no layout, so that nothing need be restyled.
        has_ticket = self._ticket.is_open
        _ = self._page.set_class(is_line, "-line", update=has_ticket)
        _ = self._page.set_class(not is_line, "-rows", update=has_ticket)
        _ = self._page.set_class(height < TRADES_FROM_HEIGHT, "-low", update=has_ticket)
        _ = self._page.set_class(self.has_facts, "-roomy")
        self._ticket.show_on_a_line(is_line=is_line)

"""The panes of the trading screen: which has the keys, what they mean there, which chart is shown."""

from datetime import datetime

from textual import on
from textual.getters import query_one
from textual.widget import Widget
from typing_extensions import override

from pmtui.domain.books.book_view import Reach
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.history import PricePoint, price_line
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Order
from pmtui.ui.charts.depth import DepthPane
from pmtui.ui.explore.event_chart import CHART_PERIOD
from pmtui.ui.facts import key_of
from pmtui.ui.format import format_price
from pmtui.ui.frame import is_live
from pmtui.ui.market.market_trading import MarketTrading
from pmtui.ui.market.tape import OrdersPane

CHART_FROM_WIDTH = 110
DEPTH_FROM_WIDTH = 79
"""Below the width of the price chart, depth takes the place of the trades."""
BOTH_FROM_WIDTH, BOTH_FROM_HEIGHT = 196, 36
"""Where prices and depth stand below one another, beside the trades."""
_CHART_FROM_HEIGHT = 18
_ENDED = "That order has ended: choose another."


class MarketPanes(MarketTrading):
    """The part of the trading screen that moves between its panes."""

    depth = query_one("#depth", DepthPane)
    _has_depth = False
    _charted_quote: Micros | None = None
    """The middle of the book when the chart was told of it."""
    _charted_at: datetime | None = None

    @override
    def forget_market(self) -> None:
        super().forget_market()
        self.depth.show(None, None)

    def action_switch_chart(self) -> None:
        """Show the depth of the book in the place of the prices, or the other way round."""
        width, height = self.size
        if width < DEPTH_FROM_WIDTH or height < _CHART_FROM_HEIGHT:
            self.message_line.say(f"Charts need {DEPTH_FROM_WIDTH}x{_CHART_FROM_HEIGHT}.")
            return
        # Where both are on show it chooses which of them is meant.
        has_focus = self.shows_both_charts or self.focused in (self.chart, self.depth)
        self._has_depth = not self._has_depth
        self.set_class(self._has_depth, "-depth")
        self.follow_topics()
        self._show_cursor_on_charts()
        if has_focus:
            _ = self.call_after_refresh(self.action_go_to_chart)

    def action_switch_candles(self) -> None:
        """Draw candles, or a line."""
        self.chart.switch_style()

    def place_charts(self, *, is_alone: bool) -> None:
        """Show both charts where there is room.

        Args:
            is_alone: no ladders stand beside this one.
        """
        width, height = self.size
        fits = is_alone and width >= BOTH_FROM_WIDTH and height >= BOTH_FROM_HEIGHT
        self.set_class(fits, "-charts")
        self._show_cursor_on_charts()

    @property
    def shows_both_charts(self) -> bool:
        """Whether neither takes the place of the other."""
        return self.has_class("-charts")

    def action_shorter_interval(self) -> None:
        """Show a shorter time on the chart, or less far from the middle."""
        self._zoom(-1)

    def action_longer_interval(self) -> None:
        """Show a longer time on the chart, or farther from the middle."""
        self._zoom(1)

    def action_go_to_ladder(self) -> None:
        """Let keys go to the ladder."""
        self.ladder.focus()

    def action_go_to_orders(self) -> None:
        """Let keys go to the own orders."""
        self._go_to(self.orders, "your orders")

    def action_go_to_tape(self) -> None:
        """Let keys go to the trades."""
        self._go_to(self.tape, "the trades")

    def action_go_to_chart(self) -> None:
        """Let keys go to the chart on show."""
        self._go_to(self.depth if self._has_depth else self.chart, "the chart")

    def action_go_to_ticket(self) -> None:
        """Let keys go to the ticket, if one is open."""
        if self.ticket.is_open:
            self.ticket.size_field.focus()
            return
        keymap = self.surface.options.keymap
        buy, sell = key_of(keymap, "market.buy"), key_of(keymap, "market.sell")
        self.message_line.refuse_form(f"No ticket is open: {buy} buys, {sell} sells.")

    @override
    def action_cancel_order(self) -> None:
        """Cancel the order chosen in the list, else those at the ladder's cursor."""
        if not self.orders.has_focus:
            super().action_cancel_order()
            return
        order = self.orders.selected
        if order is None:
            self.message_line.say(
                _ENDED if self._own_orders() else "No working orders in this market."
            )
            return
        at = format_price(order.price, ascii_only=self._ascii_only)
        command_id = self.surface.commands.cancel((order.order_id,))
        self.message_line.say(f"Cancelling the order at {at}.")
        _ = self.run_worker(self._say_cancelled(command_id, f"at {at}"))

    @override
    async def action_move_order(self) -> None:
        """Pick up the order chosen in the list, else those at the ladder's cursor."""
        if self.is_moving or not self.orders.has_focus:
            await super().action_move_order()
            return
        order, token_id = self.orders.selected, self.token_id
        if order is None:
            self.message_line.say(
                _ENDED if self._own_orders() else "No working orders in this market."
            )
        elif token_id is not None and self._point_at_order(order):
            self._pick((order,), token_id, order.price)

    @on(OrdersPane.Picked)
    def _show_order(self, message: OrdersPane.Picked) -> None:
        if self._point_at_order(message.order):
            self.ladder.focus()

    def _point_at_order(self, order: Order) -> bool:
        if order.token_id != self.token_id:
            self.message_line.say("That order is in the other outcome: flip to see it.")
            return False
        self.ladder.point_at(order.price)
        return True

    def _go_to(self, pane: Widget, name: str) -> None:
        if pane.display and pane.region.area:
            pane.focus()
        else:
            self.message_line.say(f"No room for {name} on this screen.")

    def on_descendant_blur(self) -> None:
        """Look whether the keys went anywhere."""
        _ = self.call_later(self._keep_focus)

    def _keep_focus(self) -> None:
        """Give the keys to the ladder when the pane that had them went out of sight."""
        if is_live(self) and self.focused is None and self.app.app_focus:
            self.ladder.focus()

    def _zoom(self, steps: int) -> None:
        if not self._has_depth:
            self._shift_interval(steps)
        elif not self.depth.shift_reach(steps):
            is_least = self.depth.reach is Reach.TWO
            self.message_line.say(
                "Already the closest range." if is_least else "Already the whole book."
            )

    def _shift_interval(self, steps: int) -> None:
        if self.size.width < CHART_FROM_WIDTH:
            self.message_line.say(f"The chart needs {CHART_FROM_WIDTH} columns.")
            return
        interval = self._interval.shifted(steps)
        if interval is self._interval:
            which = "shorter" if steps < 0 else "longer"
            self.message_line.say(f"No {which} interval than {interval.value}.")
            return
        self._interval = interval
        self.follow_topics()
        self._show_history()

    @property
    def _watches_history(self) -> bool:
        """Whether the price chart is on show: what nobody sees is not fetched."""
        is_on_show = self.shows_both_charts or not self._has_depth
        return self.size.width >= CHART_FROM_WIDTH and is_on_show

    def _show_history(self) -> None:
        queries, token_id = self.surface.queries, self.token_id
        if token_id is not None and self._watches_history:
            view, now = queries.history(token_id, self._interval), queries.now()
            self._charted_quote, self._charted_at = self._quote(), now
            prints = queries.tape(token_id).prints
            line = price_line(
                view.points,
                prints,
                self._interval,
                now=now,
                quote=self._charted_quote,
                result=self._result(token_id, now),
            )
            fills = queries.fills().fills
            self.chart.show(view, line, token_id=token_id, now=now, prints=prints, fills=fills)

    def _quote(self) -> Micros | None:
        """Return the middle of the book where the book is good."""
        book = self._book_view
        return book.midpoint if book is not None and book.state.is_good else None

    def _result(self, token_id: TokenId, now: datetime) -> PricePoint | None:
        market = self.surface.queries.market(self.condition_id).market
        price = None if market is None else market.settled_price(token_id)
        if market is None or price is None:
            return None
        return PricePoint(min(market.end_at or now, now), price)

    def _follow_quote(self) -> None:
        """Let the chart end at the middle of the book, and its age grow where there is none."""
        at = self._charted_at
        is_due = at is not None and self.surface.queries.now() - at >= CHART_PERIOD
        if is_due or self._quote() != self._charted_quote:
            self._show_history()

    def _show_cursor_on_charts(self) -> None:
        """Show the book's depth, and on either chart the price that the ladder points at."""
        cursor = None if self.ladder.cursor is None else self.ladder.cursor[0]
        self.chart.mark(cursor)
        if self._has_depth or self.shows_both_charts:
            self.depth.show(self.ladder.book, cursor)

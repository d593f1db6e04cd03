"""The trading screen: ladder, chart, trades, what is ours, and the place of the ticket.

Everything about the book comes from one view of it, so no two numbers contradict each other. The
ticket has a region of its own at every size and never covers the ladder.
"""

from collections.abc import Iterable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical
from textual.getters import query_one
from typing_extensions import override

from pmtui.domain.book_view import BookView
from pmtui.domain.history import Interval
from pmtui.domain.ids import CommandId, ConditionId, TokenId
from pmtui.domain.ladder import orders_at
from pmtui.domain.market import Side
from pmtui.domain.money import Micros, complement
from pmtui.domain.order import Order
from pmtui.service.topics import (
    AccountTopic,
    BookTopic,
    HistoryTopic,
    MarketTopic,
    StatusTopic,
    TapeTopic,
    Topic,
)
from pmtui.service.views import MarketView
from pmtui.ui.actions import Context, FooterEntry, bindings_for, footer_entries
from pmtui.ui.cells import Cell
from pmtui.ui.format import format_price
from pmtui.ui.market_facts import outcome_labels, tick_size_of, token_id_of, why_not_tradable
from pmtui.ui.paint.facts import count
from pmtui.ui.paint.ladder import paint_state
from pmtui.ui.paint.orders import paint_resting_orders, say_cancelled
from pmtui.ui.paint.position import account_words
from pmtui.ui.screens.question import QuestionScreen
from pmtui.ui.screens.reading import RulesScreen
from pmtui.ui.screens.saying import SayingScreen
from pmtui.ui.surface import Surface
from pmtui.ui.theme import Role
from pmtui.ui.widgets.chart import ChartPane
from pmtui.ui.widgets.ladder import LadderPane
from pmtui.ui.widgets.market_head import MarketHead
from pmtui.ui.widgets.tape import OrdersPane, PositionPane, TapePane
from pmtui.ui.widgets.text_line import TextLine
from pmtui.ui.widgets.ticket import TicketPane

CHART_FROM_WIDTH = 110


class MarketScreen(SayingScreen):
    """One market: its ladder, its trades, and orders in it."""

    CSS_PATH = "market.tcss"
    CONTEXTS: ClassVar[tuple[Context, ...]] = (Context.MARKET, Context.LADDER, Context.TICKET)
    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.MARKET)
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - typed by the toolkit
        (0, "-narrow"),
        (79, "-normal"),
        (CHART_FROM_WIDTH, "-wide"),
        (170, "-huge"),
    ]
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012 - typed by the toolkit
        (0, "-tiny"),
        (18, "-short"),
        (32, "-tall"),
    ]

    head = query_one("#head", MarketHead)
    ladder = query_one("#ladder", LadderPane)
    chart = query_one("#chart", ChartPane)
    tape = query_one("#tape", TapePane)
    position = query_one("#position", PositionPane)
    orders = query_one("#orders", OrdersPane)
    ticket = query_one("#ticket", TicketPane)

    def __init__(self, surface: Surface, condition_id: ConditionId) -> None:
        super().__init__(surface)
        self.condition_id = condition_id
        self._outcome_index = 0
        self._interval = Interval.DAY
        self._watched: tuple[Topic, ...] = ()

    @property
    def outcome_index(self) -> int:
        """Which outcome's book is on show."""
        return self._outcome_index

    @property
    def token_id(self) -> TokenId | None:
        """The token on show; None until the market is known, or when it has none."""
        return token_id_of(self._market_view, self._outcome_index)

    @override
    def topics(self) -> Iterable[Topic]:
        topics: list[Topic] = [MarketTopic(self.condition_id), AccountTopic()]
        token_id = self.token_id
        if token_id is not None:
            topics += [BookTopic(token_id), TapeTopic(token_id)]
            # What nobody sees is not fetched.
            if self.size.width >= CHART_FROM_WIDTH:
                topics.append(HistoryTopic(token_id, self._interval))
        self._watched = tuple(topics)
        return self._watched

    @override
    def compose_body(self) -> ComposeResult:
        ascii_only = self.surface.options.ascii_only
        yield MarketHead(id="head", ascii_only=ascii_only)
        with Container(id="panes"):
            with Vertical(id="book"):
                yield TextLine(id="book-state", ascii_only=ascii_only)
                yield LadderPane(id="ladder", ascii_only=ascii_only)
            with Container(id="side"):
                yield ChartPane(id="chart", ascii_only=ascii_only)
                with Container(id="own"):
                    yield PositionPane(id="position", ascii_only=ascii_only)
                    yield OrdersPane(id="orders", ascii_only=ascii_only)
                    yield TicketPane(self.surface, id="ticket")
                yield TapePane(id="tape", ascii_only=ascii_only)

    @override
    def footer_entries(self) -> tuple[FooterEntry, ...]:
        keymap = self.surface.options.keymap
        if self.is_mounted and self.ticket.is_open and self.ticket.has_focus_within:
            return footer_entries(Context.TICKET, keymap=keymap)
        # The registry lists the global keys first; here the screen's own come before them.
        near = footer_entries(Context.MARKET, keymap=keymap)
        ladder = footer_entries(Context.LADDER, keymap=keymap)
        rest = footer_entries(Context.GLOBAL, keymap=keymap)
        return near + ladder + tuple(entry for entry in rest if entry.id != "global.open")

    @override
    def show_topic(self, topic: Topic) -> None:
        match topic:
            case MarketTopic():
                self._follow_topics()
                self._show_head()
                self._show_book()
                self._show_own()
                self._tell_ticket()
            case BookTopic(token_id) if token_id == self.token_id:
                self._show_quote()
                self._show_book()
                self._show_own()
                self._tell_ticket()
            case TapeTopic(token_id) if token_id == self.token_id:
                self.tape.show(
                    self.surface.queries.tape(token_id), tick=tick_size_of(self._market_view)
                )
                self._show_book()
            case HistoryTopic(token_id, interval) if token_id == self.token_id:
                self._show_history(token_id, interval)
            case AccountTopic():
                self._show_own()
                self._show_book()
                self._tell_ticket()
            case StatusTopic():
                # Ages and the time left move with the clock.
                self._show_head()
                self._show_state()
            case _:
                pass

    @override
    def on_mount(self) -> None:
        self.ladder.focus()
        self._show_head()

    @override
    def on_resize(self) -> None:  # type: ignore[override]  # the toolkit passes the event only where it is named
        self._follow_topics()
        self._show_head()
        self._show_state()

    @on(LadderPane.CursorMoved)
    def _show_cursor(self) -> None:
        self._show_state()

    @on(LadderPane.LevelPicked)
    def _trade_level(self, message: LadderPane.LevelPicked) -> None:
        self._open_ticket(message.side, message.price)

    @on(TicketPane.Opened)
    def _make_room(self) -> None:
        self.add_class("-ticket")
        self.show_footer()

    @on(TicketPane.Closed)
    def _return_to_ladder(self) -> None:
        self.remove_class("-ticket")
        self.ladder.focus()
        self.show_footer()

    def on_descendant_focus(self) -> None:
        """Show the keys of what has the focus now."""
        self.show_footer()

    def action_flip_outcome(self) -> None:
        """Show the other outcome; the cursor goes to the price that means the same."""
        view = self._market_view
        count = len(view.market.outcomes) if view.market else 0
        if count < 2:
            self.say("There is no other outcome to show.")
            return
        cursor = self.ladder.cursor
        self._outcome_index = (self._outcome_index + 1) % count
        self.ladder.clear_cursor()
        self._follow_topics()
        self._show_head()
        self._show_book()
        if cursor is not None and self.ladder.ladder is not None:
            price, side = cursor
            self.ladder.point_at(complement(price), side.opposite)
        else:
            self.ladder.action_recentre()
        self._show_own()
        self._tell_ticket()

    def action_buy(self) -> None:
        """Open the ticket to buy at the cursor, or at the best ask."""
        self._open_at_cursor(Side.BUY)

    def action_sell(self) -> None:
        """Open the ticket to sell at the cursor, or at the best bid."""
        self._open_at_cursor(Side.SELL)

    def action_shorter_interval(self) -> None:
        """Show a shorter time on the chart."""
        self._shift_interval(-1)

    def action_longer_interval(self) -> None:
        """Show a longer time on the chart."""
        self._shift_interval(1)

    def action_group_prices(self) -> None:
        """Change to the next grouping of the ladder."""
        group = self.ladder.next_grouping()
        self.say(f"One row every {format_price(group, ascii_only=self._ascii_only)}.")
        self._show_state()

    def action_cancel_order(self) -> None:
        """Cancel own orders of this outcome at the cursor's price."""
        ladder, cursor, token_id = self.ladder.ladder, self.ladder.cursor, self.token_id
        if ladder is None or cursor is None or token_id is None:
            self.say("Move the cursor to a price with an order of yours first.")
            return
        at = format_price(cursor[0], tick=ladder.axis.tick, ascii_only=self._ascii_only)
        found = orders_at(ladder, cursor[0], self.surface.queries.account().orders_at(token_id))
        if not found:
            self.say(f"No order of yours at {at}.")
            return
        command_id = self.surface.commands.cancel(order.order_id for order in found)
        self.say(f"Cancelling {count(len(found), 'order')} at {at}.")
        _ = self.run_worker(self._say_cancelled(command_id, at))

    async def _say_cancelled(self, command_id: CommandId, at: str) -> None:
        self.say(say_cancelled(await self.surface.commands.cancel_verdict(command_id), at))

    def action_cancel_market(self) -> None:
        """Cancel all own orders in this market, after a question that names them."""
        orders = self._own_orders()
        if not orders:
            self.say("No open orders of yours in this market.")
            return

        def decide(is_agreed: bool | None) -> None:  # noqa: FBT001 - the toolkit's callback
            if is_agreed:
                _ = self.surface.commands.cancel_market(self.condition_id, None)

        lines = paint_resting_orders(orders)
        title, options = "Cancel all orders in this market?", self.surface.options
        screen = QuestionScreen(title, lines, agree="Cancel them", options=options)
        _ = self.app.push_screen(screen, decide)

    def action_rules(self) -> None:
        """Show the rules of the market and of its event."""
        market = self._market_view.market
        event_id = market.event_id if market else None
        _ = self.app.push_screen(RulesScreen(self.surface, event_id, self.condition_id))

    @property
    def _ascii_only(self) -> bool:
        return self.surface.options.ascii_only

    @property
    def _market_view(self) -> MarketView:
        return self.surface.queries.market(self.condition_id)

    @property
    def _book_view(self) -> BookView | None:
        return None if self.token_id is None else self.surface.queries.book(self.token_id)

    def _own_orders(self) -> tuple[Order, ...]:
        orders = self.surface.queries.account().open_orders
        return tuple(order for order in orders if order.condition_id == self.condition_id)

    def _follow_topics(self) -> None:
        before = self._watched
        if before and before != tuple(self.topics()):
            self.retopic()

    def _shift_interval(self, steps: int) -> None:
        if self.size.width < CHART_FROM_WIDTH:
            self.say(f"The chart needs a screen of {CHART_FROM_WIDTH} columns.")
            return
        interval = self._interval.shifted(steps)
        if interval is self._interval:
            which = "shorter" if steps < 0 else "longer"
            self.say(f"There is no {which} time than {interval.value}.")
            return
        self._interval = interval
        self._follow_topics()
        if self.token_id is not None:
            self._show_history(self.token_id, interval)

    def _open_at_cursor(self, side: Side) -> None:
        cursor, book = self.ladder.cursor, self._book_view
        if cursor is not None:
            self._open_ticket(side, cursor[0])
        elif book is None or not book.state.is_good:
            # A price from a book that may be wrong is the trader's to state.
            self._open_ticket(side, None)
        else:
            self._open_ticket(side, book.best_ask if side is Side.BUY else book.best_bid)

    def _open_ticket(self, side: Side, price: Micros | None) -> None:
        view = self._market_view
        reason = why_not_tradable(view, self.surface.queries.status())
        if not reason and view.terms is None:
            reason = "The terms of trading are not loaded yet."
        if reason:
            self.say(reason)
            return
        self.ticket.open(side, market=view, outcome_index=self._outcome_index, price=price)
        self._tell_ticket()

    def _tell_ticket(self) -> None:
        book = self._book_view
        if self.ticket.is_open and book is not None:
            account = self.surface.queries.account()
            self.ticket.update_context(book=book, account=account, market=self._market_view)

    def _show_head(self) -> None:
        queries = self.surface.queries
        self.head.show(
            self._market_view, queries.status(), queries.now(),
            outcome_index=self._outcome_index, width=self.size.width,
        )  # fmt: skip
        self._show_quote()

    def _show_quote(self) -> None:
        self.head.show_quote(self._market_view, self._book_view, self.size.width)

    def _show_book(self) -> None:
        book, token_id = self._book_view, self.token_id
        if book is not None and token_id is not None:
            queries = self.surface.queries
            self.ladder.show(
                book, tick=tick_size_of(self._market_view), orders=queries.account().orders_at(token_id),
                prints=queries.tape(token_id).prints,
            )  # fmt: skip
        self._show_state()

    def _show_state(self) -> None:
        book = self._book_view
        line = self.query_one("#book-state", TextLine)
        if book is None:
            line.show((Cell(" no book ", Role.DIM),))
            return
        line.show(
            paint_state(
                book, self.surface.queries.now(), line.size.width or self.size.width,
                group=self.ladder.axis.group, cursor=self.ladder.cursor,
                ascii_only=self._ascii_only,
            )
        )  # fmt: skip

    def _show_own(self) -> None:
        account = self.surface.queries.account()
        held = tuple(p for p in account.positions if p.condition_id == self.condition_id)
        self.position.show(
            held,
            labels=outcome_labels(self._market_view),
            words=account_words(account),
        )
        self.orders.show(self._own_orders())

    def _show_history(self, token_id: TokenId, interval: Interval) -> None:
        if interval is self._interval:
            queries = self.surface.queries
            self.chart.show(
                queries.history(token_id, interval), token_id=token_id, now=queries.now()
            )

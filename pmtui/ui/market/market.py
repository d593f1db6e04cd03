"""The trading screen: ladder, chart, trades, what is ours, and the place of the ticket.

Everything about the book comes from one view of it, so no two numbers contradict each other. The
ticket has a region of its own at every size and never covers the ladder.
"""

from collections.abc import Iterable
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical
from typing_extensions import override

from pmtui.domain.books.tape import fills_in
from pmtui.domain.money import complement
from pmtui.service.topics import (
    AccountTopic,
    BookTopic,
    EventQuotesTopic,
    EventTopic,
    FillsTopic,
    HistoryTopic,
    MarketTopic,
    StatusTopic,
    TapeTopic,
    Topic,
)
from pmtui.service.views import OwnList
from pmtui.ui.cells import Cell
from pmtui.ui.charts.chart import ChartPane
from pmtui.ui.charts.depth import DepthPane
from pmtui.ui.explore.reading import RulesScreen
from pmtui.ui.facts import key_of
from pmtui.ui.frame import is_live
from pmtui.ui.keys.action import Context
from pmtui.ui.keys.actions import FooterEntry, bindings_for, footer_entries
from pmtui.ui.ladder.ladder import LadderPane
from pmtui.ui.ladder.ladder_state import paint_state
from pmtui.ui.market.closed_market import entries_when_over
from pmtui.ui.market.market_facts import outcome_labels, tick_size_of, trading_of
from pmtui.ui.market.market_head import MarketHead
from pmtui.ui.market.market_moving import NOTHING_HERE, moving_entries
from pmtui.ui.market.market_panes import CHART_FROM_WIDTH, DEPTH_FROM_WIDTH, MarketPanes
from pmtui.ui.market.market_siblings import STRIP_FROM_HEIGHT
from pmtui.ui.market.market_single_keys import KEYS_IN_TICKET, armed_entries
from pmtui.ui.market.market_ticket_line import MarketTicketLine
from pmtui.ui.market.market_watch import MarketWatch
from pmtui.ui.market.sibling_strip import SiblingStrip
from pmtui.ui.market.side_ladders import SIDES_FROM_WIDTH, MarketSides
from pmtui.ui.market.stray_key_guard import MarketRest
from pmtui.ui.market.tape import OrdersPane, PositionPane, TapePane
from pmtui.ui.portfolio.paint_position import account_words, by_ladder
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.paint_conditional import paint_protection, paint_unprotected
from pmtui.ui.ticket.ticket import TicketPane
from pmtui.ui.widgets.text_line import TextLine


class MarketScreen(MarketTicketLine, MarketWatch, MarketSides, MarketPanes, MarketRest):
    """One market: its ladder, its trades, and orders in it."""

    ABOUT: ClassVar[str] = "One market: its ladder, its trades, and orders in it."

    CSS_PATH = "market.tcss"
    CONTEXTS: ClassVar[tuple[Context, ...]] = (Context.MARKET, Context.LADDER, Context.TICKET)
    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.MARKET)
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - typed by Textual
        (0, "-narrow"),
        (DEPTH_FROM_WIDTH, "-normal"),
        (CHART_FROM_WIDTH, "-wide"),
        (SIDES_FROM_WIDTH, "-huge"),
    ]
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012 - typed by Textual
        (0, "-tiny"),
        (18, "-short"),
        (STRIP_FROM_HEIGHT, "-tall"),
    ]

    @override
    def topics(self) -> Iterable[Topic]:
        topics: list[Topic] = [MarketTopic(self.condition_id), AccountTopic(), FillsTopic()]
        token_id = self.token_id
        if token_id is not None:
            topics += [BookTopic(token_id), TapeTopic(token_id)]
            if self._watches_history:
                topics.append(HistoryTopic(token_id, self._interval))
        topics += self._sibling_topics()
        topics += self._side_topics()
        self._watched = tuple(topics)
        return self._watched

    @override
    def compose_body(self) -> ComposeResult:
        ascii_only = self.surface.options.ascii_only
        yield MarketHead(id="head", ascii_only=ascii_only)
        yield SiblingStrip(id="siblings", ascii_only=ascii_only)
        with Container(id="panes"):
            with Vertical(id="book"):
                yield TextLine(id="book-state", ascii_only=ascii_only)
                yield LadderPane(id="ladder", ascii_only=ascii_only)
            yield Container(id="sides")
            with Container(id="side"):
                yield ChartPane(id="chart", ascii_only=ascii_only)
                yield DepthPane(id="depth", ascii_only=ascii_only)
                with Container(id="own"):
                    yield PositionPane(id="position", ascii_only=ascii_only)
                    yield OrdersPane(id="orders", ascii_only=ascii_only)
                    yield TicketPane(self.surface, id="ticket")
                yield TapePane(id="tape", ascii_only=ascii_only)

    @override
    def footer_entries(self) -> tuple[FooterEntry, ...]:
        keymap = self.surface.options.keymap
        if self.do_keys_rest:
            return self.ticket_entries()
        if self.is_moving:
            return moving_entries(keymap)
        if is_live(self) and (beside := self._side_entries()):
            rest = footer_entries(Context.GLOBAL, keymap=keymap)
            return beside + tuple(entry for entry in rest if entry.id != "global.open")
        # The registry lists the global keys first; here the screen's own come before them.
        near = footer_entries(Context.MARKET, keymap=keymap)
        if self.is_over:
            near = entries_when_over(near, is_armed=self.is_armed)
        elif self.is_armed:
            armed = armed_entries(keymap)
            near = armed + tuple(e for e in near if e.id not in {each.id for each in armed})
        has_ladder = is_live(self) and self.focused in (self.ladder, None)
        ladder = footer_entries(Context.LADDER, keymap=keymap) if has_ladder else ()
        if self.is_over:
            ladder = entries_when_over(ladder)
        rest = footer_entries(Context.GLOBAL, keymap=keymap)
        return near + ladder + tuple(entry for entry in rest if entry.id != "global.open")

    @override
    def show_topic(self, topic: Topic) -> None:
        self._show_side_topic(topic)
        match topic:
            case MarketTopic():
                self.follow_topics()
                self.show_market()
                self._show_history()
                self._tell_ticket()
            case BookTopic(token_id) if token_id == self.token_id:
                self._show_quote()
                self._show_siblings()
                self._show_book()
                self._show_cursor_on_charts()
                self._follow_quote()
                self._show_own()
                self._tell_ticket()
            case EventTopic() | EventQuotesTopic():
                self.follow_topics()
                self._show_siblings()
            case TapeTopic(token_id) if token_id == self.token_id:
                self._show_tape()
                self._show_book()
                self._show_history()
            case HistoryTopic(token_id, interval) if (token_id, interval) == (
                self.token_id,
                self._interval,
            ):
                self._show_history()
            case AccountTopic() | FillsTopic():
                self._follow_picked()
                self._tell_of_delayed()
                self._show_own()
                self._show_tape()
                self._show_book()
                self._tell_ticket()
            case StatusTopic():
                self._tell_ticket()
                self._follow_arming()
                # Ages and the time left move with the clock.
                self._show_head()
                self._follow_quote()
                self._show_state()
            case _:
                pass

    @override
    def show_market(self) -> None:
        self.show_footer()
        self._show_head()
        self._show_siblings()
        self._show_book()
        self._show_own()

    @override
    def on_mount(self) -> None:
        self.ladder.focus()
        self._show_head()

    @override
    def on_resize(self) -> None:  # type: ignore[override]  # Textual passes the event only where it is named
        self.place_charts(is_alone=not self._is_side_by_side)
        self.follow_topics()
        self._place_ticket()
        self._follow_arming()
        self._show_head()
        self._show_siblings()
        self._show_sides()
        self._show_state()

    @override
    def action_toggle_sides(self) -> None:
        super().action_toggle_sides()
        self.place_charts(is_alone=not self._is_side_by_side)
        self.follow_topics()

    @on(LadderPane.CursorMoved)
    def _show_cursor(self) -> None:
        self._leave_nothing_behind()
        self._show_state()
        self._show_cursor_on_charts()

    @on(TicketPane.Opened)
    def _make_room(self) -> None:
        self.message_line.take_back(NOTHING_HERE)
        self.add_class("-ticket")
        self.show_footer()

    @on(TicketPane.Closed)
    def _return_to_ladder(self) -> None:
        self.message_line.take_back(*KEYS_IN_TICKET)
        self.remove_class("-ticket")
        self.ladder.focus()
        self.show_footer()

    def on_descendant_focus(self) -> None:
        """Show the keys of what has the focus now, and whether single keys trade there."""
        self._follow_keys()
        self.show_footer()
        self._show_state()
        if self.is_armed:
            self._show_status()

    def action_flip_outcome(self) -> None:
        """Show the other outcome; the cursor goes to the price that means the same."""
        view = self._market_view
        count = len(view.market.outcomes) if view.market else 0
        if count < 2:
            self.message_line.say("No other outcome.")
            return
        cursor = self.ladder.cursor
        self.message_line.take_back_confirmation()
        self._outcome_index = (self._outcome_index + 1) % count
        self.ladder.clear_cursor()
        self._follow_picked()
        self.follow_topics()
        self._show_siblings()
        self._show_sides()
        self._show_head()
        self._show_book()
        if cursor is not None and self.ladder.ladder is not None:
            self.ladder.point_at(complement(cursor[0]))
        else:
            self.ladder.action_recentre()
        self._show_own()
        self._tell_ticket()

    def action_rules(self) -> None:
        """Show the rules of the market and of its event."""
        market = self._market_view.market
        event_id = market.event_id if market else None
        _ = self.app.push_screen(RulesScreen(self.surface, event_id, self.condition_id))

    def _show_head(self) -> None:
        queries = self.surface.queries
        self.head.show(
            self._market_view, queries.status(), queries.now(),
            outcome_index=self._outcome_index, width=self.size.width,
        )  # fmt: skip
        self._show_quote()

    def _show_quote(self) -> None:
        self.head.show_quote(self._market_view, self._book_view, self.size.width)

    @override
    def _show_state(self) -> None:
        book = self._book_view
        line = self.query_one("#book-state", TextLine)
        moving = self._moving_line()
        if moving:
            line.show(moving)
            return
        if book is None:
            line.show((Cell(" no book ", Role.DIM),))
            return
        keymap = self.surface.options.keymap
        release, centre = (key_of(keymap, f"ladder.{name}") for name in ("hold", "recentre"))
        where = self.ladder.spread_is
        line.show_in_width(
            partial(
                paint_state,
                book, self.surface.queries.now(),
                group=self.ladder.axis.group, cursor=self.ladder.cursor,
                release_key=release if self.ladder.is_held else "",
                away=(where, centre) if where else None,
                keys=self._arming_line(book),
                is_in_ticket=self.do_keys_rest,
                trading=trading_of(self._market_view),
                ascii_only=self._ascii_only,
            )
        )  # fmt: skip

    def action_filter_tape(self) -> None:
        """Show the next kind of trades on the tape: by size, or own ones only."""
        words = self.tape.next_filter().words
        self.message_line.confirm(f"Tape: {words}." if words else "Tape: all trades.")

    def _show_tape(self) -> None:
        queries, token_id = self.surface.queries, self.token_id
        if token_id is not None:
            fills = fills_in(queries.fills().fills, self.condition_id, token_id)
            tick = tick_size_of(self._market_view)
            self.tape.show(queries.tape(token_id), fills=fills, tick=tick)

    def _show_own(self) -> None:
        account = self.surface.queries.account()
        held = tuple(p for p in account.positions if p.condition_id == self.condition_id)
        self.position.show(
            held,
            labels=outcome_labels(self._market_view),
            words=account_words(account),
            are_known=not account.lack_of(OwnList.POSITIONS),
        )
        here = [e for e in account.conditionals if e.condition_id == self.condition_id]
        watched = [paint_protection(each, account, is_brief=True) for each in here]
        tokens = dict.fromkeys(each.token_id for each in here)
        watched += filter(None, (paint_unprotected(account, token_id) for token_id in tokens))
        own = by_ladder(self._own_orders(), self.token_id)
        self.orders.show(own, protections=tuple(watched))

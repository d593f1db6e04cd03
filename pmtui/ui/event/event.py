"""The event screen: all outcomes in one live table, with a chart, rules, comments and holders."""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from typing_extensions import override

from pmtui.config.workplace import EVENT_PLACE, LastScreen
from pmtui.domain.ids import EventId
from pmtui.domain.markets.market import Market
from pmtui.domain.markets.watchlist import key_of_event, key_of_market
from pmtui.domain.orders.basket import has_one_winner
from pmtui.service.topics import (
    AccountTopic,
    EventQuotesTopic,
    EventTopic,
    HistoryTopic,
    StatusTopic,
    Topic,
)
from pmtui.ui.basket.basket_form import BasketForm
from pmtui.ui.charts.overlay import OverlayPane
from pmtui.ui.desk.desk import DeskScreen
from pmtui.ui.event.event_board import EventBoard
from pmtui.ui.event.event_chart import EventChart
from pmtui.ui.explore.reading import CommentsScreen, HoldersScreen, RulesScreen
from pmtui.ui.frame import CursorItem, FrameScreen, MarketChosen
from pmtui.ui.keys.action_table import Context, Need
from pmtui.ui.keys.actions import bindings_for
from pmtui.ui.market.market_model import why_no_entry
from pmtui.ui.message_line import MessageLine
from pmtui.ui.rows.columns import ColumnKeys
from pmtui.ui.rows.row_verbs import RowVerbs, market_to_trade, target_of_market
from pmtui.ui.surface import Surface
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.panel import Panel


class EventReading:
    """Opens rules, comments and holders over the event screen."""

    def __init__(
        self, page: Screen[Any], surface: Surface, line: MessageLine, event_id: EventId, *,
        market: Callable[[], Market | None],
    ) -> None:  # fmt: skip
        """Build for one event.

        Args:
            page: the screen below.
            surface: the service and the user's choices.
            line: shows why something does not open.
            event_id: the event.
            market: returns the selected market.
        """
        self._page = page
        self._surface = surface
        self._line = line
        self._event_id = event_id
        self._market = market

    def show_rules(self) -> None:
        """Show the rules of the selected market and of the event."""
        market = self._market()
        condition_id = market.condition_id if market else None
        screen = RulesScreen(self._surface, self._event_id, condition_id)
        _ = self._page.app.push_screen(screen)

    def show_comments(self) -> None:
        """Show the event's comments."""
        _ = self._page.app.push_screen(CommentsScreen(self._surface, self._event_id))

    def show_holders(self) -> None:
        """Show the largest holders of the selected market."""
        market = self._market()
        if market is None or market.condition_id is None:
            self._line.show("No condition id yet, so no holders.")
            return
        _ = self._page.app.push_screen(HoldersScreen(self._surface, market.condition_id))

    async def star_event(self) -> None:
        """Star the event as a whole, or remove its star."""
        queries, commands = self._surface.queries, self._surface.commands
        event = queries.event(self._event_id).event
        if event is None:
            self._line.show("The event is not loaded yet.")
            return
        key = key_of_event(event)
        if queries.watchlist().is_starred(key):
            problem = await commands.unstar(key)
            self._line.show(problem or "Event unstarred.")
        else:
            problem = await commands.star(key, event.title)
            self._line.show(problem or "Event starred.")


class EventScreen(FrameScreen):
    """Every outcome of an event, with live prices and their sums."""

    ABOUT: ClassVar[str] = "Every outcome of an event, with live prices and what they add up to."
    PLACE: ClassVar[str] = EVENT_PLACE
    CONTEXTS: ClassVar[tuple[Context, ...]] = (Context.ROW, Context.EVENT)
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_for(Context.EVENT),
        *bindings_for(Context.ROW),
    ]
    DEFAULT_CSS = """
    EventScreen #chart-panel { display: none; }
    EventScreen.-charted #chart-panel { display: block; }
    """

    def __init__(self, surface: Surface, event_id: EventId) -> None:
        super().__init__(surface)
        line = self.message_line
        self._board = board = EventBoard(self, surface, event_id)
        pane = OverlayPane(id="chart")
        self._frame = Panel(pane, id="chart-panel")
        self._chart = chart = EventChart(
            self, surface, pane, frame=self._frame, event=lambda: board.event,
            picked=lambda: board.market, say=line.show,
        )  # fmt: skip
        reading = EventReading(self, surface, line, event_id, market=lambda: board.market)
        verbs = RowVerbs(
            self, surface, line, lambda: target_of_market(board.market)
        )  # fmt: skip
        table = board.table
        columns = ColumnKeys(self, surface.memory, (table,), shown=lambda: table)
        self.actions = {
            "rules": reading.show_rules,
            "comments": reading.show_comments,
            "holders": reading.show_holders,
            "star_event": reading.star_event,
            "basket": self._open_basket,
            "desk": self._open_desk,
            "switch_chart": chart.switch,
            "shorter_interval": chart.shorten,
            "longer_interval": chart.lengthen,
            **verbs.actions,
            **columns.actions,
        }
        self.missing_needs = (
            verbs.missing,
            lambda: (Need.ONE_WINNER,) if self._why_no_basket() else (),
        )
        self._event_topic, self._quotes_topic = EventTopic(event_id), EventQuotesTopic(event_id)

    @override
    def topics(self) -> Iterable[Topic]:
        watched = (self._event_topic, self._quotes_topic, AccountTopic(), *self._chart.topics())
        # The chart may draw one of the days shown in the table.
        return tuple(dict.fromkeys((*watched, *self._board.topics())))

    @override
    def compose_body(self) -> ComposeResult:
        lines = self._board.lines
        yield lines.head
        yield self._board.frame
        yield self._frame
        yield lines.details

    @override
    def on_mount(self) -> None:
        # Textual also calls FrameScreen.on_mount.
        self._show_outcomes()
        self._chart.show()
        self._board.table.focus()

    @override
    def on_resize(self, _: events.Resize) -> None:
        self._show_facts()
        self._chart.show()
        # The table knows the width of the bars only after its layout.
        self.call_after_refresh(self._board.show_rows)

    @override
    def show_topic(self, topic: Topic) -> None:
        if isinstance(topic, HistoryTopic):
            self._chart.show_histories()
            self._board.show_rows()
        elif topic in (self._event_topic, self._quotes_topic):
            self._show_outcomes()
            if topic == self._event_topic:
                self._chart.show()
            else:
                self._chart.follow_quotes()
        elif topic == AccountTopic():
            self._board.show_rows()
        elif topic == StatusTopic():
            self._show_facts()
            self._chart.follow_clock()

    @on(LineTable.RowHighlighted, "#outcomes")
    def show_details(self) -> None:
        """Show the details of the selected outcome."""
        self._board.show_details(self.size.width)
        self._chart.show_picked()

    @on(LineTable.ViewChanged, "#outcomes")
    def follow_view(self) -> None:
        """Show the sparklines of the rows in view."""
        self._board.stream.follow_soon()

    @on(LineTable.RowSelected, "#outcomes")
    def open_market(self, message: LineTable.RowSelected) -> None:
        """Open the market of this outcome."""
        market = self._board.market_of(message.key)
        if market is None:
            return
        if market.condition_id is None:
            self.message_line.show("Not open for trading yet.")
        else:
            self.post_message(MarketChosen(market.condition_id))

    @override
    def place(self) -> LastScreen:
        return LastScreen(screen=self.PLACE, item=self._event_topic.event_id)

    @override
    def cursor_item(self) -> CursorItem:
        market = self._board.market
        if market is None or market.condition_id is None:
            return CursorItem()
        return CursorItem(
            copied=("condition id", market.condition_id),
            starred=(key_of_market(market.condition_id), market.distinct_name),
            traded=market_to_trade(target_of_market(market), self.surface.queries),
        )

    def _open_desk(self) -> None:
        market = self._board.market
        if self._board.event is None:
            self.message_line.refuse_form("The event is not loaded yet.")
            return
        first = market.condition_id if market is not None else None
        _ = self.app.push_screen(DeskScreen(self.surface, self._event_topic.event_id, first))

    def _open_basket(self) -> None:
        event, reason = self._board.event, self._why_no_basket()
        if event is None or reason:
            self.message_line.refuse_form(reason)
        else:
            _ = self.app.push_screen(BasketForm(self.surface, event))

    def _why_no_basket(self) -> str:
        event = self._board.event
        if event is None:
            return "The event is not loaded yet."
        if not has_one_winner(event):
            return "No basket: these markets are independent, more than one can resolve Yes."
        return why_no_entry(self.surface.queries.status())

    def _show_outcomes(self) -> None:
        self._board.show_rows()
        self._show_facts()

    def _show_facts(self) -> None:
        self._board.show_facts(self.size.width)
        self.show_details()

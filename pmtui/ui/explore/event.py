"""One event: all its outcomes in one live table."""

from collections.abc import Iterable
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from typing_extensions import override

from pmtui.domain.ids import EventId
from pmtui.domain.markets.market import Event, Market
from pmtui.domain.markets.watchlist import StarKey, key_of_event, key_of_market
from pmtui.service.topics import EventQuotesTopic, EventTopic, HistoryTopic, StatusTopic, Topic
from pmtui.service.views import QuoteRow
from pmtui.ui.cells import Line
from pmtui.ui.charts.overlay import OverlayPane
from pmtui.ui.explore.event_chart import EventChart
from pmtui.ui.explore.paint_event import (
    OUTCOME_COLUMNS,
    by_price,
    paint_event_facts,
    paint_event_meaning,
    paint_event_title,
    paint_outcome_details,
    paint_outcome_row,
    say_no_event,
)
from pmtui.ui.explore.reading import CommentsScreen, HoldersScreen, RulesScreen
from pmtui.ui.frame import MarketChosen
from pmtui.ui.keys.action import Context
from pmtui.ui.keys.actions import bindings_for
from pmtui.ui.row_memo import RowMemo
from pmtui.ui.surface import Surface
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.text_line import TextLine


class EventScreen(EventChart):
    """Every outcome of an event, with live prices and what they add up to."""

    ABOUT: ClassVar[str] = "Every outcome of an event, with live prices and what they add up to."
    CONTEXTS: ClassVar[tuple[Context, ...]] = (Context.EVENT,)
    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.EVENT)
    DEFAULT_CSS = """
    EventScreen LineTable { margin-left: 1; }
    EventScreen #meaning { display: none; }
    EventScreen.-has-meaning #meaning { display: block; }
    EventScreen #chart { display: none; margin: 0 1; }
    EventScreen.-charted #chart { display: block; }
    """

    def __init__(self, surface: Surface, event_id: EventId) -> None:
        super().__init__(surface)
        self._event_id = event_id
        self._markets: dict[str, Market] = {}
        self._memo = RowMemo()

    @override
    def topics(self) -> Iterable[Topic]:
        return (
            EventTopic(self._event_id), EventQuotesTopic(self._event_id), *self.chart_topics()
        )  # fmt: skip

    @override
    def shown_event(self) -> Event | None:
        return self.surface.queries.event(self._event_id).event

    @override
    def compose_body(self) -> ComposeResult:
        for name in ("title", "facts", "meaning"):
            yield TextLine(id=name)
        yield LineTable(OUTCOME_COLUMNS, id="outcomes")
        yield OverlayPane(id="chart")
        yield TextLine(id="details")

    @override
    def on_mount(self) -> None:
        # Textual calls the frame's own handler too.
        self._show_outcomes()
        self.show_chart()
        self.table.focus()

    @override
    def on_resize(self, _: events.Resize) -> None:
        self._show_facts()
        self._show_details()
        self.show_chart()

    @override
    def show_topic(self, topic: Topic) -> None:
        if isinstance(topic, HistoryTopic):
            self.show_histories()
        elif topic in (EventTopic(self._event_id), EventQuotesTopic(self._event_id)):
            self._show_outcomes()
            if topic == EventTopic(self._event_id):
                self.show_chart()
        elif topic == StatusTopic():
            self._show_facts()
            self.follow_clock()

    def action_rules(self) -> None:
        """Show the rules of the market at the cursor, and of the event."""
        market = self._market
        condition_id = market.condition_id if market else None
        _ = self.app.push_screen(RulesScreen(self.surface, self._event_id, condition_id))

    def action_comments(self) -> None:
        """Show what people say."""
        _ = self.app.push_screen(CommentsScreen(self.surface, self._event_id))

    def action_holders(self) -> None:
        """Show who holds most of the market at the cursor."""
        market = self._market
        if market is None or market.condition_id is None:
            self.say("No condition id yet, so no holders.")
            return
        _ = self.app.push_screen(HoldersScreen(self.surface, market.condition_id))

    @on(LineTable.RowHighlighted, "#outcomes")
    def show_details(self) -> None:
        """Show what the columns have no room for."""
        self._show_details()

    @on(LineTable.RowSelected, "#outcomes")
    def open_market(self, message: LineTable.RowSelected) -> None:
        """Go where this outcome is traded."""
        market = self._markets.get(message.key)
        if market is None:
            return
        if market.condition_id is None:
            self.say("No condition id yet: not tradable.")
        else:
            self.post_message(MarketChosen(market.condition_id))

    @override
    def to_copy(self) -> tuple[str, str]:
        market = self._market
        return "condition id", (market.condition_id if market else None) or ""

    @override
    def to_star(self) -> tuple[StarKey, str] | None:
        market = self._market
        if market is None or market.condition_id is None:
            return None
        return key_of_market(market.condition_id), market.distinct_name

    async def action_star_event(self) -> None:
        """Star the event as a whole, or star it no more."""
        event = self.shown_event()
        if event is None:
            self.say("The event is not loaded yet.")
            return
        watchlist, key = self.surface.queries.watchlist(), key_of_event(event)
        if watchlist.is_starred(key):
            self.surface.commands.unstar(key)
            self.say("Event unstarred.")
        else:
            problem = await self.surface.commands.star(key, event.title)
            self.say(problem or "Event starred.")

    @property
    def _market(self) -> Market | None:
        return self._markets.get(self.table.cursor_key or "")

    def _show_outcomes(self) -> None:
        queries = self.surface.queries
        view = queries.event(self._event_id)
        markets = sorted(view.event.markets, key=by_price) if view.event else ()
        self._markets = {m.market_id: m for m in markets}
        quotes = self._quotes()
        now = queries.now()
        keymap = self.surface.options.keymap
        self.table.set_empty_text(f" {say_no_event(view, keymap)}")
        rows = []
        for key, market in self._markets.items():
            quote = quotes.get(market.condition_id or "")
            # A live quote is no older for being looked at; another one says its age in minutes.
            moment = now if quote is None or not quote.is_live else None
            second = moment.replace(microsecond=0) if moment else None
            is_starred = key in view.starred
            paint = partial(paint_outcome_row, market, quote, now, is_starred=is_starred)
            rows.append(self._memo.row(key, (market, quote, second, is_starred), paint))
        self.table.set_rows(rows)
        self._memo.keep_only(set(self._markets))
        self._show_facts()
        self._show_details()

    def _show_facts(self) -> None:
        queries = self.surface.queries
        view = queries.event(self._event_id)
        quotes = queries.event_quotes(self._event_id)
        meaning = paint_event_meaning(view.event, quotes, self.size.width)
        self.set_class(bool(meaning), "-has-meaning")
        self._show_line("#title", paint_event_title(view))
        self._show_line(
            "#facts",
            paint_event_facts(
                view,
                quotes,
                queries.now(),
                keymap=self.surface.options.keymap,
                width=self.size.width,
            ),
        )
        self._show_line("#meaning", meaning)

    def _show_details(self) -> None:
        market = self._market
        quote = self._quotes().get(market.condition_id or "") if market else None
        self._show_line("#details", paint_outcome_details(market, quote, self.size.width))

    def _quotes(self) -> dict[str, QuoteRow]:
        rows = self.surface.queries.event_quotes(self._event_id).rows
        return {row.condition_id: row for row in rows}

    def _show_line(self, selector: str, line: Line) -> None:
        self.query_one(selector, TextLine).show(line)

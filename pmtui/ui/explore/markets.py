"""The market list: events to browse, and the search over markets.

Rows in view are streamed; the others show the age of their prices. The order is the one in which
the list was fetched: moving prices never move a row.
"""

from collections.abc import Iterable
from datetime import datetime
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.getters import query_one
from textual.widgets import Input
from typing_extensions import override

from pmtui.config.workplace import MARKETS_PLACE
from pmtui.domain.markets.market import Market
from pmtui.domain.money import Micros, counted_mid
from pmtui.service.topics import (
    HistoryTopic,
    RowQuotesTopic,
    SearchTopic,
    StatusTopic,
    Topic,
)
from pmtui.ui.cells import Cell
from pmtui.ui.explore.event_list import EventList, FoundMarkets, quoted_token
from pmtui.ui.explore.listed_events import ListedEvents
from pmtui.ui.explore.paint_markets import (
    EVENT_COLUMNS,
    RESULT_COLUMNS,
    explain_empty_search,
    paint_list_title,
    paint_results_title,
    paint_search_note,
)
from pmtui.ui.explore.paint_markets import (
    is_live as is_live_book,
)
from pmtui.ui.explore.preview import (
    PREVIEW_FROM,
    PreviewPane,
    Subject,
    market_subject,
)
from pmtui.ui.frame import CursorItem, FrameScreen, is_live
from pmtui.ui.keys.action_table import Context, Need
from pmtui.ui.keys.actions import FooterEntry, bindings_for, footer_entries
from pmtui.ui.rows.columns import ColumnKeys
from pmtui.ui.rows.row_stream import RowDays, RowStream
from pmtui.ui.rows.row_verbs import RowVerbs, market_to_trade
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.panel import Panel
from pmtui.ui.widgets.search_input import SearchInput
from pmtui.ui.widgets.text_line import TextLine


class MarketsScreen(FrameScreen):
    """Events to browse, and markets found by text."""

    ABOUT: ClassVar[str] = "Events to browse, and markets found by text."
    PLACE: ClassVar[str] = MARKETS_PLACE
    CONTEXTS: ClassVar[tuple[Context, ...]] = (Context.MARKETS, Context.SEARCH, Context.ROW)
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_for(Context.MARKETS),
        *bindings_for(Context.SEARCH),
        *bindings_for(Context.ROW),
    ]
    DEFAULT_CSS = """
    MarketsScreen #field { height: 1; display: none; }
    MarketsScreen #prompt { width: 3; }
    MarketsScreen #note { width: 36; }
    MarketsScreen #results { display: none; }
    MarketsScreen.-searching #field { display: block; }
    MarketsScreen.-results #results { display: block; }
    MarketsScreen.-results #events { display: none; }
    MarketsScreen #lists { height: 1fr; }
    MarketsScreen #list-panel { width: 1fr; }
    MarketsScreen #preview-panel { width: 56; display: none; }
    MarketsScreen.-preview #preview-panel { display: block; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-plain"), (PREVIEW_FROM, "-preview")]  # noqa: RUF012 - typed by Textual

    frame = query_one("#list-panel", Panel)
    note = query_one("#note", TextLine)
    title_line = query_one("#title", TextLine)
    details = query_one("#details", TextLine)
    search = query_one("#search", SearchInput)
    preview = query_one("#preview", PreviewPane)

    def __init__(self, surface: Surface) -> None:
        super().__init__(surface)
        self.is_searching = False
        """Whether the search field is open."""
        self._text = ""
        self._stream = RowStream(
            in_view=lambda: self._shown.tokens(self._shown.table.keys_in_view),
            queries=self.surface.queries,
            after=self.set_timer,
            is_live=lambda: is_live(self),
            shows_days=lambda: "day" in self._list.table.columns.in_view,
            on_change=self.feed.renew,
        )
        self._days = RowDays(self._stream, self.surface.queries)
        self._list = EventList(
            LineTable(EVENT_COLUMNS, id="events"), self._stream.book,
            day_of=self._days.points,
        )  # fmt: skip
        self._found = FoundMarkets(LineTable(RESULT_COLUMNS, id="results"), self._stream.book)
        self._ticked_at: datetime | None = None
        self._listed = ListedEvents(
            self, surface, self._list, is_searching=lambda: self.is_searching,
            on_other=self.feed.renew, on_shown=self._follow_rows,
        )  # fmt: skip
        verbs = RowVerbs(
            self, surface, self.message_line,
            lambda: self._shown.target(self._shown.table.cursor_key),
        )  # fmt: skip
        columns = ColumnKeys(
            self, surface.memory, (self._list.table, self._found.table),
            shown=lambda: self._shown.table,
        )  # fmt: skip
        self.actions = {
            **self._listed.keys.actions, "fold": self._fold, **verbs.actions, **columns.actions,
        }  # fmt: skip
        self.missing_needs = (
            verbs.missing,
            lambda: () if self._shown.table.cursor_key is not None else (Need.ROW,),
        )

    @override
    def topics(self) -> Iterable[Topic]:
        yield self._listed.topic
        if self.is_searching:
            # With an empty text too, so that more markets are indexed once the field opens.
            yield SearchTopic(self._text)
        if self._stream.tokens:
            yield RowQuotesTopic(tuple(sorted(self._stream.tokens)))
        if not self._text:
            yield from self._days.topics()

    @override
    def compose_body(self) -> ComposeResult:
        keymap = self.surface.options.keymap
        with Horizontal(id="field"):
            yield TextLine((Cell(" / ", Role.KEY),), id="prompt")
            yield SearchInput(
                lambda: self._shown.table, placeholder="Search markets", id="search",
                not_text=dict.fromkeys(keymap.keys_of("global.star"), "app.star"),
                begins=keymap.keys_of("global.search"),
                if_none=lambda: self.message_line.show("Nothing found: nothing to open."),
            )  # fmt: skip
            yield TextLine(id="note")
        with Horizontal(id="lists"):
            yield Panel(
                self._list.table, self._found.table, id="list-panel", classes="-table"
            )  # fmt: skip
            yield Panel(PreviewPane(id="preview"), id="preview-panel")
        yield TextLine(id="title")
        yield TextLine(id="details")

    @override
    def on_mount(self) -> None:
        # Textual also calls FrameScreen.on_mount.
        self._listed.show()
        self._list.table.focus()

    @override
    def footer_entries(self) -> tuple[FooterEntry, ...]:
        keymap = self.surface.options.keymap
        if not self.is_searching:
            entries = footer_entries(Context.MARKETS, Context.ROW, Context.GLOBAL, keymap=keymap)
            return tuple(e for e in entries if e.id != "global.markets")
        if self.focused is self.search:
            star = (
                e for e in footer_entries(Context.GLOBAL, keymap=keymap) if e.id == "global.star"
            )
            return (*footer_entries(Context.SEARCH, keymap=keymap), *star)
        shown = footer_entries(Context.SEARCH, Context.ROW, Context.GLOBAL, keymap=keymap)
        return tuple(e for e in shown if e.id not in ("global.open", "global.back"))

    @override
    def show_topic(self, topic: Topic) -> None:
        if topic == self._listed.topic:
            self._listed.show()
        elif isinstance(topic, RowQuotesTopic | HistoryTopic):
            # Repaint only the rows in view.
            keys, now = self._shown.table.keys_in_view, self.surface.queries.now()
            self._shown.table.update_rows(self._shown.rows(keys, now))
            self.show_details()
        elif topic == SearchTopic(self._text):
            self._show_results()
        elif topic == StatusTopic():
            second = self.surface.queries.now().replace(microsecond=0)
            if second != self._ticked_at:
                # Update the time left of rows without quotes.
                self._ticked_at = second
                show = self._show_results if self._text else self._listed.show
                show()
            else:
                self.show_details()

    def start_search(self) -> None:
        """Open the search field, or focus it."""
        if not self.is_searching:
            self.is_searching = True
            self.add_class("-searching")
            self.feed.renew()
            self._show_results()
        elif not self.search.has_focus:
            # Typing starts a new search; an arrow key continues this one.
            self.search.action_select_all()
        # Focus at once: more keys may be queued already.
        self.set_focus(self.search)

    def action_close(self) -> None:
        """Close the search and show the list again."""
        if not self.is_searching:
            return
        self.is_searching = False
        self._found.clear()
        self.remove_class("-searching")
        with self.prevent(Input.Changed):
            self.search.value = ""
        self.follow_text()
        self.feed.renew()
        self._list.table.focus()
        self._listed.show()
        self._stream.follow_soon()

    @on(LineTable.EndApproached, "#events")
    def load_more(self) -> None:
        """Load the next page before the cursor reaches the end."""
        self._listed.load_more()

    @on(LineTable.ViewChanged)
    def follow_view(self, message: LineTable.ViewChanged) -> None:
        """Stream the rows in view once scrolling has stopped."""
        if message.table is self._shown.table:
            self._stream.follow_soon()

    @override
    def cursor_item(self) -> CursorItem:
        shown, key = self._shown, self._shown.table.cursor_key
        return CursorItem(
            copied=shown.to_copy(key),
            starred=shown.to_star(key),
            traded=market_to_trade(shown.target(key), self.surface.queries),
        )

    @on(LineTable.RowSelected)
    def open_row(self, message: LineTable.RowSelected) -> None:
        """Open the event or market of a row, or unfold a series."""
        rows = self._list if message.table is self._list.table else self._found
        if rows.toggle(message.key):
            show = self._listed.show if rows is self._list else self._show_results
            show()
            return
        destination = rows.destination(message.key)
        if destination is not None:
            self.post_message(destination)

    def _fold(self) -> None:
        """Fold or unfold the selected series."""
        if not self._text:
            self._listed.keys.fold()
        elif self._found.toggle(self._found.table.cursor_key or ""):
            self._show_results()

    def on_descendant_focus(self) -> None:
        """Show the keys of the focused widget."""
        self.lines.show_footer()

    @property
    def _shown(self) -> EventList | FoundMarkets:
        return self._found if self._text else self._list

    @on(Input.Changed, "#search")
    def follow_text(self) -> None:
        """Search for the typed text."""
        text = self.search.value.strip()
        if text == self._text:
            return
        self._text = text
        self._found.clear()
        self.set_class(bool(text), "-results")
        self.feed.renew()
        self._show_results()
        if self._found.table.rows:
            _ = self._found.table.move_cursor_to(self._found.table.rows[0].key)
        self._stream.follow_soon()

    def _follow_rows(self) -> None:
        """Show the details of the current rows and stream those in view."""
        self.show_details()
        self._stream.check()

    def _show_results(self) -> None:
        if not self.is_searching:
            return
        view = self.surface.queries.view(SearchTopic(self._text))
        keymap = self.surface.options.keymap
        self.note.show(paint_search_note(view, is_asked=bool(self._text)))
        if not self._text:
            self.show_details()
            return
        now = self.surface.queries.now()
        self._found.show(view.rows, now)
        self._found.table.set_empty_text(explain_empty_search(view, keymap))
        self._found.table.set_rows(self._found.rows(self._found.entries, now))
        self._follow_rows()

    @on(LineTable.RowHighlighted)
    @on(events.Resize)
    def show_details(self) -> None:
        """Show the title above the rows, and the details below."""
        key, width, queries = self._shown.table.cursor_key, self.size.width, self.surface.queries
        tokens = self._shown.tokens(self._shown.table.keys_in_view)
        rows = self._stream.live_rows(tokens)
        paint = partial(
            paint_list_title,
            self._listed.view,
            self._list.arrangement,
            queries.now(),
            rows=rows,
            tag=self._listed.keys.choice,
            keymap=self.surface.options.keymap,
            is_loading_more=self._listed.wants_more,
        )
        self.frame.show_title_in_width(partial(paint_results_title, rows) if self._text else paint)
        title, details = self._shown.details(key, width)
        self.title_line.show(title)
        self.details.show(details)
        self.preview.show(self._subject_at(key), queries.account().positions)

    def _subject_at(self, key: str | None) -> Subject | None:
        if self._text:
            market = self._found.market_at(key)
            return None if market is None else market_subject(market, self._live_price(market))
        return self._list.subject_at(key, self._live_price)

    def _live_price(self, market: Market | None) -> Micros | None:
        """Return the price that the row of a market shows, while it is live."""
        book = self._stream.book(quoted_token(market))
        return counted_mid(book.best_bid, book.best_ask) if is_live_book(book) else None

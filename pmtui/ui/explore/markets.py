"""The list of events and the search over markets: where one finds what to trade.

The rows in view are streamed while they are in view; the others show how old their prices are. The
order is the one the list was fetched in: prices that move never move a row.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.getters import query_one
from textual.widgets import Input
from typing_extensions import override

from pmtui.domain.ids import TokenId
from pmtui.domain.markets.listing import ListFilter
from pmtui.domain.markets.market import Market
from pmtui.domain.markets.watchlist import StarKey, key_of_event, key_of_market
from pmtui.service.topics import (
    MarketListTopic,
    RowQuotesTopic,
    SearchTopic,
    StatusTopic,
    Topic,
)
from pmtui.service.views import Load, MarketListView
from pmtui.ui.cells import Cell
from pmtui.ui.explore.event_list import EventList, FoundMarkets, quoted_token
from pmtui.ui.explore.filter_form import FilterForm
from pmtui.ui.explore.paint_markets import (
    EVENT_COLUMNS,
    RESULT_COLUMNS,
    paint_event_details,
    paint_list_heading,
    paint_result_details,
    paint_search_note,
    say_empty_search,
)
from pmtui.ui.explore.paint_tags import TagChoice
from pmtui.ui.explore.preview import PreviewPane
from pmtui.ui.explore.tag_picker import TagPicker
from pmtui.ui.facts import LiveRows
from pmtui.ui.frame import EventChosen, FrameScreen, MarketChosen, is_live
from pmtui.ui.keys.action import Context
from pmtui.ui.keys.actions import FooterEntry, bindings_for, footer_entries
from pmtui.ui.plain import plain
from pmtui.ui.row_stream import RowStream
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.search_input import SearchInput
from pmtui.ui.widgets.text_line import TextLine

PREVIEW_FROM = 150
"""Columns from which the event under the cursor is shown beside the list."""


class MarketsScreen(FrameScreen):
    """Events to browse, and markets found by text."""

    ABOUT: ClassVar[str] = "Events to browse, and markets found by text."
    CONTEXTS: ClassVar[tuple[Context, ...]] = (Context.MARKETS, Context.SEARCH)
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_for(Context.MARKETS),
        *bindings_for(Context.SEARCH),
    ]
    DEFAULT_CSS = """
    MarketsScreen #field { height: 1; display: none; }
    MarketsScreen #prompt { width: 3; }
    MarketsScreen #note { width: 36; }
    MarketsScreen #results { display: none; }
    MarketsScreen.-searching #field { display: block; }
    MarketsScreen.-searching #heading { display: none; }
    MarketsScreen.-results #results { display: block; }
    MarketsScreen.-results #events { display: none; }
    MarketsScreen #lists { height: 1fr; }
    MarketsScreen #preview { width: 54; display: none; }
    MarketsScreen.-preview #preview { display: block; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-plain"), (PREVIEW_FROM, "-preview")]  # noqa: RUF012 - typed by Textual

    heading = query_one("#heading", TextLine)
    note = query_one("#note", TextLine)
    title_line = query_one("#title", TextLine)
    details = query_one("#details", TextLine)
    search = query_one("#search", SearchInput)
    browse = query_one("#events", LineTable)
    results = query_one("#results", LineTable)
    preview = query_one("#preview", PreviewPane)

    def __init__(self, surface: Surface) -> None:
        super().__init__(surface)
        self._topic = MarketListTopic()
        self._choice = TagChoice()
        self._is_searching = False
        self._text = ""
        self._wants_more = False
        self._goes_to_top = True
        self._loaded = 0
        self._view = MarketListView((), Load.EMPTY, has_more=False, as_of=None)
        self._stream = RowStream(
            in_view=self._tokens_in_view,
            queries=self.surface.queries,
            after=self.set_timer,
            is_live=lambda: is_live(self),
            on_change=self.retopic,
        )
        self._list = EventList(self._stream.book)
        self._found = FoundMarkets(self._stream.book)
        self._ticked_at: datetime | None = None

    @property
    def is_searching(self) -> bool:
        """Whether the field to search in is open."""
        return self._is_searching

    @override
    def topics(self) -> Iterable[Topic]:
        yield self._topic
        if self._is_searching:
            # Without a text too: more markets are fetched to search in as soon as the field opens.
            yield SearchTopic(self._text)
        if self._stream.tokens:
            yield RowQuotesTopic(tuple(sorted(self._stream.tokens)))

    @override
    def compose_body(self) -> ComposeResult:
        keymap = self.surface.options.keymap
        yield TextLine(id="heading")
        with Horizontal(id="field"):
            yield TextLine((Cell(" / ", Role.KEY),), id="prompt")
            yield SearchInput(
                lambda: self._table, placeholder="Search markets", id="search",
                not_text=dict.fromkeys(keymap.keys_of("global.star"), "app.star"),
                begins=keymap.keys_of("global.search"),
            )  # fmt: skip
            yield TextLine(id="note")
        with Horizontal(id="lists"):
            yield LineTable(EVENT_COLUMNS, id="events")
            yield LineTable(RESULT_COLUMNS, id="results")
            yield PreviewPane(id="preview")
        yield TextLine(id="title")
        yield TextLine(id="details")

    @override
    def on_mount(self) -> None:
        # Textual calls the frame's own handler too.
        self._show_list()
        self.browse.focus()

    @override
    def on_resize(self, _: events.Resize) -> None:
        self._show_heading()
        self._show_details()

    @override
    def footer_entries(self) -> tuple[FooterEntry, ...]:
        keymap = self.surface.options.keymap
        if not self._is_searching:
            entries = footer_entries(Context.MARKETS, Context.GLOBAL, keymap=keymap)
            return tuple(e for e in entries if e.id != "global.markets")
        if self.focused is self.search:
            star = (
                e for e in footer_entries(Context.GLOBAL, keymap=keymap) if e.id == "global.star"
            )
            return (*footer_entries(Context.SEARCH, keymap=keymap), *star)
        shown = footer_entries(Context.SEARCH, Context.GLOBAL, keymap=keymap)
        return tuple(e for e in shown if e.id not in ("global.open", "global.back"))

    @override
    def show_topic(self, topic: Topic) -> None:
        if topic == self._topic:
            self._show_list()
        elif isinstance(topic, RowQuotesTopic):
            self._show_quotes()
        elif topic == SearchTopic(self._text):
            self._show_results()
        elif topic == StatusTopic():
            self._show_heading()
            second = self.surface.queries.now().replace(microsecond=0)
            if second != self._ticked_at:
                # The clock moves the time left of what nobody quotes.
                self._ticked_at = second
                show = self._show_results if self._text else self._show_list
                show()

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        # Outside a search the key goes on to the app, where it leaves the screen.
        if action == "close":
            return self._is_searching
        return super().check_action(action, parameters)

    def start_search(self) -> None:
        """Open the search line, or come back to it."""
        if not self._is_searching:
            self._is_searching = True
            self.add_class("-searching")
            self.retopic()
            self._show_results()
        # At once, not by and by: letters may be on their way already.
        self.set_focus(self.search)

    def end_search(self) -> None:
        """Show the list, whatever was searched for."""
        if self._is_searching:
            self.action_close()

    def action_close(self) -> None:
        """Close the search; the list is as it was."""
        self._is_searching = False
        self._found.clear()
        self.remove_class("-searching")
        with self.prevent(Input.Changed):
            self.search.value = ""
        self._set_text("")
        self.retopic()
        self.browse.focus()
        self._show_list()
        self._stream.follow_soon()

    def action_sort(self) -> None:
        """Order the list by the next measure."""
        if self._says_list_only():
            return
        self._list.next_sort()
        self._show_other_list(self._list.topic(self._topic))

    def action_reverse(self) -> None:
        """Order the list the other way round."""
        if not self._says_list_only():
            self._list.reverse()
            self._show_other_list(self._list.topic(self._topic))

    def action_narrow(self) -> None:
        """Choose what narrows the list besides its tag."""
        if not self._says_list_only():
            form = FilterForm(self.surface.options, self._list.arrangement.filter)
            _ = self.app.push_screen(form, self._narrow_rows)

    def action_fold(self) -> None:
        """Fold or unfold the windows in the row under the cursor."""
        if not self._says_list_only() and self._list.toggle(self.browse.cursor_key or ""):
            self._show_list()

    def action_filter(self) -> None:
        """Choose a tag, and whether closed events are listed."""
        if not self._says_list_only():
            _ = self.app.push_screen(TagPicker(self.surface, self._choice), self._narrow)

    @on(Input.Changed, "#search")
    def search_for(self, message: Input.Changed) -> None:
        """Search for what is typed now."""
        self._set_text(message.value.strip())

    @on(LineTable.EndApproached, "#events")
    def load_more(self) -> None:
        """Fetch the next page before the cursor gets there."""
        self._wants_more = True
        self._show_list()

    @on(LineTable.ViewChanged)
    def follow_view(self, message: LineTable.ViewChanged) -> None:
        """Stream the rows that are in view now, once the view stands still."""
        if message.table is self._table:
            self._stream.follow_soon()

    @on(LineTable.RowHighlighted)
    def show_details(self) -> None:
        """Show what the columns have no room for."""
        self._show_details()

    @override
    def to_copy(self) -> tuple[str, str]:
        key = self._table.cursor_key or ""
        if self._text:
            found = self._found.by_key.get(key)
            return "condition id", (found.market.condition_id if found else None) or ""
        listed = self._list.event_at(key)
        return "event slug", plain(listed.event.slug) if listed else ""

    @override
    def to_star(self) -> tuple[StarKey, str] | None:
        key = self._table.cursor_key or ""
        if not self._text:
            listed = self._list.event_at(key)
            return None if listed is None else (key_of_event(listed.event), listed.event.title)
        found = self._found.by_key.get(key)
        if found is None or found.market.condition_id is None:
            return None
        market = found.market
        return key_of_market(found.market.condition_id), market.distinct_name

    @on(LineTable.RowSelected, "#events")
    def open_event(self, message: LineTable.RowSelected) -> None:
        """Open an event, or its market where it has only one; unfold what is folded."""
        if self._list.toggle(message.key):
            self._show_list()
            return
        row = self._list.event_at(message.key)
        if row is None:
            return
        markets = row.event.markets
        if len(markets) == 1 and (condition_id := markets[0].condition_id):
            self.post_message(MarketChosen(condition_id))
        else:
            self.post_message(EventChosen(row.event.event_id))

    @on(LineTable.RowSelected, "#results")
    def open_result(self, message: LineTable.RowSelected) -> None:
        """Open a market that was found."""
        row = self._found.by_key.get(message.key)
        if row is None:
            return
        if condition_id := row.market.condition_id:
            self.post_message(MarketChosen(condition_id))
        elif row.event_id is not None:
            self.post_message(EventChosen(row.event_id))

    def on_descendant_focus(self) -> None:
        """Show the keys of what has the focus."""
        self.show_footer()

    @property
    def _table(self) -> LineTable:
        return self.results if self._text else self.browse

    def _set_text(self, text: str) -> None:
        if text == self._text:
            return
        self._text = text
        self._found.clear()
        self.set_class(bool(text), "-results")
        self.retopic()
        self._show_results()
        if self.results.rows:
            _ = self.results.move_cursor_to(self.results.rows[0].key)
        self._stream.follow_soon()

    def _narrow(self, choice: TagChoice | None) -> None:
        if choice is not None and choice != self._choice:
            self._choice = choice
            topic = MarketListTopic(tag_slug=choice.slug, include_closed=choice.include_closed)
            self._show_other_list(self._list.topic(topic))

    def _narrow_rows(self, wanted: ListFilter | None) -> None:
        if wanted is not None and wanted != self._list.arrangement.filter:
            self._list.narrow(wanted)
            self._goes_to_top = True
            self._show_list()

    def _show_other_list(self, topic: MarketListTopic) -> None:
        self._topic = topic
        self._wants_more = False
        self._goes_to_top = True
        self.retopic()
        self._show_list()

    def _says_list_only(self) -> bool:
        if self._is_searching:
            self.notify("Close search first: this key is for the list.", markup=False, timeout=4)
        return self._is_searching

    def _show_list(self) -> None:
        view = self._view = self.surface.queries.market_list(self._topic)
        now = self.surface.queries.now()
        grows = len(view.rows) > self._loaded and not self._goes_to_top
        self._loaded = len(view.rows)
        self._list.show(view, now)
        self._wants_more = self._wants_more and view.has_more and not grows
        if self._wants_more or self._list.needs_more(view):
            # Harmless while a page is on its way, and needed when another answer came first.
            self.surface.commands.load_more(self._topic)
        self.browse.set_empty_text(
            self._list.say_empty(view, self._topic, self.surface.options.keymap)
        )
        self.browse.set_rows(self._list.rows(self._list.entries, now))
        self.browse.set_loading_more(is_loading=self._wants_more and bool(self._list.entries))
        if self._goes_to_top and self._list.entries:
            self._goes_to_top = False
            _ = self.browse.move_cursor_to(next(iter(self._list.entries)))
        self._show_heading()
        self._show_details()
        self._stream.check()

    def _show_quotes(self) -> None:
        """Show what the books of the rows in view say now; nothing else is painted anew."""
        now, table = self.surface.queries.now(), self._table
        rows = self._found.rows if self._text else self._list.rows
        table.update_rows(rows(table.keys_in_view, now))
        self._show_heading()
        self._show_details()

    def _market_at(self, key: str | None) -> Market | None:
        return self._found.market_at(key) if self._text else self._list.market_at(key)

    def _tokens_in_view(self) -> tuple[TokenId, ...]:
        if self._view.is_cached and not self._text:
            return ()
        markets = map(self._market_at, self._table.keys_in_view)
        tokens = (m.quoted_token for m in markets if m is not None)
        return tuple(dict.fromkeys(t for t in tokens if t is not None))

    def _show_heading(self) -> None:
        tokens = self._tokens_in_view()
        books = (self.surface.queries.book(t) for t in self._stream.tokens.intersection(tokens))
        line = paint_list_heading(
            self._view,
            self._list.arrangement,
            self.surface.queries.now(),
            rows=LiveRows(sum(book.state.is_good for book in books), len(tokens)),
            tag=self._choice,
            keymap=self.surface.options.keymap,
            width=self.size.width,
            is_loading_more=self._wants_more,
        )
        self.heading.show(line)

    def _show_results(self) -> None:
        if not self._is_searching:
            return
        view = self.surface.queries.search(SearchTopic(self._text))
        keymap = self.surface.options.keymap
        self.note.show(paint_search_note(view, is_asked=bool(self._text)))
        if not self._text:
            self._show_details()
            return
        now = self.surface.queries.now()
        self._found.show(view.rows)
        self.results.set_empty_text(say_empty_search(view, keymap))
        self.results.set_rows(self._found.rows(self._found.by_key, now))
        self._show_details()
        self._stream.check()

    def _show_details(self) -> None:
        key = self._table.cursor_key or ""
        width = self.size.width
        book = self._stream.book(quoted_token(self._market_at(key)))
        if self._text:
            title, details = paint_result_details(self._found.by_key.get(key), book, width)
        else:
            title, details = paint_event_details(
                self._list.event_at(key), book, width, is_cached=self._view.is_cached
            )
            self.preview.show(self._list.event_at(key), self.surface.queries.account().positions)
        self.title_line.show(title)
        self.details.show(details)

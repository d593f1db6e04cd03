"""The list of events and the search over markets: where one finds what to trade.

The rows in view are streamed while they are in view; the others show how old their prices are. The
order is the one the list was fetched in: prices that move never move a row.
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

from pmtui.domain.books.book_view import BookView
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import Market, MarketSort
from pmtui.domain.markets.watchlist import StarKey, key_of_event, key_of_market
from pmtui.service.topics import (
    MarketListTopic,
    RowQuotesTopic,
    SearchTopic,
    StatusTopic,
    Topic,
)
from pmtui.service.views import EventRow, Load, MarketListView, MarketRow
from pmtui.ui.cells import Cell, Line, Row
from pmtui.ui.explore.paint_markets import (
    EVENT_COLUMNS,
    RESULT_COLUMNS,
    paint_event_details,
    paint_event_row,
    paint_list_heading,
    paint_result_details,
    paint_result_row,
    paint_search_note,
    say_empty_list,
    say_empty_search,
)
from pmtui.ui.explore.tag_picker import TagChoice, TagPicker
from pmtui.ui.facts import LiveRows, format_price_age
from pmtui.ui.frame import EventChosen, FrameScreen, MarketChosen, is_live
from pmtui.ui.keys.action import Context
from pmtui.ui.keys.actions import FooterEntry, bindings_for, footer_entries
from pmtui.ui.plain import plain
from pmtui.ui.row_memo import RowMemo, tick_of
from pmtui.ui.row_stream import RowStream
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.search_input import SearchInput
from pmtui.ui.widgets.text_line import TextLine

SORTS = tuple(MarketSort)


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
    """

    heading = query_one("#heading", TextLine)
    note = query_one("#note", TextLine)
    search = query_one("#search", SearchInput)
    browse = query_one("#events", LineTable)
    results = query_one("#results", LineTable)

    def __init__(self, surface: Surface) -> None:
        super().__init__(surface)
        self._topic = MarketListTopic()
        self._choice = TagChoice()
        self._is_searching = False
        self._text = ""
        self._wants_more = False
        self._goes_to_top = True
        self._view = MarketListView((), Load.EMPTY, has_more=False, as_of=None)
        self._listed: dict[str, EventRow] = {}
        self._stream = RowStream(
            in_view=self._tokens_in_view,
            queries=self.surface.queries,
            after=self.set_timer,
            is_live=lambda: is_live(self),
            on_change=self.retopic,
        )
        self._found: dict[str, MarketRow] = {}
        self._ticked_at: datetime | None = None
        self._memo = RowMemo()
        self._found_memo = RowMemo()

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
        yield TextLine(id="heading")
        with Horizontal(id="field"):
            yield TextLine((Cell(" / ", Role.KEY),), id="prompt")
            yield SearchInput(
                lambda: self._table, placeholder="Search markets", id="search",
                not_text=self.surface.options.keymap.keys_of("global.star"),
                begins=self.surface.options.keymap.keys_of("global.search"),
            )  # fmt: skip
            yield TextLine(id="note")
        yield LineTable(EVENT_COLUMNS, id="events")
        yield LineTable(RESULT_COLUMNS, id="results")
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
            self._show_time_left()

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
        self._found = {}
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
        sort = SORTS[(SORTS.index(self._topic.sort) + 1) % len(SORTS)]
        self._show_other_list(
            MarketListTopic(sort, self._topic.tag_slug, self._topic.include_closed)
        )

    def action_filter(self) -> None:
        """Choose a tag, and whether closed events are listed."""
        if not self._says_list_only():
            _ = self.app.push_screen(TagPicker(self.surface, self._choice), self._narrow)

    @on(Input.Changed, "#search")
    def search_for(self, message: Input.Changed) -> None:
        """Search for what is typed now."""
        self._set_text(message.value.strip())

    @on(SearchInput.SignPressed)
    async def star_result(self) -> None:
        """Star what is under the cursor: no title is found by that sign."""
        await self.run_action("app.star")

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
            found = self._found.get(key)
            return "condition id", (found.market.condition_id if found else None) or ""
        listed = self._listed.get(key)
        return "event slug", plain(listed.event.slug) if listed else ""

    @override
    def to_star(self) -> tuple[StarKey, str] | None:
        key = self._table.cursor_key or ""
        if not self._text:
            listed = self._listed.get(key)
            return None if listed is None else (key_of_event(listed.event), listed.event.title)
        found = self._found.get(key)
        if found is None or found.market.condition_id is None:
            return None
        market = found.market
        return key_of_market(found.market.condition_id), market.distinct_name

    @on(LineTable.RowSelected, "#events")
    def open_event(self, message: LineTable.RowSelected) -> None:
        """Open an event, or its market where it has only one."""
        row = self._listed.get(message.key)
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
        row = self._found.get(message.key)
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
        self._found = {}
        self.set_class(bool(text), "-results")
        self.retopic()
        self._show_results()
        if self.results.rows:
            _ = self.results.move_cursor_to(self.results.rows[0].key)
        self._stream.follow_soon()

    def _narrow(self, choice: TagChoice | None) -> None:
        if choice is not None and choice != self._choice:
            self._choice = choice
            self._show_other_list(
                MarketListTopic(self._topic.sort, choice.slug, choice.include_closed)
            )

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
        keymap = self.surface.options.keymap
        now = self.surface.queries.now()
        grows = len(view.rows) > len(self._listed) and not self._goes_to_top
        self._listed = {row.event.event_id: row for row in view.rows}
        self._wants_more = self._wants_more and view.has_more and not grows
        if self._wants_more:
            # Harmless while a page is on its way, and needed when another answer came first.
            self.surface.commands.load_more(self._topic)
        self.browse.set_empty_text(say_empty_list(view, self._topic, keymap))
        self.browse.set_rows([self._event_row(key, now) for key in self._listed])
        self._memo.keep_only(set(self._listed))
        self.browse.set_loading_more(is_loading=self._wants_more and bool(self._listed))
        if self._goes_to_top and view.rows:
            self._goes_to_top = False
            _ = self.browse.move_cursor_to(view.rows[0].event.event_id)
        self._show_heading()
        self._show_details()
        self._stream.check()

    def _show_quotes(self) -> None:
        """Show what the books of the rows in view say now; nothing else is painted anew."""
        now, table = self.surface.queries.now(), self._table
        row = self._found_row if self._text else self._event_row
        table.update_rows([row(key, now) for key in table.keys_in_view])
        self._show_heading()
        self._show_details()

    def _event_row(self, key: str, now: datetime) -> Row:
        row, is_cached = self._listed[key], self._view.is_cached
        book = self._stream.book(quoted_token(row.leading))
        inputs = (row, tick_of(row.event.end_at, now), is_cached, _look(book, row.as_of, now))
        paint = partial(paint_event_row, row, book, now, is_cached=is_cached)
        return self._memo.row(key, inputs, paint)

    def _found_row(self, key: str, now: datetime) -> Row:
        row = self._found[key]
        book = self._stream.book(row.market.quoted_token)
        inputs = (row, tick_of(row.market.end_at, now), _look(book, row.as_of, now))
        return self._found_memo.row(key, inputs, partial(paint_result_row, row, book, now))

    def _market_at(self, key: str | None) -> Market | None:
        if self._text:
            found = self._found.get(key or "")
            return found.market if found is not None else None
        listed = self._listed.get(key or "")
        return listed.leading if listed is not None else None

    def _tokens_in_view(self) -> tuple[TokenId, ...]:
        if self._view.is_cached and not self._text:
            return ()
        markets = map(self._market_at, self._table.keys_in_view)
        tokens = (m.quoted_token for m in markets if m is not None)
        return tuple(dict.fromkeys(t for t in tokens if t is not None))

    # The clock moves the time left of what nobody quotes.
    def _show_time_left(self) -> None:
        second = self.surface.queries.now().replace(microsecond=0)
        if second != self._ticked_at:
            self._ticked_at = second
            if self._text:
                self._show_results()
            else:
                self._show_list()

    def _show_heading(self) -> None:
        tokens = self._tokens_in_view()
        books = (self.surface.queries.book(t) for t in self._stream.tokens.intersection(tokens))
        line = paint_list_heading(
            self._view,
            self._topic,
            self.surface.queries.now(),
            rows=LiveRows(sum(book.state.is_good for book in books), len(tokens)),
            tag_label=self._choice.label or self._choice.slug,
            keymap=self.surface.options.keymap,
            width=self.size.width,
            is_loading_more=self._wants_more,
        )
        self._show_line("#heading", line)

    def _show_results(self) -> None:
        if not self._is_searching:
            return
        view = self.surface.queries.search(SearchTopic(self._text))
        keymap = self.surface.options.keymap
        self._show_line("#note", paint_search_note(view, is_asked=bool(self._text)))
        if not self._text:
            self._show_details()
            return
        now = self.surface.queries.now()
        # What is shown stays where it is; what came later comes after it.
        fresh: dict[str, MarketRow] = {row.market.market_id: row for row in view.rows}
        kept = {key: fresh[key] for key in self._found if key in fresh}
        self._found = kept | {key: row for key, row in fresh.items() if key not in kept}
        self.results.set_empty_text(say_empty_search(view, keymap))
        self.results.set_rows([self._found_row(key, now) for key in self._found])
        self._found_memo.keep_only(set(self._found))
        self._show_details()
        self._stream.check()

    def _show_details(self) -> None:
        key = self._table.cursor_key or ""
        width = self.size.width
        book = self._stream.book(quoted_token(self._market_at(key)))
        if self._text:
            title, details = paint_result_details(self._found.get(key), book, width)
        else:
            title, details = paint_event_details(
                self._listed.get(key), book, width, is_cached=self._view.is_cached
            )
        self._show_line("#title", title)
        self._show_line("#details", details)

    def _show_line(self, selector: str, line: Line) -> None:
        self.query_one(selector, TextLine).show(line)


def quoted_token(market: Market | None) -> TokenId | None:
    """Return the token whose price a row shows."""
    return None if market is None else market.quoted_token


def _look(book: BookView | None, as_of: datetime | None, now: datetime) -> tuple[object, ...]:
    """Return all of a row's prices that it is painted from."""
    if book is not None and book.state.is_good:
        return book.best_bid, book.best_ask
    return (format_price_age(as_of, now),)

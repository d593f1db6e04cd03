"""The watchlist: every starred item with live prices, and its price alerts below it."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.getters import query_one
from typing_extensions import override

from pmtui.domain.ids import ConditionId, EventId, TokenId
from pmtui.domain.markets.history import Interval
from pmtui.domain.markets.market import MOST_STREAMED_ROWS
from pmtui.domain.markets.watchlist import StarKind
from pmtui.service.topics import AccountTopic, HistoryTopic, StatusTopic, Topic, WatchlistTopic
from pmtui.service.views import AlertRow, WatchRow
from pmtui.ui.cells import Cell, Line
from pmtui.ui.explore.paint_markets import NO_DAY, paint_day
from pmtui.ui.explore.paint_watchlist import (
    WATCH_COLUMNS,
    alert_key,
    explain_nothing_starred,
    paint_alert_details,
    paint_alert_row,
    paint_watch_details,
    paint_watch_note,
    paint_watch_row,
    paint_watch_title,
    row_key,
)
from pmtui.ui.explore.preview import (
    PREVIEW_FROM,
    PreviewPane,
    Subject,
    event_subject,
    market_subject,
)
from pmtui.ui.facts import key_of
from pmtui.ui.frame import CursorItem, EventChosen, FrameScreen, MarketChosen
from pmtui.ui.keys.action_table import Context, Need
from pmtui.ui.keys.actions import bindings_for
from pmtui.ui.plain import plain
from pmtui.ui.rows.columns import ColumnKeys
from pmtui.ui.rows.row_stream import RowMemo
from pmtui.ui.rows.row_verbs import (
    RowTarget,
    RowVerbs,
    market_to_trade,
    target_of_event,
    target_of_market,
    target_of_token,
)
from pmtui.ui.surface import Surface
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.panel import Panel
from pmtui.ui.widgets.text_line import TextLine


class WatchlistScreen(FrameScreen):
    """Starred items with live prices, and price alerts, which need pmtui or its service to run."""

    ABOUT: ClassVar[str] = (
        "What you starred, live, and the price alerts; they are watched over while pmtui or its service runs."
    )
    PLACE: ClassVar[str] = "watchlist"
    CONTEXTS: ClassVar[tuple[Context, ...]] = (Context.WATCHLIST, Context.ROW)
    IDLE_KEYS: ClassVar[frozenset[str]] = frozenset({"global.watchlist"})
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_for(Context.WATCHLIST),
        *bindings_for(Context.ROW),
    ]
    DEFAULT_CSS = """
    WatchlistScreen #note { display: none; }
    WatchlistScreen.-noted #note { display: block; }
    WatchlistScreen #lists { height: 1fr; }
    WatchlistScreen #list-panel { width: 1fr; height: 100%; }
    WatchlistScreen #preview-panel { width: 56; height: 100%; display: none; }
    WatchlistScreen.-preview #preview-panel { display: block; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-plain"), (PREVIEW_FROM, "-preview")]  # noqa: RUF012 - typed by Textual

    preview = query_one("#preview", PreviewPane)

    def __init__(self, surface: Surface) -> None:
        super().__init__(surface)
        self._rows: dict[str, WatchRow] = {}
        self._alerts: dict[str, AlertRow] = {}
        self._view = surface.queries.watchlist()
        self._memo = RowMemo()
        self._days: tuple[HistoryTopic, ...] = ()
        """The histories watched for the rows' sparklines."""
        star = key_of(surface.options.keymap, "global.star")
        verbs = RowVerbs(
            self, surface, self.message_line, lambda: self._target,
            if_none=f"No market here; {star} stars one.",
        )  # fmt: skip
        self.table = LineTable(
            WATCH_COLUMNS, empty=explain_nothing_starred(surface.options.keymap), id="watched"
        )
        columns = ColumnKeys(self, surface.memory, (self.table,), shown=lambda: self.table)
        self.actions = {
            "remove_alert": self._remove_alert, **verbs.actions, **columns.actions,
        }  # fmt: skip

        self.missing_needs = (
            verbs.missing,
            lambda: () if self.table.cursor_key in self._alerts else (Need.ALERT,),
        )

    @override
    def topics(self) -> Iterable[Topic]:
        return (WatchlistTopic(), AccountTopic(), *self._days)

    @override
    def compose_body(self) -> ComposeResult:
        yield TextLine(id="note")
        with Horizontal(id="lists"):
            yield Panel(self.table, id="list-panel", classes="-table")
            yield Panel(PreviewPane(id="preview"), id="preview-panel", classes="-split")
        yield TextLine(id="title")
        yield TextLine(id="details")

    @override
    def on_mount(self) -> None:
        # Textual also calls FrameScreen.on_mount.
        self._show_rows()
        self.table.focus()

    @override
    def on_resize(self, _: events.Resize) -> None:
        self._follow_days()
        self._show_heading()
        self.show_details()

    @override
    def show_topic(self, topic: Topic) -> None:
        if topic in self.topics() or topic == StatusTopic():
            self._show_rows()

    @override
    def cursor_item(self) -> CursorItem:
        row = self._at_cursor()
        if row is None:
            return CursorItem()
        kind = "event id" if row.key.kind is StarKind.EVENT else "condition id"
        return CursorItem(
            copied=(kind, row.key.item_id),
            starred=(row.key, row.title),
            traded=market_to_trade(self._target, self.surface.queries),
        )

    @on(LineTable.RowHighlighted)
    def show_details(self) -> None:
        """Show the details of the selected row."""
        now, width = self.surface.queries.now(), self.size.width
        title: Line = ()
        details: Line = ()
        alert, row = self._alerts.get(self.table.cursor_key or ""), self._at_cursor()
        if alert is not None:
            title, details = paint_alert_details(alert, now)
        elif row is not None:
            title, details = paint_watch_details(row, now, width)
        self.query_one("#title", TextLine).show(title)
        self.query_one("#details", TextLine).show(details)
        subject = None if row is None else self._subject_of(row)
        self.preview.show(subject, self.surface.queries.account().positions)

    @on(LineTable.RowSelected)
    def open_row(self) -> None:
        """Open the market or event of the selected row."""
        row = self._at_cursor()
        if row is None:
            return
        if row.key.kind is StarKind.EVENT:
            self.post_message(EventChosen(EventId(row.key.item_id)))
        else:
            self.post_message(MarketChosen(ConditionId(row.key.item_id)))

    def _at_cursor(self) -> WatchRow | None:
        return self._rows.get(self.table.cursor_key or "")

    @property
    def _target(self) -> RowTarget | None:
        """The market that keys act on; for an event, its leading market."""
        alert = self._alerts.get(self.table.cursor_key or "")
        if alert is not None:
            plan = alert.alert.plan
            market = self.surface.queries.market(plan.condition_id).market
            return target_of_token(plan.condition_id, plan.token_id, market)
        row = self._at_cursor()
        if row is None:
            return None
        market = row.seen.market if row.seen is not None else None
        if row.key.kind is StarKind.EVENT:
            event = self.surface.queries.event(EventId(row.key.item_id)).event
            return target_of_event(event, market)
        return target_of_market(market)

    async def _remove_alert(self) -> None:
        """Remove the selected price alert."""
        alert = self._alerts.get(self.table.cursor_key or "")
        if alert is None:
            set_key = key_of(self.surface.options.keymap, "row.set_alert")
            self.message_line.show(f"No alert at the cursor; {set_key} sets one.")
            return
        problem = await self.surface.commands.remove_alert(alert.alert.alert_id)
        self._show_rows()
        self.message_line.show(f"Not removed: {plain(problem)}." if problem else "Alert removed.")

    def _show_rows(self) -> None:
        queries = self.surface.queries
        view, now = queries.watchlist(), queries.now()
        self._view = view
        second = now.replace(microsecond=0)
        self._rows, self._alerts = {}, {}
        rows = []
        for each in view.rows:
            key = row_key(each)
            self._rows[key] = each
            day = self._day_of(each, now)
            paint = partial(paint_watch_row, each, now, day)
            rows.append(self._memo.row(key, (each, second, day), paint))
            for alert in each.alerts:
                name = alert_key(alert.alert)
                self._rows[name], self._alerts[name] = each, alert
                rows.append(self._memo.row(name, (alert,), partial(paint_alert_row, alert)))
        self.table.set_rows(rows)
        self._memo.keep_only(set(self._rows))
        self._follow_days()
        self._show_heading()
        self.show_details()

    def _day_of(self, row: WatchRow, now: datetime) -> Cell:
        token_id = _token_of(row)
        topic = None if token_id is None else HistoryTopic(token_id, Interval.DAY)
        if topic not in self._days or topic is None:
            return NO_DAY
        return paint_day(self.surface.queries.history(topic.token_id, topic.interval).points, now)

    def _follow_days(self) -> None:
        """Subscribe to the histories of the listed rows, if the sparklines are on show."""
        has_room = "day" in self.table.columns.in_view
        tokens = [_token_of(row) for row in self._view.rows[:MOST_STREAMED_ROWS] if has_room]
        wanted = tuple(HistoryTopic(t, Interval.DAY) for t in dict.fromkeys(tokens) if t)
        if wanted != self._days:
            self._days = wanted
            self.feed.renew()

    def _show_heading(self) -> None:
        queries = self.surface.queries
        view, width = self._view, self.size.width
        keymap = self.surface.options.keymap
        paint = partial(paint_watch_title, view, queries.now(), keymap)
        self.query_one("#list-panel", Panel).show_title_in_width(paint)
        note = paint_watch_note(view, width)
        self.set_class(bool(note), "-noted")
        self.query_one("#note", TextLine).show(note)

    def _subject_of(self, row: WatchRow) -> Subject | None:
        """Return the subject of a row's preview, at the prices that the row shows."""
        market, quote = row.seen.market if row.seen is not None else None, row.quote
        if market is not None and quote is not None:
            market = replace(market, best_bid=quote.best_bid, best_ask=quote.best_ask)
        if row.key.kind is not StarKind.EVENT:
            return None if market is None else market_subject(market)
        event = self.surface.queries.event(EventId(row.key.item_id)).event
        if event is None:
            return None if market is None else replace(market_subject(market), title=row.title)
        if market is None:
            return event_subject(event, None)
        known = (market if m.condition_id == market.condition_id else m for m in event.markets)
        return event_subject(replace(event, markets=tuple(known)), market)


def _token_of(row: WatchRow) -> TokenId | None:
    """Return the token whose prices a row shows."""
    market = row.seen.market if row.seen is not None else None
    return None if market is None or market.closed else market.quoted_token

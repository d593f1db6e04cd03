"""The log: notices, orders, requests and stream events. It holds no secrets."""

from collections.abc import Iterable
from functools import partial
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.getters import query_one
from typing_extensions import override

from pmtui.domain.formats import count
from pmtui.service.topics import LogTopic, RequestsTopic, Topic
from pmtui.service.views import RequestEntry
from pmtui.ui.cells import Cell, Row
from pmtui.ui.format import zone_at
from pmtui.ui.frame import CursorItem, FrameScreen
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import bindings_for
from pmtui.ui.plain import plain
from pmtui.ui.portfolio.paint_log import (
    LOG_COLUMNS,
    paint_entry,
    paint_request,
    request_words,
    span_of,
)
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.panel import Panel, fit_title

REQUEST = "request"
KINDS = ("", "notice", "order", REQUEST, "stream")
"""The filters; by default everything but requests, which would fill the screen."""


class LogScreen(FrameScreen):
    """Everything that happened, newest first."""

    ABOUT: ClassVar[str] = "Everything worth knowing that happened, newest first."
    PLACE: ClassVar[str] = "log"
    CONTEXTS: ClassVar[tuple[Context, ...]] = (Context.LOG,)
    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.LOG)
    IDLE_KEYS: ClassVar[frozenset[str]] = frozenset({"global.log", "global.open"})
    table = query_one("#entries", LineTable)
    frame = query_one("#heading", Panel)
    _kind = ""

    @override
    def topics(self) -> Iterable[Topic]:
        return (LogTopic(), RequestsTopic()) if self._kind == REQUEST else (LogTopic(),)

    @override
    def compose_body(self) -> ComposeResult:
        table = LineTable(LOG_COLUMNS, empty=" Nothing logged yet.", id="entries")
        yield Panel(table, id="heading", classes="-table")

    @override
    def show_topic(self, topic: Topic) -> None:
        if topic in self.topics():
            self._show_entries()

    @override
    def cursor_item(self) -> CursorItem:
        key = self.table.cursor_key
        if (request := self._requests().get(key or "")) is not None:
            return CursorItem(copied=("line", plain(request_words(request))))
        entries = self.surface.queries.log().entries
        entry = next((e for e in entries if str(e.sequence) == key), None)
        if entry is None:
            return CursorItem()
        if entry.order_id:
            return CursorItem(copied=("order id", entry.order_id))
        return CursorItem(copied=("line", plain(entry.text)))

    @override
    def on_resize(self, _: events.Resize) -> None:
        # Textual also calls FrameScreen.on_mount.
        self._show_entries()

    def action_next_kind(self) -> None:
        """Switch to the next filter."""
        self._kind = KINDS[(KINDS.index(self._kind) + 1) % len(KINDS)]
        self.feed.renew()
        self._show_entries()

    def _requests(self) -> dict[str, RequestEntry]:
        """Return the requests shown, by their row keys."""
        if self._kind != REQUEST:
            return {}
        return {f"r{e.sequence}": e for e in self.surface.queries.requests().entries}

    def _show_entries(self) -> None:
        view = self.surface.queries.log()
        entries = [e for e in view.entries if self._kind in ("", e.kind)]
        width = self.size.width
        lines = [
            (e.at, Row(str(e.sequence), paint_entry(e, width), span=span_of(e, width)))
            for e in entries
        ]
        lines += [
            (e.at, Row(key, paint_request(e), span=span_of(e, width)))
            for key, e in self._requests().items()
        ]
        lines.sort(key=lambda line: line[0], reverse=True)
        older = view.dropped
        if self._kind == REQUEST:
            older = self.surface.queries.requests().dropped
        facts = [count(len(lines), "entry", "entries")]
        facts += [f"{count(older, 'older one')} dropped"] if older else []
        facts += [f"times in {zone_at(lines[0][0])}"] if lines else []
        names = ((Cell("LOG", Role.HEADING),), (Cell(self._kind or "everything", Role.KEY),))
        values = [(Cell(fact, Role.DIM),) for fact in facts]
        self.frame.show_title_in_width(partial(fit_title, names, values))
        self.table.set_rows([row for _, row in lines])
        if view.entries:
            self.surface.commands.mark_log_read(view.entries[-1].sequence)

"""Screens for reading rules, comments and holders. Nothing can be traded here."""

from abc import abstractmethod
from collections.abc import Iterable
from functools import partial
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.getters import query_one
from typing_extensions import override

from pmtui.domain.ids import ConditionId, EventId
from pmtui.service.topics import EventTopic, MarketTopic, Topic
from pmtui.ui.cells import Cell, Column, Line, Row
from pmtui.ui.explore.paint_reading import (
    HOLDER_COLUMNS,
    explain_no_holders,
    paint_comments,
    paint_holder_rows,
    paint_rules,
)
from pmtui.ui.frame import FrameScreen
from pmtui.ui.keys.actions import FooterEntry
from pmtui.ui.plain import cell_width, plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.panel import Panel

WIDEST = 100
"""Longer lines are hard to read."""
_BESIDE = 5
"""The width of a frame and a scroll bar."""


class ReadingScreen(FrameScreen):
    """A titled frame of scrolling text."""

    columns: ClassVar[tuple[Column, ...]] = (Column("text", "", 10, grow=1),)
    has_cursor: ClassVar[bool] = False

    panel = query_one("#text-panel", Panel)
    table = query_one("#text", LineTable)

    @abstractmethod
    def heading_words(self) -> tuple[str, str]:
        """Return the kind of text and its subject; both may be untrusted."""

    @abstractmethod
    def rows(self, width: int) -> tuple[Row, ...]:
        """Return the text as rows for a width."""

    @override
    def compose_body(self) -> ComposeResult:
        text = LineTable(
            self.columns, show_header=self.has_cursor, show_cursor=self.has_cursor, id="text",
        )  # fmt: skip
        yield Panel(text, id="text-panel", classes="-table")

    @override
    def on_mount(self) -> None:
        # Textual also calls FrameScreen.on_mount.
        self.table.focus()

    @override
    def footer_entries(self) -> tuple[FooterEntry, ...]:
        entries = super().footer_entries()
        back = tuple(e for e in entries if e.id == "global.back")
        return (*back, *(e for e in entries if e.id not in ("global.open", "global.back")))

    @override
    def show_topic(self, topic: Topic) -> None:
        if topic in self.topics():
            self.show_text()

    @override
    def on_resize(self, _: events.Resize) -> None:
        self.show_text()

    def show_text(self) -> None:
        """Show the current text, wrapped to the current width."""
        kind, subject = self.heading_words()
        self.panel.show_title_in_width(partial(_title, kind, subject))
        self.table.set_rows(self.rows(max(10, min(self.size.width - _BESIDE, WIDEST))))


class RulesScreen(ReadingScreen):
    """The rules by which a market resolves, and their source."""

    ABOUT: ClassVar[str] = "The rules a market resolves by, and where the answer comes from."

    def __init__(
        self, surface: Surface, event_id: EventId | None, condition_id: ConditionId | None
    ) -> None:
        """Show the rules of a market, of its event, or of both."""
        super().__init__(surface)
        self._event_id = event_id
        self._condition_id = condition_id

    @override
    def topics(self) -> Iterable[Topic]:
        return (EventTopic(self._event_id),) if self._event_id else ()

    @override
    def heading_words(self) -> tuple[str, str]:
        queries = self.surface.queries
        event = queries.event(self._event_id).event if self._event_id else None
        market = queries.market(self._condition_id).market if self._condition_id else None
        name = event.title if event else market.distinct_name if market else ""
        return "Rules and resolution", name

    @override
    def rows(self, width: int) -> tuple[Row, ...]:
        queries = self.surface.queries
        event = queries.event(self._event_id).event if self._event_id else None
        market = queries.market(self._condition_id).market if self._condition_id else None
        return _as_rows(paint_rules(event, market, width))


class CommentsScreen(ReadingScreen):
    """The comments on an event."""

    ABOUT: ClassVar[str] = "What people say about an event."

    def __init__(self, surface: Surface, event_id: EventId) -> None:
        super().__init__(surface)
        self._event_id = event_id

    @override
    def topics(self) -> Iterable[Topic]:
        return (EventTopic(self._event_id),)

    @override
    def heading_words(self) -> tuple[str, str]:
        event = self.surface.queries.event(self._event_id).event
        return "Comments", event.title if event else ""

    @override
    def rows(self, width: int) -> tuple[Row, ...]:
        queries = self.surface.queries
        return _as_rows(paint_comments(queries.event(self._event_id), queries.now(), width))


class HoldersScreen(ReadingScreen):
    """The largest holders of a market."""

    ABOUT: ClassVar[str] = "Who holds most of a market."

    columns: ClassVar[tuple[Column, ...]] = HOLDER_COLUMNS
    has_cursor: ClassVar[bool] = True

    def __init__(self, surface: Surface, condition_id: ConditionId) -> None:
        super().__init__(surface)
        self._condition_id = condition_id

    @override
    def topics(self) -> Iterable[Topic]:
        return (MarketTopic(self._condition_id),)

    @override
    def heading_words(self) -> tuple[str, str]:
        market = self.surface.queries.market(self._condition_id).market
        return "Top holders", market.distinct_name if market else ""

    @override
    def rows(self, width: int) -> tuple[Row, ...]:
        view = self.surface.queries.market(self._condition_id)
        self.table.set_empty_text(explain_no_holders(view))
        return paint_holder_rows(view)


def _as_rows(lines: tuple[Cell, ...]) -> tuple[Row, ...]:
    return tuple(Row(str(number), (cell,)) for number, cell in enumerate(lines))


def _title(kind: str, subject: str, width: int) -> tuple[Line, Line]:
    """Paint the kind of text, and its subject as far as it fits."""
    name = plain(kind).upper()
    room = width - cell_width(name) - 2
    about = (Cell("  "), Cell(plain(subject, room), Role.DIM)) if subject and room > 0 else ()
    return (Cell(name, Role.HEADING), *about), ()

"""The list of conditional orders: their prices and states, and why one is not watching."""

from collections.abc import Iterable
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.getters import query_one
from typing_extensions import override

from pmtui.domain.conditionals.conditional import Conditional, ConditionalState
from pmtui.service.topics import AccountTopic, MarketTopic, StatusTopic, Topic
from pmtui.ui.cells import Cell, Line, line_width
from pmtui.ui.facts import key_of
from pmtui.ui.frame import CursorItem, FrameScreen, MarketChosen
from pmtui.ui.keys.action_table import Context, Need
from pmtui.ui.keys.actions import bindings_for
from pmtui.ui.ladder.ladder_state import state_word
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.protect import (
    CONDITIONAL_COLUMNS,
    paint_conditional_details,
    paint_conditional_row,
    where_stops_live,
)
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.panel import Panel, fit_title
from pmtui.ui.widgets.text_line import TextLine


class ConditionalsScreen(FrameScreen):
    """Stops and targets, which only pmtui watches."""

    ABOUT: ClassVar[str] = "Stops and targets, watched over by this program alone."
    PLACE: ClassVar[str] = "conditionals"
    CONTEXTS: ClassVar[tuple[Context, ...]] = (Context.CONDITIONALS,)
    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.CONDITIONALS)
    table = query_one("#conditionals", LineTable)

    def __init__(self, surface: Surface) -> None:
        super().__init__(surface)
        self.missing_needs = (lambda: () if self._at_cursor() else (Need.STOP,),)

    @override
    def topics(self) -> Iterable[Topic]:
        # A stop that is resumed must obey its market's terms, which are loaded meanwhile.
        listed = self.surface.queries.account().conditionals
        return (AccountTopic(), *{MarketTopic(each.condition_id) for each in listed})

    @override
    def compose_body(self) -> ComposeResult:
        key = key_of(self.surface.options.keymap, "market.protect")
        table = LineTable(
            CONDITIONAL_COLUMNS,
            empty=f" None. On a market or a position, {key} sets one for what you hold.",
            id="conditionals",
        )
        yield Panel(table, classes="-table")
        yield TextLine(id="details")

    @override
    def on_mount(self) -> None:
        paint = partial(_paint_title, where_stops_live(self.surface.options))
        self.query_one(Panel).show_title_in_width(paint)
        self.table.focus()
        self._show_rows()

    @override
    def show_topic(self, topic: Topic) -> None:
        if topic in (AccountTopic(), StatusTopic()):
            self._show_rows()

    @override
    def cursor_item(self) -> CursorItem:
        each = self._at_cursor()
        return (
            CursorItem() if each is None else CursorItem(copied=("condition id", each.condition_id))
        )

    async def action_switch(self) -> None:
        """Resume or pause the selected stop."""
        each = self._at_cursor()
        if each is None:
            self.message_line.show("No stop or target here.")
        elif each.state is ConditionalState.PAUSED:
            problem = await self.surface.commands.start_conditional(each.conditional_id)
            self.message_line.show(f"Not resumed: {plain(problem)}." if problem else "Watching.")
        else:
            is_selling = each.state is not ConditionalState.WATCHING
            problem = await self.surface.commands.pause_conditional(each.conditional_id)
            more = " A sale already sent goes on." if is_selling else ""
            paused = f"Paused until you resume it.{more}"
            self.message_line.show(f"Not paused: {plain(problem)}." if problem else paused)

    async def action_cancel(self) -> None:
        """Cancel the selected stop."""
        each = self._at_cursor()
        if each is None:
            self.message_line.show("No stop or target here.")
            return
        problem = await self.surface.commands.cancel_conditional(each.conditional_id)
        self.message_line.show(f"Not cancelled: {plain(problem)}." if problem else "Cancelled.")

    @on(LineTable.RowHighlighted)
    def show_details(self) -> None:
        """Show the details of the selected stop."""
        each = self._at_cursor()
        queries = self.surface.queries
        details: Line = ()
        if each is not None:
            book = queries.book(each.token_id)
            words = state_word(book, queries.now()).text.strip()
            details = paint_conditional_details(each, queries.account(), words)
        self.query_one("#details", TextLine).show(details)

    @on(LineTable.RowSelected)
    def open_market(self) -> None:
        """Open the market of the selected stop."""
        each = self._at_cursor()
        if each is not None:
            self.post_message(MarketChosen(each.condition_id))

    def _at_cursor(self) -> Conditional | None:
        key = self.table.cursor_key
        listed = self.surface.queries.account().conditionals
        return next((each for each in listed if each.conditional_id == key), None)

    def _show_rows(self) -> None:
        queries = self.surface.queries
        now = queries.now()
        account = queries.account()
        listed = account.conditionals
        self.table.set_rows([paint_conditional_row(each, account, now) for each in listed])
        self.show_details()


def _paint_title(where: str, room: int) -> tuple[Line, Line]:
    """Paint who watches the stops; shortened, at least when they are inactive."""
    name = (Cell("STOPS AND TARGETS", Role.HEADING),)
    said = where if len(where) + line_width(name) < room else where.rpartition(": ")[2]
    return fit_title((name,), ((Cell(said, Role.DIM),),), room)

"""The list of conditional orders: their prices and states, and why one is not watching."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.getters import query_one
from typing_extensions import override

from pmtui.domain.conditionals.conditional import (
    ConditionalId,
    ConditionalOrder,
    ConditionalState,
    ends_of,
    plan_of,
)
from pmtui.domain.money import Micros
from pmtui.domain.orders.self_trade import book_of_others
from pmtui.service.topics import AccountTopic, BookTopic, MarketTopic, StatusTopic, Topic
from pmtui.ui.cells import Cell, Column, Line, Row, line_width
from pmtui.ui.facts import ABSENT, PRICE_WIDTH, key_of, paint_gain, paint_price, paint_spread
from pmtui.ui.frame import CursorItem, FrameScreen, MarketChosen, is_live
from pmtui.ui.keys.action_table import Context, Need
from pmtui.ui.keys.actions import bindings_for
from pmtui.ui.ladder.ladder_state import state_word
from pmtui.ui.market.market_model import net_stake_in
from pmtui.ui.plain import Align, plain
from pmtui.ui.surface import Options, Surface
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


def _columns() -> tuple[Column, ...]:
    """Return the columns of a stop, with the market's price and the result at the stop."""
    known = {column.key: column for column in CONDITIONAL_COLUMNS}
    added = {
        "bid": Column("bid", "Bid", PRICE_WIDTH, priority=1, align=Align.RIGHT),
        "away": Column("away", "Away", PRICE_WIDTH, priority=1, align=Align.RIGHT),
        "end": Column("end", "At stop", 9, priority=2, align=Align.RIGHT),
    }
    return tuple((known | added)[key] for key in _ORDER)


_ORDER = (
    "state", "size", "outcome", "stop", "worst", "profit", "bid", "away", "end", "age", "title",
)  # fmt: skip
_AT = {column.key: at for at, column in enumerate(CONDITIONAL_COLUMNS)}
COLUMNS = _columns()
_ALL_COLUMNS_FROM = 100
"""In a narrower table the details have the facts of the columns that are left out."""


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
        self._covering: ConditionalId | None = None
        """The one to explain once there are rows."""

    @override
    def topics(self) -> Iterable[Topic]:
        # A stop that is resumed must obey its market's terms, which are loaded meanwhile.
        listed = self.surface.queries.account().conditionals
        markets = {MarketTopic(each.condition_id) for each in listed}
        return (AccountTopic(), *markets, *{BookTopic(each.token_id) for each in listed})

    @override
    def compose_body(self) -> ComposeResult:
        key = key_of(self.surface.options.keymap, "market.protect")
        table = LineTable(
            COLUMNS,
            empty=f" None. On a market or a position, {key} sets one for what you hold.",
            id="conditionals",
        )
        yield Panel(table, classes="-table")
        yield TextLine(id="details")

    @override
    def on_mount(self) -> None:
        paint = partial(_paint_title, self.surface.options)
        self.query_one(Panel).show_title_in_width(paint)
        self.table.focus()
        self._show_rows()
        if self._covering is not None:
            _ = self.call_after_refresh(self.explain, self._covering)

    @override
    def on_resize(self, _: events.Resize) -> None:
        # Textual also calls FrameScreen.on_resize.
        self.show_details()

    @override
    def show_topic(self, topic: Topic) -> None:
        if topic in (AccountTopic(), StatusTopic()) or isinstance(topic, BookTopic | MarketTopic):
            self._show_rows()

    @override
    def cursor_item(self) -> CursorItem:
        each = self._at_cursor()
        return (
            CursorItem() if each is None else CursorItem(copied=("condition id", each.condition_id))
        )

    def explain(self, conditional_id: ConditionalId) -> None:
        """Go to the one that covers a position, and say how another takes its place."""
        if not is_live(self):
            self._covering = conditional_id
        elif self.table.move_cursor_to(conditional_id):
            keymap = self.surface.options.keymap
            cancel, protect = (
                key_of(keymap, each) for each in ("conditionals.cancel", "market.protect")
            )
            text = f"The position is covered: {cancel} cancels this, then {protect} sets another."
            self.message_line.show(text)

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
            if self.size.width < _ALL_COLUMNS_FROM:
                details = (*details, *_name_facts(self._facts(each)))
        self.query_one("#details", TextLine).show(details)

    @on(LineTable.RowSelected)
    def open_market(self) -> None:
        """Open the market of the selected stop."""
        each = self._at_cursor()
        if each is not None:
            self.post_message(MarketChosen(each.condition_id))

    def _at_cursor(self) -> ConditionalOrder | None:
        key = self.table.cursor_key
        listed = self.surface.queries.account().conditionals
        return next((each for each in listed if each.conditional_id == key), None)

    def _show_rows(self) -> None:
        queries = self.surface.queries
        now = queries.now()
        account = queries.account()
        listed = account.conditionals
        rows = [paint_conditional_row(each, account, now) for each in listed]
        facts = [self._facts(each) for each in listed]
        self.table.set_rows([_with_facts(*each) for each in zip(rows, facts, strict=True)])
        self.show_details()

    def _facts(self, each: ConditionalOrder) -> Mapping[str, Cell]:
        """Return the bid that would trigger a stop, how far away it is, and the result at the stop."""
        queries = self.surface.queries
        account, terms = queries.account(), queries.market(each.condition_id).terms
        book = book_of_others(queries.book(each.token_id), each.condition_id, account.open_orders)
        bid = book.best_bid if book.state.is_good else None
        away = None if bid is None or each.stop is None else Micros(bid - each.stop)
        end: Cell = Cell(ABSENT, Role.DIM)
        if each.stop is not None and terms is not None:
            plan = replace(plan_of(each), size=account.allotted(each), take_profit=None)
            stake = net_stake_in(account, queries.fills().fills, terms, each.token_id)
            ends = ends_of(plan, stake=stake, fee=terms.fee)
            gain = next((e.profit for e in ends), None)
            end = end if gain is None else paint_gain(gain, 9)
        return {
            "bid": paint_price(bid),
            "away": paint_spread(None if away is None else Micros(max(away, 0)), Role.DIM),
            "end": end,
        }


def _name_facts(facts: Mapping[str, Cell]) -> Line:
    named = (("  bid ", "bid"), ("  away ", "away"), ("  at stop ", "end"))
    return tuple(
        cell
        for name, key in named
        for cell in (Cell(name, Role.DIM), facts[key]._replace(text=facts[key].text.strip()))
    )


def _with_facts(row: Row, facts: Mapping[str, Cell]) -> Row:
    """Return a stop's row in the order of `COLUMNS`."""
    return Row(row.key, tuple(facts.get(key) or row.cells[_AT[key]] for key in _ORDER))


def _paint_title(options: Options, room: int) -> tuple[Line, Line]:
    """Paint who watches the stops; shortened, that the venue does not or when they are inactive."""
    name, where = (Cell("STOPS AND TARGETS", Role.HEADING),), where_stops_live(options)
    # Attached, the first half matters most: who holds them. Otherwise the second: until when.
    short = where.split(": ")[0 if options.is_attached else 1]
    said = where if len(where) + line_width(name) < room else short
    return fit_title((name,), ((Cell(said, Role.DIM),),), room)

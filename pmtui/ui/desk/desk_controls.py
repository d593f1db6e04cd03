"""The ladders of the desk and its keys: those of the market screen, on the focused ladder.

One set of controls serves all columns. It trades the market of the focused column, as of the key
press; focusing another column drops the state of the previous one and closes the ticket.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from textual.message import Message

from pmtui.domain.account.position import Stake
from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.books.ladder import Ghost, Ladder
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Event, Market, Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.amounts import size_floor
from pmtui.domain.orders.order import Order
from pmtui.service.surface import Queries
from pmtui.service.topics import AccountTopic, BookTopic, FillsTopic, MarketTopic, Topic
from pmtui.ui.cells import Cell, Emphasis, Line, line_width
from pmtui.ui.facts import key_of
from pmtui.ui.format import format_price, format_size_compact
from pmtui.ui.keys.action_table import Need
from pmtui.ui.ladder.ladder import LadderPane
from pmtui.ui.ladder.ladder_state import paint_ending, state_word
from pmtui.ui.market.controls.order_controls import Action, OrderControls
from pmtui.ui.market.controls.workspace import Page, Part, Workspace
from pmtui.ui.market.market_footer import missing_in
from pmtui.ui.market.market_model import (
    MarketModel,
    MarketReader,
    ladder_inputs,
    tick_size_of,
    token_id_of,
    trading_of,
)
from pmtui.ui.market.paint_single_keys import Dials
from pmtui.ui.message_line import MessageLine
from pmtui.ui.plain import fit_apart, plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.ticket import TicketPane
from pmtui.ui.wallet.wallet_flow import WalletSteps
from pmtui.ui.widgets.panel import Panel

_SIZE_WIDTH = 7


class DeskColumn(Panel):
    """A ladder with the account's orders and position in it."""

    DEFAULT_CSS = "DeskColumn { width: 1fr; height: 100%; }"

    def __init__(self, *, is_first: bool) -> None:
        """Start without a market; `is_first` when no column stands to its left."""
        self.ladder = LadderPane()
        super().__init__(self.ladder, classes="-tight" if is_first else "-tight -split")
        self.market: Market | None = None
        """The market whose outcome is shown."""
        self.names: tuple[str, ...] = ()
        """The untrusted names of all outcomes, from which its own must stay apart."""
        self.number = 0
        """Its position among the outcomes, from one."""
        self.token_id: TokenId | None = None

    @property
    def condition_id(self) -> ConditionId | None:
        """The condition id of the market shown."""
        return self.market.condition_id if self.market is not None else None

    def set_market(
        self, market: Market | None, number: int, outcome_index: int, *, names: tuple[str, ...]
    ) -> None:
        """Switch to an outcome of a market and clear what was shown of another."""
        self.market, self.number, self.names = market, number, names
        self.display = market is not None
        tokens = market.token_ids if market is not None else ()
        token_id = tokens[outcome_index] if outcome_index < len(tokens) else None
        if token_id != self.token_id:
            self.token_id = token_id
            self.ladder.clear_cursor()
            self.ladder.show(BookView(token_id or TokenId(""), BookState.LOADING))

    def show_market(self, queries: Queries, outcome_index: int, give_way_percent: int) -> None:
        """Show the book, own orders and the title."""
        if self.market is None or self.condition_id is None:
            return
        view, account = queries.market(self.condition_id), queries.account()
        token_id = token_id_of(view, outcome_index) or self.token_id
        if token_id is None:
            return
        book = queries.book(token_id)
        inputs = ladder_inputs(
            account,
            view,
            token_id,
            fills=queries.fills().fills,
            is_mirrored=False,
            give_way_percent=give_way_percent,
        )
        self.ladder.show(
            book, tick=tick_size_of(view), orders=inputs.orders,
            volume=queries.tape(token_id).volume, fills=queries.fills().fills, marks=inputs.marks,
            ending=paint_ending(view.market or self.market),
        )  # fmt: skip
        word = state_word(book, queries.now(), trading_of(view))
        values = _values(book, inputs.marks.net, word, is_trading=inputs.marks.is_trading)
        self.show_title_in_width(
            partial(paint_outcome, self.number, self.market.title, self.names, values)
        )


def paint_outcome(
    number: int, title: str, names: tuple[str, ...], values: Sequence[Line], width: int
) -> tuple[Line, Line]:
    """Paint an outcome's name beside the longest value that leaves room to tell it from the others."""
    place, name = Cell(f"{number} ", Role.DIM), ""
    room = 0
    for value in values:
        room = max(width - line_width((place, *value)), 0)
        if name := fit_apart(names, room).get(title, ""):
            break
    return (place, Cell(name or plain(title, room), Role.HEADING, Emphasis.BOLD)), value


def _values(book: BookView, net: Stake | None, word: Cell, *, is_trading: bool) -> tuple[Line, ...]:
    """Return the net position with the touch, which the rows show too, and without it.

    Of a book that cannot be traded from only with why not.
    """
    held: Line = ()
    if net is not None and size_floor(net.size) > 0:
        held = (Cell(f"{_size(net)} ", Role.OWN_ORDER),)
    if not is_trading or not book.state.is_good or book.best_bid is None or book.best_ask is None:
        return ((*held, word._replace(text=word.text.strip())),)
    bid, ask = (format_price(p, tick=book.tick_size) for p in (book.best_bid, book.best_ask))
    touch = (
        Cell(bid.removesuffix("¢"), Role.BID), Cell("/", Role.DIM), Cell(ask, Role.ASK),
    )  # fmt: skip
    return (*held, *touch), held


def _size(net: Stake) -> str:
    sign = "-" if net.is_other else "+"
    return f"{sign}{format_size_compact(net.size, width=_SIZE_WIDTH).strip()}"


_LEAST_WIDTH = 40
"""The least width of a ladder that shows own sizes beside the prices."""
MOST_COLUMNS = 6


class FocusedLadder:
    """The focused ladder, whichever column that is."""

    def __init__(self) -> None:
        self.column: DeskColumn | None = None
        self._drawn_in: DeskColumn | None = None
        """The column that shows the draft."""

    @property
    def cursor(self) -> tuple[Micros, Side] | None:
        """The price at the cursor."""
        return None if self.column is None else self.column.ladder.cursor

    @property
    def ladder(self) -> Ladder | None:
        """The rows."""
        return None if self.column is None else self.column.ladder.ladder

    @property
    def book(self) -> BookView | None:
        """The exact book that is shown."""
        return None if self.column is None else self.column.ladder.book

    @property
    def line_stood_still_s(self) -> float:
        """For how long the line stood still as of the ladder that a key is meant for; else zero."""
        return 0.0 if self.column is None else self.column.ladder.line_stood_still_s

    @property
    def key_late_s(self) -> float:
        """How long the key in hand has waited behind others; zero where that is no matter."""
        return 0.0 if self.column is None else self.column.ladder.key_late_s

    @property
    def is_unseen(self) -> bool:
        """Whether a slow line has not yet brought the first picture of the book to the trader."""
        return self.column is not None and self.column.ladder.is_unseen

    def better_seen(self, side: Side, price: Micros) -> Micros | None:
        """Return a better touch seen last, on a slow connection."""
        return None if self.column is None else self.column.ladder.better_seen(side, price)

    def show_ghosts(self, ghosts: tuple[Ghost, ...]) -> None:
        """Show the draft at its prices, in this column only."""
        if self._drawn_in is not None and self._drawn_in is not self.column:
            self._drawn_in.ladder.show_ghosts(())
        self._drawn_in = self.column
        if self.column is not None:
            self.column.ladder.show_ghosts(ghosts)

    def point_at(self, price: Micros) -> None:
        """Move the cursor to a price."""
        if self.column is not None:
            self.column.ladder.point_at(price)

    def go_to(self, price: Micros) -> None:
        """Move the cursor to a price and centre the rows on it."""
        if self.column is not None:
            self.column.ladder.go_to(price)

    def clear_cursor(self) -> None:
        """Remove the cursor."""
        if self.column is not None:
            self.column.ladder.clear_cursor()

    def action_recentre(self) -> None:
        """Centre the spread."""
        if self.column is not None:
            self.column.ladder.action_recentre()

    def focus(self) -> object:
        """Take the focus."""
        return None if self.column is None else self.column.ladder.focus()


class NoOrderList:
    """Stands for an order list, which the desk lacks: keys act on orders at the cursor."""

    has_focus: bool = False
    selected: Order | None = None


class DeskControls:
    """The columns, and the controls of the focused one."""

    def __init__(
        self, page: Page, surface: Surface, line: MessageLine, ticket: TicketPane,
        columns: Sequence[DeskColumn], wallet: WalletSteps,
    ) -> None:  # fmt: skip
        """Start without a market.

        Args:
            page: the screen.
            surface: the service and the user's choices.
            line: shows the answers to keys.
            ticket: shared by all columns.
            columns: the ladders, from the left.
            wallet: runs wallet steps over the screen.
        """
        self._page = page
        self._surface = surface
        self._line = line
        self._ticket = ticket
        self._columns = tuple(columns)
        self._focused = FocusedLadder()
        self._reader = MarketReader(surface, ConditionId(""), self._focused)
        workspace = Workspace(
            surface=surface, reader=self._reader, line=line, page=page, ladder=self._focused,
            ticket=ticket,
        )  # fmt: skip
        self._orders = OrderControls(workspace, wallet, NoOrderList(), flip=self._flip)
        self.moving, self.single_keys = self._orders.moving, self._orders.single_keys
        self.commands = self._orders.commands
        self._markets: tuple[Market, ...] = ()
        self._outcomes = surface.outcomes
        self._first = 0
        """The position of the leftmost market shown."""

    @property
    def room(self) -> int:
        """How many ladders fit on the screen."""
        return min(max(self._page.size.width // _LEAST_WIDTH, 1), len(self._columns))

    @property
    def shown(self) -> tuple[DeskColumn, ...]:
        """The columns that show a market, from the left."""
        return tuple(column for column in self._columns if column.market is not None)

    @property
    def is_armed(self) -> bool:
        """Whether single keys are armed."""
        return self._reader.read().is_armed

    @property
    def has_cursor(self) -> bool:
        """Whether a price is chosen on the focused ladder."""
        return self._focused.cursor is not None

    @property
    def column(self) -> DeskColumn | None:
        """The focused column."""
        return self._focused.column

    @property
    def market(self) -> Market | None:
        """The focused market."""
        return self.column.market if self.column is not None else None

    @property
    def actions(self) -> Mapping[str, Action]:
        """The handlers of the desk's actions, by their names in the market context."""
        return {
            **self._orders.actions(),
            "drop_order": self._drop,
            "flip_outcome": self._flip,
            "toggle_sides": self._explain_sides,
            "next_sibling": partial(self._step, 1),
            "previous_sibling": partial(self._step, -1),
        }

    def missing(self) -> frozenset[Need]:
        """Return the needs of keys that the focused ladder and its cursor do not meet."""
        model = self._reader.read()
        return missing_in(model, has_target=self._orders.own.has_target(model))

    def topics(self) -> Iterable[Topic]:
        """Return the topics of the columns."""
        yield from (AccountTopic(), FillsTopic())
        for column in self.shown:
            if column.condition_id is not None:
                yield MarketTopic(column.condition_id)
            if column.token_id is not None:
                yield BookTopic(column.token_id)

    def set_event(self, event: Event, first: ConditionId | None = None) -> None:
        """Show the open outcomes of an event, in an order independent of prices."""
        found = {m.condition_id: m for m in event.markets if m.condition_id is not None}
        closed = {m.condition_id for m in event.markets if m.closed or m.archived}
        # The shown outcomes keep their places even when they close: no key may reach another
        # market.
        kept = {column.condition_id for column in self.shown}
        self._markets = tuple(
            found[each] for each in self._outcomes.of(event)
            if each in found and (each not in closed or each in kept)
        )  # fmt: skip
        if first is not None:
            ids = [market.condition_id for market in self._markets]
            place = ids.index(first) if first in ids else 0
            self._first = max(min(place, len(ids) - self.room), 0)
        self.place(aimed=first)

    def place(self, *, aimed: ConditionId | None = None) -> None:
        """Assign markets to columns; the focus goes to `aimed`, or stays with its market."""
        wanted = aimed or (self._focused.column.condition_id if self._focused.column else None)
        self._first = max(min(self._first, len(self._markets) - self.room), 0)
        on_show = self._markets[self._first : self._first + self.room]
        names = tuple(market.title for market in self._markets)
        for number, column in enumerate(self._columns):
            market = on_show[number] if number < len(on_show) else None
            column.set_market(
                market, self._first + number + 1, self._reader.outcome_index, names=names
            )
        aims = [column for column in self.shown if column.condition_id == wanted]
        if keyed := next(iter((*aims, *self.shown)), None):
            self.activate(keyed)
            if not self._page.are_keys_locked:
                self._page.set_focus(keyed.ladder)
        self._page.show_parts(Part.TOPICS, Part.BOOK)

    def follow_focus(self) -> None:
        """Make the focused ladder the one that keys act on."""
        focused = self._page.focused
        column = next((c for c in self.shown if c.ladder is focused), None)
        if column is not None:
            self.activate(column)
        self._page.show_parts(Part.FOOTER)
        self.follow_arming()

    def activate(self, column: DeskColumn) -> None:
        """Make a column the target of the keys; drop the state of another market."""
        is_other = column.condition_id != self._reader.condition_id
        self._focused.column = column
        if is_other and column.condition_id is not None:
            self._reader.condition_id = column.condition_id
            self.moving.forget()
            self.single_keys.forget()
            self._line.take_back_confirmation()
            self._ticket.close()

    def show_topic(self, topic: Topic) -> None:
        """Update what changed."""
        match topic:
            case BookTopic(token_id):
                self._show_columns(c for c in self.shown if c.token_id == token_id)
            case MarketTopic(condition_id):
                self._show_columns(c for c in self.shown if c.condition_id == condition_id)
            case _:
                self._show_columns(self.shown)
        model = self._reader.read()
        self.moving.follow(model)
        if isinstance(topic, AccountTopic | FillsTopic):
            self._orders.news.show()
        self.update_ticket(model)
        self.follow_arming()

    def follow_arming(self) -> None:
        """Disarm on too small a screen, and show the state of single keys."""
        model = self._reader.read()
        self.single_keys.follow(model)
        for column in self.shown:
            is_hot = model.is_armed and column is self._focused.column
            column.show_look(Role.FRAME_ARMED if is_hot else None)
        self._page.show_parts(Part.STATE)

    def show_columns(self) -> None:
        """Repaint every ladder."""
        self._show_columns(self.shown)

    def update_ticket(self, model: MarketModel | None = None) -> None:
        """Check an open ticket's draft against the current market."""
        model = model or self._reader.read()
        if self._ticket.is_open and model.book is not None:
            self._ticket.update_context(book=model.book, account=model.account, market=model.market)

    def dials(self) -> Dials | None:
        """Return what each single key does or would do; None when none can ever trade."""
        return self.single_keys.dials(self._reader.read())

    def state_line(self) -> Line:
        """Paint what keys do now, and in which outcome."""
        model = self._reader.read()
        if moving := self.moving.state_line(model):
            return moving
        market = model.market.market
        name = plain(market.title, 40) if market is not None else ""
        outcome = market.outcomes[self._reader.outcome_index].label if market is not None else ""
        subject = Cell(" · ".join(filter(None, (name, plain(outcome, 12)))), Role.HEADING)
        if self._page.are_keys_locked:
            return (Cell(" ticket has the keys: ", Role.DIM), subject)
        if keys := self.single_keys.state_line(model):
            return (*keys, Cell("  "), subject)
        arrows = "left, right: other ladders" if len(self._markets) > 1 else ""
        if (number := len(self._markets)) > self.room:
            arrows += f" ({self._first + 1}-{self._first + self.room} of {number} on show)"
        return (Cell(" keys trade: ", Role.DIM), subject, Cell(f"   {arrows}", Role.DIM))

    async def answer(self, message: Message) -> None:
        """Handle a pane's message."""
        match message:
            case LadderPane.LevelPicked():
                await self._orders.pick_level(message)
            case LadderPane.Doubted():
                self._line.show(message.words)
            case LadderPane.CursorMoved():
                self._orders.follow_cursor()
                self._page.show_parts(Part.STATE, Part.FOOTER)
            case _:
                self._answer_ticket(message)

    def _answer_ticket(self, message: Message) -> None:
        match message:
            case TicketPane.Drafted():
                self._focused.show_ghosts(message.ghosts)
            case TicketPane.Finished():
                self._orders.news.announce(message.verdict, message.words)
            case TicketPane.KeyKept():
                self.single_keys.explain_ticket_has_keys()
            case TicketPane.Closed():
                _ = self._focused.focus()
                self._page.show_parts(Part.FOOTER)
            case _:
                self._page.show_parts(Part.FOOTER)

    def _show_columns(self, columns: Iterable[DeskColumn]) -> None:
        for column in columns:
            column.show_market(
                self._surface.queries,
                self._reader.outcome_index,
                self._surface.options.flatten_percent,
            )

    def _drop(self) -> None:
        if self.moving.is_moving:
            self.moving.drop()
        elif self._ticket.is_open:
            self._ticket.close()
        else:
            self.single_keys.disarm()

    def _flip(self) -> None:
        """Show the other outcome of every market."""
        self._reader.outcome_index = 1 - self._reader.outcome_index
        self.moving.forget()
        self.single_keys.forget()
        self._ticket.close()
        self.place()
        self._line.confirm(
            "No of every outcome." if self._reader.outcome_index else "Yes of every outcome."
        )

    def _explain_sides(self) -> None:
        back = key_of(self._surface.options.keymap, "global.back")
        self._line.show(f"The ladders stand side by side already: {back} goes back.")

    def _step(self, steps: int) -> None:
        """Focus the next ladder, and scroll to it if it is out of view."""
        ids = [market.condition_id for market in self._markets]
        here = self._focused.column.condition_id if self._focused.column is not None else None
        if here not in ids or not ids:
            return
        place = (ids.index(here) + steps) % len(ids)
        self._first = min(self._first, place)
        self._first = max(self._first, place - self.room + 1)
        self.place(aimed=ids[place])

"""One ladder of the desk: an outcome's book in a frame that names it, its touch and what is held of it."""

from pmtui.domain.account.position import Position
from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Market
from pmtui.service.surface import Queries
from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.format import format_average, format_price, format_size_compact
from pmtui.ui.ladder.ladder import LadderPane
from pmtui.ui.ladder.ladder_state import state_word
from pmtui.ui.market.market_model import ladder_inputs, tick_size_of, token_id_of, trading_of
from pmtui.ui.plain import plain
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.panel import Panel

_SIZE_WIDTH = 7


class DeskColumn(Panel):
    """A ladder with everything that is ours in it."""

    DEFAULT_CSS = "DeskColumn { width: 1fr; height: 100%; }"

    def __init__(self) -> None:
        """Start without a market."""
        self.ladder = LadderPane()
        super().__init__(self.ladder)
        self.market: Market | None = None
        """Whose outcome is on show."""
        self.number = 0
        """Its place among the outcomes, from one."""
        self.token_id: TokenId | None = None

    @property
    def condition_id(self) -> ConditionId | None:
        """Of the market on show."""
        return self.market.condition_id if self.market is not None else None

    def set_market(self, market: Market | None, number: int, outcome_index: int) -> None:
        """Belong to an outcome of a market; what was shown of another one goes."""
        self.market, self.number = market, number
        self.display = market is not None
        tokens = market.token_ids if market is not None else ()
        token_id = tokens[outcome_index] if outcome_index < len(tokens) else None
        if token_id != self.token_id:
            self.token_id = token_id
            self.ladder.clear_cursor()
            self.ladder.show(BookView(token_id or TokenId(""), BookState.LOADING))

    def show_market(self, queries: Queries, outcome_index: int) -> None:
        """Show the book, what is ours in it, and the frame."""
        if self.market is None or self.condition_id is None:
            return
        view, account = queries.market(self.condition_id), queries.account()
        token_id = token_id_of(view, outcome_index) or self.token_id
        if token_id is None:
            return
        book = queries.book(token_id)
        inputs = ladder_inputs(
            account, view, token_id, fills=queries.fills().fills, is_mirrored=False
        )
        self.ladder.show(
            book, tick=tick_size_of(view), orders=inputs.orders,
            volume=queries.tape(token_id).volume, fills=queries.fills().fills, marks=inputs.marks,
        )  # fmt: skip
        held = next((p for p in account.positions if p.token_id == token_id), None)
        name = (
            Cell(f"{self.number} ", Role.DIM),
            Cell(plain(self.market.title, 40), Role.HEADING, Emphasis.BOLD),
        )
        word = state_word(book, queries.now(), trading_of(view))
        self.show_title(name, _value(book, held, word))
        self.show_foot(_foot(held))


def _value(book: BookView, held: Position | None, word: Cell) -> Line:
    """Show what is held and the touch; of a book that is not good, what is wrong with it."""
    cells: list[Cell] = []
    if held is not None:
        cells += [Cell(f"{_size(held)} ", Role.OWN_ORDER)]
    if not book.state.is_good or book.best_bid is None or book.best_ask is None:
        return (*cells, word._replace(text=word.text.strip()))
    bid, ask = (format_price(p, tick=book.tick_size) for p in (book.best_bid, book.best_ask))
    return (*cells, Cell(bid, Role.BID), Cell("/", Role.DIM), Cell(ask, Role.ASK))


def _foot(held: Position | None) -> Line:
    if held is None:
        return ()
    return (Cell(f"{_size(held)} @ {format_average(held.average_price)}", Role.OWN_ORDER),)


def _size(held: Position) -> str:
    return f"+{format_size_compact(held.size, width=_SIZE_WIDTH).strip()}"

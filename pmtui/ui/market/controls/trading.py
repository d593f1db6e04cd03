"""Opening the ticket, selling the net position, and cancelling all of a market."""

from collections.abc import Callable

from pmtui.domain.books.book_view import BookState
from pmtui.domain.formats import count
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.self_trade import book_of_others
from pmtui.ui.account.action_cards import FlattenCard
from pmtui.ui.frame import if_agreed
from pmtui.ui.market.controls.workspace import Part, Workspace
from pmtui.ui.market.market_model import MarketModel
from pmtui.ui.market.moves import LOADING, describe_merging, prepare_net_sale
from pmtui.ui.market.order_news import OrderNews

TICKET_WANTED_FOR_S = 5.0
"""A ticket requested from a list opens within this time or not at all."""


class Trading:
    """Starts orders, each with a form or a card before it is sent."""

    def __init__(self, workspace: Workspace, news: OrderNews) -> None:
        self._workspace = workspace
        self._line = workspace.line
        self._page = workspace.page
        self._news = news
        self._wanted: tuple[Callable[[], object], float] | None = None
        """What to do once the market can be traded, and since when it is wanted."""

    def want_ticket(self, side: Side) -> None:
        """Open the ticket once the market has loaded, to trade a row of a list."""
        self.want(lambda: self.open_at_cursor(side))

    def want(self, work: Callable[[], object]) -> None:
        """Run something once the market has loaded."""
        self._wanted = work, self._workspace.queries.monotonic()

    def open_wanted(self, model: MarketModel) -> None:
        """Run what is wanted once market, terms and book have loaded."""
        if self._wanted is None:
            return
        work, since_s = self._wanted
        is_late = self._workspace.queries.monotonic() - since_s > TICKET_WANTED_FOR_S
        is_loading = model.market.market is None or (
            not model.why_not_tradable
            and (model.terms is None or model.book is None or model.book.state is BookState.LOADING)
        )
        if is_loading and not is_late:
            return
        self._wanted = None
        if not is_late:
            work()

    def open_ticket(self, side: Side, price: Micros | None) -> None:
        """Open the ticket at a price; None leaves the price empty."""
        model = self._workspace.reader.read()
        if reason := model.why_no_form:
            self._line.refuse_form(reason)
            return
        self._workspace.ticket.open(
            side, market=model.market, outcome_index=model.outcome_index, price=price
        )
        self._page.show_parts(Part.TICKET)

    def open_at_cursor(self, side: Side) -> None:
        """Open the ticket at the cursor, or at the best price of the other side."""
        model = self._workspace.reader.read()
        cursor, book = model.cursor, model.book
        if cursor is not None:
            self.open_ticket(side, cursor[0])
        elif book is None or not book.state.is_good:
            # A price from a doubtful book must be typed by the trader.
            self.open_ticket(side, None)
        else:
            # What others quote: with an own order nothing can be bought or sold.
            others = book_of_others(book, model.condition_id, model.own_orders)
            is_buy = side is Side.BUY
            price = others.best_ask if is_buy else others.best_bid
            self.open_ticket(side, price or (book.best_ask if is_buy else book.best_bid))

    def cancel_market(self) -> None:
        """Cancel all own orders in this market at once: that only reduces risk."""
        model = self._workspace.reader.read()
        orders = model.own_orders
        if self._workspace.refuse_read_only(model):
            return
        if not orders:
            self._line.refuse_form("No working orders in this market.")
            return
        command_id = self._workspace.commands.cancel_market(model.condition_id, None)
        self._line.show(f"Cancelling {count(len(orders), 'order')} in this market.")
        _ = self._page.run_worker(self._news.report_cancel(command_id, "in this market"))

    async def flatten(self, *, is_shown_only: bool = False) -> None:
        """Sell the net position of this market now, after a card that says how.

        Args:
            is_shown_only: nothing is sold of the outcome that is not on show.
        """
        model = self._workspace.reader.read()
        reason = model.why_not_tradable
        if reason or model.book is None:
            self._line.refuse_form(reason or LOADING)
            return
        leg = model.token_id if is_shown_only else None
        surface = self._workspace.surface
        sale = await prepare_net_sale(surface, model.terms, model.book, leg=leg)
        if isinstance(sale, str):
            self._line.refuse_form(sale)
            return
        order, plan = sale

        def sell() -> None:
            self._line.show(f"Selling the {plan.what}.")
            command_id = self._workspace.commands.flatten(order.order_id, plan.in_the_way)
            _ = self._page.run_worker(self._news.report_placed(command_id, order))

        merging = describe_merging(self._workspace.keymap)
        card = FlattenCard(order, plan, surface=surface, merging=merging)
        self._page.ask(card, if_agreed(sell))

"""What the trading screen's keys do to orders: open the ticket, cancel, sell all, scale."""

from textual import on

from pmtui.domain.books.book_view import BookView
from pmtui.domain.books.ladder import StopMark
from pmtui.domain.ids import CommandId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.flattening import FlattenPlan, FlattenProblem, plan_flatten
from pmtui.domain.orders.order import Rejected
from pmtui.service.surface import PreparedOrder
from pmtui.ui.account.action_cards import FlattenCard
from pmtui.ui.cells import Cell
from pmtui.ui.facts import count
from pmtui.ui.frame import is_live
from pmtui.ui.ladder.ladder import LadderPane
from pmtui.ui.market.market_facts import why_not_tradable
from pmtui.ui.market.market_moving import MarketMoving
from pmtui.ui.plain import plain
from pmtui.ui.portfolio.paint_orders import paint_resting_orders, say_cancelled
from pmtui.ui.question import QuestionScreen
from pmtui.ui.ticket.paint_conditional import say_stops
from pmtui.ui.ticket.protect import ProtectScreen
from pmtui.ui.ticket.scaled import ScaledScreen


class MarketTrading(MarketMoving):
    """The part of the trading screen that acts on orders."""

    @on(LadderPane.LevelPicked)
    async def _trade_level(self, message: LadderPane.LevelPicked) -> None:
        if self.message_line.ignores_key():
            pass
        elif self.is_moving:
            await self._move_to(message.price)
        elif message.doubt:
            self.message_line.say(message.doubt)
        else:
            self._open_ticket(message.side, message.price)

    @on(LadderPane.Doubted)
    def _say_doubted(self, message: LadderPane.Doubted) -> None:
        self.message_line.say(message.words)

    def action_buy(self) -> None:
        """Open the ticket to buy at the cursor, or at the best ask."""
        self._open_at_cursor(Side.BUY)

    def action_sell(self) -> None:
        """Open the ticket to sell at the cursor, or at the best bid."""
        self._open_at_cursor(Side.SELL)

    def action_cancel_order(self) -> None:
        """Cancel own orders at the cursor's price; where there are none, stops and targets there.

        A stop that shares its row with orders stays: the key goes to it once they are gone.
        """
        cursor = self.ladder.cursor
        if cursor is not None and self._has_only_stops(cursor[0]):
            self._cancel_stops(self._stops_at(cursor[0]))
            return
        place = self._own_at_cursor()
        if place is None:
            return
        command_id = self.surface.commands.cancel(order.order_id for order in place.orders)
        self.message_line.say(f"Cancelling {count(len(place.orders), 'order')} at {place.words}.")
        more = " The stop there stays active." if self._stops_at(place.price) else ""
        _ = self.run_worker(self._say_cancelled(command_id, f"at {place.words}", more))

    def _cancel_stops(self, stops: tuple[StopMark, ...]) -> None:
        for mark in stops:
            self.surface.commands.cancel_conditional(mark.conditional_id, mark.trigger)
        self.message_line.say(f"Cancelled {say_stops(stops, ascii_only=self._ascii_only)}.")

    async def _say_cancelled(self, command_id: CommandId, where: str, more: str = "") -> None:
        verdict = await self.surface.commands.cancel_verdict(command_id)
        if is_live(self):
            self.message_line.say(say_cancelled(verdict, where) + more)

    def action_cancel_market(self) -> None:
        """Cancel all own orders in this market, after a question that names them."""
        orders = self._own_orders()
        if self._is_read_only():
            return
        if not orders:
            self.message_line.refuse_form("No working orders in this market.")
            return

        def decide(is_agreed: bool | None) -> None:  # noqa: FBT001 - Textual's callback
            if is_agreed:
                command_id = self.surface.commands.cancel_market(self.condition_id, None)
                _ = self.run_worker(self._say_cancelled(command_id, "in this market"))

        market = self._market_view.market
        name = (Cell(plain(market.distinct_name if market else self.condition_id, 120)),)
        by_price = sorted(orders, key=lambda order: order.price, reverse=True)
        lines = (name, *paint_resting_orders(by_price))
        title, options = "Cancel all working orders in this market?", self.surface.options
        screen = QuestionScreen(title, lines, agree="Cancel them", options=options)
        _ = self.app.push_screen(screen, decide)

    async def action_flatten(self) -> None:
        """Sell the whole position of this outcome now, after a card that says how."""
        book = self._book_view
        reason = why_not_tradable(self._market_view, self.surface.queries.status())
        if reason or book is None:
            self.message_line.refuse_form(reason or "The market is loading.")
            return
        sale = await self._prepare_sale(book)
        if isinstance(sale, str):
            self.message_line.refuse_form(sale)
            return
        order, plan = sale

        def decide(is_agreed: bool | None) -> None:  # noqa: FBT001 - Textual's callback
            if is_agreed:
                self.message_line.say("Selling the whole position.")
                command_id = self.surface.commands.flatten(order.order_id, plan.in_the_way)
                _ = self.run_worker(self._await_placed(command_id, order))

        _ = self.app.push_screen(FlattenCard(order, plan, surface=self.surface), decide)

    async def _prepare_sale(self, book: BookView) -> tuple[PreparedOrder, FlattenPlan] | str:
        """Prepare the sale of the whole position of a book's token, or say why there is none."""
        terms, account = self._market_view.terms, self.surface.queries.account()
        if terms is None:
            return "The market is loading."
        held = account.held(book.token_id)
        plan = plan_flatten(
            held=held, orders=account.open_orders, book=book, terms=terms,
            give_way_percent=self.surface.options.flatten_percent,
        )  # fmt: skip
        if isinstance(plan, FlattenProblem):
            return f"Nothing to sell: {plan.text}."
        order = await self.surface.commands.prepare(plan.intent)
        if isinstance(order, Rejected):
            return f"Not sold: {plain(order.reason, 80)}."
        return order, plan

    def action_protect(self) -> None:
        """Watch over what is held of this outcome."""
        token_id, view = self.token_id, self._market_view
        if self._is_read_only():
            return
        if token_id is None or view.terms is None:
            self.message_line.refuse_form("The market is loading.")
            return
        account = self.surface.queries.account()
        held = account.held(token_id)
        if held <= 0:
            self.message_line.refuse_form("No position in this outcome to protect.")
            return
        screen = ProtectScreen(
            self.surface, self.condition_id, outcome_index=self._outcome_index, held=held
        )
        _ = self.app.push_screen(screen)

    def action_scaled(self) -> None:
        """Spread a total over a range of prices."""
        view = self._market_view
        reason = why_not_tradable(view, self.surface.queries.status())
        if not reason and view.terms is None:
            reason = "The trading terms are loading."
        if reason:
            self.message_line.refuse_form(reason)
            return
        cursor = self.ladder.cursor
        screen = ScaledScreen(
            self.surface, self.condition_id, outcome_index=self._outcome_index,
            start=None if cursor is None else cursor[0],
        )  # fmt: skip
        _ = self.app.push_screen(screen)

    def _open_at_cursor(self, side: Side) -> None:
        cursor, book = self.ladder.cursor, self._book_view
        if cursor is not None:
            self._open_ticket(side, cursor[0])
        elif book is None or not book.state.is_good:
            # A price from a book that may be wrong is the trader's to state.
            self._open_ticket(side, None)
        else:
            self._open_ticket(side, book.best_ask if side is Side.BUY else book.best_bid)

    def _open_ticket(self, side: Side, price: Micros | None) -> None:
        view = self._market_view
        reason = why_not_tradable(view, self.surface.queries.status())
        if not reason and view.terms is None:
            reason = "The trading terms are loading."
        if reason:
            self.message_line.refuse_form(reason)
            return
        self.ticket.open(side, market=view, outcome_index=self._outcome_index, price=price)
        self._tell_ticket()

"""The portfolio's keys on working orders: mark, cancel, move."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from textual.screen import Screen

from pmtui.domain.formats import count
from pmtui.domain.ids import CommandId, OrderId
from pmtui.domain.orders.order import MoveEnd, MoveVerdict, Order, OrderIntent, Rejected
from pmtui.service.views import AccountView
from pmtui.ui.account.action_cards import Move
from pmtui.ui.facts import key_of
from pmtui.ui.frame import if_agreed, is_live
from pmtui.ui.market.market_model import title_of, why_no_entry, why_nothing_of_ours
from pmtui.ui.market.moves import LEFT_OUT, MovePrompt, describe_move
from pmtui.ui.message_line import MessageLine
from pmtui.ui.plain import plain
from pmtui.ui.portfolio.paint_orders import paint_resting_orders
from pmtui.ui.question import QuestionScreen
from pmtui.ui.surface import Surface
from pmtui.ui.ticket.confirm import ConfirmScreen


class OrderKeys:
    """Keeps which orders are marked and which are ending, and cancels or moves them."""

    def __init__(
        self, page: Screen[Any], surface: Surface, line: MessageLine, *, changed: Callable[[], None]
    ) -> None:
        """Act on the orders of one account.

        Args:
            page: the screen below the questions.
            surface: the service and the user's choices.
            line: shows how orders ended.
            changed: called when rows must be repainted.
        """
        self._page = page
        self._surface = surface
        self._line = line
        self._changed = changed
        self.marked: frozenset[OrderId] = frozenset()
        self.ending: frozenset[OrderId] = frozenset()
        """Orders with a cancellation that has not been answered."""
        self._left_out: OrderIntent | None = None
        """A replacement that was not placed after its order was cancelled."""

    def forget_ended(self, view: AccountView) -> None:
        """Forget orders that are no longer working."""
        still_open = frozenset(o.order_id for o in view.open_orders)
        self.marked &= still_open
        self.ending &= still_open

    def mark(self, order: Order) -> None:
        """Mark an order, or unmark it."""
        self.marked = self.marked ^ {order.order_id}
        self._changed()

    def cancel_marked(self) -> None:
        """Cancel the marked orders, after a question that lists them."""
        queries, options = self._surface.queries, self._surface.options
        orders = [o for o in queries.account().open_orders if o.order_id in self.marked]
        reason = why_nothing_of_ours(queries.status())
        if reason or not orders:
            mark = key_of(options.keymap, "portfolio.mark_order")
            self._line.show(reason or f"No marked orders; {mark} marks the one at the cursor.")
            return

        title = f"Cancel {count(len(orders), 'marked order')}?"
        lines = paint_resting_orders(orders, partial(title_of, queries))
        question = QuestionScreen(title, lines, agree="Cancel them", surface=self._surface)
        cancel = partial(self.cancel, frozenset(o.order_id for o in orders))
        _ = self._page.app.push_screen(question, if_agreed(cancel))

    def cancel(self, order_ids: frozenset[OrderId]) -> None:
        """Cancel orders without a confirmation."""
        command_id = self._surface.commands.cancel(sorted(order_ids))
        self.marked -= order_ids
        self.ending |= order_ids
        self._changed()
        _ = self._page.run_worker(self._await_end(command_id, order_ids), exit_on_error=True)

    async def move(self, order_of: Callable[[], Order | None]) -> None:
        """Ask for an order's new price; first offer again a replacement that was not placed."""
        if self._left_out is not None:
            await self._offer_again(self._left_out)
            return
        order, reason = order_of(), why_no_entry(self._surface.queries.status())
        if order is not None and reason:
            self._line.refuse_form(reason)
        elif order is not None:
            _ = self._page.app.push_screen(MovePrompt(self._surface, order), self._send_moves)

    # A closed screen loses only the messages: the service owns the cancellation.
    async def _await_end(self, command_id: CommandId, order_ids: frozenset[OrderId]) -> None:
        verdict = await self._surface.commands.cancel_verdict(command_id)
        # Unanswered cancellations are checked again, and show as ending until they end.
        self.ending -= order_ids - frozenset(verdict.result.unanswered)
        problems = [plain(reason, 60) for _, reason in verdict.result.not_canceled]
        if verdict.problem:
            problems.insert(0, plain(verdict.problem, 60))
        if problems:
            unsure = "Cancel unconfirmed" if verdict.result.unanswered else "Not cancelled"
            self._line.show(f"{unsure}: {problems[0]}")
        self._changed()

    def _send_moves(self, moves: tuple[Move, ...] | None) -> None:
        for old, order in moves or ():
            self.ending |= {old.order_id}
            command_id = self._surface.commands.move(old.order_id, order.order_id)
            waiting = self._surface.commands.move_verdict(command_id)
            _ = self._page.run_worker(self._await_move(waiting, old.order_id))
        self._changed()

    async def _await_move(self, waiting: Awaitable[MoveVerdict], order_id: OrderId) -> None:
        verdict = await waiting
        self.ending -= {order_id}
        if not is_live(self._page):
            return
        again = ""
        if verdict.end is MoveEnd.NOT_REPLACED and verdict.left_out is not None:
            self._left_out = verdict.left_out
            again = key_of(self._surface.options.keymap, "portfolio.move_order")
        self._line.show(describe_move(verdict, again))
        self._changed()

    async def _offer_again(self, intent: OrderIntent) -> None:
        self._left_out = None
        order = await self._surface.commands.prepare(intent)
        if isinstance(order, Rejected):
            self._line.show(f"Not placed: {plain(order.reason, 60)}")
            return
        screen = ConfirmScreen(order, surface=self._surface, doubt=LEFT_OUT)
        place = partial(self._surface.commands.place, order.order_id)
        _ = self._page.app.push_screen(screen, if_agreed(place))

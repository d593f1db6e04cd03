"""Carries out commands that were typed: each goes the way of its key, with the same form or card."""

from collections.abc import Callable

from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.ticket.command_line import (
    CancelOrders,
    CancelScope,
    Command,
    EnterOrder,
    FlattenPosition,
    GoToPrice,
    SplitCash,
)
from pmtui.domain.ticket.draft import TicketDraft
from pmtui.ui.market.controls.trading import Trading
from pmtui.ui.market.controls.workspace import Part, Workspace
from pmtui.ui.market.order_news import OrderNews


class Commands:
    """What a command means on one trading screen."""

    def __init__(
        self, workspace: Workspace, trading: Trading, news: OrderNews, *,
        flip: Callable[[], None], cancel_side: Callable[[Side], None],
        split: Callable[[Micros | None], None],
    ) -> None:  # fmt: skip
        """Take the ways that the keys go.

        Args:
            workspace: of the screen.
            trading: opens the ticket and the cards.
            news: tells how it ended.
            flip: shows the other outcome.
            cancel_side: cancels own orders on a side of the ladder.
            split: turns cash into shares of both outcomes.
        """
        self._workspace = workspace
        self._trading = trading
        self._news = news
        self._flip = flip
        self._cancel_side = cancel_side
        self._split = split

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The labels of the market's outcomes, as the venue wrote them."""
        market = self._workspace.reader.read().market.market
        return tuple(outcome.label for outcome in market.outcomes) if market is not None else ()

    @property
    def outcome_index(self) -> int:
        """The outcome on show."""
        return self._workspace.reader.outcome_index

    @property
    def tick(self) -> Micros | None:
        """The tick of the ladder on show; None before there is a book."""
        ladder = self._workspace.ladder.ladder
        return None if ladder is None else ladder.axis.tick

    async def obey(self, command: Command) -> None:
        """Carry out a command of the trading screen."""
        match command:
            case EnterOrder(draft):
                await self._enter(draft)
            case FlattenPosition(index):
                self._show_outcome(index)
                await self._trading.flatten()
            case SplitCash(amount):
                self._split(amount)
            case GoToPrice(price):
                self._workspace.ladder.go_to(price)
            case CancelOrders(_, price) if price is not None:
                self._cancel_at(price)
            case CancelOrders(CancelScope.BIDS):
                self._cancel_side(Side.BUY)
            case CancelOrders(CancelScope.ASKS):
                self._cancel_side(Side.SELL)
            case CancelOrders():
                self._trading.cancel_market()
            case _:
                pass

    async def _enter(self, draft: TicketDraft) -> None:
        """Fill in the ticket, and go on to its card where nothing is wrong with it."""
        self._show_outcome(draft.outcome_index)
        self._trading.open_ticket(draft.side, None)
        ticket = self._workspace.ticket
        if ticket.is_open:
            ticket.fill(draft)
            self._workspace.page.show_parts(Part.TICKET)
            await ticket.action_review()

    def _show_outcome(self, index: int) -> None:
        if index != self.outcome_index:
            self._flip()

    def _cancel_at(self, price: Micros) -> None:
        orders = self._workspace.reader.read().ladder_orders
        found = tuple(order.order_id for order in orders if order.price == price)
        where = f"at {self._workspace.price(price)}"
        if not found:
            self._workspace.line.show(f"No working orders {where}.")
            return
        command_id = self._workspace.commands.cancel(found)
        _ = self._workspace.page.run_worker(self._news.report_cancel(command_id, where))

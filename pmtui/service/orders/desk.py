"""The order desk: accepts the trader's orders, owns their tasks, and keeps their verdicts.

Every change at the venue runs in the service's own tasks, never in a screen's: closing a screen
loses the message, not the order. The work itself is done by `sending`, `cancelling` and `moving`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from datetime import datetime

from pmtui.domain.books.book_view import BookView
from pmtui.domain.ids import CommandId, ConditionId, OrderId, TokenId
from pmtui.domain.markets.identity import Disagreement
from pmtui.domain.markets.market import Market, MarketTerms
from pmtui.domain.orders.cancelling import ALL_ORDERS, CancelScope
from pmtui.domain.orders.flattening import not_sold
from pmtui.domain.orders.order import (
    Accepted,
    CancelVerdict,
    LimitIntent,
    MoveEnd,
    MoveVerdict,
    Order,
    OrderIntent,
    OrderStatus,
    Rejected,
    Unknown,
    Verdict,
)
from pmtui.domain.orders.self_trade import describe_own_order, own_bids_from
from pmtui.service.account.account import AccountFeed
from pmtui.service.clock import Moment, seconds_since
from pmtui.service.journal.journal_rows import JournalProblem
from pmtui.service.kernel import Kernel
from pmtui.service.orders.cancelling import Canceller
from pmtui.service.orders.lost_orders import LostOrderSearch
from pmtui.service.orders.moving import Mover
from pmtui.service.orders.order_history import OrderHistory
from pmtui.service.orders.preparing import MOST_PREPARED, find_market_disagreement, prepare_order
from pmtui.service.orders.sending import POST_DEADLINE_S, Instruction, OrderSender, nothing_against
from pmtui.service.orders.verdicts import Verdicts, order_of_journal, to_verdict
from pmtui.service.ports import READ_ONLY
from pmtui.service.safety.entry_guard import EntryGuard
from pmtui.service.surface import MOST_IN_BATCH, PreparedOrder
from pmtui.service.views import Level

NEVER_LEFT = "it never left: nothing was sent"
STOPPED = "the program stopped while sending"
STOPPED_BEFORE = "the program stopped before it was its turn"
MOST_SENT = 5 * MOST_PREPARED
FOLLOW_WITHIN_S = 5.0
"""How long after the trader's key an order waits for the one before it to fill. Most answer within a second, after
cancels within two. Its price was read from the book before both: later it is no longer what the trader looks at,
who has seen by then that half is done and may act on that."""

Futures = dict[OrderId, asyncio.Future[Verdict]]


class Desk:
    """Sends, moves and cancels orders, each with a verdict that can be awaited."""

    def __init__(  # noqa: PLR0913 - everything that an order meets on its way
        self,
        kernel: Kernel,
        feed: AccountFeed,
        history: OrderHistory,
        *,
        search: LostOrderSearch,
        canceller: Canceller,
        market_of: Callable[[ConditionId], tuple[Market | None, MarketTerms | None]],
        book_of: Callable[[TokenId], BookView],
        guard: EntryGuard,
        post_deadline_s: int = POST_DEADLINE_S,
    ) -> None:
        self._kernel = kernel
        self._feed = feed
        self._history = history
        self._market_of = market_of
        self._guard = guard
        self._canceller = canceller
        self._sender = OrderSender(
            kernel, feed, history, search=search, canceller=canceller, book_of=book_of,
            guard=guard, post_deadline_s=post_deadline_s,
        )  # fmt: skip
        self._mover = Mover(
            kernel, feed, history, sender=self._sender, canceller=self._canceller,
            prepare=self.prepare, terms_of=lambda condition_id: market_of(condition_id)[1],
            book_of=book_of,
        )  # fmt: skip
        self._next_command = 0
        self._sent: dict[OrderId, None] = {}
        """Orders that were placed, by the id from their preparation."""
        self._disagreements: set[Disagreement] = set()
        """Disagreements that were already reported."""
        self._verdicts: Verdicts[Verdict] = Verdicts()
        self._cancels: Verdicts[CancelVerdict] = Verdicts()
        self._moves: Verdicts[MoveVerdict] = Verdicts()

    def prepare(
        self,
        intent: OrderIntent,
        *,
        replacing: OrderId | None = None,
        beside: tuple[PreparedOrder, ...] = (),
    ) -> PreparedOrder | Rejected:
        """Fix everything that will be hashed, if the trader's own rules allow the order.

        Args:
            intent: the trader's intent.
            replacing: an own order that is removed first.
            beside: orders to be sent together with it.
        """
        account = self._feed.account
        if account is None:
            return Rejected(READ_ONLY)
        market, terms = self._market_of(intent.condition_id)
        if market is None or terms is None:
            return Rejected("The trading terms are loading")
        if found := self._find_disagreement(intent.condition_id):
            self._report_disagreement(found)
            return Rejected(found.sentence)
        order = prepare_order(intent, signer=account.signer, market=market, terms=terms)
        if isinstance(order, Rejected):
            return order
        old = None if replacing is None else self._feed.own.order(replacing)
        if old is not None:
            order = replace(order, replaces_size=old.remaining_size)
        return self._guard.check(order, replacing=replacing, beside=beside) or order

    def market_problem(self, condition_id: ConditionId) -> str:
        """Return how sources disagree about a market's tokens; empty if they agree, or none is known."""
        found = self._find_disagreement(condition_id)
        return "" if found is None else found.sentence

    def _find_disagreement(self, condition_id: ConditionId) -> Disagreement | None:
        account = self._feed.account
        market, terms = self._market_of(condition_id)
        if account is None or market is None or terms is None:
            return None
        return find_market_disagreement(
            condition_id, signer=account.signer, market=market, terms=terms
        )

    def _report_disagreement(self, found: Disagreement) -> None:
        if found not in self._disagreements:
            self._disagreements.add(found)
            self._kernel.log.notice(Level.BAD, found.sentence)

    def prepare_many(self, intents: Iterable[OrderIntent]) -> tuple[PreparedOrder | Rejected, ...]:
        """Prepare orders that are sent together: each counts against the limits of those after it."""
        legs: list[PreparedOrder | Rejected] = []
        for intent in intents:
            fit = tuple(leg for leg in legs if isinstance(leg, PreparedOrder))
            legs.append(self.prepare(intent, beside=fit))
        return tuple(legs)

    def place(
        self,
        order: PreparedOrder,
        *,
        override: str = "",
        refusal: str = "",
        is_single_key: bool = False,
        given: Moment | None = None,
    ) -> CommandId:
        """Start sending; the verdict follows when it is known. The same order is sent only once.

        Args:
            order: the prepared order.
            override: the exception that the trader permitted.
            refusal: why it must not be sent after all; empty if it may.
            is_single_key: no card came before it: without an override it needs a good book.
            given: when the trader gave it; now, where absent.
        """
        if refusal:
            command_id, futures = self._expect((order,))
            self._sender.refuse(
                order,
                Rejected(refusal),
                lambda _, end: _resolve_once(futures[order.order_id], end),
            )
            return command_id
        instruction = self._sender.instruct(
            is_single_key=is_single_key, override=override, given=given
        )
        if self._sender.why_late(instruction) is None:
            self._record_override(order, override)
        return self._start_sending((order,), instruction)

    def place_many(
        self, orders: tuple[PreparedOrder, ...], *, given: Moment | None = None
    ) -> CommandId:
        """Start sending orders in one request; each has a verdict of its own."""
        return self._start_sending(orders, self._sender.instruct(given=given))

    def place_after(
        self,
        order: PreparedOrder,
        first: CommandId,
        *,
        override: str = "",
        is_single_key: bool = False,
        why_unwanted: Callable[[], str] = nothing_against,
        given: Moment | None = None,
    ) -> CommandId:
        """Send an order once that of another command has filled whole, soon after both were given.

        Where it does not, the order is rejected and was never at the venue nor in the journal.

        Args:
            order: the prepared order.
            first: the command that it follows.
            override: as in `place`.
            is_single_key: as in `place`.
            why_unwanted: returns why it must not be sent any more; asked until its bytes leave.
            given: as in `place`.
        """
        instruction = self._sender.instruct(
            is_single_key=is_single_key, override=override, why_unwanted=why_unwanted, given=given
        )
        command_id, futures = self._expect((order,))

        def report(_: PreparedOrder, verdict: Verdict) -> None:
            _resolve_once(futures[order.order_id], verdict)

        async def run() -> None:
            reason = STOPPED_BEFORE
            try:
                reason = await self._why_not_after(first, instruction)
            finally:
                if reason:
                    self._sender.refuse(order, Rejected(f"Not sent: {reason}"), report)
            if not reason:
                self._record_override(order, override)
                self._sender.show(order)
                await self._sender.send((order,), report, instruction)

        if self._accept_new((order,), futures):
            self._run_sending(futures, run)
        return command_id

    async def _why_not_after(self, first: CommandId, instruction: Instruction) -> str:
        """Wait for the order of a command; return why none may follow it, or "" if it has filled whole."""
        if not self._verdicts.has(first):
            return "this run of the service does not know the first order"
        left_s = FOLLOW_WITHIN_S - seconds_since(instruction.given, self._kernel.clock)
        verdict = await self._kernel.within(left_s, self.verdict(first)) if left_s > 0 else None
        match verdict:
            case Accepted(status=OrderStatus.FILLED):
                return self._guard.locked() or instruction.why_unwanted()
            case Accepted():
                return f"the first order did not fill whole ({verdict.text})"
            case Rejected():
                return "the first order was refused"
            case Unknown():
                return "the first order is unconfirmed"
            case None:
                return f"first order not filled in {FOLLOW_WITHIN_S:.0f} s"

    def _start_sending(
        self, orders: tuple[PreparedOrder, ...], instruction: Instruction
    ) -> CommandId:
        command_id, futures = self._expect(orders)
        accepted = self._accept_new(orders, futures)

        def report(order: PreparedOrder, verdict: Verdict) -> None:
            _resolve_once(futures[order.order_id], verdict)

        async def run() -> None:
            await self._sender.send(accepted, report, instruction)

        if late := self._sender.why_late(instruction):
            for order in accepted:
                self._sender.refuse(order, late, report)
        elif accepted:
            for order in accepted:
                self._sender.show(order)
            self._run_sending(futures, run)
        return command_id

    def flatten(
        self,
        order: PreparedOrder,
        in_the_way: tuple[Order, ...],
        *,
        override: str = "",
        is_single_key: bool = False,
        why_not: Callable[[PreparedOrder], Rejected | None] | None = None,
        why_unwanted: Callable[[], str] = nothing_against,
        given: Moment | None = None,
    ) -> CommandId:
        """Cancel the orders in the way of selling a position, then sell it; the verdict is the sale's.

        Args:
            order: the sale.
            in_the_way: own sales of the same shares, and own bids that it would meet.
            override: what was permitted with it.
            is_single_key: without an override it leaves only while its book is good.
            why_not: called with the final order; returns why it must not be sent, None if it may.
                Without it, a sale that would meet an own bid is refused.
            why_unwanted: returns why it is no longer wanted, asked again when its bytes leave.
            given: when the trader gave it; now, where absent.
        """
        instruction = self._sender.instruct(
            is_single_key=is_single_key, override=override, why_unwanted=why_unwanted, given=given
        )
        command_id, futures = self._expect((order,))

        def report(_: PreparedOrder, verdict: Verdict) -> None:
            _resolve_once(futures[order.order_id], verdict)

        async def run() -> None:
            fitted = await self._mover.sell_after(order, in_the_way) if in_the_way else order
            if isinstance(fitted, PreparedOrder):
                fitted = (why_not or self._why_self_trade)(fitted) or fitted
            if isinstance(fitted, Rejected):
                self._sender.refuse(order, fitted, report)
                return
            if fitted.order_id != order.order_id:
                self._history.record_resized(old=order.order_id, new=fitted.order_id)
            self._record_override(fitted, override)
            self._sender.show(fitted)
            await self._sender.send((fitted,), report, instruction)

        if self._accept_new((order,), futures):
            if late := self._sender.why_late(instruction):
                self._sender.refuse(order, late, report)
            else:
                self._run_sending(futures, run)
        return command_id

    def _why_self_trade(self, order: PreparedOrder) -> Rejected | None:
        intent = order.intent
        if not isinstance(intent, LimitIntent):
            return None
        met = own_bids_from(intent, self._feed.own.open_orders())
        return not_sold(f"your {describe_own_order(met[0])} came in its way") if met else None

    async def read_fills(self, order_id: OrderId, *, since: datetime) -> bool:
        """Read the fills of an order placed at or after a time; return whether that succeeded."""
        return await self._mover.read_fills({order_id}, since=since)

    async def trace(self, order_id: OrderId) -> Verdict:
        """Return what became of an order that a run which has ended was asked to send.

        Every order is in the journal before it leaves: one that is not there never left.
        """
        journaled = await self._history.find(order_id)
        now = self._kernel.clock.now()
        if isinstance(journaled, JournalProblem):
            return Unknown(order_id, f"the journal cannot be read ({journaled.text})", now)
        known = self._feed.own.order(order_id)
        if known is not None:
            return to_verdict(known, now)
        if order_id in self._sent:
            return Unknown(order_id, "it is being sent", now)
        if journaled is None:
            return Rejected(NEVER_LEFT)
        return to_verdict(order_of_journal(journaled), now)

    async def verdict(self, command_id: CommandId) -> Verdict:
        """Wait for the first verdict on an order."""
        return (await self.batch_verdict(command_id))[0]

    async def batch_verdict(self, command_id: CommandId) -> tuple[Verdict, ...]:
        """Wait for the first verdict on every order of a command."""
        return await self._verdicts.of(command_id)

    def cancel(self, order_ids: Iterable[OrderId]) -> CommandId:
        """Cancel the named orders."""
        return self._start_cancel(tuple(order_ids), None)

    def cancel_market(self, condition_id: ConditionId, token_id: TokenId | None) -> CommandId:
        """Cancel own orders in a market or one token."""
        return self._cancel_scope(CancelScope(condition_id, token_id))

    def cancel_all(self) -> CommandId:
        """Cancel everything."""
        return self._cancel_scope(ALL_ORDERS)

    async def cancel_verdict(self, command_id: CommandId) -> CancelVerdict:
        """Wait for the first verdict on a cancel."""
        return (await self._cancels.of(command_id))[0]

    def reject(self, rejected: Rejected, *, count: int = 1) -> CommandId:
        """Resolve a command of `count` orders with one rejection; nothing is sent."""
        loop = asyncio.get_running_loop()
        futures: list[asyncio.Future[Verdict]] = [loop.create_future() for _ in range(count)]
        for future in futures:
            future.set_result(rejected)
        command_id = self._command()
        self._verdicts.expect(command_id, *futures)
        return command_id

    def reject_move(self, rejected: Rejected) -> CommandId:
        """Resolve a move with a rejection; nothing is started."""
        future: asyncio.Future[MoveVerdict] = asyncio.get_running_loop().create_future()
        future.set_result(MoveVerdict(MoveEnd.NOT_MOVED, rejected.reason))
        command_id = self._command()
        self._moves.expect(command_id, future)
        return command_id

    def move(
        self, order_id: OrderId, replacement: PreparedOrder, *, given: Moment | None = None
    ) -> CommandId:
        """Cancel an order and put another in its place, as one."""
        instruction = self._sender.instruct(given=given)
        if late := self._sender.why_late(instruction):
            return self.reject_move(late)
        command_id = self._command()
        future: asyncio.Future[MoveVerdict] = asyncio.get_running_loop().create_future()
        self._moves.expect(command_id, future)

        async def run() -> None:
            try:
                future.set_result(await self._mover.move(order_id, replacement, instruction))
            finally:
                if not future.done():
                    future.set_result(MoveVerdict(MoveEnd.UNKNOWN, STOPPED))

        self._kernel.start("move", run)
        return command_id

    def on_resized_move(self, listener: Callable[[OrderId, OrderId], None]) -> None:
        """Call `listener` with both ids of a resized replacement: as confirmed, and as sent."""
        self._mover.on_resized(listener)

    def is_moving_to(self, order_id: OrderId) -> bool:
        """Whether a move in progress may still send this order as a replacement."""
        return self._mover.is_placing(order_id)

    async def move_verdict(self, command_id: CommandId) -> MoveVerdict:
        """Wait for the verdict of a move."""
        return (await self._moves.of(command_id))[0]

    def _record_override(self, order: PreparedOrder, override: str) -> None:
        """Record what the trader permitted with an order; it is on disk before the order is sent."""
        if override:
            order_id = order.order_id
            self._history.record_override(override, order_id)
            self._kernel.log.add(Level.WARNING, "order", f"Override: {override}", order_id=order_id)

    def _expect(self, orders: tuple[PreparedOrder, ...]) -> tuple[CommandId, Futures]:
        loop = asyncio.get_running_loop()
        futures: Futures = {order.order_id: loop.create_future() for order in orders}
        command_id = self._command()
        self._verdicts.expect(command_id, *(futures[order.order_id] for order in orders))
        return command_id, futures

    def _accept_new(
        self, orders: tuple[PreparedOrder, ...], futures: Futures
    ) -> tuple[PreparedOrder, ...]:
        """Return the orders that may be sent, each once; the others are rejected."""
        accepted = {}
        for order in orders:
            order_id = order.order_id
            if order_id in accepted:
                continue
            if len(orders) > MOST_IN_BATCH:
                text = f"At most {MOST_IN_BATCH} orders go in one request; nothing was sent"
                _resolve_once(futures[order_id], Rejected(text))
            elif order_id in self._sent or self._feed.own.order(order_id) is not None:
                _resolve_once(
                    futures[order_id], Rejected("Duplicate: this exact order was already sent")
                )
            else:
                self._mark_sent(order_id)
                accepted[order_id] = order
        return tuple(accepted.values())

    def _mark_sent(self, order_id: OrderId) -> None:
        """Remember an order as sent, for longer than it could be requested again."""
        self._sent[order_id] = None
        if len(self._sent) > MOST_SENT:
            del self._sent[next(iter(self._sent))]

    def _run_sending(self, futures: Futures, work: Callable[[], Awaitable[None]]) -> None:
        async def run() -> None:
            try:
                await work()
            finally:
                now = self._kernel.clock.now()
                for order_id, future in futures.items():
                    _resolve_once(future, Unknown(order_id, STOPPED, since=now))

        self._kernel.start("order", run)

    def _cancel_scope(self, scope: CancelScope) -> CommandId:
        open_orders = self._feed.own.open_orders()
        covered = tuple(order.order_id for order in open_orders if scope.covers(order))
        return self._start_cancel(covered, scope)

    def _start_cancel(self, targets: tuple[OrderId, ...], scope: CancelScope | None) -> CommandId:
        command_id = self._command()
        self._cancels.expect(command_id, self._canceller.start(targets, scope).first)
        return command_id

    def _command(self) -> CommandId:
        self._next_command += 1
        return CommandId(str(self._next_command))


def _resolve_once(future: asyncio.Future[Verdict], verdict: Verdict) -> None:
    """Set the first verdict; later results only appear in the account."""
    if not future.done():
        future.set_result(verdict)

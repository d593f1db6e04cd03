"""The order desk: signs, journals, sends, and finds out how it ended.

An order runs in the service's own tasks, never in a screen's. It is journaled before it leaves,
signed once, sent once, and an answer that never came ends in Unknown and a search, not in a second
order. Every post has a deadline.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from pmtui.domain.failure import Failure, FailureKind
from pmtui.domain.health import Source
from pmtui.domain.ids import CommandId, ConditionId, OrderId, TokenId
from pmtui.domain.market import Market, MarketTerms
from pmtui.domain.order import CancelResult, Order, OrderIntent, OrderStatus, PostResult
from pmtui.domain.verdict import Accepted, CancelVerdict, Rejected, Unknown, Verdict
from pmtui.service.feeds.account import AccountFeed
from pmtui.service.hosts import Account
from pmtui.service.judging import judge_answer, say_answer, say_failure, say_verdict
from pmtui.service.kernel import Kernel
from pmtui.service.order_history import OrderHistory
from pmtui.service.order_search import OrderSearch
from pmtui.service.preparing import prepare_order, to_order
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import Level
from pmtui.service.words import say_order_end

POST_DEADLINE_S = 10
"""After this long without an answer an order counts as unknown, unless the settings say else."""
READ_ONLY = "No key: this session is read-only"


class Desk:
    """Everything that changes something at the venue goes through here."""

    def __init__(
        self,
        kernel: Kernel,
        feed: AccountFeed,
        history: OrderHistory,
        *,
        search: OrderSearch,
        market_of: Callable[[ConditionId], tuple[Market | None, MarketTerms | None]],
        post_deadline_s: int = POST_DEADLINE_S,
    ) -> None:
        self._kernel = kernel
        self._feed = feed
        self._history = history
        self._search = search
        self._market_of = market_of
        self._post_deadline_s = post_deadline_s
        self._next_command = 0
        self._verdicts: dict[CommandId, asyncio.Future[Verdict]] = {}
        self._cancels: dict[CommandId, asyncio.Future[CancelVerdict]] = {}

    def prepare(self, intent: OrderIntent) -> PreparedOrder | Rejected:
        """Fix everything that will be hashed."""
        account = self._feed.account
        if account is None:
            return Rejected(READ_ONLY)
        market, terms = self._market_of(intent.condition_id)
        if market is None or terms is None:
            return Rejected("The market's trading terms are not loaded yet")
        return prepare_order(intent, signer=account.signer, market=market, terms=terms)

    def place(self, order: PreparedOrder) -> CommandId:
        """Start sending; the verdict comes when it is known. The same order leaves only once."""
        command_id = self._command()
        future: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        self._verdicts[command_id] = future
        if self._feed.own.order(order.unsigned.order_id) is not None:
            future.set_result(Rejected("This very order was sent before"))
            return command_id
        self._feed.apply_order(to_order(order, OrderStatus.PENDING, now=self._kernel.clock.now()))

        async def run() -> None:
            try:
                await self._place(order, future)
            finally:
                if not future.done():
                    future.set_result(self._unknown(order, "the program stopped while sending"))

        self._kernel.start("order", run)
        return command_id

    async def verdict(self, command_id: CommandId) -> Verdict:
        """Wait for the first thing that can be said of an order."""
        return await asyncio.shield(self._verdicts[command_id])

    def cancel(self, order_ids: tuple[OrderId, ...]) -> CommandId:
        """Cancel the named orders."""
        return self._start_cancel(order_ids, lambda account: account.host.cancel(order_ids))

    def cancel_market(self, condition_id: ConditionId, token_id: TokenId | None) -> CommandId:
        """Cancel own orders of a market or of one token."""
        return self._start_cancel(
            self._open_ids(
                lambda order: (
                    order.condition_id == condition_id and token_id in (None, order.token_id)
                )
            ),
            lambda account: account.host.cancel_market(
                condition_id=condition_id, token_id=token_id
            ),
        )

    def cancel_all(self) -> CommandId:
        """Cancel everything."""
        return self._start_cancel(
            self._open_ids(lambda _: True), lambda account: account.host.cancel_all()
        )

    async def cancel_verdict(self, command_id: CommandId) -> CancelVerdict:
        """Wait until a cancellation has ended."""
        return await asyncio.shield(self._cancels[command_id])

    async def _place(self, order: PreparedOrder, future: "asyncio.Future[Verdict]") -> None:
        account = self._feed.account
        if account is None:
            self._settle(future, Rejected(READ_ONLY), order)
            return
        body = account.signer.sign(order.unsigned)
        known = to_order(order, OrderStatus.PENDING, now=self._kernel.clock.now())
        problem = await self._history.begin(known, title=order.market_title, body=body)
        if problem is not None:
            text = f"Not sent: the journal cannot be written ({problem.text})"
            self._settle(future, Rejected(text), order)
            return
        self._feed.apply_order(replace(known, status=OrderStatus.SENT))
        answer = self._kernel.check(Source.TRADING, await self._post(account, body))
        self._history.note_answer(say_answer(answer), known.order_id)
        verdict = judge_answer(order, answer, now=self._kernel.clock.now())
        self._settle(future, verdict, order)
        await self._history.write("verdict", say_verdict(verdict), known.order_id)
        self._feed.refresh()
        if isinstance(verdict, Unknown):
            self._search.look_for(known, order.market_title)

    async def _post(self, account: Account, body: bytes) -> PostResult | Failure:
        """Send, and wait no longer than the deadline: the venue may have it all the same."""
        posting = asyncio.ensure_future(account.host.post_order(body))
        waiting = asyncio.ensure_future(self._kernel.clock.sleep(self._post_deadline_s))
        try:
            await asyncio.wait({posting, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if posting.done():
                return posting.result()
            text = f"no answer within {self._post_deadline_s} s"
            return Failure(FailureKind.LOST, "POST /order", text)
        finally:
            posting.cancel()
            waiting.cancel()

    def _settle(
        self, future: "asyncio.Future[Verdict]", verdict: Verdict, order: PreparedOrder
    ) -> None:
        now = self._kernel.clock.now()
        if isinstance(verdict, Accepted):
            fact = to_order(order, verdict.status, now=now, matched=verdict.filled_size)
            # The fills themselves are told as they come, each with its own price.
            level = Level.INFO
        elif isinstance(verdict, Rejected):
            fact = to_order(order, OrderStatus.REJECTED, now=now, reason=verdict.reason)
            level = Level.BAD
        else:
            fact = to_order(order, OrderStatus.UNKNOWN, now=now, reason=verdict.reason)
            level = Level.WARNING
        self._feed.apply_order(fact, is_news=False)
        text = say_order_end(fact, order.market_title)
        self._kernel.log.add(level, "order", text, order_id=order.unsigned.order_id)
        if not future.done():
            future.set_result(verdict)

    def _unknown(self, order: PreparedOrder, reason: str) -> Unknown:
        return Unknown(order.unsigned.order_id, reason, since=self._kernel.clock.now())

    def _start_cancel(
        self,
        meant: tuple[OrderId, ...],
        ask: Callable[[Account], Awaitable[CancelResult | Failure]],
    ) -> CommandId:
        command_id = self._command()
        future: asyncio.Future[CancelVerdict] = asyncio.get_running_loop().create_future()
        self._cancels[command_id] = future

        async def run() -> None:
            verdict = CancelVerdict(CancelResult(()), "the program stopped while cancelling")
            try:
                verdict = await self._cancel(meant, ask)
            finally:
                future.set_result(verdict)

        self._kernel.start("cancellation", run)
        return command_id

    async def _cancel(
        self,
        meant: tuple[OrderId, ...],
        ask: Callable[[Account], Awaitable[CancelResult | Failure]],
    ) -> CancelVerdict:
        account = self._feed.account
        if account is None:
            return CancelVerdict(CancelResult(()), READ_ONLY)
        # Journaled too, but never held up by a disk: what is cancelled can only do less.
        for order_id in meant:
            self._history.note_cancel("asked", order_id)
        answer = self._kernel.check(Source.TRADING, await ask(account))
        self._feed.refresh()
        if isinstance(answer, Failure):
            for order_id in meant:
                self._history.note_cancel(say_failure(answer), order_id)
            self._kernel.log.notice(Level.BAD, f"Not cancelled: {answer}")
            return CancelVerdict(CancelResult(()), str(answer))
        for order_id in answer.canceled:
            self._history.note_cancel("done", order_id)
            self._mark_cancelled(order_id)
        count = len(answer.canceled)
        if count:
            self._kernel.log.add(Level.INFO, "order", f"Cancelled {count} order(s)")
        for order_id, reason in answer.not_canceled:
            self._history.note_cancel(f"refused: {reason}", order_id)
            text = f"Not cancelled {order_id[:10]}…: {reason}"
            self._kernel.log.notice(Level.WARNING, text, order_id=order_id)
        return CancelVerdict(answer)

    def _open_ids(self, is_meant: Callable[[Order], bool]) -> tuple[OrderId, ...]:
        return tuple(o.order_id for o in self._feed.own.open_orders() if is_meant(o))

    def _mark_cancelled(self, order_id: OrderId) -> None:
        known = self._feed.own.order(order_id)
        if known is not None:
            self._feed.apply_order(replace(known, status=OrderStatus.CANCELLED))

    def _command(self) -> CommandId:
        self._next_command += 1
        return CommandId(str(self._next_command))

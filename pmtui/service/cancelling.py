"""Cancels orders, and asks again where nobody answered: a cancel can be repeated without harm.

What was meant is fixed when the trader asks: a repeated cancel names those orders and no others,
so that one placed meanwhile is safe from it.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import field, replace

from pmtui.domain.failure import Failure, FailureKind
from pmtui.domain.health import Source
from pmtui.domain.ids import OrderId
from pmtui.domain.order import CancelResult, OrderStatus
from pmtui.domain.plurals import count
from pmtui.domain.verdict import CancelVerdict
from pmtui.records import dataclass
from pmtui.service.feeds.account import AccountFeed
from pmtui.service.hosts import Account
from pmtui.service.judging import say_failure
from pmtui.service.kernel import Kernel
from pmtui.service.order_history import OrderHistory
from pmtui.service.sending import READ_ONLY
from pmtui.service.views import Level

PAUSES_S = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Before each repetition; the last one again and again."""
NO_ANSWER = "no answer yet; it is asked again until one comes"
_KEEPS_ASKING = frozenset(
    {FailureKind.LOST, FailureKind.SERVER, FailureKind.UNREACHABLE, FailureKind.BUSY}
)

Ask = Callable[[Account], Awaitable[CancelResult | Failure]]


def _verdict_future() -> "asyncio.Future[CancelVerdict]":
    return asyncio.get_running_loop().create_future()


@dataclass(slots=True)
class Cancellation:
    """A cancel under way: the first thing that can be said of it, and the last."""

    first: "asyncio.Future[CancelVerdict]" = field(default_factory=_verdict_future)
    final: "asyncio.Future[CancelVerdict]" = field(default_factory=_verdict_future)

    def tell(self, verdict: CancelVerdict, *, is_final: bool) -> None:
        """Say how it stands; what was said before stays said."""
        for future in (self.first, self.final) if is_final else (self.first,):
            if not future.done():
                future.set_result(verdict)


class Canceller:
    """Every cancel goes through here."""

    def __init__(self, kernel: Kernel, feed: AccountFeed, history: OrderHistory) -> None:
        self._kernel = kernel
        self._feed = feed
        self._history = history
        self._asked: Counter[OrderId] = Counter()
        self._sweeps = 0

    def wishes(self, order_id: OrderId) -> tuple[int, int]:
        """Return how often an order was to be cancelled, by name and by sweeping a market or all.

        Who goes on after a cancel of his own compares: a change means that it is not wanted.
        """
        return self._asked[order_id], self._sweeps

    def start(self, meant: tuple[OrderId, ...], ask: Ask | None = None) -> Cancellation:
        """Cancel orders in the service's own task.

        Args:
            meant: the orders, as far as they are known.
            ask: the request; by the orders' ids where absent.
        """
        cancellation = Cancellation()
        self._asked.update(meant)
        self._sweeps += ask is not None

        async def by_ids(account: Account) -> CancelResult | Failure:
            return await account.host.cancel(meant)

        async def run() -> None:
            try:
                await self._cancel(meant, ask or by_ids, cancellation)
            finally:
                stopped = CancelVerdict(CancelResult(()), "the program stopped while cancelling")
                cancellation.tell(stopped, is_final=True)

        self._kernel.start("cancellation", run)
        return cancellation

    async def _cancel(
        self, meant: tuple[OrderId, ...], ask: Ask, cancellation: Cancellation
    ) -> None:
        account = self._feed.account
        if account is None:
            cancellation.tell(CancelVerdict(CancelResult(()), READ_ONLY), is_final=True)
            return
        # Journaled too, but never held up by a disk: what is cancelled can only do less.
        for order_id in meant:
            self._history.note_cancel("asked", order_id)
        result = self._take(meant, await ask(account))
        if isinstance(result, Failure):
            self._kernel.log.notice(Level.BAD, f"Not cancelled: {result}")
            cancellation.tell(CancelVerdict(CancelResult(()), str(result)), is_final=True)
            return
        if not result.unanswered:
            cancellation.tell(CancelVerdict(result), is_final=True)
            return
        cancellation.tell(CancelVerdict(result, NO_ANSWER), is_final=False)
        cancellation.tell(await self._insist(account, result), is_final=True)

    async def _insist(self, account: Account, result: CancelResult) -> CancelVerdict:
        """Ask again for what nobody answered, until it is answered or known to have ended."""
        what = count(len(result.unanswered), "order")
        text = f"No answer to cancelling {what}: asking again until it is known"
        self._kernel.log.notice(Level.WARNING, text)
        step = 0
        while True:
            await self._kernel.clock.sleep(PAUSES_S[min(step, len(PAUSES_S) - 1)])
            step += 1
            result = self._without_ended(result)
            left = result.unanswered
            if not left:
                break
            answer = self._take(left, await account.host.cancel(left), is_repeated=True)
            if isinstance(answer, Failure):
                self._kernel.log.notice(Level.BAD, f"Not known to be cancelled: {answer}")
                return CancelVerdict(result, str(answer))
            result = CancelResult(
                result.canceled + answer.canceled,
                result.not_canceled + answer.not_canceled,
                answer.unanswered,
            )
        ended = len(result.canceled)
        text = f"Answered after all: {ended} cancelled, {len(result.not_canceled)} not"
        self._kernel.log.notice(Level.INFO, text)
        return CancelVerdict(result)

    def _without_ended(self, result: CancelResult) -> CancelResult:
        """Leave out what has been heard to have ended some other way."""
        gone, kept, left = [], [], []
        for order_id in result.unanswered:
            known = self._feed.own.order(order_id)
            if known is None or known.status.is_open:
                left.append(order_id)
            elif known.status is OrderStatus.FILLED:
                kept.append((order_id, "filled"))
            else:
                gone.append(order_id)
        return CancelResult((*result.canceled, *gone), (*result.not_canceled, *kept), tuple(left))

    def _take(
        self,
        meant: tuple[OrderId, ...],
        answer: CancelResult | Failure,
        *,
        is_repeated: bool = False,
    ) -> CancelResult | Failure:
        """Conclude what an answer allows; a failure comes back only where asking again is vain."""
        _ = self._kernel.check(Source.TRADING, answer)
        self._feed.refresh()
        if isinstance(answer, Failure):
            for order_id in meant:
                self._history.note_cancel(say_failure(answer), order_id)
            asks_again = answer.kind in _KEEPS_ASKING if is_repeated else answer.may_have_happened
            return CancelResult((), (), meant) if asks_again and meant else answer
        self._tell_strangers(answer)
        for order_id in answer.canceled:
            self._history.note_cancel("done", order_id)
            self._mark_cancelled(order_id)
        for order_id in answer.unanswered:
            self._history.note_cancel("no answer", order_id)
        for order_id, reason in answer.not_canceled:
            self._history.note_cancel(f"refused: {reason}", order_id)
            text = f"Not cancelled {order_id[:10]}…: {reason}"
            self._kernel.log.notice(Level.WARNING, text, order_id=order_id)
        return answer

    def _tell_strangers(self, answer: CancelResult) -> None:
        """Tell of what was cancelled and never heard of; every other order tells its own end."""
        strangers = [o for o in answer.canceled if self._feed.own.order(o) is None]
        if strangers:
            text = f"Cancelled {count(len(strangers), 'order')} that this program has not seen"
            self._kernel.log.add(Level.INFO, "order", text)

    def _mark_cancelled(self, order_id: OrderId) -> None:
        known = self._feed.own.order(order_id)
        if known is not None:
            self._feed.apply_order(replace(known, status=OrderStatus.CANCELLED))

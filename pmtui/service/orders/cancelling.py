"""Cancels orders, records that they are unwanted, and repeats until they are known to be gone.

A cancel can be repeated safely. Its targets are fixed when the trader asks: a repeated cancel names those
orders and no others, so that one placed meanwhile is unaffected.

An order that has not been sent yet is never sent once its cancel was requested. One that is on its way may
arrive after the cancel: "not found" does not end it, and it is cancelled again, even if it turns up after
the search for it was given up.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.backoff import Backoff
from pmtui.domain.formats import count
from pmtui.domain.health import Source
from pmtui.domain.ids import OrderId
from pmtui.domain.orders.cancelling import (
    ALL_ORDERS,
    CancelEnds,
    CancelScope,
    says_gone,
    sort_cancel_answer,
)
from pmtui.domain.orders.life import IN_DOUBT
from pmtui.domain.orders.order import CancelResult, CancelVerdict, Order, OrderStatus
from pmtui.service.account.account import AccountFeed
from pmtui.service.kernel import Kernel
from pmtui.service.orders.order_history import OrderHistory
from pmtui.service.orders.verdicts import format_failure
from pmtui.service.ports import READ_ONLY, Account
from pmtui.service.views import Level

FIRST_PAUSE_S = 0.5
"""Before the first repetition."""
NO_ANSWER = "no answer yet; asking again until there is one"
BUSY = "the venue is busy; asking again until there is an answer"
MAY_ARRIVE = "not at the venue yet; cancelling again until it is known to be gone"
NOT_SENT = "Not sent: cancelled before it left"
_KEEPS_ASKING = frozenset(
    {FailureKind.LOST, FailureKind.SERVER, FailureKind.UNREACHABLE, FailureKind.BUSY}
)
_MAY_ARRIVE = IN_DOUBT | {OrderStatus.DELAYED}
"""States in which an order that the venue does not find may still arrive."""


def _verdict_future() -> "asyncio.Future[CancelVerdict]":
    return asyncio.get_running_loop().create_future()


@dataclass(slots=True)
class Cancellation:
    """A cancel in progress: its first verdict, and its final one."""

    first: "asyncio.Future[CancelVerdict]" = field(default_factory=_verdict_future)
    final: "asyncio.Future[CancelVerdict]" = field(default_factory=_verdict_future)

    def resolve(self, verdict: CancelVerdict, *, is_final: bool) -> None:
        """Set the verdict so far; one that was set before is kept."""
        for future in (self.first, self.final) if is_final else (self.first,):
            if not future.done():
                future.set_result(verdict)


@dataclass(frozen=True, slots=True)
class _End:
    """The result of the repeated cancel of one order."""

    kept: str = ""
    """Why it was not cancelled; empty if it is gone."""
    problem: str = ""
    """Why its result cannot be determined."""


class Canceller:
    """Sends every cancel of the session."""

    def __init__(self, kernel: Kernel, feed: AccountFeed, history: OrderHistory) -> None:
        self._kernel = kernel
        self._feed = feed
        self._history = history
        self._asked: Counter[OrderId] = Counter()
        self._scoped_cancels = 0
        self._latest: dict[CancelScope, int] = {}
        """The sequence number of the latest cancel of each scope."""
        self._unwanted: set[OrderId] = set()
        """Orders whose cancel was requested while they might still arrive."""
        self._repeating: dict[OrderId, asyncio.Future[_End]] = {}
        """Orders whose cancel is repeated until they are known to be gone."""
        self._backoff = Backoff(first_s=FIRST_PAUSE_S, longest_s=8.0)
        self._changed = asyncio.Event()
        self._listeners: list[Callable[[], None]] = []
        feed.on_order(self._on_order)

    @property
    def scoped_cancels(self) -> int:
        """The number of cancels by scope so far; recorded with an order, and compared later."""
        return self._scoped_cancels

    def cancel_requests(self, order: Order) -> tuple[int, int]:
        """Return how often an order's cancel was requested by id, and the last cancel whose scope covers it.

        Compare before and after your own cancel: a change means that somebody else also cancelled.
        """
        covering = (number for scope, number in self._latest.items() if scope.covers(order))
        return self._asked[order.order_id], max(covering, default=0)

    def is_unwanted(self, order: Order, *, since: int) -> bool:
        """Whether the cancel of an order was requested before it was sent.

        Args:
            order: as it would be sent.
            since: `scoped_cancels` when the trader placed the order.
        """
        return bool(self._asked[order.order_id]) or any(
            number > since and scope.covers(order) for scope, number in self._latest.items()
        )

    def on_cancel_request(self, listener: Callable[[], None]) -> None:
        """Call `listener` immediately whenever a cancel is requested."""
        self._listeners.append(listener)

    def start(self, targets: tuple[OrderId, ...], scope: CancelScope | None = None) -> Cancellation:
        """Cancel orders in the service's own task.

        Args:
            targets: the orders, as far as they are known.
            scope: cancel by scope; None to cancel by the orders' ids.
        """
        cancellation = Cancellation()
        never_left = self._record_request(targets, scope)
        rest = tuple(order_id for order_id in targets if order_id not in never_left)

        async def run() -> None:
            try:
                await self._cancel(rest, scope, never_left, cancellation)
            finally:
                stopped = CancelVerdict(CancelResult(()), "the program stopped while cancelling")
                cancellation.resolve(stopped, is_final=True)

        self._kernel.start("cancellation", run)
        return cancellation

    def restore(self, unwanted: Iterable[OrderId]) -> None:
        """Resume the cancels that an earlier session did not finish."""
        for order_id in unwanted:
            self._asked[order_id] += 1
            self._unwanted.add(order_id)
            if self._may_arrive(order_id):
                _ = self._repeat_until_gone(order_id)
        if number := len(self._repeating):
            were = "was" if number == 1 else "were"
            text = f"{count(number, 'order')} from the last session {were} to be cancelled"
            self._kernel.log.notice(Level.WARNING, f"{text}: asking again until it is known")

    def withhold_everything(self) -> None:
        """Withhold every order that was not sent yet, and cancel those that still arrive."""
        open_ids = tuple(order.order_id for order in self._feed.own.open_orders())
        self._record_request(open_ids, ALL_ORDERS)

    async def run(self) -> None:
        """Repeat unconfirmed cancels for the whole session."""
        while True:
            if not self._repeating:
                self._backoff.reset()
                self._changed.clear()
                await self._changed.wait()
            await self._pause()
            account, left = self._feed.account, tuple(self._repeating)
            if account is not None and left:
                answer = await account.host.cancel(left)
                self._apply_repeated(left, self._kernel.check(Source.TRADING, answer))

    def _record_request(
        self, targets: tuple[OrderId, ...], scope: CancelScope | None
    ) -> tuple[OrderId, ...]:
        """Record the orders to cancel; return those that will therefore never be sent."""
        self._asked.update(targets)
        if scope is not None:
            self._scoped_cancels += 1
            self._latest[scope] = self._scoped_cancels
        for listener in self._listeners:
            listener()
        never_left = []
        for order_id in targets:
            known = self._feed.own.order(order_id)
            if known is not None and known.status is OrderStatus.REJECTED:
                never_left.append(order_id)
            elif self._may_arrive(order_id):
                self._unwanted.add(order_id)
                _ = self._repeat_until_gone(order_id)
        return tuple(never_left)

    async def _cancel(
        self,
        targets: tuple[OrderId, ...],
        scope: CancelScope | None,
        never_left: tuple[OrderId, ...],
        cancellation: Cancellation,
    ) -> None:
        account = self._feed.account
        if account is None:
            cancellation.resolve(CancelVerdict(CancelResult(()), READ_ONLY), is_final=True)
            return
        if scope is None and not targets:
            cancellation.resolve(CancelVerdict(CancelResult(never_left)), is_final=True)
            return
        # Journaled too, but never delayed by a disk: cancelling only reduces risk.
        for order_id in targets:
            self._history.record_cancel("asked", order_id)
        answer = self._kernel.check(Source.TRADING, await _ask(account, targets, scope))
        self._feed.refresh()
        if isinstance(answer, Failure):
            result = self._apply_failure(targets, answer)
        else:
            result = self._apply(targets, answer, scope)
        problem = str(answer) if isinstance(answer, Failure) else ""
        result = replace(result, canceled=(*never_left, *result.canceled))
        if isinstance(answer, Failure) and (result.not_canceled or not result.unanswered):
            self._kernel.log.notice(Level.BAD, f"Not cancelled: {problem}")
        if not result.unanswered:
            cancellation.resolve(CancelVerdict(result, problem), is_final=True)
            return
        may_arrive = all(map(self._may_arrive, result.unanswered))
        is_busy = isinstance(answer, Failure) and answer.kind is FailureKind.BUSY
        ends = [self._repeat_until_gone(order_id) for order_id in result.unanswered]
        self._report_repeating(result.unanswered, answer, may_arrive=may_arrive)
        asking = MAY_ARRIVE if may_arrive else BUSY if is_busy else NO_ANSWER
        first = CancelVerdict(result, asking)
        cancellation.resolve(first, is_final=False)
        cancellation.resolve(await self._await_ends(result, ends), is_final=True)

    def _apply_failure(self, targets: tuple[OrderId, ...], failure: Failure) -> CancelResult:
        """Apply a request without a reply; orders that may be gone or still arrive stay open."""
        for order_id in targets:
            self._history.record_cancel(format_failure(failure), order_id)
        if failure.may_have_happened or failure.kind is FailureKind.BUSY:
            # If asked to retry later, do so: nobody should have to cancel twice because an engine
            # restarts.
            return CancelResult((), (), targets)
        open_ = tuple(order_id for order_id in targets if self._may_arrive(order_id))
        kept = tuple((order_id, str(failure)) for order_id in targets if order_id not in open_)
        return CancelResult((), kept if open_ else (), open_)

    def _apply(
        self, targets: tuple[OrderId, ...], answer: CancelResult, scope: CancelScope | None
    ) -> CancelResult:
        """Journal, report and apply a reply about the targets; return how each ended.

        A refused order that may still arrive stays unanswered.
        """
        ends = sort_cancel_answer(targets, answer, scope, known=self._feed.own.order)
        self._report_unasked(ends)
        for order_id, reason in ends.unanswered:
            self._history.record_cancel(reason, order_id)
        for order_id, reason in ends.refused:
            self._history.record_cancel(f"refused: {reason}", order_id)
        kept = tuple(each for each in ends.refused if not self._may_arrive(each[0]))
        for order_id, reason in kept:
            text = f"Not cancelled {order_id[:10]}…: {reason}"
            self._kernel.log.notice(Level.WARNING, text, order_id=order_id)
        if doubtful := [order_id for order_id, reason in kept if says_gone(reason)]:
            self._feed.suspect(doubtful)
        for order_id in ends.gone:
            self._history.record_cancel("done", order_id)
            self._feed.mark_cancelled(order_id)
        ended = {*ends.gone, *dict(kept)}
        open_ = tuple(order_id for order_id in targets if order_id not in ended)
        return CancelResult(ends.gone, kept, open_)

    def _apply_repeated(self, left: tuple[OrderId, ...], answer: CancelResult | Failure) -> None:
        self._feed.refresh()
        if isinstance(answer, Failure):
            for order_id in left:
                self._history.record_cancel(format_failure(answer), order_id)
            refused = [i for i in left if not self._may_arrive(i)]
            if answer.kind not in _KEEPS_ASKING and refused:
                text = f"Cancel unconfirmed: {answer}"
                self._kernel.log.notice(Level.BAD, text)
                for order_id in refused:
                    self._end(order_id, _End(str(answer), problem=str(answer)))
            return
        result = self._apply(left, answer, None)
        for order_id in result.canceled:
            self._end(order_id, _End())
        for order_id, reason in result.not_canceled:
            self._end(order_id, _End(reason))

    def _repeat_until_gone(self, order_id: OrderId) -> "asyncio.Future[_End]":
        """Repeat the cancel of an order until it is known to be gone."""
        end = self._repeating.get(order_id)
        if end is None:
            end = self._repeating[order_id] = asyncio.get_running_loop().create_future()
            self._history.record_unwanted(order_id)
            self._reset_backoff()
        return end

    def _reset_backoff(self) -> None:
        """Make the next repetition come soon; one that is already due soon is not delayed."""
        if self._backoff.step_s != 2 * FIRST_PAUSE_S:
            self._backoff.reset()
            self._changed.set()

    def _end(self, order_id: OrderId, end: _End) -> None:
        future = self._repeating.pop(order_id, None)
        if future is not None and end.kept:
            self._history.record_kept(end.kept, order_id)
        if future is not None and not future.done():
            future.set_result(end)

    async def _pause(self) -> None:
        """Wait before the next repetition; a new event shortens the wait."""
        while True:
            self._changed.clear()
            if not await self._kernel.within(self._backoff.next_s(), self._changed.wait()):
                return

    async def _await_ends(
        self, result: CancelResult, ends: "list[asyncio.Future[_End]]"
    ) -> CancelVerdict:
        gone, kept, problem = list(result.canceled), list(result.not_canceled), ""
        for order_id, ending in zip(result.unanswered, ends, strict=True):
            end = await asyncio.shield(ending)
            problem = problem or end.problem
            if end.kept:
                kept.append((order_id, end.kept))
            else:
                gone.append(order_id)
        if not problem:
            text = f"Late answer to a cancel: {len(gone)} cancelled, {len(kept)} not"
            self._kernel.log.notice(Level.INFO, text)
        return CancelVerdict(CancelResult(tuple(gone), tuple(kept)), problem)

    def _on_order(self, order: Order) -> None:
        """Handle an order that ended otherwise, or an unwanted one that has arrived."""
        order_id, is_open = order.order_id, order.status.is_open
        if order_id in self._repeating and not is_open:
            is_filled = order.status is OrderStatus.FILLED
            self._end(order_id, _End("filled" if is_filled else ""))
        elif order_id in self._unwanted and is_open and order.status not in IN_DOUBT:
            if order_id not in self._repeating:
                text = "A late order arrived after its cancel: cancelling it now"
                self._kernel.log.notice(Level.WARNING, text, order_id=order_id)
            _ = self._repeat_until_gone(order_id)
            self._reset_backoff()

    def _may_arrive(self, order_id: OrderId) -> bool:
        known = self._feed.own.order(order_id)
        return known is not None and known.status in _MAY_ARRIVE

    def _report_repeating(
        self, orders: tuple[OrderId, ...], answer: CancelResult | Failure, *, may_arrive: bool
    ) -> None:
        what = count(len(orders), "order")
        if may_arrive:
            text = f"{what} may still arrive: cancelling again until it is known to be gone"
        elif isinstance(answer, Failure) and answer.kind is FailureKind.BUSY:
            text = f"The venue is busy: asking again to cancel {what}. {answer}"
        elif isinstance(answer, Failure) or answer.unanswered:
            text = f"No answer to cancelling {what}: asking again until it is known"
        else:
            text = f"The answer to a cancel leaves out {what}: asking again until it is known"
        self._kernel.log.notice(Level.WARNING, text)

    def _report_unasked(self, ends: CancelEnds) -> None:
        if ends.unseen:
            text = f"Cancelled {count(ends.unseen, 'order')} that this program has not seen"
            self._kernel.log.add(Level.INFO, "order", text)
        if ends.unexpected:
            what = count(ends.unexpected, "order")
            text = f"The venue reports {what} cancelled that were not asked about: ignored"
            self._kernel.log.notice(Level.WARNING, text)


async def _ask(
    account: Account, targets: tuple[OrderId, ...], scope: CancelScope | None
) -> CancelResult | Failure:
    if scope is None:
        return await account.host.cancel(targets)
    if scope == ALL_ORDERS:
        return await account.host.cancel_all()
    return await account.host.cancel_market(
        condition_id=scope.condition_id, token_id=scope.token_id
    )

"""Cancels orders, remembers that they are unwanted, and asks again until they are known to be gone.

A cancel can be repeated without harm. What was meant is fixed when the trader asks: a repeated
cancel names those orders and no others, so that one placed meanwhile is safe from it.

An order that has not left yet never leaves once it was to be cancelled. One that is on its way may
arrive after the cancel: "not found" is no end for it, and it is cancelled again, also when it turns
up after it was given up.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.formats import count
from pmtui.domain.health import Source
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.orders.life import IN_DOUBT
from pmtui.domain.orders.order import CancelResult, CancelVerdict, Order, OrderStatus
from pmtui.service.account.account import AccountFeed
from pmtui.service.kernel import Kernel
from pmtui.service.orders.journal import OrderHistory
from pmtui.service.orders.verdicts import format_failure
from pmtui.service.ports import READ_ONLY, Account
from pmtui.service.views import Level

PAUSES_S = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Before each repetition; the last one again and again."""
NO_ANSWER = "no answer yet; asking again until there is one"
MAY_ARRIVE = "not at the venue yet; cancelling again until it is known to be gone"
NOT_SENT = "Not sent: cancelled before it left"
_KEEPS_ASKING = frozenset(
    {FailureKind.LOST, FailureKind.SERVER, FailureKind.UNREACHABLE, FailureKind.BUSY}
)
_MAY_ARRIVE = IN_DOUBT | {OrderStatus.DELAYED}
"""States in which an order that the venue does not find may still come to rest."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """A cancel by scope instead of by ids. Without a market and a token it means every order."""

    condition_id: ConditionId | None = None
    token_id: TokenId | None = None

    def covers(self, order: Order) -> bool:
        """Whether an order is among those meant."""
        return self.condition_id in (None, order.condition_id) and self.token_id in (
            None,
            order.token_id,
        )


EVERYTHING = Sweep()


def _verdict_future() -> "asyncio.Future[CancelVerdict]":
    return asyncio.get_running_loop().create_future()


@dataclass(slots=True)
class Cancellation:
    """A cancel under way: the first thing that can be said of it, and the last."""

    first: "asyncio.Future[CancelVerdict]" = field(default_factory=_verdict_future)
    final: "asyncio.Future[CancelVerdict]" = field(default_factory=_verdict_future)

    def resolve(self, verdict: CancelVerdict, *, is_final: bool) -> None:
        """Set the verdict so far; one that was set before stays."""
        for future in (self.first, self.final) if is_final else (self.first,):
            if not future.done():
                future.set_result(verdict)


@dataclass(frozen=True, slots=True)
class _End:
    """How repeated asking for one order ended."""

    kept: str = ""
    """Why it was not cancelled; empty when it is gone."""
    problem: str = ""
    """Why nothing more can be known of it."""


class Canceller:
    """Every cancel goes through here; there is one for the whole session."""

    def __init__(self, kernel: Kernel, feed: AccountFeed, history: OrderHistory) -> None:
        self._kernel = kernel
        self._feed = feed
        self._history = history
        self._asked: Counter[OrderId] = Counter()
        self._sweeps = 0
        self._latest: dict[Sweep, int] = {}
        """The number of the latest sweep of each scope."""
        self._unwanted: set[OrderId] = set()
        """Orders that were to be cancelled while nobody knew whether they would arrive."""
        self._insisted: dict[OrderId, asyncio.Future[_End]] = {}
        """What is asked for again and again."""
        self._step = 0
        self._changed = asyncio.Event()
        self._listeners: list[Callable[[], None]] = []
        feed.on_order(self._on_order)

    @property
    def sweeps(self) -> int:
        """The number of sweeps so far; who is about to send notes it, and compares later."""
        return self._sweeps

    def wishes(self, order: Order) -> tuple[int, int]:
        """Return how often an order was to be cancelled by name, and the last sweep that covers it.

        Who goes on after a cancel of his own compares: a change means that it is not wanted.
        """
        covering = (number for sweep, number in self._latest.items() if sweep.covers(order))
        return self._asked[order.order_id], max(covering, default=0)

    def is_unwanted(self, order: Order, *, since: int) -> bool:
        """Whether an order that has not left yet was to be cancelled.

        Args:
            order: as it would leave.
            since: the number of sweeps when the trader asked for it.
        """
        return bool(self._asked[order.order_id]) or any(
            number > since and sweep.covers(order) for sweep, number in self._latest.items()
        )

    def on_wish(self, listener: Callable[[], None]) -> None:
        """Tell this listener at once whenever something is to be cancelled."""
        self._listeners.append(listener)

    def start(self, meant: tuple[OrderId, ...], sweep: Sweep | None = None) -> Cancellation:
        """Cancel orders in the service's own task.

        Args:
            meant: the orders, as far as they are known.
            sweep: the scope to cancel; by the orders' ids where absent.
        """
        cancellation = Cancellation()
        never_left = self._record_wish(meant, sweep)
        rest = tuple(order_id for order_id in meant if order_id not in never_left)

        async def run() -> None:
            try:
                await self._cancel(rest, sweep, never_left, cancellation)
            finally:
                stopped = CancelVerdict(CancelResult(()), "the program stopped while cancelling")
                cancellation.resolve(stopped, is_final=True)

        self._kernel.start("cancellation", run)
        return cancellation

    def restore(self, unwanted: Iterable[OrderId]) -> None:
        """Go on with orders that an earlier session was to cancel."""
        for order_id in unwanted:
            self._asked[order_id] += 1
            self._unwanted.add(order_id)
            if self._may_arrive(order_id):
                _ = self._insist_on(order_id)
        if number := len(self._insisted):
            were = "was" if number == 1 else "were"
            text = f"{count(number, 'order')} of the last session {were} to be cancelled"
            self._kernel.log.notice(Level.WARNING, f"{text}: asking again until it is known")

    def withhold_everything(self) -> None:
        """Let nothing leave that was asked for before now, and cancel what arrives all the same."""
        open_ids = tuple(order.order_id for order in self._feed.own.open_orders())
        self._record_wish(open_ids, EVERYTHING)

    async def run(self) -> None:
        """Ask again for whatever is insisted on, for as long as the session lasts."""
        while True:
            if not self._insisted:
                self._step = 0
                self._changed.clear()
                await self._changed.wait()
            await self._pause()
            account, left = self._feed.account, tuple(self._insisted)
            if account is not None and left:
                answer = await account.host.cancel(left)
                self._apply_repeated(left, self._kernel.check(Source.TRADING, answer))

    def _record_wish(self, meant: tuple[OrderId, ...], sweep: Sweep | None) -> tuple[OrderId, ...]:
        """Remember what is to be cancelled; return the orders that never leave because of it."""
        self._asked.update(meant)
        if sweep is not None:
            self._sweeps += 1
            self._latest[sweep] = self._sweeps
        for listener in self._listeners:
            listener()
        never_left = []
        for order_id in meant:
            known = self._feed.own.order(order_id)
            if known is not None and known.status is OrderStatus.REJECTED:
                never_left.append(order_id)
            elif self._may_arrive(order_id):
                self._unwanted.add(order_id)
                _ = self._insist_on(order_id)
        return tuple(never_left)

    async def _cancel(
        self,
        meant: tuple[OrderId, ...],
        sweep: Sweep | None,
        never_left: tuple[OrderId, ...],
        cancellation: Cancellation,
    ) -> None:
        account = self._feed.account
        if account is None:
            cancellation.resolve(CancelVerdict(CancelResult(()), READ_ONLY), is_final=True)
            return
        if sweep is None and not meant:
            cancellation.resolve(CancelVerdict(CancelResult(never_left)), is_final=True)
            return
        # Journaled too, but never held up by a disk: what is cancelled can only do less.
        for order_id in meant:
            self._history.record_cancel("asked", order_id)
        answer = self._kernel.check(Source.TRADING, await _ask(account, meant, sweep))
        self._feed.refresh()
        if isinstance(answer, Failure):
            result = self._apply_failure(meant, answer)
        else:
            result = self._apply(meant, answer, sweep)
        problem = str(answer) if isinstance(answer, Failure) else ""
        result = replace(result, canceled=(*never_left, *result.canceled))
        if isinstance(answer, Failure) and (result.not_canceled or not result.unanswered):
            self._kernel.log.notice(Level.BAD, f"Not cancelled: {problem}")
        if not result.unanswered:
            cancellation.resolve(CancelVerdict(result, problem), is_final=True)
            return
        may_arrive = all(map(self._may_arrive, result.unanswered))
        ends = [self._insist_on(order_id) for order_id in result.unanswered]
        self._report_repeating(result.unanswered, answer, may_arrive=may_arrive)
        first = CancelVerdict(result, MAY_ARRIVE if may_arrive else NO_ANSWER)
        cancellation.resolve(first, is_final=False)
        cancellation.resolve(await self._await_ends(result, ends), is_final=True)

    def _apply_failure(self, meant: tuple[OrderId, ...], failure: Failure) -> CancelResult:
        """Conclude from a request without an answer; what may be gone or still arrive stays open."""
        for order_id in meant:
            self._history.record_cancel(format_failure(failure), order_id)
        if failure.may_have_happened:
            return CancelResult((), (), meant)
        open_ = tuple(order_id for order_id in meant if self._may_arrive(order_id))
        kept = tuple((order_id, str(failure)) for order_id in meant if order_id not in open_)
        return CancelResult((), kept if open_ else (), open_)

    def _apply(
        self, meant: tuple[OrderId, ...], answer: CancelResult, sweep: Sweep | None
    ) -> CancelResult:
        """Conclude what an answer allows of the orders that were asked for, and of no others.

        An order that the answer leaves out, names twice with different ends, or refuses to know
        while it may still arrive, stays unanswered.
        """
        asked = {order_id.lower(): order_id for order_id in meant}
        gone, strangers = self._sort_cancelled(asked, answer.canceled, sweep)
        refused = {
            asked[order_id.lower()]: reason
            for order_id, reason in answer.not_canceled
            if order_id.lower() in asked
        }
        lost = {order_id.lower() for order_id in answer.unanswered}
        self._report_strangers(strangers)
        kept, open_ = [], []
        for order_id in meant:
            is_gone, reason = order_id in gone, refused.get(order_id)
            if is_gone and reason is None:
                continue
            if is_gone or reason is None or order_id.lower() in lost:
                said = "no answer" if order_id.lower() in lost else "left out of the answer"
                self._history.record_cancel(said, order_id)
                open_.append(order_id)
                continue
            self._history.record_cancel(f"refused: {reason}", order_id)
            if self._may_arrive(order_id):
                open_.append(order_id)
                continue
            kept.append((order_id, reason))
            text = f"Not cancelled {order_id[:10]}…: {reason}"
            self._kernel.log.notice(Level.WARNING, text, order_id=order_id)
        done = tuple(order_id for order_id in gone if order_id not in open_)
        for order_id in done:
            self._history.record_cancel("done", order_id)
            self._mark_cancelled(order_id)
        return CancelResult(done, tuple(kept), tuple(open_))

    def _sort_cancelled(
        self, asked: dict[str, OrderId], named: Iterable[OrderId], sweep: Sweep | None
    ) -> tuple[tuple[OrderId, ...], int]:
        """Return which orders an answer may have cancelled, and how many it names that it cannot.

        A sweep also takes what the venue has and nobody here has heard of, or heard of too late.
        """
        gone: dict[OrderId, None] = {}
        strangers = 0
        unseen = 0
        for order_id in named:
            own_id = asked.get(order_id.lower(), order_id)
            known = self._feed.own.order(own_id)
            if order_id.lower() in asked or (sweep and known and sweep.covers(known)):
                gone[own_id] = None
            elif sweep is not None and known is None:
                gone[own_id] = None
                unseen += 1
            else:
                strangers += 1
        if unseen:
            text = f"Cancelled {count(unseen, 'order')} that this program has not seen"
            self._kernel.log.add(Level.INFO, "order", text)
        return tuple(gone), strangers

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

    def _insist_on(self, order_id: OrderId) -> "asyncio.Future[_End]":
        """Ask for an order again until it is known to be gone."""
        end = self._insisted.get(order_id)
        if end is None:
            end = self._insisted[order_id] = asyncio.get_running_loop().create_future()
            self._history.record_unwanted(order_id)
            self._hurry()
        return end

    def _hurry(self) -> None:
        """Make the next repetition come soon; one that comes soon already is not put off."""
        if self._step != 1:
            self._step = 0
            self._changed.set()

    def _end(self, order_id: OrderId, end: _End) -> None:
        future = self._insisted.pop(order_id, None)
        if future is not None and end.kept:
            self._history.record_kept(end.kept, order_id)
        if future is not None and not future.done():
            future.set_result(end)

    async def _pause(self) -> None:
        """Wait before the next repetition; something new makes it soon."""
        while True:
            self._changed.clear()
            pause = PAUSES_S[min(self._step, len(PAUSES_S) - 1)]
            self._step += 1
            if not await self._kernel.within(pause, self._changed.wait()):
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
        """Learn that an order ended some other way, or that an unwanted one has arrived."""
        order_id, is_open = order.order_id, order.status.is_open
        if order_id in self._insisted and not is_open:
            is_filled = order.status is OrderStatus.FILLED
            self._end(order_id, _End("filled" if is_filled else ""))
        elif order_id in self._unwanted and is_open and order.status not in IN_DOUBT:
            if order_id not in self._insisted:
                text = "A late order arrived after its cancel: cancelling it now"
                self._kernel.log.notice(Level.WARNING, text, order_id=order_id)
            _ = self._insist_on(order_id)
            self._hurry()

    def _may_arrive(self, order_id: OrderId) -> bool:
        known = self._feed.own.order(order_id)
        return known is not None and known.status in _MAY_ARRIVE

    def _report_repeating(
        self, orders: tuple[OrderId, ...], answer: CancelResult | Failure, *, may_arrive: bool
    ) -> None:
        what = count(len(orders), "order")
        if may_arrive:
            text = f"{what} may still arrive: cancelling again until it is known to be gone"
        elif isinstance(answer, Failure) or answer.unanswered:
            text = f"No answer to cancelling {what}: asking again until it is known"
        else:
            text = f"The answer to a cancel leaves out {what}: asking again until it is known"
        self._kernel.log.notice(Level.WARNING, text)

    def _report_strangers(self, number: int) -> None:
        if number:
            text = (
                f"The venue reports {count(number, 'order')} cancelled that were not asked about: "
                "ignored"
            )
            self._kernel.log.notice(Level.WARNING, text)

    def _mark_cancelled(self, order_id: OrderId) -> None:
        known = self._feed.own.order(order_id)
        if known is not None:
            self._feed.apply_order(replace(known, status=OrderStatus.CANCELLED))


async def _ask(
    account: Account, meant: tuple[OrderId, ...], sweep: Sweep | None
) -> CancelResult | Failure:
    if sweep is None:
        return await account.host.cancel(meant)
    if sweep == EVERYTHING:
        return await account.host.cancel_all()
    return await account.host.cancel_market(
        condition_id=sweep.condition_id, token_id=sweep.token_id
    )

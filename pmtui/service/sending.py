"""Sends prepared orders, one or a batch: sign, journal, post once, judge, and search what is unknown.

Every order that leaves this program leaves here, whatever asked for it. A lost answer is Unknown
for every order of the request, and each of them is looked for; none is sent again.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from pmtui.domain.failure import Failure, FailureKind
from pmtui.domain.health import Source
from pmtui.domain.ids import OrderId
from pmtui.domain.order import Order, OrderStatus, PostResult
from pmtui.domain.verdict import Accepted, Rejected, Unknown, Verdict
from pmtui.records import dataclass
from pmtui.service.entry_guard import EntryGuard
from pmtui.service.feeds.account import AccountFeed
from pmtui.service.hosts import Account
from pmtui.service.journal import Leaving
from pmtui.service.judging import judge_answer, say_answer, say_verdict
from pmtui.service.kernel import Kernel
from pmtui.service.order_history import OrderHistory
from pmtui.service.order_search import OrderSearch
from pmtui.service.preparing import to_order
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import Level
from pmtui.service.words import say_order_end

POST_DEADLINE_S = 10
"""After this long without an answer an order counts as unknown, unless the settings say else."""
FAULT = "a fault in this program, see the log file"
READ_ONLY = "No key: this session is read-only"

Tell = Callable[[PreparedOrder, Verdict], None]


@dataclass(frozen=True, slots=True)
class _Leg:
    """An order with the very bytes that leave."""

    order: PreparedOrder
    known: Order
    body: bytes


class OrderSender:
    """The one way out for orders."""

    def __init__(
        self,
        kernel: Kernel,
        feed: AccountFeed,
        history: OrderHistory,
        *,
        search: OrderSearch,
        guard: EntryGuard,
        post_deadline_s: int = POST_DEADLINE_S,
    ) -> None:
        self._kernel = kernel
        self._feed = feed
        self._history = history
        self._search = search
        self._guard = guard
        self._post_deadline_s = post_deadline_s

    def show(self, order: PreparedOrder) -> None:
        """Count an order as ours from the moment on when it was asked for."""
        self._feed.apply_order(to_order(order, OrderStatus.PENDING, now=self._kernel.clock.now()))

    def find_refusal(
        self, order: PreparedOrder, *, replacing: OrderId | None = None
    ) -> Rejected | None:
        """Return why an order would not be signed now; for whoever has to cancel something first."""
        return self._guard.check(order, replacing=replacing)

    def refuse(self, order: PreparedOrder, refusal: Rejected, tell: Tell) -> None:
        """Let an order end before it was sent."""
        self._settle(order, refusal, tell)

    async def send(self, orders: tuple[PreparedOrder, ...], tell: Tell) -> None:
        """Send orders in one request; `tell` hears how each of them ended, once."""
        is_faulty = True
        try:
            await self._send(orders, tell)
            is_faulty = False
        except asyncio.CancelledError:
            # The program ends; the journal holds what left.
            is_faulty = False
            raise
        finally:
            if is_faulty:
                self._end_after_fault(orders, tell)

    def _end_after_fault(self, orders: tuple[PreparedOrder, ...], tell: Tell) -> None:
        """Leave none behind that would seem to be on its way for ever: a bug of ours stopped them."""
        now = self._kernel.clock.now()
        for order in orders:
            order_id = order.unsigned.order_id
            known = self._feed.own.order(order_id)
            if known is None or known.status is OrderStatus.PENDING:
                self._settle(order, Rejected(f"Not sent: {FAULT}"), tell)
            elif known.status in (OrderStatus.SENT, OrderStatus.UNKNOWN):
                self._settle(order, Unknown(order_id, FAULT, since=now), tell)
                self._search.look_for(known, order.market_title)

    async def _send(self, orders: tuple[PreparedOrder, ...], tell: Tell) -> None:
        legs = self._sign_all(orders, tell)
        account = self._feed.account
        if account is None or not legs:
            return
        problem = await self._history.begin(
            [Leaving(leg.known, leg.order.market_title, leg.body) for leg in legs]
        )
        if problem is not None:
            text = f"Not sent: the journal cannot be written ({problem.text})"
            for leg in legs:
                self._settle(leg.order, Rejected(text), tell)
            return
        if locked := self._guard.locked():
            # Killed while the disk was written to.
            for leg in legs:
                self._settle(leg.order, Rejected(locked), tell)
            return
        for leg in legs:
            self._feed.apply_order(replace(leg.known, status=OrderStatus.SENT))
        answers = await self._post(account, legs)
        # Every answer is noted and told before anything waits for the disk.
        now = self._kernel.clock.now()
        judged = [
            (leg, judge_answer(leg.order, answer, now=now))
            for leg, answer in zip(legs, answers, strict=True)
        ]
        for (leg, verdict), answer in zip(judged, answers, strict=True):
            self._history.note_answer(say_answer(answer), leg.known.order_id)
            self._settle(leg.order, verdict, tell)
        for leg, verdict in judged:
            await self._history.write("verdict", say_verdict(verdict), leg.known.order_id)
        self._feed.refresh()
        for leg, verdict in judged:
            if isinstance(verdict, Unknown):
                self._search.look_for(leg.known, leg.order.market_title)

    def _sign_all(self, orders: tuple[PreparedOrder, ...], tell: Tell) -> tuple[_Leg, ...]:
        account = self._feed.account
        legs = []
        for order in orders:
            body = Rejected(READ_ONLY) if account is None else self._sign(account, order)
            if isinstance(body, Rejected):
                self._settle(order, body, tell)
                continue
            known = to_order(order, OrderStatus.PENDING, now=self._kernel.clock.now())
            legs.append(_Leg(order, known, body))
        return tuple(legs)

    def _sign(self, account: Account, order: PreparedOrder) -> bytes | Rejected:
        """Sign an order. Whatever may still refuse one is asked here, last of all."""
        return self._guard.refuse(order) or account.signer.sign(order.unsigned)

    async def _post(
        self, account: Account, legs: tuple[_Leg, ...]
    ) -> tuple[PostResult | Failure, ...]:
        """Send, and wait no longer than the deadline: the venue may have it all the same."""
        if len(legs) == 1:
            work = _one(account, legs[0].body)
        else:
            work = _many(account, tuple(leg.body for leg in legs))
        posting = asyncio.ensure_future(work)
        waiting = asyncio.ensure_future(self._kernel.clock.sleep(self._post_deadline_s))
        try:
            await asyncio.wait({posting, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if posting.done():
                answer = posting.result()
            else:
                text = f"no answer within {self._post_deadline_s} s"
                answer = Failure(FailureKind.LOST, _route_of(legs), text)
        finally:
            posting.cancel()
            waiting.cancel()
        self._kernel.check(Source.TRADING, answer)
        if not isinstance(answer, Failure):
            answer = _in_line(legs, answer)
        return (answer,) * len(legs) if isinstance(answer, Failure) else answer

    def _settle(self, order: PreparedOrder, verdict: Verdict, tell: Tell) -> None:
        now = self._kernel.clock.now()
        if isinstance(verdict, Accepted):
            fact = to_order(order, verdict.status, now=now, matched=verdict.filled_size)
            level = Level.INFO
        elif isinstance(verdict, Rejected):
            fact = to_order(order, OrderStatus.REJECTED, now=now, reason=verdict.reason)
            level = Level.BAD
        else:
            fact = to_order(order, OrderStatus.UNKNOWN, now=now, reason=verdict.reason)
            level = Level.WARNING
        self._feed.apply_order(fact, is_news=False)
        if fact.status is not OrderStatus.FILLED:
            # What filled is told once: by its fills, as they come, each with its own price.
            text = say_order_end(fact, order.market_title)
            self._kernel.log.add(level, "order", text, order_id=order.unsigned.order_id)
        tell(order, verdict)


async def _one(account: Account, body: bytes) -> tuple[PostResult, ...] | Failure:
    answer = await account.host.post_order(body)
    return answer if isinstance(answer, Failure) else (answer,)


async def _many(account: Account, bodies: tuple[bytes, ...]) -> tuple[PostResult, ...] | Failure:
    return await account.host.post_orders(bodies)


def _route_of(legs: tuple[_Leg, ...]) -> str:
    return "POST /order" if len(legs) == 1 else "POST /orders"


def _in_line(
    legs: tuple[_Leg, ...], answers: tuple[PostResult, ...]
) -> tuple[PostResult, ...] | Failure:
    """Return the answers of a batch, or why nobody can tell which order each of them is about.

    They stand in the order of the request (WIRE_CLOB §6.1); one that names another order of the
    same request shows that they do not.
    """
    if len(answers) != len(legs):
        text = f"{len(answers)} answers to {len(legs)} orders"
        return Failure(FailureKind.SERVER, _route_of(legs), text)
    ids = [leg.known.order_id.lower() for leg in legs]
    for own, answer in zip(ids, answers, strict=True):
        named = (answer.order_id or own).lower()
        if named != own and named in ids:
            return Failure(FailureKind.SERVER, _route_of(legs), "answers in another order")
    return answers

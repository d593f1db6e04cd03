"""Sends prepared orders, one or a batch: sign, journal, post once, judge, and search if unknown.

Every order is sent from here, whatever requested it. It is sent only while nothing objects to it: the
last check is made when its bytes are passed to the connection, after the disk write, the rate limit
and any suspension of the machine. A withheld order was never sent, and is rejected. A lost reply is
Unknown for every order of the request, and each of them is searched for; none is resent.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.books.book_view import BookView
from pmtui.domain.health import Source
from pmtui.domain.ids import OrderId, TokenId
from pmtui.domain.orders.order import (
    Accepted,
    Order,
    OrderStatus,
    PostResult,
    Rejected,
    TimeInForce,
    Unknown,
    Verdict,
)
from pmtui.domain.orders.single_keys import why_locked
from pmtui.service.account.account import AccountFeed
from pmtui.service.clock import Moment, read_moment, seconds_since
from pmtui.service.journal.journal import OutgoingOrder
from pmtui.service.kernel import Kernel
from pmtui.service.orders.cancelling import NOT_SENT, Canceller
from pmtui.service.orders.lost_orders import LostOrderSearch
from pmtui.service.orders.order_history import OrderHistory
from pmtui.service.orders.preparing import to_order
from pmtui.service.orders.verdicts import format_answer, format_verdict, judge_answer
from pmtui.service.ports import READ_ONLY, Account
from pmtui.service.safety.entry_guard import EntryGuard
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import Level
from pmtui.service.words import describe_order_end, facts_of_order

T = TypeVar("T")

POST_DEADLINE_S = 10
"""Seconds from the trader's key press until an unsent order is rejected, and one without a reply is
unknown; `order_deadline_s` of the settings overrides it."""
CHANGED = "the request is made anew without some of its orders"
FAULT = "a fault in this program, see the log file"

Report = Callable[[PreparedOrder, Verdict], None]


def nothing_against() -> str:
    """Return "" for no objection."""
    return ""


@dataclass(frozen=True, slots=True)
class Instruction:
    """When the trader requested orders; they are sent soon after that or never."""

    given: Moment
    scoped_cancels: int
    """`Canceller.scoped_cancels` at that time."""
    needs_good_book: bool = False
    """Whether the price was never confirmed by the trader, so that a good book is required."""
    why_unwanted: Callable[[], str] = nothing_against
    """Returns why the orders are no longer wanted; empty while they are."""


@dataclass(frozen=True, slots=True)
class _Leg:
    """An order with the exact bytes to send."""

    order: PreparedOrder
    known: Order
    body: bytes


class _Request:
    """Orders being sent in one request; each can be withheld until its bytes are sent."""

    def __init__(self, legs: tuple[_Leg, ...], instruction: Instruction, report: Report) -> None:
        self.legs = legs
        self.instruction = instruction
        self.report = report
        self.has_left = False
        self.is_overdue = False
        self.is_journaled = False
        self.withheld: list[tuple[_Leg, str]] = []
        """The orders that were not sent, and why."""
        self.changed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def wake(self) -> None:
        """Wake the task of the request."""
        if not self.changed.done():
            self.changed.set_result(None)

    async def wait(self, work: "asyncio.Future[T]") -> None:
        """Wait until some work is done, or the request has changed."""
        if self.changed.done():
            self.changed = asyncio.get_running_loop().create_future()
        either: set[asyncio.Future[T] | asyncio.Future[None]] = {work, self.changed}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)


class OrderSender:
    """Sends every order of this program."""

    def __init__(
        self,
        kernel: Kernel,
        feed: AccountFeed,
        history: OrderHistory,
        *,
        search: LostOrderSearch,
        canceller: Canceller,
        book_of: Callable[[TokenId], BookView],
        guard: EntryGuard,
        post_deadline_s: int = POST_DEADLINE_S,
    ) -> None:
        self._kernel = kernel
        self._feed = feed
        self._history = history
        self._search = search
        self._canceller = canceller
        self._book_of = book_of
        self._guard = guard
        self._post_deadline_s = post_deadline_s
        self._requests: set[_Request] = set()
        """The requests in progress."""
        canceller.on_cancel_request(self._recheck)

    def instruct(
        self,
        *,
        is_single_key: bool = False,
        override: str = "",
        why_unwanted: Callable[[], str] = nothing_against,
        given: Moment | None = None,
    ) -> Instruction:
        """Return the instruction for orders that are requested now.

        Args:
            is_single_key: no card came before them.
            override: what was permitted with them.
            why_unwanted: returns why they are no longer wanted.
            given: when the trader gave it, in another process; now, where absent.
        """
        return Instruction(
            given or read_moment(self._kernel.clock), self._canceller.scoped_cancels,
            is_single_key and not override, why_unwanted,
        )  # fmt: skip

    def why_late(self, instruction: Instruction) -> Rejected | None:
        """Return why an instruction is not begun any more; None while it may be."""
        age_s = self._age_s(instruction)
        if age_s < self._post_deadline_s:
            return None
        return Rejected(f"Too late: given {age_s:.0f} s ago; nothing was sent")

    def show(self, order: PreparedOrder) -> None:
        """Show an order as pending from the moment it is requested."""
        self._feed.apply_order(to_order(order, OrderStatus.PENDING, now=self._kernel.clock.now()))

    def find_refusal(
        self, order: PreparedOrder, *, replacing: OrderId | None = None
    ) -> Rejected | None:
        """Return why an order would not be signed now, before anything is cancelled for it."""
        return self._guard.check(order, replacing=replacing)

    def refuse(self, order: PreparedOrder, refusal: Rejected, report: Report) -> None:
        """End an order before it was sent."""
        self._end_with(order, refusal, report)

    async def send(
        self,
        orders: tuple[PreparedOrder, ...],
        report: Report,
        instruction: Instruction | None = None,
    ) -> None:
        """Send orders in one request; `report` is called once for each with its verdict.

        Args:
            orders: the orders to send.
            report: called with each order and its verdict.
            instruction: the trader's request, and its time; if missing, the current time.
        """
        is_faulty = True
        try:
            await self._send(orders, report, instruction or self.instruct())
            is_faulty = False
        except asyncio.CancelledError:
            # The program ends; the journal has what was sent.
            is_faulty = False
            raise
        finally:
            if is_faulty:
                self._end_after_fault(orders, report)

    def _end_after_fault(self, orders: tuple[PreparedOrder, ...], report: Report) -> None:
        """Give every order a verdict after a fault, so that none seems pending forever."""
        now = self._kernel.clock.now()
        for order in orders:
            order_id = order.order_id
            known = self._feed.own.order(order_id)
            if known is None or known.status is OrderStatus.PENDING:
                self._end_with(order, Rejected(f"Not sent: {FAULT}"), report)
            elif known.status in (OrderStatus.SENT, OrderStatus.UNKNOWN):
                self._end_with(order, Unknown(order_id, FAULT, since=now), report)
                self._search.search_for(known, order.market_title)

    async def _send(
        self, orders: tuple[PreparedOrder, ...], report: Report, instruction: Instruction
    ) -> None:
        legs = self._sign_all(orders, report)
        account = self._feed.account
        if account is None or not legs:
            return
        request = _Request(legs, instruction, report)
        self._requests.add(request)
        timing = asyncio.ensure_future(self._expire(request))
        try:
            if await self._begin(request):
                await self._post_until_answered(account, request)
        finally:
            timing.cancel()
            self._requests.discard(request)

    async def _begin(self, request: _Request) -> bool:
        """Journal the orders; return whether any may be sent. A disk that hangs withholds them."""
        legs = request.legs
        beginning = asyncio.ensure_future(
            self._history.begin(
                [OutgoingOrder(g.known, g.order.market_title, g.body) for g in legs]
            )
        )
        while request.legs and not beginning.done():
            await request.wait(beginning)
        problem = await beginning
        request.is_journaled = True
        for leg, reason in request.withheld:
            self._history.record_not_sent(reason, leg.known.order_id)
        if problem is not None:
            text = f"Not sent: the journal cannot be used ({problem.text})"
            for leg in request.legs:
                self._end_with(leg.order, Rejected(text), request.report)
            request.legs = ()
        return bool(request.legs)

    async def _post_until_answered(self, account: Account, request: _Request) -> None:
        """Post all orders that are not withheld: the others continue alone until anything is sent."""
        while request.legs:
            legs = request.legs
            posting = asyncio.ensure_future(self._post(account, request))
            try:
                while not posting.done() and request.legs == legs:
                    if request.has_left and request.is_overdue:
                        break
                    await request.wait(posting)
            finally:
                posting.cancel()
            if request.legs != legs:
                continue
            if posting.done() and not posting.cancelled():
                answer = posting.result()
            else:
                text = f"no answer within {self._post_deadline_s} s"
                answer = Failure(FailureKind.LOST, _route_of(legs), text)
            self._kernel.check(Source.TRADING, answer)
            await self._conclude(request, _each(legs, answer))
            return

    async def _conclude(self, request: _Request, answers: tuple[PostResult | Failure, ...]) -> None:
        # Every reply is recorded and reported before anything waits for the disk.
        now = self._kernel.clock.now()
        judged = [
            (leg, judge_answer(leg.order, answer, now=now))
            for leg, answer in zip(request.legs, answers, strict=True)
        ]
        for (leg, verdict), answer in zip(judged, answers, strict=True):
            self._history.record_answer(format_answer(answer), leg.known.order_id)
            self._end_with(leg.order, verdict, request.report)
        for leg, verdict in judged:
            await self._history.write("verdict", format_verdict(verdict), leg.known.order_id)
        self._feed.refresh()
        for leg, verdict in judged:
            if isinstance(verdict, Unknown):
                self._search.search_for(leg.known, leg.order.market_title)

    async def _expire(self, request: _Request) -> None:
        """Mark a request as overdue when its time has passed."""
        left_s = self._post_deadline_s - self._age_s(request.instruction)
        if left_s > 0:
            await self._kernel.clock.sleep(left_s)
        request.is_overdue = True
        self._withhold(request)
        request.wake()

    def _recheck(self) -> None:
        """Withhold orders at once that are no longer wanted."""
        for request in tuple(self._requests):
            if self._withhold(request):
                request.wake()

    def _withhold(self, request: _Request) -> str:
        """Reject the orders of a request that must not be sent; return the first reason, or "" if none."""
        if request.has_left:
            return ""
        reasons = [(leg, self._why_not(leg, request)) for leg in request.legs]
        request.legs = tuple(leg for leg, reason in reasons if not reason)
        for leg, reason in reasons:
            if reason:
                request.withheld.append((leg, reason))
                if request.is_journaled:
                    self._history.record_not_sent(reason, leg.known.order_id)
                self._end_with(leg.order, Rejected(reason), request.report)
        return next((reason for _, reason in reasons if reason), "")

    def _why_not(self, leg: _Leg, request: _Request) -> str:
        """Return why an order must not be sent at this very moment; empty if it may."""
        instruction, order = request.instruction, leg.known
        if locked := self._guard.locked():
            return locked
        if self._canceller.is_unwanted(order, since=instruction.scoped_cancels):
            return NOT_SENT
        if reason := instruction.why_unwanted():
            return f"Not sent: {reason}"
        if request.is_overdue or self._age_s(instruction) >= self._post_deadline_s:
            return f"Not sent: it could not leave within {self._post_deadline_s} s"
        ends_at = order.expires_at if order.time_in_force is TimeInForce.GTD else None
        if ends_at is not None and ends_at <= self._kernel.venue_now():
            return "Not sent: it expired before it left"
        if instruction.needs_good_book and (bad := why_locked(self._book_of(order.token_id))):
            return f"Not sent: {bad[:1].lower()}{bad[1:]}"
        return ""

    def _age_s(self, instruction: Instruction) -> float:
        return seconds_since(instruction.given, self._kernel.clock)

    def _sign_all(self, orders: tuple[PreparedOrder, ...], report: Report) -> tuple[_Leg, ...]:
        account = self._feed.account
        legs = []
        for order in orders:
            body = Rejected(READ_ONLY) if account is None else self._sign(account, order)
            if isinstance(body, Rejected):
                self._end_with(order, body, report)
                continue
            known = to_order(order, OrderStatus.PENDING, now=self._kernel.clock.now())
            legs.append(_Leg(order, known, body))
        return tuple(legs)

    def _sign(self, account: Account, order: PreparedOrder) -> bytes | Rejected:
        """Sign an order, after the last checks that may still refuse it."""
        return self._guard.admit(order) or account.signer.sign(order.unsigned)

    async def _post(self, account: Account, request: _Request) -> tuple[PostResult, ...] | Failure:
        """Send once, unless there is an objection when the bytes are sent."""
        legs = request.legs

        def last_check() -> str:
            reason = self._withhold(request)
            if request.legs != legs:
                # Also if an order has been withheld since this request was built.
                return reason or CHANGED
            request.has_left = True
            for leg in legs:
                self._feed.apply_order(replace(leg.known, status=OrderStatus.SENT))
            return ""

        if len(legs) > 1:
            bodies = tuple(leg.body for leg in legs)
            return await account.host.post_orders(bodies, last_check)
        answer = await account.host.post_order(legs[0].body, last_check)
        return answer if isinstance(answer, Failure) else (answer,)

    def _end_with(self, order: PreparedOrder, verdict: Verdict, report: Report) -> None:
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
            # A complete fill is announced by its trades, each with its own price.
            text = describe_order_end(fact, order.market_title)
            self._kernel.log.add(
                level, "order", text, order_id=order.order_id,
                facts=facts_of_order(fact, order.market_title),
            )  # fmt: skip
        report(order, verdict)


def _route_of(legs: tuple[_Leg, ...]) -> str:
    return "POST /order" if len(legs) == 1 else "POST /orders"


def _each(
    legs: tuple[_Leg, ...], answer: tuple[PostResult, ...] | Failure
) -> tuple[PostResult | Failure, ...]:
    """Return the reply to each order; a failure if they cannot be matched.

    Replies come in the order of the request (docs/wire.md#orders); one that names another order than
    the one at its position shows that they do not.
    """
    if isinstance(answer, Failure):
        return (answer,) * len(legs)
    if len(answer) != len(legs):
        text = f"{len(answer)} answers to {len(legs)} orders"
        return (Failure(FailureKind.SERVER, _route_of(legs), text),) * len(legs)
    if any(not each.names(leg.known.order_id) for leg, each in zip(legs, answer, strict=True)):
        text = "the answer names another order"
        return (Failure(FailureKind.SERVER, _route_of(legs), text),) * len(legs)
    return answer

"""The order desk: prepares, journals, signs, sends, and finds out how it ended.

An order runs in the service's own tasks, never in a screen's. It is journaled before it leaves,
signed once, and an answer that never came ends in Unknown and a search, not in a second order.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from pmtui.domain.amounts import AmountError, OrderAmounts
from pmtui.domain.failure import Failure
from pmtui.domain.fees import taker_fee
from pmtui.domain.health import Source
from pmtui.domain.ids import CommandId, ConditionId, OrderId, TokenId
from pmtui.domain.intent_amounts import order_amounts
from pmtui.domain.market import Market, MarketTerms, Side
from pmtui.domain.money import Micros, ratio_ceil
from pmtui.domain.order import (
    CancelResult,
    LimitIntent,
    Order,
    OrderIntent,
    OrderStatus,
    PostResult,
    PostStatus,
    TimeInForce,
)
from pmtui.domain.order_fields import OrderDraft
from pmtui.domain.verdict import Accepted, CancelVerdict, Rejected, Unknown, Verdict
from pmtui.service.feeds.account import AccountFeed
from pmtui.service.hosts import Account
from pmtui.service.journal import Journal, JournalProblem
from pmtui.service.kernel import Kernel
from pmtui.service.refusals import field_of_refusal
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import Level
from pmtui.service.words import say_order, say_order_end, say_shares

V = TypeVar("V")

POST_DEADLINE_S = 15.0
SEARCH_PAUSES_S = (0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0)
"""Pauses between looks for an order without an answer; not found after the last rules it out."""
VENUE_EXPIRY_LEAD = timedelta(seconds=60)
"""The venue removes a GTD order this long before the expiration it states (WIRE_CLOB §6.2)."""


class Desk:
    """Everything that changes something at the venue goes through here."""

    def __init__(
        self,
        kernel: Kernel,
        feed: AccountFeed,
        journal: Journal,
        market_of: Callable[[ConditionId], tuple[Market | None, MarketTerms | None]],
    ) -> None:
        self._kernel = kernel
        self._feed = feed
        self._journal = journal
        self._market_of = market_of
        self._next_command = 0
        self._verdicts: dict[CommandId, asyncio.Future[Verdict]] = {}
        self._cancels: dict[CommandId, asyncio.Future[CancelVerdict]] = {}

    def prepare(self, intent: OrderIntent) -> PreparedOrder | Rejected:
        """Fix everything that will be hashed."""
        account = self._feed.account
        if account is None:
            return Rejected("No key: this session is read-only")
        market, terms = self._market_of(intent.condition_id)
        if market is None or terms is None:
            return Rejected("The market's trading terms are not loaded yet")
        if intent.token_id not in terms.token_ids:
            return Rejected("That outcome does not belong to this market", field="outcome")
        amounts = _amounts(intent, terms)
        if isinstance(amounts, Rejected):
            return amounts
        is_buy = intent.side is Side.BUY
        unsigned = account.signer.prepare(
            OrderDraft(
                token_id=intent.token_id,
                is_buy=is_buy,
                maker_amount=amounts.maker,
                taker_amount=amounts.taker,
                neg_risk=terms.neg_risk,
                time_in_force=intent.time_in_force.value,
                is_post_only=isinstance(intent, LimitIntent) and intent.is_post_only,
                expiration_s=_expiration_s(intent),
            )
        )
        cash, size = (amounts.maker, amounts.taker) if is_buy else (amounts.taker, amounts.maker)
        price = intent.price if isinstance(intent, LimitIntent) else ratio_ceil(cash, size)
        return PreparedOrder(
            intent=intent,
            unsigned=unsigned,
            condition_id=intent.condition_id,
            outcome=terms.outcome_labels[terms.token_ids.index(intent.token_id)],
            market_title=market.question,
            price=price,
            size=size,
            cash=cash,
            worst_fee=taker_fee(size, price, terms.fee),
        )

    def place(self, order: PreparedOrder) -> CommandId:
        """Start sending; the verdict comes when it is known."""
        command_id = self._command()
        future: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        self._verdicts[command_id] = future
        self._feed.apply_order(_as_order(order, self._kernel.clock.now(), OrderStatus.PENDING))

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
        return self._start_cancel(
            f"cancel {len(order_ids)}", lambda account: account.host.cancel(order_ids)
        )

    def cancel_market(self, condition_id: ConditionId, token_id: TokenId | None) -> CommandId:
        """Cancel own orders of a market or of one token."""
        return self._start_cancel(
            "cancel market",
            lambda account: account.host.cancel_market(
                condition_id=condition_id, token_id=token_id
            ),
        )

    def cancel_all(self) -> CommandId:
        """Cancel everything."""
        return self._start_cancel("cancel all", lambda account: account.host.cancel_all())

    async def cancel_verdict(self, command_id: CommandId) -> CancelVerdict:
        """Wait until a cancellation has ended."""
        return await asyncio.shield(self._cancels[command_id])

    async def _place(self, order: PreparedOrder, future: "asyncio.Future[Verdict]") -> None:
        account = self._feed.account
        if account is None:
            self._settle(future, Rejected("No key: this session is read-only"), order)
            return
        problem = await self._write(
            "intent", say_order(_as_order(order), order.market_title), order
        )
        if problem is not None:
            text = f"Not sent: the journal cannot be written ({problem.text})"
            self._settle(future, Rejected(text), order)
            return
        body = account.signer.sign(order.unsigned)
        await self._write("sending", f"{len(body)} bytes", order)
        self._feed.apply_order(_as_order(order, self._kernel.clock.now(), OrderStatus.SENT))
        answer = self._kernel.check(Source.TRADING, await account.host.post_order(body))
        if isinstance(answer, Failure) and answer.may_have_happened:
            verdict: Verdict = self._unknown(order, str(answer))
        elif isinstance(answer, Failure):
            verdict = Rejected(answer.text or str(answer), field_of_refusal(answer.text))
        else:
            verdict = self._judge(order, answer)
        self._settle(future, verdict, order)
        await self._write("verdict", _say_verdict(verdict), order)
        self._feed.refresh()
        if isinstance(verdict, Unknown):
            await self._search(order, account)

    def _judge(self, order: PreparedOrder, answer: PostResult) -> Verdict:
        if not answer.is_accepted:
            text = answer.error or "the venue gave no reason"
            return Rejected(text, field_of_refusal(text))
        filled = answer.taking_amount if order.intent.side is Side.BUY else answer.making_amount
        filled = filled or Micros(0)
        text = ""
        if answer.status is PostStatus.DELAYED:
            status = OrderStatus.DELAYED
        elif filled >= order.size or _is_spent(order, answer):
            status = OrderStatus.FILLED
        elif not order.intent.time_in_force.rests:
            status = OrderStatus.CANCELLED
            text = f"filled {say_shares(filled, order.outcome)}, the rest dropped"
        else:
            status = OrderStatus.PARTIALLY_FILLED if filled else OrderStatus.LIVE
        return Accepted(
            order_id=order.unsigned.order_id,
            status=status,
            filled_size=filled,
            text=text or status.value,
        )

    def _settle(
        self, future: "asyncio.Future[Verdict]", verdict: Verdict, order: PreparedOrder
    ) -> None:
        now = self._kernel.clock.now()
        if isinstance(verdict, Accepted):
            fact = _as_order(order, now, verdict.status, matched=verdict.filled_size)
            level = Level.GOOD if verdict.filled_size else Level.INFO
        elif isinstance(verdict, Rejected):
            fact = _as_order(order, now, OrderStatus.REJECTED, reason=verdict.reason)
            level = Level.BAD
        else:
            fact = _as_order(order, now, OrderStatus.UNKNOWN, reason=verdict.reason)
            level = Level.WARNING
        self._feed.apply_order(fact, is_news=False)
        text = say_order_end(fact, order.market_title)
        self._kernel.log.add(level, "order", text, order_id=order.unsigned.order_id)
        if not future.done():
            future.set_result(verdict)

    def _unknown(self, order: PreparedOrder, reason: str) -> Unknown:
        return Unknown(order.unsigned.order_id, reason, since=self._kernel.clock.now())

    async def _search(self, order: PreparedOrder, account: Account) -> None:
        """Look for an order without an answer until it is found or ruled out."""
        order_id = order.unsigned.order_id
        for pause in SEARCH_PAUSES_S:
            await self._kernel.clock.sleep(pause)
            known = self._feed.own.order(order_id)
            if known is not None and known.status not in (OrderStatus.UNKNOWN, OrderStatus.SENT):
                await self._found(order, known)
                return
            answer = await account.host.order(order_id)
            if isinstance(answer, Order):
                self._feed.apply_order(answer)
                await self._found(order, answer)
                return
            await self._feed.fetch_now()
        fact = _as_order(
            order, self._kernel.clock.now(), OrderStatus.REJECTED, reason="never reached the venue"
        )
        self._feed.apply_order(fact, is_news=False)
        await self._write("ruled out", "not at the venue, not in the trades", order)
        text = say_order_end(fact, order.market_title)
        self._kernel.log.notice(Level.WARNING, text, order_id=order_id)

    async def _found(self, order: PreparedOrder, known: Order) -> None:
        await self._write("found", known.status.value, order)
        text = f"It did arrive. {say_order_end(known, order.market_title)}"
        self._kernel.log.notice(Level.GOOD, text, order_id=order.unsigned.order_id)

    def _start_cancel(
        self, name: str, ask: Callable[[Account], Awaitable[CancelResult | Failure]]
    ) -> CommandId:
        command_id = self._command()
        future: asyncio.Future[CancelVerdict] = asyncio.get_running_loop().create_future()
        self._cancels[command_id] = future

        async def run() -> None:
            verdict = CancelVerdict(CancelResult(()), "the program stopped while cancelling")
            try:
                verdict = await self._cancel(name, ask)
            finally:
                future.set_result(verdict)

        self._kernel.start("cancellation", run)
        return command_id

    async def _cancel(
        self, name: str, ask: Callable[[Account], Awaitable[CancelResult | Failure]]
    ) -> CancelVerdict:
        account = self._feed.account
        if account is None:
            return CancelVerdict(CancelResult(()), "No key: this session is read-only")
        # A cancellation is journaled too, but never held up by a journal that fails.
        now = self._kernel.clock.now()
        await self._journal.append("cancel", name, at=now)
        answer = self._kernel.check(Source.TRADING, await ask(account))
        self._feed.refresh()
        if isinstance(answer, Failure):
            self._kernel.log.notice(Level.BAD, f"Not cancelled: {answer}")
            return CancelVerdict(CancelResult(()), str(answer))
        for order_id in answer.canceled:
            self._mark_cancelled(order_id)
            await self._journal.append("cancelled", name, at=now, order_id=order_id)
        count = len(answer.canceled)
        if count:
            self._kernel.log.add(Level.INFO, "order", f"Cancelled {count} order(s)")
        for order_id, reason in answer.not_canceled:
            text = f"Not cancelled {order_id[:10]}…: {reason}"
            self._kernel.log.notice(Level.WARNING, text, order_id=order_id)
        return CancelVerdict(answer)

    def _mark_cancelled(self, order_id: OrderId) -> None:
        known = self._feed.own.order(order_id)
        if known is not None:
            self._feed.apply_order(replace(known, status=OrderStatus.CANCELLED))

    async def _write(self, kind: str, text: str, order: PreparedOrder) -> JournalProblem | None:
        problem = await self._journal.append(
            kind, text, at=self._kernel.clock.now(), order_id=order.unsigned.order_id
        )
        if problem is not None:
            self._kernel.log.notice(Level.BAD, f"The journal cannot be written: {problem.text}")
        return problem

    def _command(self) -> CommandId:
        self._next_command += 1
        return CommandId(str(self._next_command))


def _is_spent(order: PreparedOrder, answer: PostResult) -> bool:
    """Whether a purchase gave all the dollars it was to give, however many shares that brought."""
    is_buy = order.intent.side is Side.BUY
    return is_buy and (answer.making_amount or 0) >= order.unsigned.draft.maker_amount


def _amounts(intent: OrderIntent, terms: MarketTerms) -> OrderAmounts | Rejected:
    try:
        amounts = order_amounts(intent, terms.tick_size)
    except AmountError as error:
        return Rejected(str(error))
    if amounts.is_empty:
        return Rejected("Nothing is left of this order after rounding", field="size")
    return amounts


def _expiration_s(intent: OrderIntent) -> int:
    if not isinstance(intent, LimitIntent) or intent.expires_at is None:
        return 0
    if intent.time_in_force is not TimeInForce.GTD:
        return 0
    return int((intent.expires_at + VENUE_EXPIRY_LEAD).timestamp())


def _as_order(
    order: PreparedOrder,
    now: datetime | None = None,
    status: OrderStatus = OrderStatus.PENDING,
    *,
    matched: Micros = Micros(0),  # noqa: B008 - a NewType call of a constant
    reason: str = "",
) -> Order:
    intent = order.intent
    return Order(
        order_id=order.unsigned.order_id,
        condition_id=order.condition_id,
        token_id=intent.token_id,
        outcome=order.outcome,
        side=intent.side,
        price=order.price,
        original_size=order.size,
        matched_size=matched,
        status=status,
        time_in_force=intent.time_in_force,
        created_at=now or datetime.fromtimestamp(order.unsigned.timestamp_ms / 1000, tz=UTC),
        expires_at=intent.expires_at if isinstance(intent, LimitIntent) else None,
        reason=reason,
    )


def _say_verdict(verdict: Verdict) -> str:
    match verdict:
        case Accepted():
            return f"accepted: {verdict.text}"
        case Rejected():
            return f"rejected: {verdict.reason}"
        case Unknown():
            return f"unknown: {verdict.reason}"

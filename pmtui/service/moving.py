"""Moves an order to another price, and sells a position that own orders are in the way of.

Both cancel first and send second, and send only when it is known that what they cancel is gone:
two live orders for one intention never rest side by side. What filled meanwhile makes the new
order smaller, never larger than what was confirmed.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from pmtui.domain.amounts import size_floor
from pmtui.domain.failure import Failure
from pmtui.domain.flattening import NOT_SOLD
from pmtui.domain.ids import ConditionId, OrderId
from pmtui.domain.market import MarketTerms, Side
from pmtui.domain.money import Micros, format_micros
from pmtui.domain.moving import why_not_replaced
from pmtui.domain.order import LimitIntent, Order, OrderIntent, OrderStatus
from pmtui.domain.self_trade import say_own_order
from pmtui.domain.verdict import (
    Accepted,
    CancelVerdict,
    MoveEnd,
    MoveVerdict,
    Rejected,
    Unknown,
    Verdict,
)
from pmtui.service.cancelling import Cancellation, Canceller
from pmtui.service.feeds.account import AccountFeed
from pmtui.service.kernel import Kernel
from pmtui.service.order_history import OrderHistory
from pmtui.service.sending import OrderSender
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import Level, OwnList
from pmtui.service.words import say_price, say_shares, shorten

CANCEL_PATIENCE_S = 5.0
"""How long a new order waits for the answer to the cancel before it; asking goes on after that."""
READING_PAUSES_S = (0.25, 0.5, 1.0)
"""Between tries to read what an order had filled when it was cancelled."""
CLOCK_MARGIN = timedelta(days=1)
"""How far our clock may differ from the one that dates trades."""

Prepare = Callable[[OrderIntent], PreparedOrder | Rejected]


class Mover:
    """Cancel and replace as one action."""

    def __init__(
        self,
        kernel: Kernel,
        feed: AccountFeed,
        history: OrderHistory,
        *,
        sender: OrderSender,
        canceller: Canceller,
        prepare: Prepare,
        terms_of: Callable[[ConditionId], MarketTerms | None],
    ) -> None:
        self._kernel = kernel
        self._feed = feed
        self._history = history
        self._sender = sender
        self._canceller = canceller
        self._prepare = prepare
        self._terms_of = terms_of
        self._under_way: set[OrderId] = set()

    async def move(self, order_id: OrderId, replacement: PreparedOrder) -> MoveVerdict:
        """Cancel an order, then send what was confirmed to take its place."""
        if order_id in self._under_way:
            return MoveVerdict(MoveEnd.NOT_MOVED, "Not moved: it is being moved already")
        self._under_way.add(order_id)
        try:
            verdict = await self._move(order_id, replacement)
        finally:
            self._under_way.discard(order_id)
        new_id = replacement.unsigned.order_id
        self._history.note_move(f"{verdict.end.value}: {verdict.text}", old=order_id, new=new_id)
        level = _LEVELS[verdict.end]
        text = f"{verdict.text} · {shorten(replacement.market_title)}"
        self._kernel.log.notice(level, text, order_id=order_id)
        return verdict

    async def sell_after(
        self, order: PreparedOrder, in_the_way: tuple[Order, ...]
    ) -> PreparedOrder | Rejected:
        """Cancel sales that tie shares up and bids it would meet; return what may then be sold."""
        refusal = self._sender.find_refusal(order)
        if refusal is not None:
            return refusal
        cancellation = self._canceller.start(tuple(each.order_id for each in in_the_way))
        verdict = await self._ended(cancellation)
        if verdict is None:
            return Rejected(f"{NOT_SOLD}: no answer to the cancels before it")
        if verdict.problem:
            return Rejected(f"{NOT_SOLD}: orders in its way stayed: {verdict.problem}")
        refused = dict(verdict.result.not_canceled)
        # What a bid that is surely gone had bought changes nothing that was agreed.
        unsure = [o for o in in_the_way if o.order_id in refused or _ties_up(o, order)]
        now_known = [self._feed.own.order(each.order_id) or each for each in unsure]
        if unsure and not await self._read_fills_of(now_known):
            return Rejected(f"{NOT_SOLD}: what orders in its way had filled cannot be read now")
        sold = 0
        for each in unsure:
            known = self._feed.own.order(each.order_id) or each
            if each.order_id in refused and known.status.is_open:
                name = say_own_order(known, order.intent.token_id)
                return Rejected(f"{NOT_SOLD}: your {name} stayed: {refused[each.order_id]}")
            if _ties_up(each, order):
                sold += known.matched_size - each.matched_size
        return self._resized(order, Micros(order.size - max(0, sold)))

    async def _move(self, order_id: OrderId, replacement: PreparedOrder) -> MoveVerdict:
        old = self._feed.own.order(order_id)
        if old is None or old.status not in (OrderStatus.LIVE, OrderStatus.PARTIALLY_FILLED):
            status = "unknown here" if old is None else old.status.value
            return MoveVerdict(MoveEnd.NOT_MOVED, f"Not moved: the order is {status}")
        refusal = self._sender.find_refusal(replacement, replacing=order_id)
        if refusal is not None:
            return MoveVerdict(MoveEnd.NOT_MOVED, f"Not moved: {refusal.reason}")
        named, sweeps = self._canceller.wishes(order_id)
        problem = await self._history.begin_move(
            f"{format_micros(replacement.size)} at {say_price(replacement.price)}",
            old=order_id,
            new=replacement.unsigned.order_id,
        )
        if problem is not None:
            text = f"Not moved: the journal cannot be written ({problem.text})"
            return MoveVerdict(MoveEnd.NOT_MOVED, text)
        cancellation = self._canceller.start((order_id,))
        verdict = await self._ended(cancellation)
        stopped = self._why_stopped(old, verdict, was_lost=_was_lost(cancellation))
        if stopped is not None:
            return stopped
        if not await self._read_fills_of([old]):
            text = "Cancelled, not replaced: how much of it had filled cannot be read now"
            return MoveVerdict(MoveEnd.NOT_REPLACED, text, left_out=replacement.intent)
        if self._canceller.wishes(order_id) != (named + 1, sweeps):
            text = "Cancelled, not replaced: it was to be cancelled while it was being moved"
            return MoveVerdict(MoveEnd.NOT_REPLACED, text)
        return await self._replace(old, replacement)

    def _why_stopped(
        self, old: Order, verdict: CancelVerdict | None, *, was_lost: bool
    ) -> MoveVerdict | None:
        """Say why nothing may be sent after the cancel; None where it surely took the order away."""
        if verdict is None:
            text = "Not moved: no answer to the cancel, which is asked again. Nothing new was sent"
            return MoveVerdict(MoveEnd.UNKNOWN, text)
        if verdict.problem:
            return MoveVerdict(MoveEnd.NOT_MOVED, f"Not moved: {verdict.problem}")
        if old.order_id in verdict.result.canceled:
            return None
        reason = dict(verdict.result.not_canceled).get(old.order_id, "it was not cancelled")
        known = self._feed.own.order(old.order_id) or old
        if known.status is OrderStatus.CANCELLED and was_lost:
            # A repeated cancel finds nothing: the stream has told that the first one did its work.
            return None
        return MoveVerdict(MoveEnd.NOT_MOVED, f"Not moved: {reason}")

    async def _replace(self, old: Order, replacement: PreparedOrder) -> MoveVerdict:
        known = self._feed.own.order(old.order_id) or old
        remaining = size_floor(known.remaining_size)
        terms = self._terms_of(old.condition_id)
        if remaining <= 0:
            return MoveVerdict(MoveEnd.NOT_MOVED, "Not moved: it filled before it was cancelled")
        problem = why_not_replaced(remaining, terms) if terms is not None else "terms not loaded"
        if problem:
            return MoveVerdict(MoveEnd.NOT_REPLACED, f"Cancelled, not replaced: {problem}")
        order = self._resized(replacement, remaining)
        if isinstance(order, Rejected):
            text = f"Cancelled, not replaced: {order.reason}"
            return MoveVerdict(MoveEnd.NOT_REPLACED, text)
        placed = await self._send(order)
        what = f"{say_shares(order.size, order.outcome)} to {say_price(order.price)}"
        match placed:
            case Accepted():
                return MoveVerdict(MoveEnd.MOVED, f"Moved {what}: {placed.text}", placed)
            case Rejected():
                text = f"Cancelled, not replaced: {placed.reason}"
                return MoveVerdict(MoveEnd.NOT_REPLACED, text, placed, left_out=order.intent)
            case Unknown():
                text = f"Cancelled; moving {what} is unknown, checking: {placed.reason}"
                return MoveVerdict(MoveEnd.UNKNOWN, text, placed)

    async def _send(self, order: PreparedOrder) -> Verdict:
        told: list[Verdict] = []
        self._sender.show(order)
        await self._sender.send((order,), lambda _, verdict: told.append(verdict))
        return told[0]

    def _resized(self, order: PreparedOrder, size: Micros) -> PreparedOrder | Rejected:
        """Return the order as it was confirmed, or a smaller one where less is left."""
        intent = order.intent
        if not isinstance(intent, LimitIntent) or size >= order.size:
            return order
        if size_floor(size) <= 0:
            return Rejected("Nothing is left of it: all has filled meanwhile")
        return self._prepare(replace(intent, size=size_floor(size)))

    async def _ended(self, cancellation: Cancellation) -> CancelVerdict | None:
        """Return how a cancel ended; None while nobody has answered for long enough."""
        final = asyncio.shield(cancellation.final)
        waiting: asyncio.Future[None] = asyncio.ensure_future(
            self._kernel.clock.sleep(CANCEL_PATIENCE_S)
        )
        either: set[asyncio.Future[CancelVerdict] | asyncio.Future[None]] = {final, waiting}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
        return final.result() if final.done() else None

    async def _read_fills_of(self, orders: list[Order]) -> bool:
        """Learn what cancelled orders had filled; whether that could be read."""
        if not orders:
            return False
        ids = {order.order_id for order in orders}
        return await self.read_fills(ids, since=min(order.created_at for order in orders))

    async def read_fills(self, ids: set[OrderId], *, since: datetime) -> bool:
        """Learn what orders had filled; whether that could be read.

        Args:
            ids: of the orders.
            since: when the oldest of them was made.
        """
        account = self._feed.account
        if account is None:
            return False
        after = since - CLOCK_MARGIN
        for pause in (*READING_PAUSES_S, 0.0):
            fills = await account.host.fills(after=after)
            if not isinstance(fills, Failure):
                for fill in reversed(fills.items):
                    if fill.order_id in ids:
                        self._feed.apply_fill(fill, is_news=True)
                if not fills.may_lack(frozenset(ids)):
                    return True
                self._feed.lists.tell(OwnList.FILLS, fills)
            await self._kernel.clock.sleep(pause)
        return False


def _ties_up(resting: Order, sale: PreparedOrder) -> bool:
    """Whether an order offers the shares that are to be sold."""
    return resting.side is Side.SELL and resting.token_id == sale.intent.token_id


def _was_lost(cancellation: Cancellation) -> bool:
    """Whether the first request of a cancel was never answered."""
    first = cancellation.first
    return first.done() and bool(first.result().result.unanswered)


_LEVELS = {
    MoveEnd.MOVED: Level.GOOD,
    MoveEnd.NOT_MOVED: Level.WARNING,
    MoveEnd.NOT_REPLACED: Level.BAD,
    MoveEnd.UNKNOWN: Level.WARNING,
}

"""Moves an order to another price, and sells a position after cancelling own orders in the way.

Both cancel first, and send only when the cancelled order is known to be gone, and how much of it
had filled: its final record and its trades must agree. If they do not within `PROOF_WITHIN_S`,
nothing is sent, and the verdict says why. So two live orders for one intent never rest side by
side, and the two together never trade more than was confirmed.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from pmtui.domain.answers import Failure
from pmtui.domain.backoff import Backoff
from pmtui.domain.books.book_view import BookView
from pmtui.domain.health import Source
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import MarketTerms, Side
from pmtui.domain.money import Micros, format_micros
from pmtui.domain.orders.amounts import size_floor
from pmtui.domain.orders.flattening import not_sold
from pmtui.domain.orders.moving import (
    find_final_size,
    size_after_fills,
    why_not_movable,
    why_not_replaced,
    why_too_short,
    would_cross,
)
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
from pmtui.domain.orders.self_trade import describe_own_order
from pmtui.service.account.account import AccountFeed
from pmtui.service.kernel import Kernel
from pmtui.service.orders.cancelling import Cancellation, Canceller
from pmtui.service.orders.order_history import OrderHistory
from pmtui.service.orders.sending import Instruction, OrderSender
from pmtui.service.ports import Account
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import Level, OwnList
from pmtui.service.words import describe_price, format_shares, shorten

CANCEL_PATIENCE_S = 5.0
"""How long a new order waits for the reply to the preceding cancel; the cancel is repeated after that."""
READING_TRIES = 4
"""Attempts when only the trades are read, on request."""
PROOF_WITHIN_S = 8.0
"""How long a new order waits for proof of the cancelled one's fills. A stream event takes well under a
second, trades may be several polls late (docs/wire.md#reading-orders-and-trades); after that the confirmed
price is no longer what the trader is looking at."""
NOT_REPLACED = MoveEnd.NOT_REPLACED.value.capitalize()
NO_STREAM = "the order stream is down, and without it nobody says how much of an order had filled"
UNPROVED = f"how much of it had filled was not certain within {PROOF_WITHIN_S:.0f} s"

T = TypeVar("T")
Prepare = Callable[[OrderIntent], PreparedOrder | Rejected]


class Mover:
    """Cancels and replaces orders as one action."""

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
        book_of: Callable[[TokenId], BookView],
    ) -> None:
        self._kernel = kernel
        self._feed = feed
        self._history = history
        self._sender = sender
        self._canceller = canceller
        self._prepare = prepare
        self._terms_of = terms_of
        self._book_of = book_of
        self._on_resized: list[Callable[[OrderId, OrderId], None]] = []
        self._new_ids: dict[OrderId, OrderId] = {}
        """Moves in progress: the id of the old order, and that of its replacement."""

    def on_resized(self, listener: Callable[[OrderId, OrderId], None]) -> None:
        """Call `listener` when a replacement is sent under another id, because less is left."""
        self._on_resized.append(listener)

    def is_placing(self, order_id: OrderId) -> bool:
        """Whether a move in progress may send this order as a replacement."""
        return order_id in self._new_ids.values()

    async def move(
        self, order_id: OrderId, replacement: PreparedOrder, instruction: Instruction
    ) -> MoveVerdict:
        """Cancel an order, then send its confirmed replacement."""
        if order_id in self._new_ids:
            return MoveVerdict(MoveEnd.NOT_MOVED, "Not moved: already being moved")
        self._new_ids[order_id] = replacement.order_id
        try:
            verdict = await self._move(order_id, replacement, instruction)
        finally:
            new_id = self._new_ids.pop(order_id)
        self._history.record_move(f"{verdict.end.value}: {verdict.text}", old=order_id, new=new_id)
        level = _LEVELS[verdict.end]
        text = f"{verdict.text} · {shorten(replacement.market_title)}"
        self._kernel.log.notice(level, text, order_id=order_id)
        return verdict

    async def sell_after(
        self, order: PreparedOrder, in_the_way: tuple[Order, ...]
    ) -> PreparedOrder | Rejected:
        """Cancel sales that reserve the shares and bids the sale would match; return what may then be sold."""
        refusal = self._sender.find_refusal(order)
        if refusal is not None:
            return refusal
        cancellation = self._canceller.start(tuple(each.order_id for each in in_the_way))
        verdict = await self._ended(cancellation)
        if verdict is None:
            return not_sold("no answer to the cancels before it")
        if verdict.problem:
            return not_sold(f"orders that would self-trade were not cancelled: {verdict.problem}")
        refused = dict(verdict.result.not_canceled)
        for each in in_the_way:
            known = self._feed.own.order(each.order_id) or each
            if each.order_id in refused and known.status.is_open:
                name = describe_own_order(known)
                return not_sold(f"your {name} stayed: {refused[each.order_id]}")
        selling = tuple(each for each in in_the_way if _ties_up(each, order))
        finals = await self._read_final_sizes(selling)
        if finals is None:
            return not_sold(f"of an order in its way, {UNPROVED}")
        sold = sum(max(0, finals[each.order_id] - each.matched_size) for each in selling)
        return self._resized(order, Micros(order.size - sold))

    async def _move(
        self, order_id: OrderId, replacement: PreparedOrder, instruction: Instruction
    ) -> MoveVerdict:
        old = self._feed.own.order(order_id)
        problem = self._why_not_begun(old, replacement)
        if old is None or problem:
            return MoveVerdict(MoveEnd.NOT_MOVED, f"Not moved: {problem}")
        named, scoped = self._canceller.cancel_requests(old)
        problem = await self._journal_plan(order_id, replacement)
        if problem:
            return MoveVerdict(MoveEnd.NOT_MOVED, f"Not moved: {problem}")
        # Asked last: after the cancel, a refused replacement costs the place in line.
        if would_cross(replacement.intent, self._book_of(old.token_id)):
            text = f"it would cross at {describe_price(replacement.price)}; the order stays"
            return MoveVerdict(MoveEnd.NOT_MOVED, f"Not moved: {text}")
        cancellation = self._canceller.start((order_id,))
        verdict = await self._ended(cancellation)
        stopped = self._why_stopped(old, verdict, was_lost=_was_lost(cancellation))
        if stopped is not None:
            return stopped
        order = await self._fit(old, replacement)
        if isinstance(order, MoveVerdict):
            return order
        if self._canceller.cancel_requests(old) != (named + 1, scoped):
            text = f"{NOT_REPLACED}: it was to be cancelled while it was being moved"
            return MoveVerdict(MoveEnd.NOT_REPLACED, text)
        return await self._place(order, instruction)

    def _why_not_begun(self, old: Order | None, replacement: PreparedOrder) -> str:
        """Return why a move would leave the old order cancelled without a replacement; empty if it is safe."""
        if old is None or old.status not in (OrderStatus.LIVE, OrderStatus.PARTIALLY_FILLED):
            return f"the order is {'unknown here' if old is None else old.status.words}"
        terms = self._terms_of(old.condition_id)
        if terms is None:
            return "the market's trading terms are not loaded"
        if not self._kernel.health.is_up(Source.USER_STREAM):
            return NO_STREAM
        refusal = self._sender.find_refusal(replacement, replacing=old.order_id)
        if refusal is not None:
            return refusal.reason
        return why_not_movable(old, terms, self._kernel.venue_now())

    async def _journal_plan(self, old: OrderId, order: PreparedOrder) -> str:
        """Journal the replacement with both orders; return why that failed."""
        problem = await self._history.begin_move(
            f"{format_micros(order.size)} at {describe_price(order.price)}",
            old=old,
            new=order.order_id,
        )
        return "" if problem is None else f"the journal cannot be written ({problem.text})"

    def _why_stopped(
        self, old: Order, verdict: CancelVerdict | None, *, was_lost: bool
    ) -> MoveVerdict | None:
        """Return why nothing may be sent after the cancel; None if the order is certainly gone."""
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
            # A repeated cancel finds nothing: the stream reported that the first one succeeded.
            return None
        return MoveVerdict(MoveEnd.NOT_MOVED, f"Not moved: {reason}")

    async def _fit(self, old: Order, replacement: PreparedOrder) -> PreparedOrder | MoveVerdict:
        """Return the replacement for the rest of a cancelled order, or why there is none."""
        finals = await self._read_final_sizes((old,))
        if finals is None:
            # The confirmed size is not offered again: part of it may have been bought.
            return MoveVerdict(MoveEnd.NOT_REPLACED, f"{NOT_REPLACED}: {UNPROVED}")
        remaining = size_floor(Micros(max(0, old.original_size - finals[old.order_id])))
        if remaining <= 0:
            return MoveVerdict(MoveEnd.NOT_MOVED, "Not moved: it filled before it was cancelled")
        terms = self._terms_of(old.condition_id)
        if replacement.replaces_size is not None:
            remaining = size_after_fills(
                replacement.size, left=replacement.replaces_size, left_now=remaining
            )
        problem = why_not_replaced(remaining, terms) if terms is not None else "terms not loaded"
        problem = problem or why_too_short(old, self._kernel.venue_now())
        if problem:
            return MoveVerdict(MoveEnd.NOT_REPLACED, f"{NOT_REPLACED}: {problem}")
        order = self._resized(replacement, remaining)
        if isinstance(order, Rejected):
            return MoveVerdict(MoveEnd.NOT_REPLACED, f"{NOT_REPLACED}: {order.reason}")
        if order is replacement:
            return order
        # Its id differs from the confirmed one: this is the one to search for after a crash.
        self._new_ids[old.order_id] = order.order_id
        problem = await self._journal_plan(old.order_id, order)
        if problem:
            text = f"{NOT_REPLACED}: {problem}"
            return MoveVerdict(MoveEnd.NOT_REPLACED, text, left_out=order.intent)
        for listener in self._on_resized:
            listener(replacement.order_id, order.order_id)
        return order

    async def _place(self, order: PreparedOrder, instruction: Instruction) -> MoveVerdict:
        placed = await self._send(order, instruction)
        what = f"{format_shares(order.size, order.outcome)} to {describe_price(order.price)}"
        match placed:
            case Accepted():
                return MoveVerdict(MoveEnd.MOVED, f"Moved {what}: {placed.text}", placed)
            case Rejected():
                text = f"{NOT_REPLACED}: {placed.reason}"
                return MoveVerdict(MoveEnd.NOT_REPLACED, text, placed, left_out=order.intent)
            case Unknown():
                text = f"Cancelled; moving {what} is unknown, checking: {placed.reason}"
                return MoveVerdict(MoveEnd.UNKNOWN, text, placed)

    async def _send(self, order: PreparedOrder, instruction: Instruction) -> Verdict:
        told: list[Verdict] = []
        self._sender.show(order)
        await self._sender.send((order,), lambda _, verdict: told.append(verdict), instruction)
        return told[0]

    def _resized(self, order: PreparedOrder, size: Micros) -> PreparedOrder | Rejected:
        """Return the confirmed order, or a smaller one if less is left."""
        intent = order.intent
        if not isinstance(intent, LimitIntent) or size >= order.size:
            return order
        if size_floor(size) <= 0:
            return Rejected("Nothing left: it has filled meanwhile")
        return self._prepare(replace(intent, size=size_floor(size)))

    async def _ended(self, cancellation: Cancellation) -> CancelVerdict | None:
        """Return the result of a cancel; None if there was no reply in time."""
        return await self._kernel.within(CANCEL_PATIENCE_S, asyncio.shield(cancellation.final))

    async def _read_final_sizes(self, orders: tuple[Order, ...]) -> dict[OrderId, Micros] | None:
        """Return how much of each cancelled order had matched; None if that is not certain."""
        account = self._feed.account
        if not orders or account is None:
            return None if orders else {}
        return await self._kernel.within(PROOF_WITHIN_S, self._prove_final_sizes(account, orders))

    async def _prove_final_sizes(
        self, account: Account, orders: tuple[Order, ...]
    ) -> dict[OrderId, Micros]:
        ids = frozenset(order.order_id for order in orders)
        since = min(order.created_at for order in orders)
        own, backoff = self._feed.own, _reading_backoff()
        while True:
            unreported = [order_id for order_id in ids if own.final_record(order_id) is None]
            has_trades, *_ = await asyncio.gather(
                self._read_trades(account, ids, since=since),
                *(self._read_record(account, order_id) for order_id in unreported),
            )
            finals = {
                order.order_id: find_final_size(
                    order,
                    own.final_record(order.order_id),
                    booked=own.booked_size(order.order_id),
                    failed=own.failed_size(order.order_id),
                )
                for order in orders
            }
            known = {order_id: size for order_id, size in finals.items() if size is not None}
            if has_trades and len(known) == len(ids):
                return known
            await self._kernel.clock.sleep(backoff.next_s())

    async def _read_record(self, account: Account, order_id: OrderId) -> None:
        asked_s = self._kernel.clock.monotonic()
        answer = await account.host.order(order_id)
        if isinstance(answer, Order):
            self._feed.apply_order(answer, asked_s=asked_s)

    async def _read_trades(
        self, account: Account, ids: frozenset[OrderId], *, since: datetime
    ) -> bool:
        """Apply the trades of orders; return whether the reply certainly contains all of them."""
        after = self._feed.session_start.bound_for_trades(since)
        fills = await account.host.fills(after=after)
        if isinstance(fills, Failure):
            return False
        for fill in reversed(fills.items):
            if fill.order_id in ids:
                self._feed.apply_fill(fill, is_news=True)
        if not fills.may_miss(ids):
            return True
        self._feed.lists.report(OwnList.FILLS, fills)
        return False

    async def read_fills(self, ids: set[OrderId], *, since: datetime) -> bool:
        """Read the fills of orders; return whether that succeeded."""
        account = self._feed.account
        if account is None:
            return False
        backoff = _reading_backoff()
        for _ in range(READING_TRIES):
            if await self._read_trades(account, frozenset(ids), since=since):
                return True
            await self._kernel.clock.sleep(backoff.next_s())
        return False


def _reading_backoff() -> Backoff:
    """Return the pauses between attempts to read an order's fills."""
    return Backoff(first_s=0.25, longest_s=1.0)


def _ties_up(resting: Order, sale: PreparedOrder) -> bool:
    """Whether an order reserves the shares to be sold."""
    return resting.side is Side.SELL and resting.token_id == sale.intent.token_id


def _was_lost(cancellation: Cancellation) -> bool:
    """Whether the first request of a cancel got no reply."""
    first = cancellation.first
    return first.done() and bool(first.result().result.unanswered)


_LEVELS = {
    MoveEnd.MOVED: Level.GOOD,
    MoveEnd.NOT_MOVED: Level.WARNING,
    MoveEnd.NOT_REPLACED: Level.BAD,
    MoveEnd.UNKNOWN: Level.WARNING,
}

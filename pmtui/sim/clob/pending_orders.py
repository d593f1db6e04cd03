"""Deliberate delays of the venue: delayed and held orders, and balances after a fill.

A delayed order was already answered, so it is stored and tried when its time has come, even after a
restart; only the user stream reports the result. It reserves nothing meanwhile, and cannot be
cancelled: the public venue's reply to that is not published, this venue returns `STILL_PENDING`.

Selling shares that were just bought is refused until the lag is over or the venue is asked to read
the chain again, as on the public venue (docs/wire.md#balances). The ledger itself is never wrong.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import msgspec

from pmtui.domain.ids import Address, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ZERO, Micros
from pmtui.sim.engine import refusals
from pmtui.sim.engine.events import BalanceChanged, Cause, OrderCancelled
from pmtui.sim.engine.exchange import Exchange
from pmtui.sim.engine.refusals import FOK_KILLED
from pmtui.sim.engine.terms import LiveStatus, NewOrder, OrderView, Placed, Refusal
from pmtui.sim.venue import Venue

KIND = "delayed order"
STILL_PENDING = "order match delayed due to market conditions"


@dataclass(frozen=True, slots=True)
class Delayed:
    """An order was accepted and will be tried later."""

    order_id: OrderId


@dataclass(frozen=True, slots=True)
class _Pending:
    order: NewOrder
    view: OrderView
    due_ms: int


_decode = msgspec.json.Decoder(_Pending).decode


class PendingOrders:
    """All orders that wait to be placed."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._delayed: dict[OrderId, _Pending] = {}
        self._held: set[OrderId] = set()
        waiting = [_decode(row) for _, row in venue.notes(KIND)]
        for pending in sorted(waiting, key=lambda one: one.due_ms):
            self._delayed[pending.order.order_id] = pending

    def is_pending(self, order_id: OrderId) -> bool:
        """Return whether an order waits."""
        return order_id in self._held or order_id in self._delayed

    def delayed(self, order_id: OrderId) -> OrderView | None:
        """Return a delayed order while it waits."""
        pending = self._delayed.get(order_id)
        return None if pending is None else pending.view

    def delay(self, order: NewOrder, *, seconds: int) -> Delayed | Refusal:
        """Delay an order that would take liquidity, and place it some seconds later."""
        now_ms = self._venue.clock.now_ms()
        view = self._venue.exchange.reads.check(order, now_ms=now_ms)
        if isinstance(view, Refusal):
            return view
        pending = _Pending(order, view, now_ms + seconds * 1_000)
        self._venue.write_notes(KIND, {order.order_id: msgspec.json.encode(pending)})
        self._delayed[order.order_id] = pending
        return Delayed(order.order_id)

    @contextmanager
    def holding(self, order_ids: Iterable[OrderId]) -> Iterator[None]:
        """Prevent orders from being cancelled or posted again while their reply waits."""
        held = set(order_ids)
        self._held |= held
        try:
            yield
        finally:
            self._held -= held

    def tick(self) -> None:
        """Try the orders whose time has come, earliest first."""
        now_ms = self._venue.clock.now_ms()
        for pending in [one for one in self._delayed.values() if one.due_ms <= now_ms]:
            self._try(pending)

    def _try(self, pending: _Pending) -> None:
        def place(exchange: Exchange, now_ms: int) -> Placed | Refusal:
            return exchange.place(pending.order, now_ms=now_ms)

        order_id = pending.order.order_id
        result = self._venue.act(place)
        # Placed first, then removed: after a crash in between it is refused as a duplicate.
        if isinstance(result, Refusal) and result != FOK_KILLED and not self._is_known(order_id):
            self._reject(pending)
        del self._delayed[order_id]
        self._venue.write_notes(KIND, {order_id: None})

    def _is_known(self, order_id: OrderId) -> bool:
        return self._venue.records.order(order_id) is not None

    def _reject(self, pending: _Pending) -> None:
        if self._venue.trading(pending.view.condition_id) is None:
            # A short-lived market that was not listed again after a restart: nobody can query it.
            return
        gone = replace(pending.view, status=LiveStatus.INVALID)
        self._venue.announce((OrderCancelled(gone, self._venue.clock.now_ms()),))


@dataclass(frozen=True, slots=True)
class _OldBalance:
    balance: Micros
    until_ms: int


class StaleBalances:
    """The venue's outdated view of accounts after fills."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._old_balances: dict[tuple[Address, TokenId], _OldBalance] = {}

    def note(self, line: BalanceChanged) -> None:
        """Keep the balance from before a fill."""
        lag_ms = self._venue.controls.stale_balance_ms
        if lag_ms and line.token_id is not None and line.cause is Cause.TRADE:
            key = line.account, line.token_id
            before = self._live(key)
            balance = Micros(line.balance - line.change) if before is None else before.balance
            self._old_balances[key] = _OldBalance(balance, self._venue.clock.now_ms() + lag_ms)

    def refresh(self, account: Address, token_id: TokenId) -> None:
        """Read the chain again."""
        self._old_balances.pop((account, token_id), None)

    def balance(self, account: Address, token_id: TokenId) -> Micros:
        """Return the shares of an account in the venue's view."""
        belief = self._live((account, token_id))
        if belief is not None:
            return belief.balance
        held = self._venue.exchange.reads.account(account)
        return ZERO if held is None else held.shares.get(token_id, ZERO)

    def refusal(self, order: NewOrder) -> Refusal | None:
        """Refuse a sale of more shares than the venue's view has."""
        belief = self._live((order.account, order.token_id))
        held = self._venue.exchange.reads.account(order.account)
        if order.side is Side.BUY or belief is None or held is None:
            return None
        active = held.reserved_shares.get(order.token_id, ZERO)
        if order.maker_amount <= belief.balance - active:
            return None
        return refusals.not_enough_balance(belief.balance, active=active, needed=order.maker_amount)

    def _live(self, key: tuple[Address, TokenId]) -> _OldBalance | None:
        belief = self._old_balances.get(key)
        if belief is None or self._venue.clock.now_ms() < belief.until_ms:
            return belief
        del self._old_balances[key]
        return None

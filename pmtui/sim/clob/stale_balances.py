"""The venue's belief about shares, which lags behind a fill for a while if the operator wants so.

Whoever sells what they just bought is then refused until the time is up or they ask the venue to
read the chain again, as on the service (docs/wire.md#balances). The ledger itself is never wrong.
"""

from dataclasses import dataclass

from pmtui.domain.ids import Address, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ZERO, Micros
from pmtui.sim.engine import refusals
from pmtui.sim.engine.events import BalanceChanged, Cause
from pmtui.sim.engine.terms import NewOrder, Refusal
from pmtui.sim.venue import Venue


@dataclass(frozen=True, slots=True)
class _Belief:
    balance: Micros
    until_ms: int


class StaleBalances:
    """What the venue believes about accounts it has not looked at since a fill."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._beliefs: dict[tuple[Address, TokenId], _Belief] = {}

    def note(self, line: BalanceChanged) -> None:
        """Go on believing what was there before a fill."""
        lag_ms = self._venue.switches.stale_balance_ms
        if lag_ms and line.token_id is not None and line.cause is Cause.TRADE:
            key = line.account, line.token_id
            before = self._live(key)
            balance = Micros(line.balance - line.change) if before is None else before.balance
            self._beliefs[key] = _Belief(balance, self._venue.clock.now_ms() + lag_ms)

    def refresh(self, account: Address, token_id: TokenId) -> None:
        """Read the chain again."""
        self._beliefs.pop((account, token_id), None)

    def balance(self, account: Address, token_id: TokenId) -> Micros:
        """Return how many shares the venue believes an account to hold."""
        belief = self._live((account, token_id))
        if belief is not None:
            return belief.balance
        held = self._venue.exchange.reads.account(account)
        return ZERO if held is None else held.shares.get(token_id, ZERO)

    def refusal(self, order: NewOrder) -> Refusal | None:
        """Refuse a sale of more than the venue believes to be there."""
        belief = self._live((order.account, order.token_id))
        held = self._venue.exchange.reads.account(order.account)
        if order.side is Side.BUY or belief is None or held is None:
            return None
        active = held.reserved_shares.get(order.token_id, ZERO)
        if order.maker_amount <= belief.balance - active:
            return None
        return refusals.not_enough_balance(belief.balance, active=active, needed=order.maker_amount)

    def _live(self, key: tuple[Address, TokenId]) -> _Belief | None:
        belief = self._beliefs.get(key)
        if belief is None or self._venue.clock.now_ms() < belief.until_ms:
            return belief
        del self._beliefs[key]
        return None

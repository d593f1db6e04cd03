"""The engine's front: every command of the local venue, each a plain call that leaves events."""

from collections.abc import Iterable, Sequence

from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import CancelResult, TradeStatus
from pmtui.sim.engine import custody, placing, settling, state
from pmtui.sim.engine.events import Event, MarketSwitched, Trade
from pmtui.sim.engine.floor import Floor, TradedMarket
from pmtui.sim.engine.reads import Reads
from pmtui.sim.engine.terms import (
    Done,
    IdSource,
    MarketSpec,
    NewOrder,
    Payout,
    Permission,
    Placed,
    Refusal,
    Seeded,
    SeedOrder,
    TradingMode,
)


class Exchange:
    """Matching, ledger and order life of all markets.

    Commands take the time in milliseconds and never look at a clock. What they cause is collected
    as events, in order, until `drain_events`. A command on an unknown market is a bug of the
    caller and raises `KeyError`, except where it can come from outside: orders and chain
    operations answer with a `Refusal`.
    """

    def __init__(self, ids: IdSource) -> None:
        self._floor = Floor(ids)
        self.reads = Reads(self._floor)

    @property
    def mode(self) -> TradingMode:
        """What the exchange lets through."""
        return self._floor.mode

    @mode.setter
    def mode(self, mode: TradingMode) -> None:
        self._floor.mode = mode

    @property
    def retry_after_s(self) -> int:
        """What refused clients are told while only post-only orders are let through."""
        return self._floor.retry_after_s

    @retry_after_s.setter
    def retry_after_s(self, seconds: int) -> None:
        self._floor.retry_after_s = seconds

    def add_market(self, spec: MarketSpec, *, now_ms: int) -> None:
        """Open an empty book.

        Raises:
            ValueError: the market, or one of its tokens, is there already.
        """
        self._at(now_ms).add_market(spec)

    def remove_market(self, condition_id: ConditionId, *, now_ms: int) -> bool:
        """Forget a market that ended, unless somebody still has shares or a trade there."""
        return self._floor.remove_market(self._market(condition_id, now_ms))

    def set_accepting(self, condition_id: ConditionId, *, is_accepting: bool, now_ms: int) -> None:
        """Let a market take orders, or stop it; resting orders stay."""
        market = self._market(condition_id, now_ms)
        if market.is_accepting != is_accepting:
            market.is_accepting = is_accepting
            self._floor.journal.add(MarketSwitched(condition_id, is_accepting, now_ms))

    def change_tick(self, condition_id: ConditionId, tick: Micros, *, now_ms: int) -> None:
        """Change the price grid; orders with no place on it are cancelled."""
        market = self._market(condition_id, now_ms)
        if market.tick_size != tick:
            settling.change_tick(self._floor, market, tick)

    def resolve(self, condition_id: ConditionId, payout: Payout, *, now_ms: int) -> None:
        """End a market: cancel its orders and let shares be redeemed.

        When a market of a negative-risk group pays its first token, the rest of the group pay
        their second. A market that is resolved already stays as it is. Simulated accounts redeem
        at once.
        """
        custody.resolve(self._floor, self._market(condition_id, now_ms), payout)

    def open_account(
        self, address: Address, *, simulated: bool = False, unlimited: bool = False
    ) -> None:
        """Open an empty account; one that exists stays as it is.

        Args:
            address: the maker address of its orders.
            simulated: leaves no order and balance events and is not saved.
            unlimited: lacks nothing: what an order needs is deposited, and split, on demand.
        """
        self._floor.ledger.open(address, simulated=simulated, unlimited=unlimited)

    def set_standing(self, address: Address, standing: Permission) -> None:
        """Say what an account may do."""
        self._floor.account(address).standing = standing

    def deposit(self, address: Address, amount: Micros, *, now_ms: int) -> Done | Refusal:
        """Bring collateral in from outside."""
        floor = self._at(now_ms)
        return custody.deposit(floor, floor.account(address), amount)

    def withdraw(self, address: Address, amount: Micros, *, now_ms: int) -> Done | Refusal:
        """Take collateral out; orders that can no longer be paid for are cancelled."""
        floor = self._at(now_ms)
        return custody.withdraw(floor, floor.account(address), amount)

    def split(
        self, address: Address, condition_id: ConditionId, amount: Micros, *, now_ms: int
    ) -> Done | Refusal:
        """Turn dollars into as many shares of each token."""
        floor = self._at(now_ms)
        return custody.split(floor, floor.account(address), condition_id, amount)

    def merge(
        self, address: Address, condition_id: ConditionId, amount: Micros, *, now_ms: int
    ) -> Done | Refusal:
        """Turn pairs of shares back into dollars."""
        floor = self._at(now_ms)
        return custody.merge(floor, floor.account(address), condition_id, amount)

    def convert(
        self,
        address: Address,
        given: Sequence[ConditionId],
        received: Sequence[ConditionId],
        amount: Micros,
        *,
        now_ms: int,
    ) -> Done | Refusal:
        """Turn second tokens of some markets of a negative-risk group into first tokens of the others.

        Args:
            address: whose they are.
            given: markets of which the second token is given.
            received: the rest of the group.
            amount: of shares of each.
            now_ms: the time.
        """
        floor = self._at(now_ms)
        account = floor.account(address)
        return custody.convert(floor, account, given, received=received, amount=amount)

    def redeem(self, address: Address, condition_id: ConditionId, *, now_ms: int) -> Done | Refusal:
        """Turn all shares of a resolved market into what they pay, which `Done` tells."""
        floor = self._at(now_ms)
        return custody.redeem(floor, floor.account(address), condition_id)

    def place(self, order: NewOrder, *, now_ms: int) -> Placed | Refusal:
        """Match an order and rest what is left, or refuse it in the service's words."""
        return placing.place(self._at(now_ms), order)

    def seed(
        self,
        condition_id: ConditionId,
        orders: Iterable[SeedOrder],
        *,
        owner: ApiKey,
        now_ms: int,
    ) -> Seeded | Refusal:
        """Rest orders of simulated, unlimited accounts in bulk, without any event.

        Afterwards all is as if each had been placed, post-only, in this order. A bad order refuses
        the whole batch.

        Raises:
            ValueError: an account is not simulated and unlimited.
        """
        return placing.seed(self._floor, self._market(condition_id, now_ms), orders, owner=owner)

    def cancel(
        self, order_ids: Iterable[OrderId], owner: ApiKey, *, now_ms: int
    ) -> CancelResult | Refusal:
        """Cancel the named orders as far as they are this owner's and still rest."""
        return placing.cancel_named(self._at(now_ms), order_ids, owner)

    def cancel_all(
        self,
        owner: ApiKey,
        *,
        condition_id: ConditionId | None = None,
        token_id: TokenId | None = None,
        now_ms: int,
    ) -> CancelResult | Refusal:
        """Cancel all of an owner's orders, or those of a market, a token, or both."""
        return placing.cancel_where(
            self._at(now_ms), owner, condition_id=condition_id, token_id=token_id
        )

    def expire(self, *, now_ms: int) -> int:
        """Remove the GTD orders that are due and say how many there were."""
        return placing.expire(self._at(now_ms))

    def advance_trade(
        self, trade_id: TradeId, status: TradeStatus, *, now_ms: int
    ) -> Trade | Refusal:
        """Take a trade one step on: MATCHED, then MINED, then CONFIRMED; or RETRYING, FAILED.

        A failed trade is undone on the ledger, unless its proceeds have moved on. Trades between
        simulated accounts are not kept and so not found.
        """
        return settling.advance(self._at(now_ms), trade_id, status)

    def drain_events(self) -> tuple[Event, ...]:
        """Hand over what happened since the last call, in order."""
        return self._floor.journal.drain()

    def export_state(self) -> state.EngineState:
        """Return what must survive a restart."""
        return state.export_state(self._floor)

    def import_state(self, saved: state.EngineState, *, now_ms: int) -> None:
        """Restore saved accounts, orders and trades before any account is opened.

        Raises:
            ValueError: there are accounts already.
        """
        state.import_state(self._at(now_ms), saved)

    def _at(self, now_ms: int) -> Floor:
        self._floor.journal.now_ms = now_ms
        return self._floor

    def _market(self, condition_id: ConditionId, now_ms: int) -> TradedMarket:
        return self._at(now_ms).markets[condition_id]

"""The engine's interface: commands, which emit events, and queries, which change nothing."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, ZERO, Micros
from pmtui.domain.orders.order import CancelResult, TradeStatus
from pmtui.sim.engine import custody, execution, placing, state
from pmtui.sim.engine.book import Book
from pmtui.sim.engine.engine import Engine, TradedMarket, change_tick_size
from pmtui.sim.engine.events import Event, Trade
from pmtui.sim.engine.placing import check, would_take
from pmtui.sim.engine.terms import (
    AccountView,
    BookView,
    Done,
    IdSource,
    LiveStatus,
    MarketSpec,
    MarketView,
    NewOrder,
    OrderView,
    Payout,
    Permission,
    Placed,
    Refusal,
    Seeded,
    SeedOrder,
    TradingMode,
)


def audit(engine: Engine) -> list[str]:
    """Return a line for every broken invariant of ledger, reservations and books."""
    found = list(_ledger(engine)) + list(_reservations(engine))
    for market in engine.markets.values():
        found += _pool(engine, market)
        found += _book(engine, market)
    return found


def _ledger(engine: Engine) -> Iterator[str]:
    ledger = engine.ledger
    if ledger.total() != ledger.deposited:
        yield f"total {ledger.total()} is not what was deposited, {ledger.deposited}"
    for account in ledger.accounts.values():
        if account.collateral < 0 or any(size <= 0 for size in account.shares.values()):
            yield f"negative or empty balance of {account.address}"


def _reservations(engine: Engine) -> Iterator[str]:
    cash: Counter[Address] = Counter()
    shares: Counter[tuple[Address, TokenId]] = Counter()
    for order in engine.orders.by_id.values():
        if order.side is Side.BUY:
            cash[order.account] += order.held
        else:
            shares[order.account, order.token_id] += order.held
    for account in engine.ledger.accounts.values():
        mine = {token: size for (owner, token), size in shares.items() if owner == account.address}
        if account.reserved != cash[account.address] or account.reserved_shares != mine:
            yield f"reservations of {account.address} do not match its orders"
        if account.available(None) < 0 or any(account.available(token) < 0 for token in mine):
            yield f"orders of {account.address} are not covered"


def _pool(engine: Engine, market: TradedMarket) -> Iterator[str]:
    pool = engine.ledger.pools[market.spec.condition_id]
    sizes = [engine.ledger.outstanding(token) for token in market.spec.tokens]
    payout = market.payout
    if payout is None:
        if sizes != [pool, pool]:
            yield f"pool {pool} of {market.spec.condition_id} does not back {sizes}"
    elif pool * ONE < sum(size * payout.pays(index) for index, size in enumerate(sizes)):
        yield f"pool {pool} of {market.spec.condition_id} cannot pay {sizes}"


def _book(engine: Engine, market: TradedMarket) -> Iterator[str]:
    book: Book = market.book
    bid, ask = book.bids.best, book.asks.best
    if bid is not None and ask is not None and bid >= ask:
        yield f"crossed book of {market.spec.condition_id}: {bid} {ask}"
    for side in (book.bids, book.asks):
        for level in side.from_best():
            queued = [order for queue in level.queues for order in queue.values()]
            if level.total != sum(order.remaining for order in queued):
                yield f"level {level.price} of {market.spec.condition_id} has a wrong size"
            if any(
                order.is_filled or order.order_id not in engine.orders.by_id for order in queued
            ):
                yield f"level {level.price} of {market.spec.condition_id} holds a finished order"


class Reads:
    """Queries for servers and simulated traders, allowed at any time."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def markets(self) -> tuple[ConditionId, ...]:
        """Return all markets in the order they were added."""
        return tuple(self._engine.markets)

    def market(self, condition_id: ConditionId) -> MarketView | None:
        """Return a market's terms and state."""
        market = self._engine.markets.get(condition_id)
        return None if market is None else market.view(self._engine.ledger.pools[condition_id])

    def market_of(self, token_id: TokenId) -> ConditionId | None:
        """Return the market a token belongs to."""
        found = self._engine.tokens.get(token_id)
        return found if found is None else found[0].spec.condition_id

    def book(self, token_id: TokenId) -> BookView | None:
        """Return one token's book, best level last on both sides."""
        found = self._engine.tokens.get(token_id)
        return found if found is None else found[0].book.view(token_id, found[1])

    def top(self, token_id: TokenId) -> tuple[Micros | None, Micros | None]:
        """Return best bid and best ask; None for an empty side or an unknown token."""
        found = self._engine.tokens.get(token_id)
        return found[0].book.top(found[1]) if found else (None, None)

    def order(self, order_id: OrderId) -> OrderView | None:
        """Return a resting order; finished ones are only in the events."""
        order = self._engine.orders.by_id.get(order_id)
        return None if order is None else order.view(LiveStatus.LIVE)

    def open_orders(self, owner: ApiKey) -> tuple[OrderView, ...]:
        """Return an owner's resting orders, oldest first."""
        return tuple(order.view(LiveStatus.LIVE) for order in self._engine.orders.of_owner(owner))

    def markets_quoted_by(self, address: Address) -> tuple[ConditionId, ...]:
        """Return the markets in which an account has resting orders."""
        orders = self._engine.orders.of_account(address)
        return tuple(dict.fromkeys(order.condition_id for order in orders))

    def account(self, address: Address) -> AccountView | None:
        """Return an account's balances and reservations."""
        account = self._engine.ledger.accounts.get(address)
        return None if account is None else account.view()

    def has_allowance(self, address: Address) -> bool:
        """Return whether the exchange may move an account's assets."""
        account = self._engine.ledger.accounts.get(address)
        return account is None or account.standing is not Permission.NO_ALLOWANCE

    def available(self, address: Address, token_id: TokenId | None) -> Micros:
        """Return the amount of collateral (None) or of a token that is available to a new order."""
        account = self._engine.ledger.accounts.get(address)
        return account.available(token_id) if account else ZERO

    def holders(self, token_id: TokenId) -> dict[Address, Micros]:
        """Return the holders of a token, in the order in which the accounts were opened."""
        return {
            address: account.held(token_id)
            for address, account in self._engine.ledger.accounts.items()
            if token_id in account.shares
        }

    def pending_trade(self, trade_id: TradeId) -> Trade | None:
        """Return an unsettled trade that has a party that is not simulated."""
        return self._engine.unsettled.get(trade_id)

    def next_expiry_ms(self) -> int | None:
        """Return when the next GTD order expires."""
        return self._engine.orders.next_due_ms()

    def would_take(self, order: NewOrder) -> bool:
        """Return whether an order would match a resting one now: markets with a delay hold it."""
        return would_take(self._engine, order)

    def check(self, order: NewOrder, *, now_ms: int) -> OrderView | Refusal:
        """Return the order as it would be accepted now, without matching it."""
        self._engine.events.now_ms = now_ms
        return check(self._engine, order)

    def resting(self, condition_id: ConditionId) -> tuple[OrderView, ...]:
        """Return every resting order in a market, including simulated ones."""
        market = self._engine.markets.get(condition_id)
        if market is None:
            return ()
        sides = (market.book.bids, market.book.asks)
        return tuple(order.view(LiveStatus.LIVE) for side in sides for order in side.orders())

    def audit(self) -> list[str]:
        """Recompute every sum from scratch and return the discrepancies: there must be none."""
        return audit(self._engine)


class Exchange:
    """Matching, ledger and order lifecycle of all markets.

    Commands take the time in milliseconds and never read a clock. Their effects are collected as
    events, in order, until `drain_events`. A command on an unknown market is a bug of the caller
    and raises `KeyError`, unless it can come from outside: orders and chain operations return a
    `Refusal`.
    """

    def __init__(self, ids: IdSource) -> None:
        self._engine = Engine(ids)
        self.reads = Reads(self._engine)

    @property
    def mode(self) -> TradingMode:
        """What the exchange currently accepts."""
        return self._engine.mode

    @mode.setter
    def mode(self, mode: TradingMode) -> None:
        self._engine.mode = mode

    @property
    def retry_after_s(self) -> int:
        """The `Retry-After` of refusals while only post-only orders are accepted."""
        return self._engine.retry_after_s

    @retry_after_s.setter
    def retry_after_s(self, seconds: int) -> None:
        self._engine.retry_after_s = seconds

    def add_market(self, spec: MarketSpec, *, now_ms: int) -> None:
        """Add a market with an empty book.

        Raises:
            ValueError: the market, or one of its tokens, already exists.
        """
        self._at(now_ms).add_market(spec)

    def remove_market(self, condition_id: ConditionId, *, now_ms: int) -> bool:
        """Remove a market that ended, unless somebody still has shares or a trade in it."""
        return self._engine.remove_market(self._market(condition_id, now_ms))

    def change_tick_size(self, condition_id: ConditionId, tick: Micros, *, now_ms: int) -> None:
        """Change the tick size; orders whose prices are not multiples of it are cancelled."""
        market = self._market(condition_id, now_ms)
        if market.tick_size != tick:
            change_tick_size(self._engine, market, tick)

    def resolve(self, condition_id: ConditionId, payout: Payout, *, now_ms: int) -> None:
        """End a market: cancel its orders and make its shares redeemable.

        If a market of a negative-risk group pays its first token, the rest of the group pays its
        second. A market that is already resolved is unchanged. Simulated accounts redeem at once.
        """
        custody.resolve(self._engine, self._market(condition_id, now_ms), payout)

    def open_account(
        self, address: Address, *, simulated: bool = False, unlimited: bool = False
    ) -> None:
        """Open an empty account; an existing one is unchanged.

        Args:
            address: the maker address of its orders.
            simulated: whether it emits no order and balance events and is not saved.
            unlimited: whether what its orders need is deposited, and split, on demand.
        """
        self._engine.ledger.open(address, simulated=simulated, unlimited=unlimited)

    def set_standing(self, address: Address, standing: Permission) -> None:
        """Set what an account may do."""
        self._engine.account(address).standing = standing

    def deposit(self, address: Address, amount: Micros, *, now_ms: int) -> Done | Refusal:
        """Add collateral from outside."""
        engine = self._at(now_ms)
        return custody.deposit(engine, engine.account(address), amount)

    def withdraw(self, address: Address, amount: Micros, *, now_ms: int) -> Done | Refusal:
        """Withdraw collateral; orders that it no longer covers are cancelled."""
        engine = self._at(now_ms)
        return custody.withdraw(engine, engine.account(address), amount)

    def split(
        self, address: Address, condition_id: ConditionId, amount: Micros, *, now_ms: int
    ) -> Done | Refusal:
        """Exchange dollars for the same number of shares of each token."""
        engine = self._at(now_ms)
        return custody.split(engine, engine.account(address), condition_id, amount)

    def merge(
        self, address: Address, condition_id: ConditionId, amount: Micros, *, now_ms: int
    ) -> Done | Refusal:
        """Exchange pairs of shares for dollars."""
        engine = self._at(now_ms)
        return custody.merge(engine, engine.account(address), condition_id, amount)

    def convert(
        self,
        address: Address,
        given: Sequence[ConditionId],
        received: Sequence[ConditionId],
        amount: Micros,
        *,
        now_ms: int,
    ) -> Done | Refusal:
        """Exchange second tokens of some markets of a negative-risk group for first tokens of the others.

        Args:
            address: the account.
            given: markets whose second token is given up.
            received: the rest of the group.
            amount: shares of each.
            now_ms: the time.
        """
        engine = self._at(now_ms)
        account = engine.account(address)
        return custody.convert(engine, account, given, received=received, amount=amount)

    def redeem(self, address: Address, condition_id: ConditionId, *, now_ms: int) -> Done | Refusal:
        """Exchange all shares of a resolved market for their payout, which is in `Done`."""
        engine = self._at(now_ms)
        return custody.redeem(engine, engine.account(address), condition_id)

    def place(self, order: NewOrder, *, now_ms: int) -> Placed | Refusal:
        """Match an order and rest the remainder, or refuse it with the venue's text."""
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

        The result is the same as if each had been placed, post-only, in this order. An invalid
        order refuses the whole batch.

        Raises:
            ValueError: an account is not simulated and unlimited.
        """
        return placing.seed(self._engine, self._market(condition_id, now_ms), orders, owner=owner)

    def cancel(
        self, order_ids: Iterable[OrderId], owner: ApiKey, *, now_ms: int
    ) -> CancelResult | Refusal:
        """Cancel those of the named orders that belong to this owner and still rest."""
        return placing.cancel_named(self._at(now_ms), order_ids, owner)

    def cancel_all(
        self,
        owner: ApiKey,
        *,
        condition_id: ConditionId | None = None,
        token_id: TokenId | None = None,
        now_ms: int,
    ) -> CancelResult | Refusal:
        """Cancel all of an owner's orders, or those in a market, a token, or both."""
        return placing.cancel_where(
            self._at(now_ms), owner, condition_id=condition_id, token_id=token_id
        )

    def expire(self, *, now_ms: int) -> int:
        """Remove the GTD orders that are due and return how many there were."""
        return placing.expire(self._at(now_ms))

    def advance_trade(
        self, trade_id: TradeId, status: TradeStatus, *, now_ms: int
    ) -> Trade | Refusal:
        """Advance a trade by one step: MATCHED, then MINED, then CONFIRMED; or RETRYING, FAILED.

        A failed trade is reversed on the ledger, unless its proceeds are no longer there. Trades
        between simulated accounts are not kept, and so not found.
        """
        return execution.advance(self._at(now_ms), trade_id, status)

    def drain_events(self) -> tuple[Event, ...]:
        """Return the events since the last call, in order."""
        return self._engine.events.drain()

    def export_state(self) -> state.EngineState:
        """Return the state that must survive a restart."""
        return state.export_state(self._engine)

    def import_state(self, saved: state.EngineState, *, now_ms: int) -> None:
        """Restore saved accounts, orders and trades before any account is opened.

        Raises:
            ValueError: there are already accounts.
        """
        state.import_state(self._at(now_ms), saved)

    def _at(self, now_ms: int) -> Engine:
        self._engine.events.now_ms = now_ms
        return self._engine

    def _market(self, condition_id: ConditionId, now_ms: int) -> TradedMarket:
        return self._at(now_ms).markets[condition_id]

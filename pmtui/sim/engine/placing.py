"""Places orders, one by one or a whole book in bulk, and cancels them.

A new order is checked in the venue's order of checks and matched by the plan of `matching`; its remainder
rests. A resting order ends when its owner cancels it or when it expires.

`seed` places a whole book: it matches nothing and announces nothing, so a reader of events must read the book
again. One invalid order refuses the whole batch before anything has changed.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId
from pmtui.domain.markets.fees import taker_fee
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, SCALE, ZERO, Micros, notional_ceil, notional_floor
from pmtui.domain.orders.amounts import SIZE_STEP
from pmtui.domain.orders.order import CancelResult, TimeInForce
from pmtui.sim.engine import refusals
from pmtui.sim.engine.book import RestingOrder
from pmtui.sim.engine.engine import Engine, TradedMarket, refine_tick_size
from pmtui.sim.engine.events import Cause, OrderCancelled, OrderPlaced, Trade
from pmtui.sim.engine.execution import execute
from pmtui.sim.engine.ledger import Account
from pmtui.sim.engine.matching import (
    Demand,
    Plan,
    decimals_of,
    is_crossing,
    is_expiration_valid,
    plan_match,
    read_demand,
)
from pmtui.sim.engine.terms import (
    GTD_NOTICE_MS,
    MIN_MARKETABLE_BUY,
    LiveStatus,
    NewOrder,
    OrderView,
    Permission,
    Placed,
    Refusal,
    Seeded,
    SeedOrder,
    TradingMode,
)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """An order that passed every check, and its plan."""

    working: RestingOrder
    market: TradedMarket
    account: Account
    plan: Plan


def place(engine: Engine, order: NewOrder) -> Placed | Refusal:
    """Match and rest an order, or refuse it without any effect on books and ledger."""
    prepared = _prepare(engine, order)
    if isinstance(prepared, Refusal):
        return prepared
    working, account, plan = prepared.working, prepared.account, prepared.plan
    refusal = _kill_refusal(order, plan)
    if refusal is not None:
        if order.time_in_force is TimeInForce.FOK and not account.is_simulated:
            killed = working.view(f"{LiveStatus.CANCELED}_{refusal.text}")
            engine.events.add(OrderCancelled(killed, engine.events.now_ms))
        return refusal
    return _commit(engine, working, prepared.market, account=account, plan=plan)


def check(engine: Engine, order: NewOrder) -> OrderView | Refusal:
    """Check an order as `place` does and return it, without placing it.

    Only for accounts that are not unlimited, because those would be funded for the order.
    """
    prepared = _prepare(engine, order)
    return prepared if isinstance(prepared, Refusal) else prepared.working.view(LiveStatus.DELAYED)


def _prepare(engine: Engine, order: NewOrder) -> _Prepared | Refusal:
    found = engine.tokens.get(order.token_id)
    refusal = mode_refusal(engine, post_only=order.post_only)
    if refusal is not None:
        return refusal
    if found is None:
        return refusals.INVALID_TOKEN
    market, token_index = found
    account = engine.account(order.account)
    demand = _check_terms(engine, order, market, account=account)
    if isinstance(demand, Refusal):
        return demand
    crosses = is_crossing(market.book, token_index, order.side, price=demand.price)
    if order.post_only and crosses:
        return refusals.POST_ONLY_CROSSES
    takes = crosses or not order.time_in_force.rests
    if takes and order.side is Side.BUY and order.maker_amount < MIN_MARKETABLE_BUY:
        return refusals.small_marketable_buy(order.maker_amount)
    plan = plan_match(market.book, token_index, order.side, demand=demand, fee=market.spec.fee)
    refusal = _balance_refusal(engine, order, market, account=account, demand=demand, plan=plan)
    if refusal is not None:
        return refusal
    working = _working_order(engine, order, token_index, market=market, demand=demand)
    return _Prepared(working, market, account, plan)


def would_take(engine: Engine, order: NewOrder) -> bool:
    """Return whether an order would match a resting one now, if it were not refused."""
    found = engine.tokens.get(order.token_id)
    if found is None:
        return False
    market, token_index = found
    demand = read_demand(order, market.spec, market.tick_size)
    return isinstance(demand, Demand) and is_crossing(
        market.book, token_index, order.side, price=demand.price
    )


def mode_refusal(engine: Engine, *, post_only: bool) -> Refusal | None:
    """Return a refusal if the trading mode does not permit the order now."""
    match engine.mode:
        case TradingMode.DISABLED:
            return refusals.TRADING_DISABLED
        case TradingMode.CANCEL_ONLY:
            return refusals.CANCEL_ONLY
        case TradingMode.POST_ONLY:
            return None if post_only else refusals.post_only_mode(engine.retry_after_s)
        case TradingMode.NORMAL:
            return None


def standing_refusal(account: Account, side: Side) -> Refusal | None:
    """Return a refusal if the account's standing does not permit the order."""
    match account.standing:
        case Permission.BANNED:
            return refusals.banned(account.address)
        case Permission.CLOSED_ONLY:
            is_refused = side is Side.BUY
            return refusals.closed_only(account.address) if is_refused else None
        case Permission.NO_ALLOWANCE:
            return refusals.NO_ALLOWANCE
        case Permission.GOOD:
            return None


def _check_terms(
    engine: Engine, order: NewOrder, market: TradedMarket, *, account: Account
) -> Demand | Refusal:
    refusal = standing_refusal(account, order.side)
    if refusal is not None:
        return refusal
    if not market.spec.is_accepting or market.payout is not None:
        return refusals.MARKET_NOT_READY
    if order.post_only and not order.time_in_force.rests:
        return refusals.INVALID_PAYLOAD
    demand = read_demand(order, market.spec, market.tick_size)
    if isinstance(demand, Refusal):
        return demand
    if not is_expiration_valid(order, now_ms=engine.events.now_ms, notice_ms=GTD_NOTICE_MS):
        return refusals.INVALID_EXPIRATION
    if engine.orders.is_known(order.order_id):
        return refusals.duplicated(order.order_id)
    return demand


def _balance_refusal(
    engine: Engine,
    order: NewOrder,
    market: TradedMarket,
    *,
    account: Account,
    demand: Demand,
    plan: Plan,
) -> Refusal | None:
    # The public venue counts the fee of a BUY at its limit, whether or not it will be a maker. A
    # market BUY at better prices gets more shares and so can owe a higher fee than that: the larger
    # applies.
    if order.side is Side.BUY:
        asset = None
        fee = market.spec.fee
        worst_fee = (
            taker_fee(demand.size, demand.price, fee)
            if fee.rate and demand.price and not order.post_only
            else ZERO
        )
        rest = (
            ZERO
            if demand.budget is not None
            else notional_ceil(demand.price, Micros(demand.size - plan.size))
        )
        need = max(order.maker_amount + worst_fee, plan.cash + plan.fee + rest)
    else:
        asset = order.token_id
        need = demand.size
    if account.is_unlimited:
        engine.ledger.cover(account, market.spec, asset, need)
        return None
    if need <= account.available(asset):
        return None
    return refusals.not_enough_balance(
        account.held(asset), active=account.spoken_for(asset), needed=Micros(need)
    )


def _kill_refusal(order: NewOrder, plan: Plan) -> Refusal | None:
    if order.time_in_force is TimeInForce.FOK and not plan.is_complete:
        return refusals.FOK_KILLED
    if order.time_in_force is TimeInForce.FAK and not plan.trades:
        return refusals.FAK_UNMATCHED
    return None


def _working_order(
    engine: Engine, order: NewOrder, token_index: int, *, market: TradedMarket, demand: Demand
) -> RestingOrder:
    return RestingOrder(
        order_id=order.order_id,
        account=order.account,
        owner=order.owner,
        condition_id=market.spec.condition_id,
        token_id=order.token_id,
        token_index=token_index,
        side=order.side,
        price=demand.price,
        size=demand.size,
        time_in_force=order.time_in_force,
        expiration_s=order.expiration_s,
        created_ms=engine.events.now_ms,
        is_simulated=engine.account(order.account).is_simulated,
    )


def _commit(
    engine: Engine, working: RestingOrder, market: TradedMarket, *, account: Account, plan: Plan
) -> Placed:
    is_announced = working.time_in_force.rests and not account.is_simulated
    if is_announced:
        engine.events.add(OrderPlaced(working.view(LiveStatus.LIVE), engine.events.now_ms))
    trades = execute(engine, working, market, account=account, plan=plan)
    _settle_remainder(engine, working, market, plan=plan)
    if plan.trades:
        refine_tick_size(engine, market, plan.trades[-1].book_price)
    return Placed(
        order_id=working.order_id,
        is_matched=bool(trades),
        making=plan.cash if working.side is Side.BUY else plan.size,
        taking=plan.size if working.side is Side.BUY else plan.cash,
        fee=plan.fee,
        trade_ids=tuple(trade.trade_id for trade in trades),
        transaction_hashes=_hashes(trades),
    )


def _settle_remainder(
    engine: Engine, working: RestingOrder, market: TradedMarket, *, plan: Plan
) -> None:
    if plan.is_complete or not working.time_in_force.rests:
        engine.finish(working, LiveStatus.MATCHED)
        return
    engine.rest(working)
    engine.announce_level(
        market,
        working.book_price,
        is_bid=working.is_bid,
        token_index=working.token_index,
        cause=Cause.PLACED,
    )


def _hashes(trades: list[Trade]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(trade.transaction_hash for trade in trades))


def cancel_named(
    engine: Engine, order_ids: Iterable[OrderId], owner: ApiKey
) -> CancelResult | Refusal:
    """Cancel these orders; repeated ids count once, and other owners' orders count as unknown."""
    if engine.mode is TradingMode.DISABLED:
        return refusals.TRADING_DISABLED
    canceled: list[OrderId] = []
    refused: list[tuple[OrderId, str]] = []
    for order_id in dict.fromkeys(order_ids):
        order = engine.orders.by_id.get(order_id)
        if order is not None and order.owner == owner:
            engine.cancel(order, LiveStatus.CANCELED)
            canceled.append(order_id)
        else:
            refused.append((order_id, _why_not(engine, order_id)))
    return CancelResult(tuple(canceled), tuple(refused))


def cancel_where(
    engine: Engine,
    owner: ApiKey,
    *,
    condition_id: ConditionId | None = None,
    token_id: TokenId | None = None,
) -> CancelResult | Refusal:
    """Cancel an owner's orders, all or those in a market, a token, or both."""
    if engine.mode is TradingMode.DISABLED:
        return refusals.TRADING_DISABLED
    chosen = [
        order
        for order in engine.orders.of_owner(owner)
        if condition_id in (None, order.condition_id) and token_id in (None, order.token_id)
    ]
    for order in chosen:
        engine.cancel(order, LiveStatus.CANCELED)
    return CancelResult(tuple(order.order_id for order in chosen))


def expire(engine: Engine) -> int:
    """Remove the GTD orders that are due and return how many there were."""
    due: list[RestingOrder] = engine.orders.take_due(engine.events.now_ms)
    for order in due:
        engine.cancel(order, LiveStatus.EXPIRED)
    return len(due)


def _why_not(engine: Engine, order_id: OrderId) -> str:
    if engine.orders.known.get(order_id) == LiveStatus.MATCHED:
        return refusals.ALREADY_MATCHED
    return refusals.NOT_FOUND


def seed(
    engine: Engine, market: TradedMarket, orders: Iterable[SeedOrder], *, owner: ApiKey
) -> Seeded | Refusal:
    """Rest every order that crosses nothing, as a post-only order without expiration.

    Raises:
        ValueError: an account is not simulated, or not unlimited.
    """
    refusal = mode_refusal(engine, post_only=True)
    if refusal is not None:
        return refusal
    if not market.spec.is_accepting or market.payout is not None:
        return refusals.MARKET_NOT_READY
    batch = _Batch(engine, market, owner)
    for order in orders:
        refusal = batch.add(order)
        if refusal is not None:
            return refusal
    for resting in batch.fresh.values():
        engine.rest(resting)
    if batch.fresh:
        _cover(engine, market, batch.accounts)
        market.book.changed_ms = engine.events.now_ms
        market.top = (market.book.bids.best, market.book.asks.best)
    return Seeded(count=len(batch.fresh), crossing=tuple(batch.crossing))


class _Batch:
    """The orders added so far, and the top of book that they would create."""

    __slots__ = ("_ask", "_bid", "_engine", "_market", "_owner", "accounts", "crossing", "fresh")

    def __init__(self, engine: Engine, market: TradedMarket, owner: ApiKey) -> None:
        self._engine = engine
        self._market = market
        self._owner = owner
        self._bid = market.book.bids.best or ZERO
        self._ask = market.book.asks.best or ONE
        self.accounts: dict[Address, Account] = {}
        self.fresh: dict[OrderId, RestingOrder] = {}
        self.crossing: list[OrderId] = []

    def add(self, order: SeedOrder) -> Refusal | None:
        """Keep an order, or count it as crossing; refuse it by the same sequence of checks as `place`."""
        order_id, address, token_id, side, price, size = order
        tokens = self._market.spec.tokens
        if token_id not in tokens:
            return refusals.INVALID_TOKEN
        account = self.accounts.get(address) or self._account(address)
        if account.standing is not Permission.GOOD:
            refusal = standing_refusal(account, side)
            if refusal is not None:
                return refusal
        tick = self._market.tick_size
        if (
            price % tick
            or size % SIZE_STEP
            or not tick <= price <= ONE - tick
            or size < self._market.spec.min_size
            # On grids finer than any known, an order's cash may have no exact amount.
            or price * size % SCALE
        ):
            return _terms_refusal(order, tick, self._market.spec.min_size)
        if order_id in self.fresh or self._engine.orders.is_known(order_id):
            return refusals.duplicated(order_id)
        self._keep(
            RestingOrder(
                order_id,
                address,
                self._owner,
                self._market.spec.condition_id,
                token_id,
                0 if token_id == tokens[0] else 1,
                side,
                price,
                size,
                TimeInForce.GTC,
                expiration_s=0,
                created_ms=self._engine.events.now_ms,
                is_simulated=True,
            )
        )
        return None

    def _keep(self, resting: RestingOrder) -> None:
        price = resting.book_price
        if price >= self._ask if resting.is_bid else price <= self._bid:
            self.crossing.append(resting.order_id)
            return
        if resting.is_bid:
            self._bid = max(self._bid, price)
        else:
            self._ask = min(self._ask, price)
        self.fresh[resting.order_id] = resting

    def _account(self, address: Address) -> Account:
        account = self._engine.ledger.accounts.get(address)
        if account is None or not (account.is_simulated and account.is_unlimited):
            raise ValueError(f"only simulated, unlimited accounts seed a book: {address}")
        self.accounts[address] = account
        return account


def _terms_refusal(order: SeedOrder, tick: Micros, min_size: Micros) -> Refusal:
    if not 0 < order.price < ONE or order.size <= 0:
        return refusals.INVALID_PRICE
    if order.size % SIZE_STEP:
        return refusals.amounts_too_fine(
            is_buy=order.side is Side.BUY,
            is_market=False,
            amount_decimals=min(decimals_of(tick) + 2, 6),
        )
    is_on_grid = order.price % tick == 0 and tick <= order.price <= ONE - tick
    if not is_on_grid or order.price * order.size % SCALE:
        cash = notional_floor(order.price, order.size)
        return refusals.off_grid(order.order_id, cash, order.size, tick)
    return refusals.too_small(order.order_id, order.size, min_size)


def _cover(engine: Engine, market: TradedMarket, accounts: dict[Address, Account]) -> None:
    # By reserving first and covering afterwards, an account's shortfall is covered in one step.
    for account in accounts.values():
        for asset in (*market.spec.tokens, None):
            engine.ledger.cover(account, market.spec, asset, 0)

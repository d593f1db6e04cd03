"""Saves and restores what must survive a restart: the accounts that are not simulated.

Simulated accounts and their orders are left out. On restoring, one simulated account takes the other
side of the saved accounts' holdings, so that every pool and total is consistent again.
"""

from dataclasses import dataclass

from pmtui.domain.ids import Address, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.sim.engine.book import RestingOrder
from pmtui.sim.engine.engine import Engine
from pmtui.sim.engine.events import Trade
from pmtui.sim.engine.ledger import Ledger
from pmtui.sim.engine.terms import LiveStatus, MarketSpec, OrderView, Payout, Permission

COUNTERPARTY = Address("0x0000000000000000000000000000000000000000")


@dataclass(frozen=True, slots=True)
class SavedMarket:
    """A market whose state may differ from its terms when first added."""

    spec: MarketSpec
    tick_size: Micros
    payout: Payout | None
    last_trade_price: Micros | None
    last_trade_side: Side | None
    changed_ms: int
    resolved_ms: int | None = None


@dataclass(frozen=True, slots=True)
class SavedAccount:
    """An account's balances; reservations follow from its orders."""

    address: Address
    is_unlimited: bool
    standing: Permission
    collateral: Micros
    shares: tuple[tuple[TokenId, Micros], ...]


@dataclass(frozen=True, slots=True)
class EngineState:
    """The state that must survive; msgspec can encode it directly."""

    markets: tuple[SavedMarket, ...]
    accounts: tuple[SavedAccount, ...]
    orders: tuple[OrderView, ...]
    """Resting orders, oldest first: their sequence is their priority."""
    unsettled: tuple[Trade, ...]
    known_orders: tuple[tuple[OrderId, str], ...]
    fees: Micros
    last_trades: tuple[Trade, ...] = ()
    """One per market, if a newer trade is known than the saved market's own."""


def export_state(engine: Engine) -> EngineState:
    """Return the state of the accounts that are not simulated."""
    return EngineState(
        markets=tuple(
            SavedMarket(
                spec=market.spec,
                tick_size=market.tick_size,
                payout=market.payout,
                last_trade_price=market.last_trade_price,
                last_trade_side=market.last_trade_side,
                changed_ms=market.book.changed_ms,
                resolved_ms=market.resolved_ms,
            )
            for market in engine.markets.values()
        ),
        accounts=tuple(
            SavedAccount(
                address=account.address,
                is_unlimited=account.is_unlimited,
                standing=account.standing,
                collateral=Micros(account.collateral),
                shares=tuple((token, Micros(size)) for token, size in account.shares.items()),
            )
            for account in engine.ledger.accounts.values()
            if not account.is_simulated
        ),
        orders=tuple(
            order.view(LiveStatus.LIVE)
            for order in engine.orders.by_id.values()
            if not order.is_simulated
        ),
        unsettled=tuple(engine.unsettled.values()),
        known_orders=tuple(engine.orders.known.items()),
        fees=Micros(engine.ledger.fees),
    )


def import_state(engine: Engine, state: EngineState) -> None:
    """Restore into an engine that has at most empty markets; missing markets are added.

    Raises:
        ValueError: the engine already has accounts.
    """
    if engine.ledger.accounts:
        raise ValueError("state can only be restored before accounts are opened")
    for saved in state.markets:
        _restore_market(engine, saved)
    for trade in state.last_trades:
        traded = engine.markets.get(trade.condition_id)
        if traded is not None:
            traded.last_trade_price, traded.last_trade_side = trade.price, trade.side
    for account in state.accounts:
        opened = engine.ledger.open(
            account.address, simulated=False, unlimited=account.is_unlimited
        )
        opened.standing = account.standing
        opened.collateral = account.collateral
        opened.shares.update(account.shares)
    engine.ledger.fees = state.fees
    _open_counterparty(engine, state)
    engine.orders.known.update(state.known_orders)
    for order in state.orders:
        engine.rest(_resting(engine, order))
    for market in engine.markets.values():
        market.top = (market.book.bids.best, market.book.asks.best)
    engine.unsettled.update((trade.trade_id, trade) for trade in state.unsettled)
    engine.ledger.deposited = engine.ledger.total()


def _restore_market(engine: Engine, saved: SavedMarket) -> None:
    market = engine.markets.get(saved.spec.condition_id) or engine.add_market(saved.spec)
    market.tick_size = saved.tick_size
    market.payout = saved.payout
    market.resolved_ms = saved.resolved_ms
    market.last_trade_price = saved.last_trade_price
    market.last_trade_side = saved.last_trade_side
    market.book.changed_ms = saved.changed_ms


def _open_counterparty(engine: Engine, state: EngineState) -> None:
    ledger = engine.ledger
    counterparty = ledger.open(COUNTERPARTY, simulated=True, unlimited=True)
    for trade in state.unsettled:
        _reopen_counterparties(ledger, trade)
    for condition_id, market in engine.markets.items():
        sizes = [ledger.outstanding(token_id) for token_id in market.spec.tokens]
        pairs = max(sizes)
        ledger.pools[condition_id] = pairs
        for token_id, size in zip(market.spec.tokens, sizes, strict=True):
            if pairs > size:
                counterparty.shares[token_id] = pairs - size


def _reopen_counterparties(ledger: Ledger, trade: Trade) -> None:
    # Their holdings are gone, but an unsettled trade still names them.
    for address in (trade.taker_account, *(fill.account for fill in trade.makers)):
        ledger.open(address, simulated=True, unlimited=True)


def _resting(engine: Engine, order: OrderView) -> RestingOrder:
    return RestingOrder(
        order_id=order.order_id,
        account=order.account,
        owner=order.owner,
        condition_id=order.condition_id,
        token_id=order.token_id,
        token_index=engine.tokens[order.token_id][1],
        side=order.side,
        price=order.price,
        size=order.original_size,
        time_in_force=order.time_in_force,
        expiration_s=order.expiration_s,
        created_ms=order.created_ms,
        is_simulated=False,
        matched=order.matched_size,
        trade_ids=order.trade_ids,
    )

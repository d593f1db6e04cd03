"""Executes a planned match on the ledger and the book, and advances a trade's settlement."""

from collections import Counter
from dataclasses import replace

from pmtui.domain.ids import Address, TokenId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import TradeStatus
from pmtui.sim.engine.book import RestingOrder
from pmtui.sim.engine.engine import Engine, TradedMarket
from pmtui.sim.engine.events import (
    Cause,
    MakerFill,
    MatchKind,
    OrderUpdated,
    Trade,
    TradeAdvanced,
    TradeMatched,
)
from pmtui.sim.engine.ledger import Account
from pmtui.sim.engine.matching import Plan, PlannedTrade
from pmtui.sim.engine.terms import LiveStatus, Refusal

UNKNOWN_TRADE = Refusal(404, "trade not found")
NO_SUCH_STEP = Refusal(400, "trade cannot take this step")
NOT_REVERSIBLE = Refusal(400, "trade cannot be undone: its proceeds were moved")

_STEPS = {
    TradeStatus.MATCHED: {TradeStatus.MINED, TradeStatus.RETRYING},
    TradeStatus.RETRYING: {TradeStatus.MINED, TradeStatus.FAILED},
    TradeStatus.MINED: {TradeStatus.CONFIRMED},
    TradeStatus.CONFIRMED: set[TradeStatus](),
    TradeStatus.FAILED: set[TradeStatus](),
}


def execute(
    engine: Engine, working: RestingOrder, market: TradedMarket, *, account: Account, plan: Plan
) -> list[Trade]:
    """Execute a plan; the trades of one taker order share a transaction."""
    trades: list[Trade] = []
    if not plan.trades:
        return trades
    transaction = engine.ids.transaction_hash()
    for bucket, planned in enumerate(plan.trades):
        trade = _trade(engine, working, planned, transaction=transaction, bucket=bucket)
        trades.append(trade)
        market.last_trade_price = trade.price
        market.last_trade_side = trade.side
        engine.events.add(TradeMatched(trade))
        is_anyones = _settle(engine, trade, market, taker=account)
        if is_anyones:
            engine.unsettled[trade.trade_id] = trade
        _update_orders(engine, working, trade, planned=planned)
        engine.announce_level(
            market,
            planned.book_price,
            is_bid=not working.is_bid,
            token_index=working.token_index,
            cause=Cause.TRADE,
        )
    return trades


def _trade(
    engine: Engine, working: RestingOrder, planned: PlannedTrade, *, transaction: str, bucket: int
) -> Trade:
    now_ms = engine.events.now_ms
    return Trade(
        trade_id=engine.ids.trade_id(),
        transaction_hash=transaction,
        bucket_index=bucket,
        condition_id=working.condition_id,
        taker_order_id=working.order_id,
        taker_account=working.account,
        taker_owner=working.owner,
        token_id=working.token_id,
        side=working.side,
        price=planned.price,
        size=planned.size,
        cash=planned.cash,
        fee=planned.fee,
        makers=tuple(
            MakerFill(
                order_id=fill.maker.order_id,
                account=fill.maker.account,
                owner=fill.maker.owner,
                token_id=fill.maker.token_id,
                side=fill.maker.side,
                price=fill.maker.price,
                size=fill.size,
                cash=fill.maker_cash,
                kind=fill.kind,
            )
            for fill in planned.fills
        ),
        matched_ms=now_ms,
        updated_ms=now_ms,
        status=TradeStatus.MATCHED,
    )


def _settle(engine: Engine, trade: Trade, market: TradedMarket, *, taker: Account) -> bool:
    """Move cash and shares; return whether an account that is not simulated took part."""
    ledger = engine.ledger
    is_anyones = not taker.is_simulated
    _exchange(
        engine,
        taker,
        trade.side,
        token=trade.token_id,
        size=trade.size,
        cash=trade.cash,
        trade_id=trade.trade_id,
    )
    if trade.fee:
        ledger.take_fee(taker, trade.fee, reference=trade.trade_id)
    for fill in trade.makers:
        maker = ledger.accounts[fill.account]
        is_anyones = is_anyones or not maker.is_simulated
        _exchange(
            engine,
            maker,
            fill.side,
            token=fill.token_id,
            size=fill.size,
            cash=fill.cash,
            trade_id=trade.trade_id,
        )
        ledger.pools[market.spec.condition_id] += _locked(fill)
    return is_anyones


def _locked(fill: MakerFill) -> int:
    if fill.kind is MatchKind.DIRECT:
        return 0
    return fill.size if fill.kind is MatchKind.MINT else -fill.size


def _exchange(
    engine: Engine,
    account: Account,
    side: Side,
    *,
    token: TokenId,
    size: int,
    cash: int,
    trade_id: TradeId,
    cause: Cause = Cause.TRADE,
) -> None:
    sign = 1 if side is Side.BUY else -1
    engine.ledger.add_collateral(account, -sign * cash, cause=cause, reference=trade_id)
    engine.ledger.add_shares(account, token, sign * size, cause=cause, reference=trade_id)


def _update_orders(
    engine: Engine, working: RestingOrder, trade: Trade, *, planned: PlannedTrade
) -> None:
    for fill in planned.fills:
        engine.fill(fill.maker, fill.size)
        _announce_update(engine, fill.maker, trade)
    working.matched = Micros(working.matched + trade.size)
    if working.time_in_force.rests:
        _announce_update(engine, working, trade)


def _announce_update(engine: Engine, order: RestingOrder, trade: Trade) -> None:
    if order.is_simulated:
        return
    order.trade_ids = (*order.trade_ids, trade.trade_id)
    status = LiveStatus.MATCHED if order.is_filled else LiveStatus.LIVE
    engine.orders.known[order.order_id] = status
    engine.events.add(OrderUpdated(order.view(status), engine.events.now_ms))


def advance(engine: Engine, trade_id: TradeId, status: TradeStatus) -> Trade | Refusal:
    """Advance a trade by one step towards settlement. A failed trade is reversed on the ledger."""
    trade = engine.unsettled.get(trade_id)
    if trade is None:
        return UNKNOWN_TRADE
    if status not in _STEPS[trade.status]:
        return NO_SUCH_STEP
    if status is TradeStatus.FAILED and not _undo(engine, trade):
        return NOT_REVERSIBLE
    advanced = replace(trade, status=status, updated_ms=engine.events.now_ms)
    if status.is_final:
        del engine.unsettled[trade_id]
    else:
        engine.unsettled[trade_id] = advanced
    engine.events.add(TradeAdvanced(advanced))
    return advanced


def _undo(engine: Engine, trade: Trade) -> bool:
    market = engine.markets[trade.condition_id]
    ledger = engine.ledger
    parties = [(trade.taker_account, trade.side, trade.token_id, trade.size, trade.cash)]
    parties += [(m.account, m.side, m.token_id, m.size, m.cash) for m in trade.makers]
    owed: Counter[tuple[Address, TokenId | None]] = Counter()
    for address, side, token_id, size, cash in parties:
        owed[address, None] += -cash if side is Side.BUY else cash
        owed[address, token_id] += size if side is Side.BUY else -size
    owed[trade.taker_account, None] -= trade.fee
    if market.payout is not None:
        return False
    for (address, asset), amount in owed.items():
        account = ledger.accounts[address]
        if account.is_unlimited:
            ledger.cover(account, market.spec, asset, amount)
        elif amount > account.held(asset):
            return False
    for address, side, token_id, size, cash in parties:
        _exchange(
            engine,
            ledger.accounts[address],
            side.opposite,
            token=token_id,
            size=size,
            cash=cash,
            trade_id=trade.trade_id,
            cause=Cause.FAILED_TRADE,
        )
    ledger.pools[trade.condition_id] -= sum(map(_locked, trade.makers))
    ledger.take_fee(ledger.accounts[trade.taker_account], -trade.fee, reference=trade.trade_id)
    for address in dict.fromkeys(party[0] for party in parties):
        engine.enforce_reservations(ledger.accounts[address])
    return True

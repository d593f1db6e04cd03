"""Chain operations: deposits, withdrawals, splitting, merging, resolving and redeeming.

Like a chain, they consider an account's balances, not the reservations of its orders; orders that
can then no longer be paid for are cancelled.
"""

from collections.abc import Sequence
from typing import Final

from pmtui.domain.ids import Address, ConditionId
from pmtui.domain.money import SCALE, Micros
from pmtui.sim.engine.engine import UNKNOWN_MARKET, Engine, TradedMarket
from pmtui.sim.engine.events import Cause, MarketResolved
from pmtui.sim.engine.ledger import Account
from pmtui.sim.engine.terms import Done, LiveStatus, Payout, Refusal

CONVERTER: Final = Address("0x000000000000000000000000000000000000c0DE")
"""The account through which a conversion of negative-risk shares goes."""
INVALID_AMOUNT = Refusal(400, "amount must be greater than 0")
TOO_LITTLE_COLLATERAL = Refusal(400, "transfer amount exceeds balance")
TOO_FEW_SHARES = Refusal(400, "insufficient balance for transfer")
NOT_RESOLVED = Refusal(400, "result for condition not received yet")


def deposit(engine: Engine, account: Account, amount: Micros) -> Done | Refusal:
    """Add collateral from outside."""
    if amount <= 0:
        return INVALID_AMOUNT
    engine.ledger.deposit(account, amount)
    return Done(amount)


def withdraw(engine: Engine, account: Account, amount: Micros) -> Done | Refusal:
    """Withdraw collateral."""
    if amount <= 0:
        return INVALID_AMOUNT
    if amount > account.collateral:
        return TOO_LITTLE_COLLATERAL
    engine.ledger.deposit(account, -amount)
    engine.enforce_reservations(account)
    return Done(amount)


def split(
    engine: Engine, account: Account, condition_id: ConditionId, amount: Micros
) -> Done | Refusal:
    """Exchange dollars for the same number of shares of each token."""
    market = engine.markets.get(condition_id)
    if market is None:
        return UNKNOWN_MARKET
    if amount <= 0:
        return INVALID_AMOUNT
    if account.is_unlimited:
        engine.ledger.cover(account, market.spec, None, amount)
    if amount > account.collateral:
        return TOO_LITTLE_COLLATERAL
    engine.ledger.split(account, market.spec, amount)
    engine.enforce_reservations(account)
    return Done(amount)


def merge(
    engine: Engine, account: Account, condition_id: ConditionId, amount: Micros
) -> Done | Refusal:
    """Exchange shares of both tokens for dollars."""
    market = engine.markets.get(condition_id)
    if market is None:
        return UNKNOWN_MARKET
    if amount <= 0:
        return INVALID_AMOUNT
    if any(amount > account.held(token_id) for token_id in market.spec.tokens):
        return TOO_FEW_SHARES
    engine.ledger.split(account, market.spec, -amount)
    engine.enforce_reservations(account)
    return Done(amount)


def convert(
    engine: Engine,
    account: Account,
    given: Sequence[ConditionId],
    *,
    received: Sequence[ConditionId],
    amount: Micros,
) -> Done | Refusal:
    """Exchange second tokens of some markets of a group for first tokens of the others, and dollars.

    The group's own account splits to obtain the first tokens and keeps the second tokens of all
    markets: as at most one market pays its first token, they cover it in the end.
    """
    markets = [engine.markets.get(condition_id) for condition_id in (*given, *received)]
    if not given or any(market is None or market.payout is not None for market in markets):
        return UNKNOWN_MARKET
    if amount <= 0:
        return INVALID_AMOUNT
    ledger, keeper = engine.ledger, engine.ledger.open(CONVERTER, simulated=True, unlimited=True)
    seconds = [engine.markets[condition_id].spec.tokens[1] for condition_id in given]
    if any(amount > account.held(token_id) for token_id in seconds):
        return TOO_FEW_SHARES
    for token_id, reference in zip(seconds, given, strict=True):
        for owner, change in ((account, -amount), (keeper, amount)):
            ledger.add_shares(owner, token_id, change, cause=Cause.CONVERT, reference=reference)
    for condition_id in received:
        spec = engine.markets[condition_id].spec
        ledger.cover(keeper, spec, None, amount)
        ledger.split(keeper, spec, amount)
        for owner, change in ((keeper, -amount), (account, amount)):
            ledger.add_shares(
                owner, spec.tokens[0], change, cause=Cause.CONVERT, reference=condition_id
            )
    surplus = amount * (len(given) - 1)
    ledger.cover(keeper, engine.markets[given[0]].spec, None, surplus)
    for owner, change in ((keeper, -surplus), (account, surplus)):
        ledger.add_collateral(owner, change, cause=Cause.CONVERT, reference=given[0])
    engine.enforce_reservations(account)
    return Done(Micros(surplus))


def redeem(engine: Engine, account: Account, condition_id: ConditionId) -> Done | Refusal:
    """Exchange the whole balance of both tokens of a resolved market for their payout."""
    market = engine.markets.get(condition_id)
    if market is None:
        return UNKNOWN_MARKET
    if market.payout is None:
        return NOT_RESOLVED
    return Done(_pay_out(engine, account, market, payout=market.payout))


def resolve(engine: Engine, market: TradedMarket, payout: Payout) -> None:
    """End a market, and if it wins its negative-risk group, end its siblings as losers."""
    if market.payout is not None:
        return
    _end(engine, market, payout)
    if payout is Payout.FIRST and market.spec.group:
        for sibling in engine.groups[market.spec.group]:
            if sibling.payout is None:
                _end(engine, sibling, Payout.SECOND)


def _end(engine: Engine, market: TradedMarket, payout: Payout) -> None:
    for order in (*market.book.bids.orders(), *market.book.asks.orders()):
        engine.cancel(order, LiveStatus.MARKET_RESOLVED)
    market.payout = payout
    market.resolved_ms = engine.events.now_ms
    winner = {Payout.FIRST: 0, Payout.SECOND: 1}.get(payout)
    engine.events.add(
        MarketResolved(
            condition_id=market.spec.condition_id,
            payout=payout,
            winning_token_id=None if winner is None else market.spec.tokens[winner],
            at_ms=engine.events.now_ms,
        )
    )
    for account in engine.ledger.accounts.values():
        if account.is_simulated:
            _pay_out(engine, account, market, payout=payout)


def _pay_out(engine: Engine, account: Account, market: TradedMarket, *, payout: Payout) -> Micros:
    condition_id = market.spec.condition_id
    received = 0
    for index, token_id in enumerate(market.spec.tokens):
        size = account.held(token_id)
        received += size * payout.pays(index) // SCALE
        engine.ledger.add_shares(
            account, token_id, -size, cause=Cause.REDEEM, reference=condition_id
        )
    engine.ledger.pools[condition_id] -= received
    engine.ledger.add_collateral(account, received, cause=Cause.REDEEM, reference=condition_id)
    return Micros(received)

"""Recompute from scratch what the engine keeps incrementally, and name every disagreement."""

from collections import Counter
from collections.abc import Iterator

from pmtui.domain.ids import Address, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE
from pmtui.sim.engine.book import Book
from pmtui.sim.engine.floor import Floor, TradedMarket


def audit(floor: Floor) -> list[str]:
    """Return a line for every broken invariant of ledger, reservations and books."""
    found = list(_ledger(floor)) + list(_reservations(floor))
    for market in floor.markets.values():
        found += _pool(floor, market)
        found += _book(floor, market)
    return found


def _ledger(floor: Floor) -> Iterator[str]:
    ledger = floor.ledger
    if ledger.total() != ledger.deposited:
        yield f"total {ledger.total()} is not what was deposited, {ledger.deposited}"
    for account in ledger.accounts.values():
        if account.collateral < 0 or any(size <= 0 for size in account.shares.values()):
            yield f"negative or empty balance of {account.address}"


def _reservations(floor: Floor) -> Iterator[str]:
    cash: Counter[Address] = Counter()
    shares: Counter[tuple[Address, TokenId]] = Counter()
    for order in floor.orders.by_id.values():
        if order.side is Side.BUY:
            cash[order.account] += order.held
        else:
            shares[order.account, order.token_id] += order.held
    for account in floor.ledger.accounts.values():
        mine = {token: size for (owner, token), size in shares.items() if owner == account.address}
        if account.reserved != cash[account.address] or account.reserved_shares != mine:
            yield f"reservations of {account.address} do not match its orders"
        if account.available(None) < 0 or any(account.available(token) < 0 for token in mine):
            yield f"orders of {account.address} are not covered"


def _pool(floor: Floor, market: TradedMarket) -> Iterator[str]:
    pool = floor.ledger.pools[market.spec.condition_id]
    sizes = [floor.ledger.outstanding(token) for token in market.spec.tokens]
    payout = market.payout
    if payout is None:
        if sizes != [pool, pool]:
            yield f"pool {pool} of {market.spec.condition_id} does not back {sizes}"
    elif pool * ONE < sum(size * payout.pays(index) for index, size in enumerate(sizes)):
        yield f"pool {pool} of {market.spec.condition_id} cannot pay {sizes}"


def _book(floor: Floor, market: TradedMarket) -> Iterator[str]:
    book: Book = market.book
    bid, ask = book.bids.best, book.asks.best
    if bid is not None and ask is not None and bid >= ask:
        yield f"crossed book of {market.spec.condition_id}: {bid} {ask}"
    for side in (book.bids, book.asks):
        for level in side.from_best():
            queued = [order for queue in level.queues for order in queue.values()]
            if level.total != sum(order.remaining for order in queued):
                yield f"level {level.price} of {market.spec.condition_id} has a wrong size"
            if any(order.is_filled or order.order_id not in floor.orders.by_id for order in queued):
                yield f"level {level.price} of {market.spec.condition_id} holds a finished order"

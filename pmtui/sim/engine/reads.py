"""Questions to the engine: immutable views without effects, and an audit of every sum it keeps."""

from collections import Counter
from collections.abc import Iterator

from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, ZERO, Micros
from pmtui.sim.engine.book import Book
from pmtui.sim.engine.events import Trade
from pmtui.sim.engine.floor import Floor, TradedMarket
from pmtui.sim.engine.placing import check, would_take
from pmtui.sim.engine.terms import (
    AccountView,
    BookView,
    LiveStatus,
    MarketView,
    NewOrder,
    OrderView,
    Permission,
    Refusal,
)


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


class Reads:
    """What servers and simulated traders may ask at any time."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor

    def markets(self) -> tuple[ConditionId, ...]:
        """Return all markets in the order they were added."""
        return tuple(self._floor.markets)

    def market(self, condition_id: ConditionId) -> MarketView | None:
        """Return a market's terms and state."""
        market = self._floor.markets.get(condition_id)
        return None if market is None else market.view(self._floor.ledger.pools[condition_id])

    def market_of(self, token_id: TokenId) -> ConditionId | None:
        """Return the market a token belongs to."""
        found = self._floor.tokens.get(token_id)
        return found if found is None else found[0].spec.condition_id

    def book(self, token_id: TokenId) -> BookView | None:
        """Return one token's book, best level last on both sides."""
        found = self._floor.tokens.get(token_id)
        return found if found is None else found[0].book.view(token_id, found[1])

    def top(self, token_id: TokenId) -> tuple[Micros | None, Micros | None]:
        """Return best bid and best ask; None for an empty side or an unknown token."""
        found = self._floor.tokens.get(token_id)
        return found[0].book.top(found[1]) if found else (None, None)

    def order(self, order_id: OrderId) -> OrderView | None:
        """Return a resting order; finished ones live in the events."""
        order = self._floor.orders.by_id.get(order_id)
        return None if order is None else order.view(LiveStatus.LIVE)

    def open_orders(self, owner: ApiKey) -> tuple[OrderView, ...]:
        """Return an owner's resting orders, oldest first."""
        return tuple(order.view(LiveStatus.LIVE) for order in self._floor.orders.of_owner(owner))

    def markets_quoted_by(self, address: Address) -> tuple[ConditionId, ...]:
        """Return the markets in which an account has resting orders."""
        orders = self._floor.orders.of_account(address)
        return tuple(dict.fromkeys(order.condition_id for order in orders))

    def account(self, address: Address) -> AccountView | None:
        """Return an account's balances and reservations."""
        account = self._floor.ledger.accounts.get(address)
        return None if account is None else account.view()

    def has_allowance(self, address: Address) -> bool:
        """Tell whether the exchange may move what an account holds."""
        account = self._floor.ledger.accounts.get(address)
        return account is None or account.standing is not Permission.NO_ALLOWANCE

    def available(self, address: Address, token_id: TokenId | None) -> Micros:
        """Return what a new order could use of collateral (None) or of a token."""
        account = self._floor.ledger.accounts.get(address)
        return account.available(token_id) if account else ZERO

    def holders(self, token_id: TokenId) -> dict[Address, Micros]:
        """Return who holds a token, in the order the accounts were opened."""
        return {
            address: account.held(token_id)
            for address, account in self._floor.ledger.accounts.items()
            if token_id in account.shares
        }

    def pending_trade(self, trade_id: TradeId) -> Trade | None:
        """Return a trade that is not settled yet and has a party that is not simulated."""
        return self._floor.unsettled.get(trade_id)

    def next_expiry_ms(self) -> int | None:
        """Return when the next GTD order leaves the book."""
        return self._floor.orders.next_due_ms()

    def would_take(self, order: NewOrder) -> bool:
        """Say whether an order would meet a resting one now: markets with a delay hold it."""
        return would_take(self._floor, order)

    def check(self, order: NewOrder, *, now_ms: int) -> OrderView | Refusal:
        """Say what would become of an order that is placed now; whether it fills is left open."""
        self._floor.journal.now_ms = now_ms
        return check(self._floor, order)

    def resting(self, condition_id: ConditionId) -> tuple[OrderView, ...]:
        """Return every order that rests in a market, simulated ones too."""
        market = self._floor.markets.get(condition_id)
        if market is None:
            return ()
        sides = (market.book.bids, market.book.asks)
        return tuple(order.view(LiveStatus.LIVE) for side in sides for order in side.orders())

    def fees_taken(self) -> Micros:
        """Return the balance of the fee account."""
        return Micros(self._floor.ledger.fees)

    def audit(self) -> list[str]:
        """Recompute every sum from scratch and name what does not agree: always nothing."""
        return audit(self._floor)

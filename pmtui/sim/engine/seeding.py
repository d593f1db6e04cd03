"""Fill a book in bulk with what simulated traders rest: as if placed one by one, and silently.

Nothing is matched and nothing announced: whoever keeps books from events must read the book anew.
A bad order refuses the whole batch before anything has changed.
"""

from collections.abc import Iterable

from pmtui.domain.ids import Address, ApiKey, OrderId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, SCALE, ZERO, Micros, notional_floor
from pmtui.domain.orders.amounts import SIZE_STEP
from pmtui.domain.orders.order import TimeInForce
from pmtui.sim.engine import refusals
from pmtui.sim.engine.amounts import decimals_of
from pmtui.sim.engine.book import RestingOrder
from pmtui.sim.engine.floor import Floor, TradedMarket
from pmtui.sim.engine.ledger import Account
from pmtui.sim.engine.placing import mode_refusal, standing_refusal
from pmtui.sim.engine.terms import Permission, Refusal, Seeded, SeedOrder


def seed(
    floor: Floor, market: TradedMarket, orders: Iterable[SeedOrder], *, owner: ApiKey
) -> Seeded | Refusal:
    """Rest every order that crosses nothing, as a post-only order of no expiration.

    Raises:
        ValueError: an account is not simulated, or does not lack for nothing.
    """
    refusal = mode_refusal(floor, post_only=True)
    if refusal is not None:
        return refusal
    if not market.is_accepting or market.payout is not None:
        return refusals.MARKET_NOT_READY
    batch = _Batch(floor, market, owner)
    for order in orders:
        refusal = batch.take(order)
        if refusal is not None:
            return refusal
    for resting in batch.fresh.values():
        floor.rest(resting)
    if batch.fresh:
        _cover(floor, market, batch.accounts)
        market.book.changed_ms = floor.journal.now_ms
        market.top = (market.book.bids.best, market.book.asks.best)
    return Seeded(count=len(batch.fresh), crossing=tuple(batch.crossing))


class _Batch:
    """The orders read so far, and the top of the book that they would make."""

    __slots__ = ("_ask", "_bid", "_floor", "_market", "_owner", "accounts", "crossing", "fresh")

    def __init__(self, floor: Floor, market: TradedMarket, owner: ApiKey) -> None:
        self._floor = floor
        self._market = market
        self._owner = owner
        self._bid = market.book.bids.best or ZERO
        self._ask = market.book.asks.best or ONE
        self.accounts: dict[Address, Account] = {}
        self.fresh: dict[OrderId, RestingOrder] = {}
        self.crossing: list[OrderId] = []

    def take(self, order: SeedOrder) -> Refusal | None:
        """Keep an order, or count it as crossing; refuse it in the order of checks of `place`."""
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
            # On grids finer than any known an order's cash can have no exact amount.
            or price * size % SCALE
        ):
            return _terms_refusal(order, tick, self._market.spec.min_size)
        if order_id in self.fresh or self._floor.orders.is_known(order_id):
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
                created_ms=self._floor.journal.now_ms,
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
        account = self._floor.ledger.accounts.get(address)
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


def _cover(floor: Floor, market: TradedMarket, accounts: dict[Address, Account]) -> None:
    # Reserved first and covered afterwards, an account lacks all that its orders need at once.
    for account in accounts.values():
        for asset in (*market.spec.tokens, None):
            floor.ledger.cover(account, market.spec, asset, 0)

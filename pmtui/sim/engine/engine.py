"""The whole state of the engine, and the basic steps of every command."""

from pmtui.domain.ids import Address, ConditionId, TokenId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.sim.engine.book import Book, OpenOrders, RestingOrder, own_price
from pmtui.sim.engine.events import (
    Cause,
    EventLog,
    LevelChanged,
    MarketAdded,
    MarketRemoved,
    OrderCancelled,
    TickSizeChanged,
    Trade,
)
from pmtui.sim.engine.ledger import Account, Ledger
from pmtui.sim.engine.terms import (
    IdSource,
    LiveStatus,
    MarketSpec,
    MarketView,
    Payout,
    Refusal,
    TradingMode,
)

UNKNOWN_MARKET = Refusal(404, "market not found")


class TradedMarket:
    """One market: its terms, its book, and what changes while it trades."""

    __slots__ = (
        "book",
        "last_trade_price",
        "last_trade_side",
        "payout",
        "resolved_ms",
        "spec",
        "tick_size",
        "top",
    )

    def __init__(self, spec: MarketSpec) -> None:
        self.spec = spec
        self.book = Book()
        self.tick_size = spec.tick_size
        self.payout: Payout | None = None
        self.resolved_ms: int | None = None
        self.last_trade_price: Micros | None = None
        self.last_trade_side: Side | None = None
        self.top: tuple[Micros | None, Micros | None] = (None, None)
        """Best bid and ask of the first token as last announced."""

    def view(self, pool: int) -> MarketView:
        """Return the market's current state."""
        return MarketView(
            spec=self.spec,
            tick_size=self.tick_size,
            is_accepting=self.spec.is_accepting and self.payout is None,
            payout=self.payout,
            last_trade_price=self.last_trade_price,
            last_trade_side=self.last_trade_side,
            open_interest=Micros(pool),
            resolved_ms=self.resolved_ms,
        )


class Engine:
    """Markets, ledger, resting orders and unsettled trades, kept consistent with each other."""

    def __init__(self, ids: IdSource) -> None:
        self.ids = ids
        self.events = EventLog()
        self.ledger = Ledger(self.events)
        self.orders = OpenOrders()
        self.markets: dict[ConditionId, TradedMarket] = {}
        self.tokens: dict[TokenId, tuple[TradedMarket, int]] = {}
        self.groups: dict[str, list[TradedMarket]] = {}
        self.unsettled: dict[TradeId, Trade] = {}
        self.mode = TradingMode.NORMAL
        self.retry_after_s = 120

    def add_market(self, spec: MarketSpec) -> TradedMarket:
        """Add a market with an empty book.

        Raises:
            ValueError: the market, or one of its tokens, already exists.
        """
        if spec.condition_id in self.markets or any(token in self.tokens for token in spec.tokens):
            raise ValueError(f"market added twice: {spec.condition_id}")
        market = TradedMarket(spec)
        market.book.changed_ms = self.events.now_ms
        self.markets[spec.condition_id] = market
        self.ledger.pools[spec.condition_id] = 0
        for index, token_id in enumerate(spec.tokens):
            self.tokens[token_id] = (market, index)
        if spec.group:
            self.groups.setdefault(spec.group, []).append(market)
        self.events.add(MarketAdded(spec, self.events.now_ms))
        return market

    def remove_market(self, market: TradedMarket) -> bool:
        """Remove a market that ended, unless somebody still has shares or a trade in it.

        Returns:
            Whether it was removed.
        """
        spec = market.spec
        is_held = any(
            token_id in account.shares
            for account in self.ledger.accounts.values()
            for token_id in spec.tokens
        )
        is_settling = any(t.condition_id == spec.condition_id for t in self.unsettled.values())
        if market.payout is None or is_held or is_settling:
            return False
        # The rounding remainder in the pool belongs to nobody.
        self.ledger.fees += self.ledger.pools.pop(spec.condition_id)
        del self.markets[spec.condition_id]
        for token_id in spec.tokens:
            del self.tokens[token_id]
        if spec.group:
            self.groups[spec.group].remove(market)
        self.events.add(MarketRemoved(spec, self.events.now_ms))
        return True

    def account(self, address: Address) -> Account:
        """Return the account, opened empty if it is new."""
        account = self.ledger.accounts.get(address)
        return account or self.ledger.open(address, simulated=False, unlimited=False)

    def rest(self, order: RestingOrder) -> None:
        """Put an order into the book and reserve the amount it needs."""
        market = self.markets[order.condition_id]
        market.book.side_of(order).add(order)
        self.orders.add(order)
        self.ledger.hold(self.account(order.account), order, sign=1)

    def fill(self, order: RestingOrder, size: Micros) -> None:
        """Match part of a resting order, which leaves the book if too little of it remains."""
        side = self.markets[order.condition_id].book.side_of(order)
        account = self.account(order.account)
        self.ledger.hold(account, order, sign=-1)
        side.reduce(order, size)
        if order.is_filled:
            side.remove(order)
            self.orders.drop(order)
        else:
            self.ledger.hold(account, order, sign=1)

    def cancel(self, order: RestingOrder, status: str) -> None:
        """Remove an order from the book, release its reservation, and announce both."""
        market = self.markets[order.condition_id]
        self.ledger.hold(self.account(order.account), order, sign=-1)
        market.book.side_of(order).remove(order)
        self.orders.drop(order)
        self.announce_level(
            market,
            order.book_price,
            is_bid=order.is_bid,
            token_index=order.token_index,
            cause=Cause.CANCELLED,
        )
        self.finish(order, status)

    def finish(self, order: RestingOrder, status: str) -> None:
        """Record how an order ended, unless its account is simulated, and announce a cancellation."""
        if order.is_simulated:
            return
        self.orders.known[order.order_id] = status
        if status != LiveStatus.MATCHED:
            self.events.add(OrderCancelled(order.view(status), self.events.now_ms))

    def announce_level(
        self,
        market: TradedMarket,
        book_price: Micros,
        *,
        is_bid: bool,
        token_index: int,
        cause: Cause,
    ) -> None:
        """Announce the new size of a level in terms of one token."""
        book = market.book
        book.changed_ms = self.events.now_ms
        top = (book.bids.best, book.asks.best)
        is_top_moved = top != market.top
        market.top = top
        best_bid, best_ask = book.top(token_index)
        tokens = market.spec.tokens
        self.events.add(
            LevelChanged(
                condition_id=market.spec.condition_id,
                token_id=tokens[token_index],
                other_token_id=tokens[1 - token_index],
                side=Side.BUY if is_bid == (token_index == 0) else Side.SELL,
                price=own_price(book_price, token_index),
                size=(book.bids if is_bid else book.asks).shown_at(book_price),
                best_bid=best_bid,
                best_ask=best_ask,
                is_top_moved=is_top_moved,
                cause=cause,
                at_ms=self.events.now_ms,
            )
        )

    def enforce_reservations(self, account: Account) -> None:
        """Cancel the youngest orders until the remaining ones can be paid for.

        Chain operations can move amounts reserved by resting orders; the public venue then removes
        orders.
        """
        for order in reversed(self.orders.of_account(account.address)):
            asset = None if order.side is Side.BUY else order.token_id
            if account.available(asset) < 0:
                self.cancel(order, LiveStatus.NOT_ENOUGH_BALANCE)


FINE_TICK = Micros(1_000)
COARSE_TICK = Micros(10_000)
FINE_BELOW = Micros(40_000)
FINE_ABOVE = Micros(960_000)
"""A trade beyond these prices refines the grid of a 0.01 market (docs/wire.md#market-stream)."""


def refine_tick_size(engine: Engine, market: TradedMarket, price: Micros) -> None:
    """Give a 0.01 market the finer tick size when the first token trades near 0 or 1."""
    if market.tick_size == COARSE_TICK and not FINE_BELOW <= price <= FINE_ABOVE:
        change_tick_size(engine, market, FINE_TICK)


def change_tick_size(engine: Engine, market: TradedMarket, tick: Micros) -> None:
    """Change the tick size, after cancelling the orders whose prices are not multiples of it."""
    for order in (*market.book.bids.orders(), *market.book.asks.orders()):
        if order.price % tick:
            engine.cancel(order, LiveStatus.TICK_SIZE)
    old, market.tick_size = market.tick_size, tick
    engine.events.add(TickSizeChanged(market.spec.condition_id, old, tick, engine.events.now_ms))

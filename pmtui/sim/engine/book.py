"""One market's book, with the orders of both tokens, and the indexes of all resting orders.

A book is kept in prices of the first token: a bid is a BUY of the first token or a SELL of the
second at the complement, an ask the reverse. Within a price, orders queue by arrival, separately for
each token: a taker matches its own token first.
"""

from bisect import bisect_left, insort
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush
from types import MappingProxyType

from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, ZERO, Micros, notional_ceil
from pmtui.domain.orders.amounts import SIZE_STEP
from pmtui.domain.orders.order import TimeInForce
from pmtui.sim.engine.terms import GTD_EARLY_MS, BookView, Level, OrderView


@dataclass(slots=True, eq=False)
class RestingOrder:
    """An order in the book, or about to enter it."""

    order_id: OrderId
    account: Address
    owner: ApiKey
    condition_id: ConditionId
    token_id: TokenId
    token_index: int
    side: Side
    price: Micros
    size: Micros
    time_in_force: TimeInForce
    expiration_s: int
    created_ms: int
    is_simulated: bool
    matched: Micros = ZERO
    trade_ids: tuple[TradeId, ...] = ()
    is_bid: bool = field(init=False)
    book_price: Micros = field(init=False)
    """In prices of the first token."""

    def __post_init__(self) -> None:
        self.is_bid = (self.side is Side.BUY) == (self.token_index == 0)
        self.book_price = own_price(self.price, self.token_index)

    @property
    def remaining(self) -> Micros:
        """Shares that can still match."""
        return Micros(self.size - self.matched)

    @property
    def is_filled(self) -> bool:
        """Whether the remainder is too small to match again."""
        return self.size - self.matched < SIZE_STEP

    @property
    def held(self) -> Micros:
        """Amount reserved by the order: collateral for a BUY, shares for a SELL."""
        if self.side is Side.BUY:
            return notional_ceil(self.price, self.remaining)
        return self.remaining

    def view(self, status: str) -> OrderView:
        """Return the order's current state."""
        return OrderView(
            order_id=self.order_id,
            account=self.account,
            owner=self.owner,
            condition_id=self.condition_id,
            token_id=self.token_id,
            side=self.side,
            price=self.price,
            original_size=self.size,
            matched_size=self.matched,
            time_in_force=self.time_in_force,
            expiration_s=self.expiration_s,
            created_ms=self.created_ms,
            status=status,
            trade_ids=self.trade_ids,
        )


def own_price(price: Micros, token_index: int) -> Micros:
    """Convert a price between the first token and the token of this index, in either direction."""
    return price if token_index == 0 else Micros(ONE - price)


_NO_ORDERS: Mapping[OrderId, RestingOrder] = MappingProxyType({})


class PriceLevel:
    """All orders at one price, with their total size kept up to date."""

    __slots__ = ("price", "queues", "total")

    def __init__(self, price: Micros) -> None:
        self.price = price
        self.total = 0
        # Most levels have a single order: a queue is only created for the first of its token.
        self.queues: list[Mapping[OrderId, RestingOrder]] = [_NO_ORDERS, _NO_ORDERS]

    def add(self, order: RestingOrder) -> None:
        """Queue the order behind the others of its token."""
        queue = self.queues[order.token_index]
        # An ordered dict removes from both ends and the middle in constant time; a dict does not.
        if not isinstance(queue, OrderedDict):
            queue = self.queues[order.token_index] = OrderedDict()
        queue[order.order_id] = order
        self.total += order.remaining

    def remove(self, order: RestingOrder) -> None:
        """Remove the order from its queue."""
        queue = self.queues[order.token_index]
        if isinstance(queue, OrderedDict):
            del queue[order.order_id]
        self.total -= order.remaining

    @property
    def shown(self) -> Micros:
        """The size as displayed by the public venue."""
        return Micros(self.total - self.total % SIZE_STEP)


class BookSide:
    """The levels of one side; the best is found without a search, any other by price."""

    __slots__ = ("_keys", "_levels", "_sign")

    def __init__(self, *, is_bid: bool) -> None:
        self._sign = 1 if is_bid else -1
        self._levels: dict[Micros, PriceLevel] = {}
        # In ascending order of attractiveness, so the best is last and cheap to add and remove.
        self._keys: list[int] = []

    def add(self, order: RestingOrder) -> None:
        """Queue the order behind the others of its price and token."""
        price = order.book_price
        level = self._levels.get(price)
        if level is None:
            level = self._levels[price] = PriceLevel(price)
            insort(self._keys, price * self._sign)
        level.add(order)

    def remove(self, order: RestingOrder) -> None:
        """Remove the order, and its level if it was the last one there."""
        price = order.book_price
        level = self._levels[price]
        level.remove(order)
        if not level.queues[0] and not level.queues[1]:
            del self._levels[price]
            del self._keys[bisect_left(self._keys, price * self._sign)]

    def reduce(self, order: RestingOrder, size: Micros) -> None:
        """Match `size` of a resting order, which keeps its queue position."""
        order.matched = Micros(order.matched + size)
        self._levels[order.book_price].total -= size

    @property
    def best(self) -> Micros | None:
        """The best price, None if the side is empty."""
        return Micros(self._keys[-1] * self._sign) if self._keys else None

    def shown_at(self, price: Micros) -> Micros:
        """Return the displayed size at a price, 0 if there is no level."""
        level = self._levels.get(price)
        return level.shown if level else ZERO

    def from_best(self) -> Iterator[PriceLevel]:
        """Iterate over the levels, best first."""
        for key in reversed(self._keys):
            yield self._levels[Micros(key * self._sign)]

    def from_worst(self) -> Iterator[PriceLevel]:
        """Iterate over the levels, best last, as the public venue lists them."""
        for key in self._keys:
            yield self._levels[Micros(key * self._sign)]

    def orders(self) -> Iterator[RestingOrder]:
        """Iterate over all orders, best price first and in matching order within a token."""
        for level in self.from_best():
            for queue in level.queues:
                yield from queue.values()


class Book:
    """Both sides of one market."""

    __slots__ = ("asks", "bids", "changed_ms")

    def __init__(self) -> None:
        self.bids = BookSide(is_bid=True)
        self.asks = BookSide(is_bid=False)
        self.changed_ms = 0

    def side_of(self, order: RestingOrder) -> BookSide:
        """Return the side the order rests on."""
        return self.bids if order.is_bid else self.asks

    def top(self, token_index: int) -> tuple[Micros | None, Micros | None]:
        """Return best bid and best ask of one token."""
        bid, ask = self.bids.best, self.asks.best
        if token_index == 0:
            return bid, ask
        return (
            None if ask is None else Micros(ONE - ask),
            None if bid is None else Micros(ONE - bid),
        )

    def view(self, token_id: TokenId, token_index: int) -> BookView:
        """Return one token's book: the second token's is the mirror of the first's."""
        own, other = (self.bids, self.asks) if token_index == 0 else (self.asks, self.bids)
        return BookView(
            token_id=token_id,
            bids=_levels(own, token_index),
            asks=_levels(other, token_index),
            changed_ms=self.changed_ms,
        )


def _levels(side: BookSide, token_index: int) -> tuple[Level, ...]:
    return tuple(
        Level(own_price(level.price, token_index), level.shown) for level in side.from_worst()
    )


class OpenOrders:
    """Indexes of the resting orders.

    Only id and status of finished orders are kept, and only for accounts that are not simulated, so
    that a day of simulated trading costs no memory.
    """

    def __init__(self) -> None:
        self.by_id: dict[OrderId, RestingOrder] = {}
        self.known: dict[OrderId, str] = {}
        """Last status of every accepted order of an account that is not simulated."""
        self._by_owner: dict[ApiKey, dict[OrderId, RestingOrder]] = {}
        self._by_account: dict[Address, dict[OrderId, RestingOrder]] = {}
        self._due: list[tuple[int, int, RestingOrder]] = []
        self._arrivals = 0

    def is_known(self, order_id: OrderId) -> bool:
        """Whether the id was used before."""
        return order_id in self.by_id or order_id in self.known

    def add(self, order: RestingOrder) -> None:
        """Index an order that starts to rest."""
        self.by_id[order.order_id] = order
        self._by_owner.setdefault(order.owner, {})[order.order_id] = order
        self._by_account.setdefault(order.account, {})[order.order_id] = order
        if order.time_in_force is TimeInForce.GTD:
            self._arrivals += 1
            due_ms = order.expiration_s * 1000 - GTD_EARLY_MS
            heappush(self._due, (due_ms, self._arrivals, order))

    def drop(self, order: RestingOrder) -> None:
        """Remove an order that no longer rests."""
        del self.by_id[order.order_id]
        owned = self._by_owner[order.owner]
        del owned[order.order_id]
        if not owned:
            del self._by_owner[order.owner]
        held = self._by_account[order.account]
        del held[order.order_id]
        if not held:
            del self._by_account[order.account]

    def of_owner(self, owner: ApiKey) -> tuple[RestingOrder, ...]:
        """Return an owner's orders, oldest first."""
        return tuple(self._by_owner.get(owner, {}).values())

    def of_account(self, address: Address) -> tuple[RestingOrder, ...]:
        """Return an account's orders, oldest first."""
        return tuple(self._by_account.get(address, {}).values())

    def next_due_ms(self) -> int | None:
        """Return when the next GTD order expires."""
        while self._due and not self._rests(self._due[0][2]):
            heappop(self._due)
        return self._due[0][0] if self._due else None

    def take_due(self, now_ms: int) -> list[RestingOrder]:
        """Return the orders that are due to expire, earliest first; each is returned once."""
        due: list[RestingOrder] = []
        while self._due and self._due[0][0] <= now_ms:
            order = heappop(self._due)[2]
            if self._rests(order):
                due.append(order)
        return due

    def _rests(self, order: RestingOrder) -> bool:
        # Not by id alone: simulated traders may reuse an id after its order is gone.
        return self.by_id.get(order.order_id) is order

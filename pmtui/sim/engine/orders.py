"""Every resting order by id, by owner and by account, and which GTD orders are due."""

from heapq import heappop, heappush

from pmtui.domain.ids import Address, ApiKey, OrderId
from pmtui.domain.orders.order import TimeInForce
from pmtui.sim.engine.book import RestingOrder
from pmtui.sim.engine.terms import GTD_EARLY_MS


class OpenOrders:
    """Indexes of the resting orders.

    Of finished ones only id and status are kept, and only for accounts that are not simulated, so
    that a day of simulated trading costs no memory.
    """

    def __init__(self) -> None:
        self.by_id: dict[OrderId, RestingOrder] = {}
        self.known: dict[OrderId, str] = {}
        """Last status of every order ever accepted from an account that matters."""
        self._by_owner: dict[ApiKey, dict[OrderId, RestingOrder]] = {}
        self._by_account: dict[Address, dict[OrderId, RestingOrder]] = {}
        self._due: list[tuple[int, int, RestingOrder]] = []
        self._arrivals = 0

    def is_known(self, order_id: OrderId) -> bool:
        """Whether the id was used before."""
        return order_id in self.by_id or order_id in self.known

    def add(self, order: RestingOrder) -> None:
        """Index an order that begins to rest."""
        self.by_id[order.order_id] = order
        self._by_owner.setdefault(order.owner, {})[order.order_id] = order
        self._by_account.setdefault(order.account, {})[order.order_id] = order
        if order.time_in_force is TimeInForce.GTD:
            self._arrivals += 1
            due_ms = order.expiration_s * 1000 - GTD_EARLY_MS
            heappush(self._due, (due_ms, self._arrivals, order))

    def drop(self, order: RestingOrder) -> None:
        """Forget an order that no longer rests."""
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
        """Return when the next GTD order leaves the book."""
        while self._due and not self._rests(self._due[0][2]):
            heappop(self._due)
        return self._due[0][0] if self._due else None

    def take_due(self, now_ms: int) -> list[RestingOrder]:
        """Return the orders whose time has come, earliest first; each is returned once."""
        due: list[RestingOrder] = []
        while self._due and self._due[0][0] <= now_ms:
            order = heappop(self._due)[2]
            if self._rests(order):
                due.append(order)
        return due

    def _rests(self, order: RestingOrder) -> bool:
        # Not by id alone: simulated traders may use an id again after its order is gone.
        return self.by_id.get(order.order_id) is order

"""Orders that the venue took and holds back for a moment: what became of them, once it is known."""

from collections.abc import Callable
from dataclasses import dataclass

from pmtui.domain.ids import OrderId
from pmtui.domain.money import Micros, notional_floor
from pmtui.domain.orders.order import (
    Accepted,
    Fill,
    Order,
    OrderStatus,
    Rejected,
    TradeStatus,
    Verdict,
)
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import AccountView

_ON_THE_WAY = frozenset(
    {OrderStatus.PENDING, OrderStatus.SENT, OrderStatus.UNKNOWN, OrderStatus.DELAYED}
)
_NOBODY = "nobody met it"

Say = Callable[[Verdict], str]


@dataclass(slots=True)
class _Followed:
    say: Say
    told: tuple[OrderStatus, Micros] | None = None


class DelayedOrders:
    """Those that a screen has to tell of."""

    def __init__(self) -> None:
        self._followed: dict[OrderId, _Followed] = {}

    def follow(self, order: PreparedOrder, verdict: Verdict, say: Say) -> None:
        """Tell of an order's end in the words of `say`, if its verdict was only that it waits."""
        if isinstance(verdict, Accepted) and verdict.status is OrderStatus.DELAYED:
            self._followed[order.unsigned.order_id] = _Followed(say)

    def news(self, account: AccountView, fills: tuple[Fill, ...]) -> str:
        """Return what became of one since the last look; empty while nothing did.

        Trades of one match may be told of one by one: what was told grows with them.
        """
        for known in account.recent if self._followed else ():
            followed = self._followed.get(known.order_id)
            if followed is None or known.status in _ON_THE_WAY:
                continue
            verdict = _end_of(known, fills)
            if verdict is None or followed.told == (known.status, known.matched_size):
                continue
            followed.told = (known.status, known.matched_size)
            if known.status in (OrderStatus.FILLED, OrderStatus.REJECTED):
                del self._followed[known.order_id]
            return followed.say(verdict)
        return ""


def _end_of(known: Order, every: tuple[Fill, ...]) -> Verdict | None:
    """Return how it ended; None while not all of its trades are told of."""
    if known.status is OrderStatus.REJECTED:
        return Rejected(known.reason or "the venue dropped it")
    fills = [
        fill
        for fill in every
        if fill.order_id == known.order_id and fill.status is not TradeStatus.FAILED
    ]
    size = Micros(sum(fill.size for fill in fills))
    if size < known.matched_size:
        return None
    cash = Micros(sum(notional_floor(fill.price, fill.size) for fill in fills))
    return Accepted(known.order_id, known.status, size, known.reason or _NOBODY, cash)

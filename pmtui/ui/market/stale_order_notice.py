"""What was said of an order that rests, until it rests no more as it was said."""

from pmtui.domain.ids import OrderId
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Accepted, OrderStatus, Verdict
from pmtui.service.views import AccountView

_RESTING = frozenset({OrderStatus.LIVE, OrderStatus.PARTIALLY_FILLED})


class SaidResting:
    """The last such words: a fill may come while they are still read."""

    def __init__(self) -> None:
        self._said: tuple[OrderId, Micros, str] | None = None

    def note(self, verdict: Verdict, words: str) -> None:
        """Keep the words, if they say that something rests."""
        self._said = None
        if isinstance(verdict, Accepted) and verdict.status in _RESTING:
            self._said = verdict.order_id, verdict.filled_size, words

    def overtaken(self, account: AccountView) -> str:
        """Return words that are true no more, once; empty while they are."""
        if self._said is None:
            return ""
        order_id, filled, words = self._said
        known = next((order for order in account.recent if order.order_id == order_id), None)
        if known is None or (known.status.is_open and known.matched_size <= filled):
            return ""
        self._said = None
        return words

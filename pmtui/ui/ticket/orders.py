"""Orders a ticket has sent and cannot yet be sure of: which they are, and what became of them."""

from dataclasses import dataclass, replace

from pmtui.domain.ids import OrderId
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Accepted, Order, OrderStatus
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import AccountView
from pmtui.ui.format import format_size

_IN_DOUBT = (OrderStatus.PENDING, OrderStatus.SENT, OrderStatus.UNKNOWN)

ON_ITS_WAY = "The same order is being sent. This would be a second one."
BEING_CHECKED = "The same order is unconfirmed. This would be a second one."


@dataclass(slots=True)
class _Sent:
    order: PreparedOrder
    is_unknown: bool = False
    is_listed: bool = False
    """Whether the account has shown it since it became unknown."""


class SentOrders:
    """Remembers orders from sending until it is known how they ended."""

    def __init__(self) -> None:
        self._sent: dict[OrderId, _Sent] = {}
        self._followed: tuple[PreparedOrder, Accepted] | None = None

    @property
    def is_sending(self) -> bool:
        """Whether an answer is still awaited."""
        return any(not sent.is_unknown for sent in self._sent.values())

    def note_sent(self, order: PreparedOrder) -> None:
        """Remember an order that leaves now."""
        self._sent[order.unsigned.order_id] = _Sent(order)

    def note_ended(self, order: PreparedOrder) -> None:
        """Forget an order whose end is known."""
        self._sent.pop(order.unsigned.order_id, None)

    def note_unknown(self, order: PreparedOrder) -> None:
        """Keep an order that the venue may or may not hold."""
        self._sent[order.unsigned.order_id] = _Sent(order, is_unknown=True)

    def follow(self, order: PreparedOrder, verdict: Accepted) -> None:
        """Tell from now on what becomes of this accepted order."""
        self._followed = (order, verdict)

    def news_of_followed(self, account: AccountView) -> tuple[PreparedOrder, Order] | None:
        """Return the followed order once its life is another than what was said of it last."""
        if self._followed is None:
            return None
        order, said = self._followed
        known = next((o for o in account.recent if o.order_id == order.unsigned.order_id), None)
        if known is None or known.status in _IN_DOUBT:
            return None
        if (known.status, known.matched_size) == (said.status, said.filled_size):
            return None
        is_behind = known.matched_size < said.filled_size and known.status.is_open
        if is_behind:
            # The account has not heard yet of what the answer told.
            return None
        self._followed = (
            order,
            replace(said, status=known.status, filled_size=known.matched_size),
        )
        return order, known

    def doubt_about(self, order: PreparedOrder, account: AccountView) -> str:
        """Say why sending this order may double another; empty where nothing speaks against it.

        The account tells of orders in doubt from before this ticket was opened, too.
        """
        for sent in self._sent.values():
            if _terms(sent.order) == _terms(order):
                return BEING_CHECKED if sent.is_unknown else ON_ITS_WAY
        for known in account.open_orders:
            if known.status in _IN_DOUBT and _terms_of(known) == _terms(order):
                is_unknown = known.status is OrderStatus.UNKNOWN
                return BEING_CHECKED if is_unknown else ON_ITS_WAY
        return ""

    def settle(self, account: AccountView) -> str:
        """Forget unknown orders that the account knows better by now; say what became of them."""
        news = ""
        for order_id, sent in list(self._sent.items()):
            if not sent.is_unknown:
                continue
            known = next((o for o in account.open_orders if o.order_id == order_id), None)
            if known is not None and known.status in _IN_DOUBT:
                sent.is_listed = True
                continue
            filled = Micros(sum(f.size for f in account.fills if f.order_id == order_id))
            if known is None and not filled and not sent.is_listed:
                continue
            del self._sent[order_id]
            news = _say_found(known, filled)
        return news


def _say_found(known: Order | None, filled: Micros) -> str:
    if filled:
        rests = f", {format_size(known.remaining_size)} working" if known is not None else ""
        return f"It arrived: {format_size(filled)} filled{rests}"
    if known is not None:
        return f"It arrived: {format_size(known.remaining_size)} working"
    return "Checked: not at the venue; see the log"


def _terms(order: PreparedOrder) -> tuple[object, ...]:
    return (order.intent.token_id, order.intent.side, order.price, order.size)


def _terms_of(order: Order) -> tuple[object, ...]:
    return (order.token_id, order.side, order.price, order.original_size)

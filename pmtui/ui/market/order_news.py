"""Reports how the orders of a screen ended: at once, or later if that is not known at once."""

from collections.abc import Callable
from dataclasses import dataclass

from pmtui.domain.ids import CommandId, OrderId
from pmtui.domain.money import Micros, notional_floor
from pmtui.domain.orders.order import (
    Accepted,
    Fill,
    Order,
    OrderStatus,
    Rejected,
    TradeStatus,
    Unknown,
    Verdict,
)
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import AccountView
from pmtui.ui.message_line import MessageLine
from pmtui.ui.portfolio.paint_orders import describe_cancelled, format_verdict
from pmtui.ui.surface import Surface

_ON_THE_WAY = frozenset(
    {OrderStatus.PENDING, OrderStatus.SENT, OrderStatus.UNKNOWN, OrderStatus.DELAYED}
)
_TOLD_WHOLE = frozenset({OrderStatus.FILLED, OrderStatus.REJECTED, OrderStatus.LIVE})
"""States after which the log has the news of an order."""
_NOBODY = "nobody met it"
_RESTING = frozenset({OrderStatus.LIVE, OrderStatus.PARTIALLY_FILLED})

Describe = Callable[[Verdict], str]


@dataclass(slots=True)
class _Followed:
    describe: Describe
    reported: tuple[OrderStatus, Micros] | None = None


class DelayedOrders:
    """Delayed and unconfirmed orders whose end is still to be reported."""

    def __init__(self) -> None:
        self._followed: dict[OrderId, _Followed] = {}

    def follow(self, order: PreparedOrder, verdict: Verdict, describe: Describe) -> None:
        """Report an order's end by `describe` later, if its verdict is that it is delayed or unconfirmed."""
        is_delayed = isinstance(verdict, Accepted) and verdict.status is OrderStatus.DELAYED
        if is_delayed or isinstance(verdict, Unknown):
            self._followed[order.order_id] = _Followed(describe)

    def news(self, account: AccountView, fills: tuple[Fill, ...]) -> str:
        """Return the news of one order since the last call; empty when there is none.

        The trades of one match may arrive one by one: the news grows with them.
        """
        for known in account.recent if self._followed else ():
            followed = self._followed.get(known.order_id)
            if followed is None or known.status in _ON_THE_WAY:
                continue
            verdict = _end_of(known, fills)
            if verdict is None or followed.reported == (known.status, known.matched_size):
                continue
            followed.reported = (known.status, known.matched_size)
            if known.status in _TOLD_WHOLE:
                del self._followed[known.order_id]
            return followed.describe(verdict)
        return ""


class RestingNotice:
    """The last message about a resting order, which a fill may overtake while it is still read."""

    def __init__(self) -> None:
        self._shown: tuple[OrderId, Micros, str] | None = None

    def note(self, verdict: Verdict, words: str) -> None:
        """Remember the message if it says that an order rests."""
        self._shown = None
        if isinstance(verdict, Accepted) and verdict.status in _RESTING:
            self._shown = verdict.order_id, verdict.filled_size, words

    def overtaken(self, account: AccountView) -> str:
        """Return a message that is no longer true, once; else an empty text."""
        if self._shown is None:
            return ""
        order_id, filled, words = self._shown
        known = next((order for order in account.recent if order.order_id == order_id), None)
        if known is None or (known.status.is_open and known.matched_size <= filled):
            return ""
        self._shown = None
        return words


class OrderNews:
    """Shows on the message line how the orders of a screen ended, even if that comes late.

    A closed screen loses only the messages: the service owns the orders.
    """

    def __init__(self, surface: Surface, line: MessageLine) -> None:
        self._surface = surface
        self._line = line
        self._delayed = DelayedOrders()
        self._resting = RestingNotice()

    async def report_cancel(self, command_id: CommandId, where: str, more: str = "") -> None:
        """Show how a cancellation ended."""
        verdict = await self._surface.commands.cancel_verdict(command_id)
        self._line.show(describe_cancelled(verdict, where) + more)

    async def report_placed(self, command_id: CommandId, order: PreparedOrder) -> None:
        """Describe how an order ended that a card was agreed to for."""
        since = self._line.mark
        verdict = await self._surface.commands.verdict(command_id)
        self.report(order, verdict, lambda end: format_verdict(end, order), since=since)

    def report(
        self, order: PreparedOrder, verdict: Verdict, words: Describe, *, since: int
    ) -> None:
        """Show how an order ended.

        Args:
            order: the order sent.
            verdict: its end as far as known.
            words: describes a verdict.
            since: the mark of the message line when the order was sent.
        """
        self._delayed.follow(order, verdict, words)
        self.announce(verdict, words(verdict), since=since)
        self.show()

    def announce(self, verdict: Verdict, words: str, *, since: int | None = None) -> None:
        """Show how an order ended; withdrawn once the order is no longer working as it says.

        Args:
            verdict: its end as far as known.
            words: describe it.
            since: the mark of the message line when the order was sent: what the venue accepted does not
                replace a newer refusal; the log and the lists show it. None to show it in any case.
        """
        is_good = isinstance(verdict, Accepted)
        if not is_good or since is None or not self._line.is_refusing_since(since):
            self._line.show(words)
        self._resting.note(verdict, words)

    def show(self) -> None:
        """Show news of delayed orders, and withdraw a message that is no longer true."""
        queries = self._surface.queries
        account = queries.account()
        if words := self._resting.overtaken(account):
            self._line.take_back(words)
        if news := self._delayed.news(account, queries.fills().fills):
            self._line.show(news)


def _end_of(known: Order, every: tuple[Fill, ...]) -> Verdict | None:
    """Return how an order ended; None until all of its trades are known."""
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
    fee = Micros(sum(fill.fee or 0 for fill in fills))
    return Accepted(known.order_id, known.status, size, known.reason or _NOBODY, cash, fee)

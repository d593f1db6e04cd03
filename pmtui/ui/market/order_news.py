"""What became of the orders that a screen sent: at once, and when the venue held them back."""

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
_NOBODY = "nobody met it"
_RESTING = frozenset({OrderStatus.LIVE, OrderStatus.PARTIALLY_FILLED})

Describe = Callable[[Verdict], str]


@dataclass(slots=True)
class _Followed:
    describe: Describe
    reported: tuple[OrderStatus, Micros] | None = None


class DelayedOrders:
    """Those that a screen has to tell of."""

    def __init__(self) -> None:
        self._followed: dict[OrderId, _Followed] = {}

    def follow(self, order: PreparedOrder, verdict: Verdict, describe: Describe) -> None:
        """Tell of an order's end in the words of `say`, if its verdict was only that it waits."""
        if isinstance(verdict, Accepted) and verdict.status is OrderStatus.DELAYED:
            self._followed[order.unsigned.order_id] = _Followed(describe)

    def news(self, account: AccountView, fills: tuple[Fill, ...]) -> str:
        """Return what became of one since the last look; empty while nothing did.

        Trades of one match may be told of one by one: what was told grows with them.
        """
        for known in account.recent if self._followed else ():
            followed = self._followed.get(known.order_id)
            if followed is None or known.status in _ON_THE_WAY:
                continue
            verdict = _end_of(known, fills)
            if verdict is None or followed.reported == (known.status, known.matched_size):
                continue
            followed.reported = (known.status, known.matched_size)
            if known.status in (OrderStatus.FILLED, OrderStatus.REJECTED):
                del self._followed[known.order_id]
            return followed.describe(verdict)
        return ""


class RestingNotice:
    """What was said last of an order that rests: a fill may come while it is still read."""

    def __init__(self) -> None:
        self._shown: tuple[OrderId, Micros, str] | None = None

    def note(self, verdict: Verdict, words: str) -> None:
        """Keep the words, if they say that something rests."""
        self._shown = None
        if isinstance(verdict, Accepted) and verdict.status in _RESTING:
            self._shown = verdict.order_id, verdict.filled_size, words

    def overtaken(self, account: AccountView) -> str:
        """Return words that are true no more, once; empty while they are."""
        if self._shown is None:
            return ""
        order_id, filled, words = self._shown
        known = next((order for order in account.recent if order.order_id == order_id), None)
        if known is None or (known.status.is_open and known.matched_size <= filled):
            return ""
        self._shown = None
        return words


class OrderNews:
    """Says on the message line how the orders of a screen ended, also when that comes late.

    Only the words are lost when the screen goes: the service owns the orders.
    """

    def __init__(self, surface: Surface, line: MessageLine) -> None:
        self._surface = surface
        self._line = line
        self._delayed = DelayedOrders()
        self._resting = RestingNotice()

    async def report_cancel(self, command_id: CommandId, where: str, more: str = "") -> None:
        """Describe how a cancellation ended."""
        verdict = await self._surface.commands.cancel_verdict(command_id)
        self._line.show(describe_cancelled(verdict, where) + more)

    async def report_placed(self, command_id: CommandId, order: PreparedOrder) -> None:
        """Describe how an order ended that a card was agreed to for."""
        verdict = await self._surface.commands.verdict(command_id)
        self.report(order, verdict, lambda end: format_verdict(end, order))

    def report(
        self,
        order: PreparedOrder,
        verdict: Verdict,
        words: Describe,
        *,
        may_be_overtaken: bool = False,
    ) -> None:
        """Describe how an order ended.

        Args:
            order: what was sent.
            verdict: its end as far as it is known now.
            words: how such an end is said.
            may_be_overtaken: withdraw the words once the order rests no more as they say.
        """
        self._delayed.follow(order, verdict, words)
        self._line.show(said := words(verdict))
        if may_be_overtaken:
            self._resting.note(verdict, said)
        self.show()

    def show(self) -> None:
        """Describe what became of an order that the venue held back, or that was said to rest."""
        queries = self._surface.queries
        account = queries.account()
        if words := self._resting.overtaken(account):
            self._line.take_back(words)
        if news := self._delayed.news(account, queries.fills().fills):
            self._line.show(news)


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

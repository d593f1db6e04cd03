"""Which own orders earn liquidity rewards: the venue is asked now and then, never guessed."""

from collections.abc import Callable, Iterable

from pmtui.domain.failure import Failure
from pmtui.domain.health import Source
from pmtui.domain.ids import OrderId
from pmtui.domain.orders.order import Order, OrderStatus
from pmtui.service.kernel import Kernel
from pmtui.service.ports import Account
from pmtui.service.topics import AccountTopic, BookTopic

LOOK_PERIOD_S = 2.0
ASK_PERIOD_S = 30.0
"""The venue samples once a minute; the middle of a market may move meanwhile."""
LARGEST_QUESTION = 100
"""Orders asked about at once; the newest first."""
_RESTING = frozenset({OrderStatus.LIVE, OrderStatus.PARTIALLY_FILLED})


class ScoringFeed:
    """Keeps what the venue last said."""

    def __init__(
        self,
        kernel: Kernel,
        *,
        account: Callable[[], Account | None],
        open_orders: Callable[[], Iterable[Order]],
    ) -> None:
        self._kernel = kernel
        self._account = account
        self._open_orders = open_orders
        self._scoring: frozenset[OrderId] = frozenset()
        self._asked: frozenset[OrderId] = frozenset()
        self._asked_at_s = float("-inf")

    @property
    def scoring(self) -> frozenset[OrderId]:
        """Own orders that earned when the venue was last asked."""
        return self._scoring

    async def keep_asking(self) -> None:
        """Ask soon after the orders have changed, else twice a minute, while somebody looks."""
        while True:
            await self._kernel.clock.sleep(LOOK_PERIOD_S)
            if self._kernel.hub.is_watched(AccountTopic()):
                await self.ask_if_due()

    async def ask_if_due(self) -> None:
        """Ask about every resting order, unless that was done lately."""
        account, now = self._account(), self._kernel.clock.monotonic()
        resting = [o.order_id for o in self._open_orders() if o.status in _RESTING]
        wanted = frozenset(resting[:LARGEST_QUESTION])
        is_old = now - self._asked_at_s >= ASK_PERIOD_S
        if wanted:
            if account is None or account.scoring is None or not (is_old or wanted - self._asked):
                return
            self._asked, self._asked_at_s = wanted, now
            ids = tuple(o for o in resting if o in wanted)
            answer = self._kernel.check(Source.TRADING, await account.scoring.are_scoring(ids))
            if isinstance(answer, Failure):
                return
            scoring = frozenset(o for o, is_scoring in answer.items() if is_scoring)
        else:
            scoring = frozenset()
        if scoring != self._scoring:
            self._scoring = scoring
            self._kernel.mark(AccountTopic())
            for topic in self._kernel.hub.watched():
                if isinstance(topic, BookTopic):
                    self._kernel.mark(topic)

"""The markets of our own orders, fills and positions: fetched once, and never dropped.

`OwnMarkets` fetches what is not known of them, so that no order or fill is shown by a number alone.
`needed_markets` names what the market store must keep: markets looked at, owned, waited for, starred.
"""

import asyncio
from collections.abc import Callable, Iterable

from pmtui.domain.account.pnl import day_of, fills_of_day
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.conditionals.conditional import Conditional
from pmtui.domain.health import Source
from pmtui.domain.ids import ConditionId
from pmtui.domain.markets.watchlist import StarKey
from pmtui.domain.orders.order import Order
from pmtui.service.account.account import AccountFeed
from pmtui.service.kernel import Kernel
from pmtui.service.markets.market_store import Needed
from pmtui.service.markets.metadata import MetadataFeed
from pmtui.service.ports import Hosts
from pmtui.service.topics import (
    AccountTopic,
    BookTopic,
    EventQuotesTopic,
    EventTopic,
    HistoryTopic,
    MarketTopic,
    TapeTopic,
    Topic,
)


def needed_markets(
    watched: Iterable[Topic],
    account: AccountFeed,
    conditionals: Iterable[Conditional],
    stars: Iterable[StarKey],
) -> Needed:
    """Return what is needed now.

    Args:
        watched: every topic with a watcher.
        account: our own orders, fills and positions.
        conditionals: those that are not over.
        stars: what is on the watchlist, and what alerts wait for.
    """
    needed = Needed(events=set(), markets=set(), tokens=set(), owned=set())
    for topic in watched:
        match topic:
            case EventTopic() | EventQuotesTopic():
                needed.events.add(topic.event_id)
            case MarketTopic():
                needed.markets.add(topic.condition_id)
            case BookTopic() | TapeTopic() | HistoryTopic():
                needed.tokens.add(topic.token_id)
            case _:
                pass
    own = account.own
    for items in (own.open_orders(), account.recent_orders(), own.fills()):
        needed.owned.update(item.condition_id for item in items)
    needed.owned.update(p.condition_id for p in account.holdings.positions())
    needed.owned.update(each.condition_id for each in conditionals)
    for key in stars:
        if (event_id := key.event_id) is not None:
            needed.events.add(event_id)
        if (condition_id := key.condition_id) is not None:
            needed.owned.add(condition_id)
    return needed


MOST_PAST = 40
"""Markets of trades in the past that are asked for; what is open is asked for whole."""


class OwnMarkets:
    """Asks for each market once, when something of ours is first met in it."""

    def __init__(
        self,
        kernel: Kernel,
        hosts: Callable[[], "asyncio.Future[Hosts]"],
        metadata: MetadataFeed,
        account: AccountFeed,
    ) -> None:
        self._kernel = kernel
        self._hosts = hosts
        self._metadata = metadata
        self._account = account
        self._missing: set[ConditionId] = set()
        """The host knows no such market: it is not asked again."""
        account.on_order(self._on_order)
        account.fees.on_unknown(self._start)

    def on_demand(self, topic: Topic) -> None:
        """Fetch the names of everything that is ours as soon as the account is watched."""
        if topic == AccountTopic():
            self._start()

    def _on_order(self, order: Order) -> None:
        if order.status.is_open and not self._is_settled(order.condition_id):
            self._start()

    def _start(self) -> None:
        self._kernel.start_unless_running("own markets", "own markets", self._learn)

    async def _learn(self) -> None:
        hosts = await self._hosts()
        # Asked anew each time: what is ours grows while the answers come.
        while (condition_id := next(iter(self._unknown()), None)) is not None:
            failures = (
                await self._learn_market(hosts, condition_id),
                await self._learn_fee(hosts, condition_id),
            )
            self._kernel.mark(AccountTopic())
            if any(f is not None and f.kind is not FailureKind.NOT_FOUND for f in failures):
                return  # the next order, or the next look, tries again
            if not self._is_settled(condition_id):
                self._missing.add(condition_id)

    async def _learn_market(self, hosts: Hosts, condition_id: ConditionId) -> Failure | None:
        if self._is_named(condition_id):
            return None
        answer = self._kernel.check(Source.METADATA, await hosts.metadata.market(condition_id))
        if isinstance(answer, Failure):
            return answer
        self._metadata.learn_market(answer)
        return None

    async def _learn_fee(self, hosts: Hosts, condition_id: ConditionId) -> Failure | None:
        """Ask the trading host where the metadata has no fee for our trades."""
        if not self._account.fees.waits_for(condition_id):
            return None
        terms = self._kernel.check(Source.TRADING, await hosts.trading.market_terms(condition_id))
        if isinstance(terms, Failure):
            return terms
        self._metadata.store.learn_terms(terms, condition_id)
        self._account.settle_fees()
        return None

    def _unknown(self) -> list[ConditionId]:
        own = self._account.own
        fills = own.fills()
        past = dict.fromkeys(fill.condition_id for fill in fills)
        # Without the fees of all of today's trades there is no result of the day.
        today = fills_of_day(fills, day_of(self._kernel.clock.now()))
        costs = dict.fromkeys(fill.condition_id for fill in today if fill.fee is None)
        wanted = [*(o.condition_id for o in own.open_orders()), *costs, *list(past)[:MOST_PAST]]
        return [each for each in wanted if not self._is_settled(each)]

    def _is_settled(self, condition_id: ConditionId) -> bool:
        is_learned = self._is_named(condition_id) and not self._account.fees.waits_for(condition_id)
        return is_learned or condition_id in self._missing

    def _is_named(self, condition_id: ConditionId) -> bool:
        known = self._metadata.store.markets.get(condition_id)
        return known is not None and known.market is not None

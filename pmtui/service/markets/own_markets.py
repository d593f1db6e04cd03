"""Markets and events of our orders, fills and positions: fetched, named, and never dropped.

`OwnMarkets` fetches unknown markets of our orders, fills and positions, so that none is shown by id alone.
`OwnEvents` provides the events of current and past holdings, and the possible winners if there can be only one:
a portfolio's worst case depends on that, so it is fetched while a portfolio is on screen. `needed_markets`
returns what the market store must keep: markets that are on screen, ours, awaited or starred.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from pmtui.domain.account.exposure import OwnEvent, find_runners
from pmtui.domain.account.pnl import day_of, fills_of_day
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.conditionals.conditional import ConditionalOrder
from pmtui.domain.health import Source
from pmtui.domain.ids import ConditionId, EventId
from pmtui.domain.markets.watchlist import StarKey
from pmtui.domain.orders.order import Order
from pmtui.service.account.account import AccountFeed
from pmtui.service.kernel import Kernel
from pmtui.service.markets.market_store import Needed
from pmtui.service.markets.metadata import MetadataFeed
from pmtui.service.topics import (
    AccountTopic,
    ActivityTopic,
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
    conditionals: Iterable[ConditionalOrder],
    stars: Iterable[StarKey],
) -> Needed:
    """Return what the store must keep now."""
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
"""Markets of past trades that are fetched; markets of open positions and orders are all fetched."""


class OwnMarkets:
    """Fetches each market once, when it first appears in our orders, fills or positions."""

    def __init__(
        self,
        kernel: Kernel,
        metadata: MetadataFeed,
        account: AccountFeed,
    ) -> None:
        self._kernel = kernel
        self._metadata = metadata
        self._account = account
        self._missing: set[ConditionId] = set()
        """Markets that the host does not know: they are not requested again."""
        account.on_order(self._on_order)
        account.fees.on_unknown(self._start)

    def on_demand(self, topic: Topic) -> None:
        """Fetch the names of all our markets as soon as the account is watched."""
        if topic == AccountTopic():
            self._start()

    def _on_order(self, order: Order) -> None:
        if order.status.is_open and not self._is_known(order.condition_id):
            self._start()

    def _start(self) -> None:
        self._kernel.start_unless_running("own markets", "own markets", self._learn)

    async def _learn(self) -> None:
        # Evaluated again each time: more markets may become ours while replies arrive.
        while (condition_id := next(iter(self._unknown()), None)) is not None:
            is_named = self._metadata.known_market(condition_id) is not None
            failures = (
                None if is_named else await self._metadata.ask_market(condition_id),
                await self._learn_fee(condition_id),
            )
            self._kernel.mark(AccountTopic())
            if any(f is not None and f.kind is not FailureKind.NOT_FOUND for f in failures):
                return  # the next order, or the next check, tries again
            if not self._is_known(condition_id):
                self._missing.add(condition_id)

    async def _learn_fee(self, condition_id: ConditionId) -> Failure | None:
        """Ask the trading host if the metadata has no fee for our trades."""
        if not self._account.fees.waits_for(condition_id):
            return None
        hosts = await self._kernel.hosts()
        terms = self._kernel.check(Source.TRADING, await hosts.trading.market_terms(condition_id))
        if isinstance(terms, Failure):
            return terms
        self._metadata.store.learn_terms(terms, condition_id)
        self._account.apply_known_fees()
        return None

    def _unknown(self) -> list[ConditionId]:
        own = self._account.own
        fills = own.fills()
        past = dict.fromkeys(fill.condition_id for fill in fills)
        # Without the fees of all of today's trades there is no result of the day.
        today = fills_of_day(fills, day_of(self._kernel.clock.now()))
        costs = dict.fromkeys(fill.condition_id for fill in today if fill.fee is None)
        wanted = [*(o.condition_id for o in own.open_orders()), *costs, *list(past)[:MOST_PAST]]
        return [each for each in wanted if not self._is_known(each)]

    def _is_known(self, condition_id: ConditionId) -> bool:
        """Whether nothing more needs to be fetched for a market."""
        is_named = self._metadata.known_market(condition_id) is not None
        is_learned = is_named and not self._account.fees.waits_for(condition_id)
        return is_learned or condition_id in self._missing


CHECK_PERIOD_S = 5.0
"""Seconds between two checks of holdings, while they are watched."""
RACE_PERIOD_S = 60.0
"""Refresh interval for a race: the possible winners change seldom."""
MOST_RACES = 20


@dataclass(frozen=True, slots=True)
class _Race:
    runners: tuple[ConditionId, ...]
    asked_at_s: float


class OwnEvents:
    """Provides events, and keeps track of races in which shares are held."""

    def __init__(
        self,
        kernel: Kernel,
        metadata: MetadataFeed,
        account: AccountFeed,
    ) -> None:
        """Prepare; the hosts are queried once the topic is watched."""
        self._kernel = kernel
        self._metadata = metadata
        self._account = account
        self._races: dict[EventId, _Race] = {}
        self._missing: set[ConditionId] = set()
        """Markets that the host does not know: they are not requested again."""

    def view(self) -> tuple[OwnEvent, ...]:
        """Return every event of ours whose markets are known."""
        found: dict[EventId, list[ConditionId]] = {}
        names: dict[EventId, str] = {}
        for condition_id in self._own():
            market = self._metadata.known_market(condition_id)
            if market is not None and market.event_id is not None:
                found.setdefault(market.event_id, []).append(condition_id)
                names[market.event_id] = market.event_title or market.question
        return tuple(
            OwnEvent(event_id, names[event_id], tuple(markets), self._runners(event_id))
            for event_id, markets in found.items()
        )

    def on_demand(self, topic: Topic) -> None:
        """Query as soon as the topic is watched."""
        if topic == ActivityTopic():
            self._kernel.start_unless_running("own events", "own events", self._keep_asking)

    async def _keep_asking(self) -> None:
        while self._kernel.hub.is_watched(ActivityTopic()):
            if await self._learn():
                self._kernel.mark(ActivityTopic())
            await self._kernel.clock.sleep(CHECK_PERIOD_S)

    async def _learn(self) -> bool:
        """Fetch what is unknown or old; return whether anything changed."""
        has_learned = False
        for condition_id in self._own():
            if self._metadata.known_market(condition_id) or condition_id in self._missing:
                continue
            failure = await self._metadata.ask_market(condition_id)
            if failure is None:
                has_learned = True
            elif failure.kind is FailureKind.NOT_FOUND:
                self._missing.add(condition_id)
            else:
                return has_learned  # the next check tries again
        for event_id in self._old_races():
            has_learned |= await self._learn_race(event_id)
        return has_learned

    async def _learn_race(self, event_id: EventId) -> bool:
        hosts = await self._kernel.hosts()
        answer = self._kernel.check(Source.METADATA, await hosts.metadata.event(event_id))
        before, now_s = self._races.get(event_id), self._kernel.clock.monotonic()
        if isinstance(answer, Failure):
            if before is not None:
                self._races[event_id] = _Race(before.runners, now_s)
            return False
        (event,) = self._metadata.remember((answer,))
        race = self._races[event_id] = _Race(find_runners(event), now_s)
        return before is None or before.runners != race.runners

    def _old_races(self) -> tuple[EventId, ...]:
        held = [
            self._metadata.known_market(p.condition_id) for p in self._account.holdings.positions()
        ]
        wanted = dict.fromkeys(
            market.event_id
            for market in held
            if market is not None and market.neg_risk and market.event_id is not None
        )
        self._races = {each: race for each, race in self._races.items() if each in wanted}
        since_s = self._kernel.clock.monotonic() - RACE_PERIOD_S
        return tuple(
            each
            for each in list(wanted)[:MOST_RACES]
            if each not in self._races or self._races[each].asked_at_s <= since_s
        )

    def _own(self) -> tuple[ConditionId, ...]:
        held = (each.condition_id for each in self._account.holdings.positions())
        past = dict.fromkeys(each.condition_id for each in self._account.state.closed)
        return tuple(dict.fromkeys((*held, *list(past)[:MOST_PAST])))

    def _runners(self, event_id: EventId) -> tuple[ConditionId, ...]:
        race = self._races.get(event_id)
        return () if race is None else race.runners

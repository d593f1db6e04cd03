"""The events of what is and was held: their names, and who may still win where only one can.

Asked while somebody looks at what is over: a portfolio names its events and judges its worst case by them.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from pmtui.domain.account.exposure import OwnEvent, find_runners
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.health import Source
from pmtui.domain.ids import ConditionId, EventId
from pmtui.domain.markets.market import Market
from pmtui.service.account.account import AccountFeed
from pmtui.service.kernel import Kernel
from pmtui.service.markets.metadata import MetadataFeed
from pmtui.service.ports import Hosts
from pmtui.service.topics import ActivityTopic, Topic

LOOK_PERIOD_S = 5.0
"""Between two looks at what is held, while it is watched."""
RACE_PERIOD_S = 60.0
"""A race is asked for anew so often: who may still win changes seldom."""
MOST_PAST = 40
"""Markets of the past that are asked for; what is held is asked for whole."""
MOST_RACES = 20


@dataclass(frozen=True, slots=True)
class _Race:
    runners: tuple[ConditionId, ...]
    asked_at_s: float


class OwnEvents:
    """Names events, and keeps the races in which something is held."""

    def __init__(
        self,
        kernel: Kernel,
        hosts: Callable[[], "asyncio.Future[Hosts]"],
        metadata: MetadataFeed,
        account: AccountFeed,
    ) -> None:
        """Begin with nothing; hosts are asked once somebody watches."""
        self._kernel = kernel
        self._hosts = hosts
        self._metadata = metadata
        self._account = account
        self._races: dict[EventId, _Race] = {}
        self._missing: set[ConditionId] = set()
        """The host knows no such market: it is not asked again."""

    def view(self) -> tuple[OwnEvent, ...]:
        """Return every event of ours whose markets are known."""
        found: dict[EventId, list[ConditionId]] = {}
        names: dict[EventId, str] = {}
        for condition_id in self._own():
            market = self._market(condition_id)
            if market is not None and market.event_id is not None:
                found.setdefault(market.event_id, []).append(condition_id)
                names[market.event_id] = market.event_title or market.question
        return tuple(
            OwnEvent(event_id, names[event_id], tuple(markets), self._runners(event_id))
            for event_id, markets in found.items()
        )

    def on_demand(self, topic: Topic) -> None:
        """Ask as soon as somebody watches."""
        if topic == ActivityTopic():
            self._kernel.start_unless_running("own events", "own events", self._keep_asking)

    async def _keep_asking(self) -> None:
        while self._kernel.hub.is_watched(ActivityTopic()):
            if await self._learn():
                self._kernel.mark(ActivityTopic())
            await self._kernel.clock.sleep(LOOK_PERIOD_S)

    async def _learn(self) -> bool:
        """Ask what is not known, or old; returns whether anything was learned."""
        hosts = await self._hosts()
        has_learned = False
        for condition_id in self._own():
            if self._market(condition_id) is None and condition_id not in self._missing:
                answer = self._kernel.check(
                    Source.METADATA, await hosts.metadata.market(condition_id)
                )
                if isinstance(answer, Failure):
                    if answer.kind is not FailureKind.NOT_FOUND:
                        return has_learned  # the next look tries again
                    self._missing.add(condition_id)
                else:
                    self._metadata.learn_market(answer)
                    has_learned = True
        for event_id in self._old_races():
            has_learned |= await self._learn_race(hosts, event_id)
        return has_learned

    async def _learn_race(self, hosts: Hosts, event_id: EventId) -> bool:
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
        held = [self._market(p.condition_id) for p in self._account.holdings.positions()]
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

    def _market(self, condition_id: ConditionId) -> Market | None:
        known = self._metadata.store.markets.get(condition_id)
        return None if known is None else known.market

    def _runners(self, event_id: EventId) -> tuple[ConditionId, ...]:
        race = self._races.get(event_id)
        return () if race is None else race.runners

"""Price history: fetched while a chart is open, continued by public trades."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from pmtui.domain.failure import Failure
from pmtui.domain.health import Source
from pmtui.domain.markets.history import PricePoint
from pmtui.service.kernel import Kernel
from pmtui.service.ports import Hosts
from pmtui.service.topics import HistoryTopic, Topic
from pmtui.service.views import HistoryView, Load

PERIOD_S = 30.0
MOST_KEPT = 16


@dataclass(slots=True)
class HistoryState:
    """One chart's points."""

    points: tuple[PricePoint, ...] = ()
    load: Load = Load.EMPTY
    as_of: datetime | None = None
    version: int = 0
    problem: str = ""


class HistoryFeed:
    """The charts that were open lately."""

    def __init__(self, kernel: Kernel, hosts: Callable[[], "asyncio.Future[Hosts]"]) -> None:
        self._kernel = kernel
        self._hosts = hosts
        self._charts: dict[HistoryTopic, HistoryState] = {}

    def on_demand(self, topic: Topic) -> None:
        """Fetch while watched."""
        if not isinstance(topic, HistoryTopic):
            return
        state = self._charts.pop(topic, None) or HistoryState(load=Load.LOADING)
        self._charts[topic] = state
        while len(self._charts) > MOST_KEPT:
            del self._charts[next(iter(self._charts))]

        async def poll() -> None:
            while self._kernel.hub.is_watched(topic):
                await self._fetch(topic)
                await self._kernel.clock.sleep(PERIOD_S)

        self._kernel.start_unless_running(topic, "price history", poll)

    def refresh(self, topic: HistoryTopic) -> None:
        """Fetch a chart anew."""
        self._kernel.start("price history", lambda: self._fetch(topic))

    def view(self, topic: HistoryTopic) -> HistoryView:
        """Return a chart's points."""
        state = self._charts.get(topic) or HistoryState()
        return HistoryView(
            points=state.points,
            interval=topic.interval,
            load=state.load,
            as_of=state.as_of,
            version=state.version,
            problem=state.problem,
        )

    async def _fetch(self, topic: HistoryTopic) -> None:
        hosts = await self._hosts()
        answer = self._kernel.check(
            Source.TRADING, await hosts.trading.prices_history(topic.token_id, topic.interval)
        )
        state = self._charts.setdefault(topic, HistoryState())
        if isinstance(answer, Failure):
            state.problem = str(answer)
            state.load = Load.READY if state.points else Load.FAILED
        else:
            if answer != state.points:
                state.points = answer
                state.version += 1
            state.load, state.problem = Load.READY, ""
            state.as_of = self._kernel.clock.now()
        self._kernel.mark(topic)

"""Lists, events, markets, tags and search: fetched while watched, and cached for reopening.

A list is loaded page by page. Its first events are kept in full, later ones in a short form.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeVar

from pmtui.domain.answers import Failure
from pmtui.domain.health import Source
from pmtui.domain.ids import ConditionId, EventId, MarketId
from pmtui.domain.markets.market import Event, Market, Tag
from pmtui.domain.markets.watchlist import leading_market
from pmtui.service.kernel import Kernel
from pmtui.service.markets.market_store import MarketStore, Needed
from pmtui.service.topics import (
    EventQuotesTopic,
    EventTopic,
    MarketListTopic,
    MarketTopic,
    SearchTopic,
    StatusTopic,
    TagsTopic,
    Topic,
)
from pmtui.service.views import Load

WHOLE = 100
"""Events at the start of a list that are kept in full; scrolling further passes thousands."""


def merge_events(
    known: tuple[Event, ...], page: tuple[Event, ...], *, from_start: bool
) -> tuple[Event, ...]:
    """Merge a page at the front or at the end; an event is never listed twice."""
    fresh = {e.event_id for e in page}
    rest = tuple(e for e in known if e.event_id not in fresh)
    if from_start:
        return _shorten_tail(page + rest)
    listed = {e.event_id for e in known}
    newer = {e.event_id: e for e in page}
    kept = tuple(newer.get(e.event_id, e) for e in known)
    return _shorten_tail(kept + tuple(e for e in page if e.event_id not in listed))


def _shorten_tail(events: tuple[Event, ...]) -> tuple[Event, ...]:
    return events[:WHOLE] + tuple(map(shorten_event, events[WHOLE:]))


def shorten_event(event: Event) -> Event:
    """Return the parts of an event that a list shows: its leading market, and the others' ids.

    The leading one comes first, so that it stays the leading one among equals.
    """
    leading = leading_market(event)
    if leading is None:
        return event
    first = replace(leading, description="", resolution_source="")
    others = (_named(market) for market in event.markets if market is not leading)
    short = replace(event, description="", resolution_source="", markets=(first, *others))
    # An already short event stays the same object.
    return event if event == short else short


def is_short(event: Event) -> bool:
    """Whether some markets of an event are known by id only."""
    return any(not market.question and not market.outcomes for market in event.markets)


def _named(market: Market) -> Market:
    return Market(
        market_id=market.market_id,
        condition_id=market.condition_id,
        slug="",
        question="",
        outcomes=(),
        active=market.active,
        closed=market.closed,
    )


T = TypeVar("T")

LIST_PERIOD_S = 30.0
EVENT_PERIOD_S = 15.0
SEARCH_PAUSE_S = 0.25
"""Seconds without typing after which a search is sent."""
INDEX_PAGES = 12
"""Pages of the largest markets fetched for the local index, once a search is about to start."""
START = MarketListTopic()
"""The list that every session begins with."""
MOST_LISTS = 4
"""Unwatched lists that are kept, so that they show at once when reopened."""
MOST_LEFT = 2_000
"""Events in those lists in total; the most recent list stays, however long it is."""


@dataclass(slots=True)
class ListState:
    """The loaded part of a list."""

    events: tuple[Event, ...] = ()
    load: Load = Load.EMPTY
    cursor: str | None = None
    as_of: datetime | None = None
    """When the venue last replied for any part of it."""
    answered_at: dict[EventId, datetime] = field(default_factory=dict)
    """When each event was last fetched: pages far down a list are not refreshed automatically."""
    problem: str = ""
    is_fetching: bool = False
    is_cached: bool = False
    """Whether it is from an earlier session: it is dropped once the venue replies."""


@dataclass(slots=True)
class SearchState:
    """The venue's own results for one text."""

    text: str = ""
    found: tuple[MarketId, ...] = ()
    """Ids in the index, which holds everything that was found."""
    load: Load = Load.EMPTY
    problem: str = ""


class MetadataFeed:
    """All data from the metadata host, plus the trading host's terms of open markets."""

    def __init__(
        self,
        kernel: Kernel,
        on_learned: Callable[[], None],
        needed: Callable[[], Needed],
    ) -> None:
        """Create the feed.

        Args:
            kernel: time, the hub and the task group.
            on_learned: called when the tokens of a market or an event may be better known.
            needed: returns what must be kept; called periodically.
        """
        self._kernel = kernel
        self._on_learned = on_learned
        self.store = MarketStore(kernel.clock.now, needed)
        self.unreachable = ""
        """Why no request can succeed in this session."""
        self.lists: dict[MarketListTopic, ListState] = {}
        self.tags: tuple[Tag, ...] = ()
        self.tags_load = Load.EMPTY
        self.search = SearchState()
        self._is_index_full = False

    def on_demand(self, topic: Topic) -> None:
        """Fetch a newly watched topic."""
        match topic:
            case MarketListTopic():
                state = self._list(topic)
                # The poll may come half a minute later: it skips topics that nobody watches.
                age = self._kernel.clock.now() - state.as_of if state.as_of else timedelta()
                if state.load is Load.EMPTY or age.total_seconds() > LIST_PERIOD_S:
                    self.fetch_list(topic, from_start=True)
            case EventTopic():
                self._poll_event(topic.event_id)
            case MarketTopic():
                self._poll_market(topic)
            case TagsTopic():
                if self.tags_load is Load.EMPTY:
                    self.tags_load = Load.LOADING
                    self._kernel.start("tags", self._fetch_tags)
            case SearchTopic():
                self.fill_index()
                self._start_search(topic)
            case _:
                pass

    def show_cached(self, topic: MarketListTopic, seen: tuple[Event, ...], as_of: datetime) -> None:
        """Show a list cached by an earlier session, for display only, until it is fetched."""
        self.lists[topic] = ListState(events=seen, as_of=as_of, is_cached=True)

    def note_unreachable(self, problem: str) -> None:
        """Set why no list can be fetched, now or later."""
        self.unreachable = problem
        for topic in self.lists:
            self.fetch_list(topic, from_start=True)

    def refresh(self, topic: Topic) -> None:
        """Fetch a topic again, whatever its age."""
        match topic:
            case MarketListTopic():
                self.fetch_list(topic, from_start=True)
            case EventTopic():
                self._kernel.start("event", lambda: self._fetch_event(topic.event_id))
            case MarketTopic():
                self._kernel.start("market", lambda: self._fetch_market(topic.condition_id))
            case SearchTopic():
                self.search = SearchState()
                self._start_search(topic)
            case TagsTopic():
                self._kernel.start("tags", self._fetch_tags)
            case _:
                pass

    def fetch_list(self, topic: MarketListTopic, *, from_start: bool) -> None:
        """Fetch the first or the next page of a list, unless one is being fetched."""
        state = self.lists.setdefault(topic, ListState())
        is_busy = state.is_fetching and not self.unreachable
        if is_busy or (not from_start and state.cursor is None):
            return
        if self.unreachable:
            state.load, state.problem, state.is_fetching = Load.FAILED, self.unreachable, False
            self._kernel.mark(topic)
            return
        state.is_fetching = True
        if state.load is not Load.READY:
            state.load = Load.LOADING
        self._kernel.mark(topic)
        self._kernel.start("market list", lambda: self._fetch_page(topic, from_start=from_start))

    def remember(self, events: tuple[Event, ...]) -> tuple[Event, ...]:
        """Store events from any reply; return them as stored."""
        return self.store.remember(events)

    def learn_market(self, market: Market) -> None:
        """Apply a reply about one market."""
        if market.condition_id is None:
            return
        self.store.learn_market(market, market.condition_id)
        self._on_learned()
        self._kernel.mark(MarketTopic(market.condition_id))

    def known_market(self, condition_id: ConditionId) -> Market | None:
        """Return a known market; None if it is unknown."""
        state = self.store.markets.get(condition_id)
        return None if state is None else state.market

    async def ask_market(self, condition_id: ConditionId) -> Failure | None:
        """Fetch and store one market, or return why not."""
        hosts = await self._kernel.hosts()
        answer = self._kernel.check(Source.METADATA, await hosts.metadata.market(condition_id))
        if isinstance(answer, Failure):
            return answer
        self.learn_market(answer)
        return None

    async def poll_lists(self) -> None:
        """Keep the first page of every watched list fresh."""
        while True:
            await self._kernel.clock.sleep(LIST_PERIOD_S)
            for topic in self._kernel.hub.watched():
                if isinstance(topic, MarketListTopic):
                    self.fetch_list(topic, from_start=True)

    async def _fetch_page(self, topic: MarketListTopic, *, from_start: bool) -> None:
        state = self.lists.setdefault(topic, ListState())
        try:
            hosts = await self._kernel.hosts()
            answer = self._kernel.check(
                Source.METADATA,
                await hosts.metadata.list_events(
                    sort=topic.sort,
                    tag_slug=topic.tag_slug,
                    include_closed=topic.include_closed,
                    is_reversed=topic.is_reversed,
                    cursor=None if from_start else state.cursor,
                ),
            )
            if isinstance(answer, Failure):
                state.problem = str(answer)
                is_known = bool(state.events) and not state.is_cached
                state.load = Load.READY if is_known else Load.FAILED
                return
            known = () if state.is_cached else state.events
            kept = self.remember(answer.items)
            state.events = merge_events(known, kept, from_start=from_start)
            state.is_cached = False
            if not from_start or state.cursor is None or len(state.events) == len(answer.items):
                state.cursor = answer.next_cursor
            state.load, state.problem, state.as_of = Load.READY, "", self._kernel.clock.now()
            answered_at = state.answered_at | {e.event_id: state.as_of for e in answer.items}
            listed = {e.event_id for e in state.events}
            state.answered_at = {name: at for name, at in answered_at.items() if name in listed}
        finally:
            state.is_fetching = False
            self._kernel.mark(topic)

    async def _fetch_tags(self) -> None:
        hosts = await self._kernel.hosts()
        answer = self._kernel.check(Source.METADATA, await hosts.metadata.tags())
        if isinstance(answer, Failure):
            self.tags_load = Load.FAILED
        else:
            self.tags, self.tags_load = answer.items, Load.READY
        self._kernel.mark(TagsTopic())

    def _poll_event(self, event_id: EventId) -> None:
        topic = EventTopic(event_id)
        state = self.store.event(event_id)
        if state.event is None:
            self._recall(lambda event: event.event_id == event_id)
        if state.load is Load.EMPTY:
            state.load = Load.LOADING

        async def poll() -> None:
            await self._fetch_comments(event_id)
            while self._kernel.hub.is_watched(topic):
                await self._fetch_event(event_id)
                await self._kernel.clock.sleep(EVENT_PERIOD_S)

        self._kernel.start_unless_running(topic, "event", poll)

    async def _fetch_event(self, event_id: EventId) -> None:
        hosts = await self._kernel.hosts()
        answer = self._kernel.check(Source.METADATA, await hosts.metadata.event(event_id))
        if isinstance(answer, Failure):
            state = self.store.event(event_id)
            state.problem = str(answer)
            if state.event is None:
                state.load = Load.FAILED
        else:
            (event,) = self.remember((answer,))
            state = self.store.event(event_id)
            state.event, state.load, state.problem = event, Load.READY, ""
            state.as_of = self._kernel.clock.now()
            self._on_learned()
        self._kernel.mark(EventTopic(event_id))
        self._kernel.mark(EventQuotesTopic(event_id))

    async def _fetch_comments(self, event_id: EventId) -> None:
        hosts = await self._kernel.hosts()
        answer = self._kernel.check(Source.METADATA, await hosts.metadata.comments(event_id))
        if not isinstance(answer, Failure):
            self.store.learn_comments(event_id, answer.items)
            self._kernel.mark(EventTopic(event_id))

    def _poll_market(self, topic: MarketTopic) -> None:
        state = self.store.market(topic.condition_id)
        if state.market is None:
            self._recall(lambda e: any(m.condition_id == topic.condition_id for m in e.markets))
        if state.load is Load.EMPTY:
            state.load = Load.LOADING

        async def poll() -> None:
            while self._kernel.hub.is_watched(topic):
                await self._fetch_market(topic.condition_id)
                await self._kernel.clock.sleep(EVENT_PERIOD_S)

        self._kernel.start_unless_running(topic, "market", poll)

    async def _fetch_market(self, condition_id: ConditionId) -> None:
        hosts = await self._kernel.hosts()
        terms, market, holders = await asyncio.gather(
            hosts.trading.market_terms(condition_id),
            hosts.metadata.market(condition_id),
            hosts.analytics.holders(condition_id),
        )
        self._kernel.check(Source.TRADING, terms)
        self._kernel.check(Source.METADATA, market)
        self._kernel.check(Source.ANALYTICS, holders)
        state = self.store.market(condition_id)
        if not isinstance(terms, Failure):
            self.store.learn_terms(terms, condition_id)
        if not isinstance(holders, Failure):
            self.store.learn_holders(condition_id, holders)
        if isinstance(market, Failure):
            state.problem = str(market)
            state.load = Load.READY if state.market is not None else Load.FAILED
        else:
            self.store.learn_market(market, condition_id)
            state.problem = str(terms) if isinstance(terms, Failure) else ""
            state.load = Load.READY
            self._on_learned()
        self._kernel.mark(MarketTopic(condition_id))

    def _list(self, topic: MarketListTopic) -> ListState:
        """Return a watched list, and drop lists that were left long ago."""
        # Removed first, so that the most recent one is last.
        state = self.lists.pop(topic, None) or ListState()
        hub = self._kernel.hub
        left = [t for t in self.lists if t != START and not hub.is_watched(t)]
        while len(left) > MOST_LISTS or (
            len(left) > 1 and sum(len(self.lists[t].events) for t in left) > MOST_LEFT
        ):
            del self.lists[left.pop(0)]
        self.lists[topic] = state
        return state

    def _recall(self, is_it: Callable[[Event], bool]) -> None:
        """Restore events that the store has dropped and a list still contains, so that they show at once."""
        for state in self.lists.values():
            if state.is_cached or state.as_of is None:
                continue
            found = next((e for e in state.events if is_it(e) and not is_short(e)), None)
            if found is not None:
                self.store.recall(found, state.as_of)
                return

    def fill_index(self) -> None:
        """Start fetching markets for the search index, unless they are loaded or being fetched."""
        if not self._is_index_full:
            self._kernel.start_unless_running("search index", "search index", self._fill_index)

    async def _fill_index(self) -> None:
        """Fetch the largest markets, so that the first search finds more than the list shows."""
        hosts = await self._kernel.hosts()
        cursor: str | None = None
        for _ in range(INDEX_PAGES):
            answer = self._kernel.check(
                Source.METADATA,
                await hosts.metadata.list_events(
                    sort=START.sort, tag_slug="", include_closed=False, cursor=cursor
                ),
            )
            if isinstance(answer, Failure):
                return
            self.store.index_events(answer.items)
            self._kernel.mark_search()
            cursor = answer.next_cursor
            if cursor is None:
                break
        self._is_index_full = True

    def _start_search(self, topic: SearchTopic) -> None:
        if not topic.text:
            return  # the field is open, and nothing is typed yet
        if self.search.text == topic.text and self.search.load is not Load.EMPTY:
            return
        self.search = SearchState(text=topic.text, load=Load.LOADING)

        async def ask() -> None:
            await self._kernel.clock.sleep(SEARCH_PAUSE_S)
            if self.search.text != topic.text:
                return
            hosts = await self._kernel.hosts()
            answer = self._kernel.check(Source.METADATA, await hosts.metadata.search(topic.text))
            if not isinstance(answer, Failure):
                self.store.index_events(answer.items)
            if self.search.text != topic.text:
                return  # a reply to an earlier text
            if isinstance(answer, Failure):
                self.search.load, self.search.problem = Load.FAILED, str(answer)
            else:
                self.search.load = Load.READY
                self.search.found = tuple(m.market_id for e in answer.items for m in e.markets)
            self._kernel.mark(topic)
            self._kernel.mark(StatusTopic())

        self._kernel.start("search", ask)

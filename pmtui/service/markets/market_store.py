"""Known events and markets: each is stored once, and only as many as are useful.

A day of browsing passes tens of thousands of markets of some kilobytes each. Markets that are on
screen, held, starred, or have orders stay; of all others, the most recent ones. A dropped market is
fetched again when it is opened, and until then the search index still finds it. `KnownMarkets`
provides market data to other feeds.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import TypeVar

from pmtui.domain.ids import ConditionId, EventId, TokenId
from pmtui.domain.markets.market import (
    Comment,
    Event,
    FeeSchedule,
    Holder,
    Market,
    MarketTerms,
    Trading,
)
from pmtui.domain.money import Micros
from pmtui.service.markets.search_index import SearchIndex
from pmtui.service.topics import EventQuotesTopic, Topic
from pmtui.service.views import Load

K = TypeVar("K")

MOST_IDLE = 600
"""Markets that are kept in case they are opened: one or two megabytes."""
MOST_COMMENTED = 20
"""Events whose comments are kept, most recently read; those of one event take ten kilobytes or more."""
MOST_HELD = 50
"""Markets whose holders are kept, most recently read."""


@dataclass(slots=True)
class EventState:
    """One event and its comments."""

    event: Event | None = None
    load: Load = Load.EMPTY
    as_of: datetime | None = None
    problem: str = ""
    comments: tuple[Comment, ...] = ()


@dataclass(slots=True)
class MarketState:
    """One market, its terms and holders."""

    market: Market | None = None
    terms: MarketTerms | None = None
    load: Load = Load.EMPTY
    as_of: datetime | None = None
    problem: str = ""
    holders: tuple[Holder, ...] = ()


@dataclass(slots=True)
class Needed:
    """What must be kept, by any kind of id."""

    events: set[EventId]
    markets: set[ConditionId]
    """Markets with their events: the user may hop to a sibling."""
    tokens: set[TokenId]
    """Tokens whose markets are needed in the same way."""
    owned: set[ConditionId]
    """Markets needed without their events: our own ones, which are named wherever they are listed."""


class MarketStore:
    """Looks up and drops data; fetches nothing."""

    def __init__(
        self,
        now: Callable[[], datetime],
        needed: Callable[[], Needed],
        *,
        most_idle: int = MOST_IDLE,
    ) -> None:
        """Keep what `needed` returns whenever something is dropped, and `most_idle` more."""
        self._now = now
        self._needed = needed
        self._most_idle = most_idle
        self.index = SearchIndex()
        self.events: dict[EventId, EventState] = {}
        self.markets: dict[ConditionId, MarketState] = {}
        self.market_of_token: dict[TokenId, ConditionId] = {}
        self._commented: dict[EventId, None] = {}
        """Events with comments, the most recently read at the end."""
        self._held: dict[ConditionId, None] = {}
        """Markets with holders, in the same order."""

    def event(self, event_id: EventId) -> EventState:
        """Return the state of an event that is opened, to be filled in."""
        return self.events.setdefault(event_id, EventState())

    def market(self, condition_id: ConditionId) -> MarketState:
        """Return the state of a market that is opened, to be filled in."""
        state = self.markets.get(condition_id)
        if state is None:
            state = self.markets[condition_id] = MarketState()
            found = self.index.shown(condition_id)
            if found is not None:
                self._learn(state, found.market, condition_id, found.seen_at)
        return state

    def remember(self, events: Iterable[Event]) -> tuple[Event, ...]:
        """Store events from any reply; return them as stored."""
        as_of = self._now()
        kept = tuple(self._remember(event, as_of) for event in events)
        self._forget_idle()
        return kept

    def recall(self, event: Event, as_of: datetime) -> None:
        """Restore a dropped event that a list still contains; nothing newer is overwritten."""
        state = self.event(event.event_id)
        if state.event is None:
            state.event, state.as_of, state.load = event, as_of, Load.READY
        for market in event.markets:
            if market.condition_id is not None:
                known = self.markets.setdefault(market.condition_id, MarketState())
                if known.market is None:
                    self._learn(known, market, market.condition_id, as_of)

    def learn_market(self, market: Market, condition_id: ConditionId) -> None:
        """Apply a reply about one market; known names of its event are kept if it has none."""
        state = self.markets.setdefault(condition_id, MarketState())
        known = state.market
        if known is not None and market.event_id is None:
            market = replace(
                market,
                event_id=known.event_id,
                event_title=known.event_title,
                event_slug=known.event_slug,
            )
        self._learn(state, market, condition_id, self._now())
        self._forget_idle()

    def learn_comments(self, event_id: EventId, comments: tuple[Comment, ...]) -> None:
        """Store the comments on an event; the least recently read are dropped."""
        self.event(event_id).comments = comments
        for dropped in _move_to_end(self._commented, event_id, MOST_COMMENTED):
            if (state := self.events.get(dropped)) is not None:
                state.comments = ()

    def learn_holders(self, condition_id: ConditionId, holders: tuple[Holder, ...]) -> None:
        """Store the top holders of a market; the least recently read are dropped."""
        self.market(condition_id).holders = holders
        for dropped in _move_to_end(self._held, condition_id, MOST_HELD):
            if (state := self.markets.get(dropped)) is not None:
                state.holders = ()

    def learn_terms(self, terms: MarketTerms, condition_id: ConditionId) -> None:
        """Add the trading host's terms of a market."""
        self.market(condition_id).terms = terms
        for token_id in terms.token_ids:
            self.market_of_token[token_id] = condition_id

    def index_events(self, events: Iterable[Event]) -> None:
        """Add events to the search index only: opening one fetches it."""
        as_of = self._now()
        for event in events:
            self.index.add(event, as_of)
            self.index.shorten(event.markets)

    def _remember(self, event: Event, as_of: datetime) -> Event:
        # Removed first, so that the most recent one is last, and dropped last.
        state = self.events.pop(event.event_id, None) or EventState()
        self.events[event.event_id] = state
        event = _as_known(_with_names(event), state.event)
        if state.load is not Load.READY or event.markets:
            state.event, state.as_of = event, as_of
            if event.markets:
                state.load = Load.READY
        self.index.add(event, as_of)
        for market in event.markets:
            if market.condition_id is not None:
                known = self.markets.setdefault(market.condition_id, MarketState())
                self._learn(known, market, market.condition_id, as_of)
        return event

    def _learn(
        self, state: MarketState, market: Market, condition_id: ConditionId, as_of: datetime
    ) -> None:
        state.market, state.as_of = market, as_of
        for token_id in market.token_ids:
            self.market_of_token[token_id] = condition_id

    def _forget_idle(self) -> None:
        if len(self.markets) <= self._most_idle and len(self.events) <= self._most_idle:
            return
        events, markets = self._kept()
        idle = sum(condition_id not in markets for condition_id in self.markets)
        for event_id in tuple(self.events):
            if idle <= self._most_idle and len(self.events) <= self._most_idle + len(events):
                return
            if event_id in events:
                continue
            gone = self.events.pop(event_id).event
            self.index.shorten(gone.markets if gone is not None else ())
            for market in gone.markets if gone is not None else ():
                if market.condition_id in self.markets and market.condition_id not in markets:
                    self._drop(market.condition_id)
                    idle -= 1
        # The rest was opened by itself, or its event no longer contains it.
        for condition_id in tuple(self.markets):
            if idle <= self._most_idle:
                return
            if condition_id not in markets:
                self._drop(condition_id)
                idle -= 1

    def _kept(self) -> tuple[set[EventId], set[ConditionId]]:
        needed = self._needed()
        events, markets = set(needed.events), set(needed.markets)
        for token_id in needed.tokens:
            if (condition_id := self.market_of_token.get(token_id)) is not None:
                markets.add(condition_id)
        for condition_id in markets:
            known = self.markets.get(condition_id)
            if known is not None and known.market is not None and known.market.event_id is not None:
                events.add(known.market.event_id)
        for event_id in events:
            state = self.events.get(event_id)
            if state is not None and state.event is not None:
                markets |= {m.condition_id for m in state.event.markets if m.condition_id}
        return events, markets | needed.owned

    def _drop(self, condition_id: ConditionId) -> None:
        state = self.markets.pop(condition_id)
        tokens = set(state.market.token_ids) if state.market is not None else set()
        tokens |= set(state.terms.token_ids) if state.terms is not None else set()
        for token_id in tokens:
            if self.market_of_token.get(token_id) == condition_id:
                del self.market_of_token[token_id]


def _move_to_end(order: dict[K, None], key: K, most: int) -> list[K]:
    """Move a key to the end; remove and return the keys beyond `most`."""
    order.pop(key, None)
    order[key] = None
    dropped = list(islice(order, max(len(order) - most, 0)))
    for each in dropped:
        del order[each]
    return dropped


def _with_names(event: Event) -> Event:
    """Add the event's name to markets whose rows lack it."""
    names = (event.event_id, event.title, event.slug)
    if all((m.event_id, m.event_title, m.event_slug) == names for m in event.markets):
        return event
    markets = (
        replace(m, event_id=event.event_id, event_title=event.title, event_slug=event.slug)
        for m in event.markets
    )
    return replace(event, markets=tuple(markets))


def _as_known(event: Event, before: Event | None) -> Event:
    """Return an event that reuses unchanged market objects of its previous version."""
    if before is None:
        return event
    known = {m.market_id: m for m in before.markets}
    markets = tuple(
        was if (was := known.get(m.market_id)) is not None and was == m else m
        for m in event.markets
    )
    event = replace(event, markets=markets)
    return before if event == before else event


class KnownMarkets:
    """Looks up data; fetches nothing."""

    def __init__(self, store: MarketStore) -> None:
        self._store = store

    def market(self, condition_id: ConditionId) -> tuple[Market | None, MarketTerms | None]:
        """Return a market and its terms, if they are known."""
        state = self._store.markets.get(condition_id)
        return (state.market, state.terms) if state is not None else (None, None)

    def has_ended(self, condition_id: ConditionId) -> bool:
        """Whether a market accepts no more orders."""
        market, _ = self.market(condition_id)
        return market is not None and market.trading is Trading.CLOSED

    def tokens(self, condition_id: ConditionId) -> tuple[TokenId, ...]:
        """Return the outcomes of a market; empty while unknown."""
        market, terms = self.market(condition_id)
        if market is not None and market.token_ids:
            return market.token_ids
        return () if terms is None else terms.token_ids

    def fee(self, condition_id: ConditionId) -> FeeSchedule | None:
        """Return a market's taker fee: from its terms, else from the metadata."""
        market, terms = self.market(condition_id)
        return terms.fee if terms is not None else (market.fee if market is not None else None)

    def settled_price(self, token_id: TokenId) -> Micros | None:
        """Return the payout of a closed market's share."""
        market = self._market_of_token(token_id)
        if market is None or not market.closed:
            return None
        return next((o.price for o in market.outcomes if o.token_id == token_id), None)

    def title(self, token_id: TokenId) -> str:
        """Return the title of a token's market; empty while unknown."""
        market = self._market_of_token(token_id)
        return market.distinct_name if market is not None else ""

    def pair(self, token_id: TokenId) -> tuple[TokenId, ...]:
        """Return all tokens of a token's market; the token alone while they are unknown."""
        market = self._market_of_token(token_id)
        if market is None or token_id not in market.token_ids:
            return (token_id,)
        return market.token_ids

    def tokens_of_event(self, topic: Topic) -> Iterable[TokenId]:
        """Return the first token of every open market of a topic's event."""
        if not isinstance(topic, EventQuotesTopic):
            return ()
        state = self._store.events.get(topic.event_id)
        if state is None or state.event is None:
            return ()
        return [m.token_ids[0] for m in state.event.markets if m.token_ids and not m.closed]

    def _market_of_token(self, token_id: TokenId) -> Market | None:
        condition_id = self._store.market_of_token.get(token_id)
        return self.market(condition_id)[0] if condition_id else None

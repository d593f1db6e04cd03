"""Turns what happens on the exchange into frames of the market channel, once for all who watch.

A market without watchers costs a look-up. A watched one has a ladder of its own to hash every
change of it. The last frame of a batch is held for a few milliseconds now and then: the service's
frames, too, sometimes have the hash of a book that has taken more changes.
"""

import asyncio
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.sim.engine.events import (
    Cause,
    Event,
    LevelChanged,
    MarketAdded,
    MarketRemoved,
    MarketResolved,
    TickSizeChanged,
    TradeMatched,
)
from pmtui.sim.streams.frames import (
    SWAP_CHANCE,
    Frame,
    MarketLadder,
    book_frames,
    in_arrival_order,
    new_market_frame,
    price_change_frame,
    resolved_frame,
    tick_frames,
    trade_frame,
)
from pmtui.sim.venue import Venue

HOLD_S = 0.004
"""Swapped frames of recordings are up to 6 ms apart in most cases."""


class Watcher(Protocol):
    """A connection that wants the events of some markets."""

    def take(self, frames: Sequence[Frame]) -> None:
        """Send what of these concerns it; must not block."""
        ...


class MarketBooks(Protocol):
    """Both books of one market, as a connection that begins to watch needs them."""

    def index_of(self, token_id: TokenId) -> int:
        """Return which of the two tokens this is."""
        ...

    def book_frame(self, token_index: int, *, with_last_price: bool) -> str | None:
        """Return one token's `book` event; None where there is no book yet."""
        ...


class MarketFeed(Protocol):
    """Where the market channel gets its events from."""

    def watch(self, condition_id: ConditionId, watcher: Watcher) -> MarketBooks | None:
        """Send a market's events to a watcher from now on; None where there is no such market."""
        ...

    def unwatch(self, condition_id: ConditionId, watcher: Watcher) -> None:
        """Send a watcher no more events of a market."""
        ...

    def watch_listings(self, watcher: Watcher) -> None:
        """Tell a watcher of new markets."""
        ...

    def leave(self, watcher: Watcher) -> None:
        """Forget a watcher."""
        ...


@dataclass(slots=True)
class _WatchedMarket:
    ladder: MarketLadder
    watchers: dict[Watcher, None] = field(default_factory=dict)
    held: Frame | None = None
    pending: list[Frame] = field(default_factory=list)
    last_trade: TradeMatched | None = None


class Publisher:
    """Market data of one venue."""

    def __init__(self, venue: Venue, *, is_disorderly: bool = True) -> None:
        """Listen to a venue.

        Args:
            venue: whose markets.
            is_disorderly: lets some frames overtake others, as the service does.
        """
        self._venue = venue
        self._random = random.Random(f"{venue.seed}/publisher")
        self._is_disorderly = is_disorderly
        self._markets: dict[ConditionId, _WatchedMarket] = {}
        self._everywhere: dict[Watcher, None] = {}
        self._before_watch: list[Callable[[ConditionId], None]] = []
        venue.subscribe(self._take)

    def is_watched(self, condition_id: ConditionId) -> bool:
        """Tell whether somebody watches a market."""
        return condition_id in self._markets

    @property
    def watched(self) -> Iterable[ConditionId]:
        """Return the markets that somebody watches."""
        return self._markets.keys()

    def before_watch(self, prepare: Callable[[ConditionId], None]) -> None:
        """Call `prepare` before a market gets its first watcher."""
        self._before_watch.append(prepare)

    def ladder(self, condition_id: ConditionId) -> MarketLadder | None:
        """Return the books of a watched market."""
        market = self._markets.get(condition_id)
        return None if market is None else market.ladder

    def watch(self, condition_id: ConditionId, watcher: Watcher) -> MarketLadder | None:
        """Send a market's events to a watcher from now on.

        Returns:
            The market's books at this moment; None where there is no such market.
        """
        market = self._markets.get(condition_id)
        if market is None:
            for prepare in self._before_watch:
                prepare(condition_id)
            reads = self._venue.exchange.reads
            view = reads.market(condition_id)
            book = None if view is None else reads.book(view.spec.tokens[0])
            if view is None or book is None:
                return None
            market = self._markets[condition_id] = _WatchedMarket(MarketLadder(view, book))
        # What is held is in the ladder already: a new watcher must not get it after its book.
        self._release(market)
        market.watchers[watcher] = None
        return market.ladder

    def unwatch(self, condition_id: ConditionId, watcher: Watcher) -> None:
        """Send a watcher no more events of a market."""
        market = self._markets.get(condition_id)
        if market is not None:
            market.watchers.pop(watcher, None)
            if not market.watchers:
                del self._markets[condition_id]

    def watch_listings(self, watcher: Watcher) -> None:
        """Tell a watcher of new markets."""
        self._everywhere[watcher] = None

    def leave(self, watcher: Watcher) -> None:
        """Forget a watcher."""
        self._everywhere.pop(watcher, None)
        for condition_id in [
            c for c, market in self._markets.items() if watcher in market.watchers
        ]:
            self.unwatch(condition_id, watcher)

    def _take(self, events: tuple[Event, ...]) -> None:
        touched: dict[ConditionId, _WatchedMarket] = {}
        for event in events:
            match event:
                case LevelChanged() | TickSizeChanged() | MarketResolved():
                    market = self._markets.get(event.condition_id)
                case TradeMatched(trade=trade):
                    market = self._markets.get(trade.condition_id)
                case MarketRemoved(spec=spec):
                    self._markets.pop(spec.condition_id, None)
                    continue
                case MarketAdded(spec=spec, at_ms=at_ms):
                    self._announce(spec.condition_id, at_ms)
                    continue
                case _:
                    continue
            if market is not None:
                touched[market.ladder.condition_id] = market
                self._follow(market, event)
        for market in touched.values():
            self._end_trade(market)
            self._send_pending(market)

    def _follow(self, market: _WatchedMarket, event: Event) -> None:
        ladder, pending = market.ladder, market.pending
        match event:
            case TradeMatched(trade=trade):
                self._end_trade(market)
                ladder.trade_at(trade.price)
                market.last_trade = event
            case LevelChanged(cause=cause):
                if cause is not Cause.TRADE:
                    self._end_trade(market)
                ladder.apply(event)
                pending.append(price_change_frame(event, ladder))
            case TickSizeChanged(new=new):
                self._end_trade(market)
                ladder.change_tick(new)
                pending += [*tick_frames(event, ladder), *book_frames(ladder)]
            case MarketResolved(condition_id=condition_id):
                self._end_trade(market)
                listed = self._venue.market(condition_id)
                if listed is not None:
                    title = self._venue.catalogue.event_of(listed)
                    pending.append(resolved_frame(event, listed, title))
            case _:
                pass

    def _end_trade(self, market: _WatchedMarket) -> None:
        # The books after a trade, then its print: the service's prints come late too.
        if market.last_trade is not None:
            market.pending += book_frames(market.ladder)
            market.pending.append(trade_frame(market.last_trade.trade))
            market.last_trade = None

    def _announce(self, condition_id: ConditionId, at_ms: int) -> None:
        listed = self._venue.market(condition_id)
        if self._everywhere and listed is not None:
            event = self._venue.catalogue.event_of(listed)
            frame = new_market_frame(listed, event, at_ms=at_ms)
            for watcher in tuple(self._everywhere):
                watcher.take((frame,))

    def _send_pending(self, market: _WatchedMarket) -> None:
        frames = market.pending
        market.pending = []
        if not frames:
            return
        if not self._is_disorderly:
            self._send(market, frames)
            return
        frames = in_arrival_order(frames, self._random)
        held, market.held = market.held, None
        if held is not None:
            if len(frames) == 1 and frames[0].level not in (None, held.level):
                # It was still to be sent when the engine applied the next one: hashed with it.
                held = held.hashed_as(market.ladder.hashes(held.at_ms))
            frames.insert(0, held)
        elif frames[-1].level is not None and self._random.random() < SWAP_CHANCE:
            market.held = frames.pop()
            asyncio.get_running_loop().call_later(HOLD_S, self._release, market)
        self._send(market, frames)

    def _release(self, market: _WatchedMarket) -> None:
        if market.held is not None:
            held, market.held = market.held, None
            self._send(market, [held])

    def _send(self, market: _WatchedMarket, frames: Sequence[Frame]) -> None:
        ordered = [item for frame in frames for item in (*frame.heralds, frame)]
        if ordered:
            for watcher in tuple(market.watchers):
                watcher.take(ordered)

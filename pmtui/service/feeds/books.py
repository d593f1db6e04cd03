"""Live books and tapes: the stream applied in order, checked by hash, mended by REST.

Which tokens are heard follows from who watches. A book says what it is worth: verified by the
venue's own hash, merely live, stale while the line is down, crossed or lossy until fetched anew.
"""

import asyncio
from collections.abc import Callable, Iterable
from datetime import datetime

from pmtui.domain.book import OrderBook
from pmtui.domain.book_check import Agreement
from pmtui.domain.book_view import BookState, BookView
from pmtui.domain.failure import FailureKind
from pmtui.domain.health import Source
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.link import Link, LinkState
from pmtui.domain.market_events import (
    BestBidAsk,
    BookSnapshot,
    LevelChange,
    MarketCreated,
    MarketEvent,
    MarketResolved,
    PriceChanges,
    RareMarketEvent,
    TickSizeChanged,
    TradePrinted,
)
from pmtui.domain.money import MoneyError
from pmtui.service.feeds.tapes import Tapes
from pmtui.service.feeds.tracked_books import NEVER, Pair, Tracked
from pmtui.service.hosts import Hosts
from pmtui.service.kernel import Kernel
from pmtui.service.topics import BookTopic, EventQuotesTopic, TapeTopic, Topic
from pmtui.service.views import Level
from pmtui.service.words import say_price

GRACE_S = 30.0
"""A token nobody watches any more is heard for this long, in case they come back."""
CHECK_PERIOD_S = 0.1
CHECKS_PER_PERIOD = 40
"""Books hashed in one period: about 2 ms of work at 50 microseconds each."""
RESYNC_PERIOD_S = 2.0
SNAPSHOT_DEADLINE_S = 3.0


class BooksFeed:
    """Every book somebody looks at."""

    def __init__(
        self,
        kernel: Kernel,
        hosts: Callable[[], "asyncio.Future[Hosts]"],
        *,
        tokens_of_event: Callable[[Topic], Iterable[TokenId]],
        pair_of: Callable[[TokenId], tuple[TokenId, ...]],
        on_tick_size: Callable[[TickSizeChanged], None],
        on_resolved: Callable[[MarketResolved], None],
    ) -> None:
        self._kernel = kernel
        self._hosts = hosts
        self._tokens_of_event = tokens_of_event
        self._pair_of = pair_of
        self._on_tick_size = on_tick_size
        self._on_resolved = on_resolved
        self._tracked: dict[TokenId, Tracked] = {}
        self._pairs: dict[ConditionId, Pair] = {}
        self._tokens_of_market: dict[ConditionId, list[TokenId]] = {}
        self._quote_topics: dict[TokenId, set[EventQuotesTopic]] = {}
        self._leaving: dict[TokenId, float] = {}
        self._to_check: dict[TokenId, None] = {}
        self._is_open = False
        self.tapes = Tapes(kernel, self._tracked)
        self._stream_hosts: Hosts | None = None

    async def run(self) -> None:
        """Keep the market stream up."""
        hosts = await self._hosts()
        self._stream_hosts = hosts
        self.retarget()
        link_health = self._kernel.health.link_listener(Source.MARKET_STREAM)

        def on_link(link: Link) -> None:
            link_health(link)
            self._on_link(link)

        await hosts.market_stream.run(on_event=self._on_event, on_link=on_link)

    async def keep_checking(self) -> None:
        """Compare books with the hashes that came, a bounded number at a time; let old ones go."""
        while True:
            await self._kernel.clock.sleep(CHECK_PERIOD_S)
            for token_id in list(self._to_check)[:CHECKS_PER_PERIOD]:
                del self._to_check[token_id]
                tracked = self._tracked.get(token_id)
                if tracked is not None:
                    tracked.tell_again()
                    self._check(token_id, tracked)
            self._drop_left()

    def on_demand(self, topic: Topic) -> None:
        """Follow who watches what."""
        if isinstance(topic, BookTopic | TapeTopic | EventQuotesTopic):
            self.retarget()

    def retarget(self) -> None:
        """Work out anew which tokens to hear; those nobody wants stay for a moment."""
        wanted: set[TokenId] = set()
        quotes: dict[TokenId, set[EventQuotesTopic]] = {}
        for topic in self._kernel.hub.watched():
            match topic:
                case BookTopic() | TapeTopic():
                    wanted.update(self._pair_of(topic.token_id))
                case EventQuotesTopic():
                    for token_id in self._tokens_of_event(topic):
                        wanted.add(token_id)
                        quotes.setdefault(token_id, set()).add(topic)
                case _:
                    pass
        self._quote_topics = quotes
        for tracked in self._tracked.values():
            tracked.tell_again()
        now = self._kernel.clock.monotonic()
        for token_id in self._tracked:
            if token_id not in wanted:
                self._leaving.setdefault(token_id, now)
        for token_id in wanted:
            self._leaving.pop(token_id, None)
        added = wanted - self._tracked.keys()
        for token_id in added:
            self._track(token_id)
        self._watch()
        if added and self._is_open:
            self._await_first_books()

    def book(self, token_id: TokenId) -> BookView:
        """Return a book as it is."""
        tracked = self._tracked.get(token_id)
        if tracked is None:
            return BookView(token_id, BookState.LOADING)
        return tracked.book.view(tracked.heard_at or self._kernel.clock.now())

    def resync(self, token_id: TokenId) -> None:
        """Fetch a book by REST, at most once in a while."""
        tracked = self._tracked.get(token_id)
        now = self._kernel.clock.monotonic()
        is_too_soon = tracked is not None and now - tracked.resynced_at < RESYNC_PERIOD_S
        if tracked is None or tracked.missed_by_rest is not None or is_too_soon:
            return
        tracked.missed_by_rest, tracked.resynced_at = [], now
        tracked.tell_again()
        self._kernel.start("book", lambda: self._resync(token_id, tracked))

    async def _resync(self, token_id: TokenId, tracked: Tracked) -> None:
        try:
            hosts = await self._hosts()
            answer = self._kernel.check(Source.TRADING, await hosts.trading.book(token_id))
            if isinstance(answer, BookSnapshot):
                self._apply_snapshot(answer)
                self._replay(tracked, answer.timestamp)
                self._join(answer.condition_id)
                if not self._is_open:
                    tracked.book.trust(BookState.STALE)
            elif answer.kind is FailureKind.NOT_FOUND:
                tracked.book.mark_missing()
                if self._is_open:
                    self.tapes.hear_again(token_id)
            self._mark(token_id)
        finally:
            tracked.missed_by_rest = None

    def _replay(self, tracked: Tracked, snapshot_ms: str) -> None:
        """Apply again what the fetched book is too old to hold; sizes are absolute."""
        for timestamp, change in tracked.missed_by_rest or ():
            if (len(timestamp), timestamp) >= (len(snapshot_ms), snapshot_ms):
                tracked.book.apply_change(change, timestamp)

    def _on_link(self, link: Link) -> None:
        if link.state is LinkState.CONNECTING:
            # A further socket may be on its way for further tokens; the others still stand.
            return
        was_open, self._is_open = self._is_open, link.state is LinkState.OPEN
        if was_open and self._is_open:
            # A further socket: whoever was heard before is heard on.
            self._await_first_books()
            return
        if self._is_open:
            # What was heard before may have gaps; the stream sends whole books for a start.
            for tracked in self._tracked.values():
                tracked.book.announced.clear()
                tracked.check.reset()
            self._await_first_books(since=self._kernel.clock.now())
            return
        self.tapes.lose(self._tracked)
        for token_id, tracked in self._tracked.items():
            tracked.book.trust(BookState.STALE)
            self._mark(token_id)

    def _await_first_books(self, since: datetime | None = None) -> None:
        """In a moment, fetch the books that were not heard at all, or not since some time."""

        async def fetch() -> None:
            await self._kernel.clock.sleep(SNAPSHOT_DEADLINE_S)
            for token_id, tracked in list(self._tracked.items()):
                heard_at = tracked.heard_at
                if heard_at is None or (since is not None and heard_at < since):
                    self.resync(token_id)

        self._kernel.start("late books", fetch)

    def _on_event(self, event: MarketEvent) -> None:
        if not isinstance(event, PriceChanges):
            self._on_rare_event(event)
            return
        pair = self._pairs.get(event.condition_id)
        if pair is None or not pair.twins.apply(event):
            self._apply_apart(event)
        elif pair.told_in != self._kernel.hub.frame:
            self._note_both(pair, event)

    def _apply_apart(self, event: PriceChanges) -> None:
        timestamp, frame = event.timestamp, self._kernel.hub.frame
        for change in event.changes:
            tracked = self._tracked.get(TokenId(change.asset_id))
            if tracked is not None:
                tracked.book.apply_change(change, timestamp)
                if tracked.told_in != frame:
                    self._note_change(tracked, change, timestamp)

    def _note_both(self, pair: Pair, event: PriceChanges) -> None:
        for tracked, change in zip(pair.of(event.changes), event.changes, strict=True):
            if tracked.told_in != self._kernel.hub.frame:
                self._note_change(tracked, change, event.timestamp)
        pair.told_in = min(tracked.told_in for tracked in pair.tracked)

    def _on_rare_event(self, event: RareMarketEvent) -> None:
        match event:
            case BookSnapshot():
                self._apply_snapshot(event)
                self._join(event.condition_id)
                if self._is_open:
                    self.tapes.hear_again(event.token_id)
            case TradePrinted():
                self._apply_trade(event)
            case TickSizeChanged():
                self._apply_tick_size(event)
            case MarketResolved():
                self._on_resolved(event)
            case BestBidAsk() | MarketCreated():
                # The first says what the next change will: two sources would contradict each
                # other on one screen. The second is of no use to an open screen.
                pass

    def _note_change(self, tracked: Tracked, change: LevelChange, timestamp: str) -> None:
        """Do what the first change of a frame asks for, and every one of a book in doubt."""
        token_id = tracked.book.token_id
        tracked.heard_at = self._kernel.clock.now()
        tracked.told_in = self._kernel.hub.frame
        if tracked.missed_by_rest is not None:
            tracked.missed_by_rest.append((timestamp, change))
            tracked.told_in = NEVER
        if tracked.check.is_doubtful:
            self._check(token_id, tracked)
            tracked.told_in = NEVER
        else:
            self._to_check[token_id] = None
        self._mark(token_id)

    def _apply_snapshot(self, snapshot: BookSnapshot) -> None:
        tracked = self._tracked.get(snapshot.token_id)
        if tracked is None:
            return
        tracked.check.reset()
        try:
            tracked.book.apply_snapshot(snapshot)
        except MoneyError as error:
            self._kernel.log.add(Level.WARNING, "stream", f"unreadable book: {error}")
            return
        tracked.heard_at = self._kernel.clock.now()
        self._note_pair(snapshot.condition_id, snapshot.token_id)
        self._to_check[snapshot.token_id] = None
        self._mark(snapshot.token_id)

    def _apply_trade(self, event: TradePrinted) -> None:
        tokens = self._tokens_of_market.get(event.condition_id, [event.token_id])
        for token_id in self.tapes.apply(event, tokens):
            if self._is_open:
                self.tapes.hear_again(token_id)
            # One price for both books: the venue hashes it so.
            self._tracked[token_id].book.apply_trade_price(event.price)
            self._mark(token_id)

    def _apply_tick_size(self, event: TickSizeChanged) -> None:
        tokens = self._tokens_of_market.get(event.condition_id, [event.token_id])
        for token_id in tokens:
            tracked = self._tracked.get(token_id)
            if tracked is not None:
                tracked.book.apply_tick_size(event.new_tick_size)
                tracked.resynced_at = float("-inf")
                self.resync(token_id)
                self._mark(token_id)
        if event.token_id == tokens[0]:
            text = f"Tick size is now {say_price(event.new_tick_size)}"
            self._kernel.log.notice(Level.WARNING, text)
        self._on_tick_size(event)

    def _check(self, token_id: TokenId, tracked: Tracked) -> None:
        book = tracked.book
        if book.is_crossed:
            self.resync(token_id)
        now_ms = int(self._kernel.clock.monotonic() * 1000)
        agreement = tracked.check.check(book, now_ms=now_ms)
        before = book.state
        match agreement:
            case Agreement.MATCH if self._is_open:
                book.trust(BookState.VERIFIED)
                tracked.tape.note_sound()
            case Agreement.DOUBT:
                self._to_check[token_id] = None
            case Agreement.LOSS:
                book.trust(BookState.LOSSY)
                self.tapes.doubt(token_id)
                self._kernel.log.add(Level.WARNING, "stream", "a book lost a message; fetching it")
                self.resync(token_id)
            case _:
                pass
        if book.state is not before:
            self._mark(token_id)

    def _track(self, token_id: TokenId) -> None:
        self._tracked[token_id] = Tracked(OrderBook(token_id))

    def _drop_left(self) -> None:
        now = self._kernel.clock.monotonic()
        left = [t for t, since in self._leaving.items() if now - since >= GRACE_S]
        for token_id in left:
            del self._leaving[token_id]
            tracked = self._tracked.pop(token_id, None)
            if tracked is not None and tracked.pair is not None:
                tracked.pair.twins.part()
                self._pairs.pop(tracked.book.condition_id, None)
        if left:
            self._watch()

    def _watch(self) -> None:
        if self._stream_hosts is not None:
            self._stream_hosts.market_stream.watch(
                frozenset(self._tracked), together=map(self._pair_of, self._tracked)
            )

    def _note_pair(self, condition_id: ConditionId, token_id: TokenId) -> None:
        tokens = self._tokens_of_market.setdefault(condition_id, [])
        if token_id not in tokens:
            tokens.append(token_id)

    def _join(self, condition_id: ConditionId) -> None:
        """Hold the books of a market as one if that is what they are."""
        tokens = self._tokens_of_market.get(condition_id, [])
        both = [tracked for token in tokens if (tracked := self._tracked.get(token)) is not None]
        if len(both) == 2 and both[1].book.is_mirror_of(both[0].book):
            pair = self._pairs[condition_id] = Pair(both[0], both[1])
            for tracked in both:
                tracked.pair = pair

    def _mark(self, token_id: TokenId) -> None:
        self._kernel.mark(BookTopic(token_id))
        for topic in self._quote_topics.get(token_id, ()):
            self._kernel.mark(topic)

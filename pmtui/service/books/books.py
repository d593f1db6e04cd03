"""Live books: the stream applied in order, verified by hash, repaired by REST.

The subscribed tokens follow from the watched topics. A book states its quality: verified by the
venue's own hash, merely live, stale while the stream is down, crossed or lossy until fetched again.

The stream sends a whole book for each token as soon as it is subscribed. `FirstBooks` tracks which
are still due: one that does not arrive in time is fetched by REST, repeatedly with a growing pause,
since a token may be silent for hours and without its first book nothing proves that it is subscribed
at all.
"""

import asyncio
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from pmtui.domain.answers import FailureKind
from pmtui.domain.backoff import Backoff
from pmtui.domain.books.book import OrderBook
from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.books.market_events import (
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
from pmtui.domain.books.verification import Agreement
from pmtui.domain.formats import shorten_id
from pmtui.domain.health import Link, Source
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import MOST_STREAMED_ROWS
from pmtui.domain.money import MoneyError
from pmtui.service.books.stream_faults import BookLosses
from pmtui.service.books.tapes import Tapes
from pmtui.service.books.tracked_books import NEVER, MarketBooks, Pair, Tracked, is_before
from pmtui.service.kernel import Kernel
from pmtui.service.ports import Hosts
from pmtui.service.topics import (
    BookTopic,
    EventQuotesTopic,
    RowQuotesTopic,
    TapeTopic,
    Topic,
)
from pmtui.service.views import Level
from pmtui.service.words import describe_price

DEADLINE_S = 3.0
LONGEST_PAUSE_S = 30.0


@dataclass(slots=True)
class _Debt:
    due_s: float
    backoff: Backoff


class FirstBooks:
    """The first books that have not arrived yet."""

    def __init__(self) -> None:
        self._debts: dict[TokenId, _Debt] = {}
        self._late: set[TokenId] = set()

    @property
    def are_owed(self) -> bool:
        """Whether any book has not arrived yet."""
        return bool(self._debts)

    def expect(self, token_ids: Iterable[TokenId], *, now_s: float) -> None:
        """Expect the books of some tokens from now on."""
        for token_id in token_ids:
            backoff = Backoff(first_s=DEADLINE_S, longest_s=LONGEST_PAUSE_S)
            self._debts[token_id] = _Debt(now_s + backoff.next_s(), backoff)
            self._late.discard(token_id)

    def drop(self, token_id: TokenId) -> None:
        """Stop expecting a token's book: it has arrived, there is none, or there is no connection."""
        if self._debts:
            self._debts.pop(token_id, None)
            self._late.discard(token_id)

    def is_late(self, token_id: TokenId) -> bool:
        """Whether a token's book is overdue."""
        return token_id in self._late

    def due(self, now_s: float) -> tuple[TokenId, ...]:
        """Return the tokens whose books are to be fetched now; the next time is further away."""
        found = tuple(token for token, debt in self._debts.items() if debt.due_s <= now_s)
        for token_id in found:
            debt = self._debts[token_id]
            debt.due_s = now_s + debt.backoff.next_s()
            self._late.add(token_id)
        return found


GRACE_S = 30.0
"""Seconds that a token stays subscribed after it was last watched, in case it is watched again."""
MOST_LEFT = 120
"""Tokens that stay so: hopping from event to event leaves hundreds behind within that time."""
CHECK_PERIOD_S = 0.1
CHECKS_PER_PERIOD = 40
"""Books hashed in one period: about 2 ms of work at 50 microseconds each."""
RESYNC_PERIOD_S = 2.0


class BooksFeed:
    """Every book that is watched."""

    def __init__(
        self,
        kernel: Kernel,
        *,
        tokens_of_event: Callable[[Topic], Iterable[TokenId]],
        pair_of: Callable[[TokenId], tuple[TokenId, ...]],
        title_of: Callable[[TokenId], str],
        is_own: Callable[[Collection[TokenId]], bool],
        on_tick_size: Callable[[TickSizeChanged], None],
        on_resolved: Callable[[MarketResolved], None],
    ) -> None:
        self._kernel = kernel
        self._tokens_of_event = tokens_of_event
        self._pair_of = pair_of
        self._title_of = title_of
        self._is_own = is_own
        self._losses = BookLosses(kernel.log, title_of)
        self._on_tick_size = on_tick_size
        self._on_resolved = on_resolved
        self._tracked: dict[TokenId, Tracked] = {}
        self._markets = MarketBooks(self._tracked)
        self._quote_topics: dict[TokenId, set[EventQuotesTopic | RowQuotesTopic]] = {}
        self._leaving: dict[TokenId, float] = {}
        """When each was last watched, oldest first."""
        self._rows: set[TokenId] = set()
        """Tokens that are only shown, or were recently shown, in rows of lists."""
        self._to_check: dict[TokenId, None] = {}
        self._has_work = asyncio.Event()
        self._disconnected: frozenset[TokenId] | None = None
        """Tokens whose sockets are not open; None before there is a stream."""
        self._first_books = FirstBooks()
        self._has_reported_overdue = False
        self.tapes = Tapes(kernel, self._tracked)
        self._stream_hosts: Hosts | None = None

    async def run(self) -> None:
        """Keep the market stream up."""
        hosts = await self._kernel.hosts()
        self._stream_hosts = hosts
        self.retarget()
        link_health = self._kernel.health.link_listener(Source.MARKET_STREAM)

        def on_link(link: Link) -> None:
            link_health(link)
            self._follow_sockets(hosts.market_stream.disconnected())

        await hosts.market_stream.run(on_event=self._on_event, on_link=on_link)

    async def keep_checking(self) -> None:
        """Compare books with received hashes, a bounded number at a time; drop unwatched ones."""
        while True:
            await self._has_work.wait()
            await self._kernel.clock.sleep(CHECK_PERIOD_S)
            for token_id in list(self._to_check)[:CHECKS_PER_PERIOD]:
                del self._to_check[token_id]
                tracked = self._tracked.get(token_id)
                if tracked is not None:
                    tracked.mark_again()
                    self._check(token_id, tracked)
            for token_id in self._first_books.due(self._kernel.clock.monotonic()):
                self.resync(token_id)
            self._drop_left()
            if not (self._to_check or self._leaving or self._first_books.are_owed):
                self._has_work.clear()

    def on_demand(self, topic: Topic) -> None:
        """Follow the watched topics."""
        if isinstance(topic, BookTopic | TapeTopic | EventQuotesTopic | RowQuotesTopic):
            self.retarget()

    def retarget(self) -> None:
        """Update which tokens are subscribed; unwatched ones stay for a moment."""
        wanted, rows = self._follow_watchers()
        self._rows = (self._rows | rows) - wanted
        wanted |= rows
        for tracked in self._tracked.values():
            tracked.mark_again()
        now = self._kernel.clock.monotonic()
        for token_id in self._tracked:
            if token_id not in wanted:
                self._leaving.setdefault(token_id, now)
        for token_id in wanted:
            self._leaving.pop(token_id, None)
        added = wanted - self._tracked.keys()
        for token_id in added:
            self._tracked[token_id] = Tracked(OrderBook(token_id))
        self._watch()
        if self._disconnected is not None:
            self._first_books.expect(added, now_s=now)
        self._has_work.set()

    def _follow_watchers(self) -> tuple[set[TokenId], set[TokenId]]:
        """Record which quotes a token belongs to; return the tokens of screens and those of list rows."""
        wanted: set[TokenId] = set()
        rows: set[TokenId] = set()
        quotes: dict[TokenId, set[EventQuotesTopic | RowQuotesTopic]] = {}
        for topic in self._kernel.hub.watched():
            match topic:
                case BookTopic() | TapeTopic():
                    wanted.update(self._pair_of(topic.token_id))
                case EventQuotesTopic():
                    for token_id in self._tokens_of_event(topic):
                        wanted.add(token_id)
                        quotes.setdefault(token_id, set()).add(topic)
                case RowQuotesTopic():
                    for token_id in topic.token_ids[:MOST_STREAMED_ROWS]:
                        rows.add(token_id)
                        quotes.setdefault(token_id, set()).add(topic)
                case _:
                    pass
        self._quote_topics = quotes
        return wanted, rows

    def book(self, token_id: TokenId) -> BookView:
        """Return the current book."""
        tracked = self._tracked.get(token_id)
        if tracked is None:
            return BookView(token_id, BookState.LOADING)
        return tracked.book.view(tracked.changed_at or self._kernel.clock.now())

    def rewind(self, at: datetime) -> None:
        """Forget the trades after a moment, and accept the next books although they are older."""
        self.tapes.forget_after(at)
        for tracked in self._tracked.values():
            tracked.mark_disconnected()

    def resync(self, token_id: TokenId) -> None:
        """Fetch a book by REST, at most once in a while."""
        tracked = self._tracked.get(token_id)
        now = self._kernel.clock.monotonic()
        is_too_soon = tracked is not None and now - tracked.resynced_at < RESYNC_PERIOD_S
        if tracked is None or tracked.missed_by_rest is not None or is_too_soon:
            return
        tracked.missed_by_rest, tracked.resynced_at = [], now
        tracked.mark_again()
        self._kernel.start("book", lambda: self._resync(token_id, tracked))

    async def _resync(self, token_id: TokenId, tracked: Tracked) -> None:
        try:
            hosts = await self._kernel.hosts()
            answer = self._kernel.check(Source.TRADING, await hosts.trading.book(token_id))
            if isinstance(answer, BookSnapshot):
                self._apply_snapshot(answer)
                self._replay(tracked, answer.timestamp)
                self._markets.join(answer.condition_id)
                self._drop_debt_if_fed(token_id, tracked)
            elif answer.kind is FailureKind.NOT_FOUND:
                tracked.book.mark_missing()
                self._first_books.drop(token_id)
                if self._is_connected(token_id):
                    self.tapes.resume(token_id)
            if not self._is_connected(token_id):
                tracked.book.trust(BookState.STALE)
            elif self._first_books.is_late(token_id):
                self._mark_overdue(tracked)
            self._mark(token_id)
        finally:
            tracked.missed_by_rest = None

    def _replay(self, tracked: Tracked, snapshot_ms: str) -> None:
        """Apply the changes again that are newer than the fetched book; sizes are absolute."""
        for timestamp, change in tracked.missed_by_rest or ():
            if not is_before(timestamp, snapshot_ms):
                tracked.book.apply_change(change, timestamp)

    def _is_connected(self, token_id: TokenId) -> bool:
        return self._disconnected is not None and token_id not in self._disconnected

    def _is_touched(self, token_id: TokenId, tracked: Tracked) -> bool:
        """Whether a book's hash is evidence: not if only REST has answered for too long."""
        return self._is_connected(token_id) and (
            tracked.is_fed or not self._first_books.is_late(token_id)
        )

    def _follow_sockets(self, disconnected: frozenset[TokenId]) -> None:
        """Record whose sockets are open; the books and tapes of the others have a gap from now on."""
        before, self._disconnected = self._disconnected, disconnected
        lost = [
            t for t in self._tracked if t in disconnected and (before is None or t not in before)
        ]
        self.tapes.start_gaps(lost)
        for token_id in lost:
            tracked = self._tracked[token_id]
            tracked.mark_disconnected()
            tracked.book.trust(BookState.STALE)
            self._first_books.drop(token_id)
            self._mark(token_id)
        back = [
            t for t in self._tracked if t not in disconnected and (before is None or t in before)
        ]
        for token_id in back:
            tracked = self._tracked[token_id]
            tracked.book.announced.clear()
            tracked.check.reset()
        self._has_reported_overdue = self._has_reported_overdue and not back
        self._first_books.expect(back, now_s=self._kernel.clock.monotonic())
        self._has_work.set()

    def _on_first_book(self, token_id: TokenId) -> None:
        """Handle the arrival of a whole book from the stream."""
        tracked = self._tracked.get(token_id)
        if self._stream_hosts is not None and not self._is_connected(token_id):
            # It moved to another socket, which no link event reports.
            self._follow_sockets(self._stream_hosts.market_stream.disconnected())
        if tracked is not None and tracked.is_whole and self._is_connected(token_id):
            tracked.is_fed = True
            self._drop_debt_if_fed(token_id, tracked)
            self.tapes.resume(token_id)

    def _on_first_change(self, token_id: TokenId, tracked: Tracked) -> None:
        """Handle changes of a token, even without the whole book that is still due."""
        tracked.is_fed = True
        if self._first_books.is_late(token_id):
            # The fetched book is older; anything may have been missed in between.
            tracked.is_whole, tracked.resynced_at = False, float("-inf")
            self.resync(token_id)
        self._drop_debt_if_fed(token_id, tracked)

    def _drop_debt_if_fed(self, token_id: TokenId, tracked: Tracked) -> None:
        if tracked.is_fed and tracked.is_whole and self._is_connected(token_id):
            self._first_books.drop(token_id)

    def _mark_overdue(self, tracked: Tracked) -> None:
        """Mark a book that the stream has not sent, even if REST has answered meanwhile."""
        tracked.book.mark_overdue()
        if not self._has_reported_overdue:
            self._has_reported_overdue = True
            text = "books were not sent by the stream: fetched, and overdue until it sends them"
            self._kernel.log.add(Level.WARNING, "stream", text)

    def _on_event(self, event: MarketEvent) -> None:
        if not isinstance(event, PriceChanges):
            self._on_rare_event(event)
            return
        pair = self._markets.pairs.get(event.condition_id)
        if pair is None or not pair.twins.apply(event):
            self._apply_apart(event)
        elif pair.marked_in != self._kernel.hub.frame:
            self._on_both_changes(pair, event)

    def _apply_apart(self, event: PriceChanges) -> None:
        timestamp, frame = event.timestamp, self._kernel.hub.frame
        for change in event.changes:
            tracked = self._tracked.get(TokenId(change.asset_id))
            if tracked is not None:
                tracked.book.apply_change(change, timestamp)
                if tracked.marked_in != frame:
                    self._on_change(tracked, change, timestamp)

    def _on_both_changes(self, pair: Pair, event: PriceChanges) -> None:
        for tracked, change in zip(pair.of(event.changes), event.changes, strict=True):
            if tracked.marked_in != self._kernel.hub.frame:
                self._on_change(tracked, change, event.timestamp)
        pair.marked_in = min(tracked.marked_in for tracked in pair.tracked)

    def _on_rare_event(self, event: RareMarketEvent) -> None:
        match event:
            case BookSnapshot():
                known = self._tracked.get(event.token_id)
                if known is None or not known.is_late(event.timestamp):
                    self._apply_snapshot(event)
                    self._markets.join(event.condition_id)
                    self._on_first_book(event.token_id)
            case TradePrinted():
                self._apply_trade(event)
            case TickSizeChanged():
                self._apply_tick_size(event)
            case MarketResolved():
                self._on_resolved(event)
            case BestBidAsk() | MarketCreated():
                # The first announces the next change: two sources would contradict each other on
                # one screen. The second is of no use to an open screen.
                pass

    def _on_change(self, tracked: Tracked, change: LevelChange, timestamp: str) -> None:
        """Handle the first change of a frame, and every change of a doubtful book."""
        token_id = tracked.book.token_id
        tracked.changed_at = self._kernel.clock.now()
        tracked.marked_in = self._kernel.hub.frame
        if not tracked.is_fed:
            self._on_first_change(token_id, tracked)
        if tracked.missed_by_rest is not None:
            tracked.missed_by_rest.append((timestamp, change))
            tracked.marked_in = NEVER
        if tracked.check.is_doubtful:
            self._check(token_id, tracked)
            tracked.marked_in = NEVER
        else:
            self._check_soon(token_id)
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
        tracked.changed_at = self._kernel.clock.now()
        tracked.is_whole = True
        self._markets.add(snapshot.condition_id, snapshot.token_id)
        self._check_soon(snapshot.token_id)
        self._mark(snapshot.token_id)

    def _apply_trade(self, event: TradePrinted) -> None:
        tokens = self._markets.tokens(event.condition_id, event.token_id)
        for token_id in self.tapes.apply(event, tokens):
            if self._is_connected(token_id):
                self._on_first_change(token_id, self._tracked[token_id])
                self.tapes.resume(token_id)
            # One price for both books: the venue hashes it that way.
            self._tracked[token_id].book.apply_trade_price(event.price, of=event.token_id)
            self._mark(token_id)

    def _apply_tick_size(self, event: TickSizeChanged) -> None:
        tokens = self._markets.tokens(event.condition_id, event.token_id)
        for token_id in tokens:
            tracked = self._tracked.get(token_id)
            if tracked is not None:
                tracked.book.apply_tick_size(event.new_tick_size)
                tracked.resynced_at = float("-inf")
                self.resync(token_id)
                self._mark(token_id)
        if event.token_id == tokens[0]:
            name = self._title_of(event.token_id) or shorten_id(event.token_id)
            text = f"Tick size is now {describe_price(event.new_tick_size)}: {name}"
            # A market without a position or an order of ours is on a list at most.
            level = (
                Level.WARNING
                if self._is_own({*tokens, *self._pair_of(event.token_id)})
                else Level.INFO
            )
            self._kernel.log.notice(level, text)
        self._on_tick_size(event)

    def _check_soon(self, token_id: TokenId) -> None:
        self._to_check[token_id] = None
        self._has_work.set()

    def _check(self, token_id: TokenId, tracked: Tracked) -> None:
        book = tracked.book
        if book.is_crossed:
            self.resync(token_id)
        now_ms = int(self._kernel.clock.stream_s() * 1000)
        agreement = tracked.check.check(book, now_ms=now_ms)
        before = book.state
        match agreement:
            case Agreement.MATCH if self._is_touched(token_id, tracked):
                book.trust(BookState.VERIFIED)
                tracked.is_whole = True
                self._drop_debt_if_fed(token_id, tracked)
                tracked.tape.mark_complete()
            case Agreement.DOUBT:
                self._check_soon(token_id)
            case Agreement.LOSS:
                book.trust(BookState.LOSSY)
                self.tapes.doubt(token_id)
                self._losses.report(token_id)
                self.resync(token_id)
            case _:
                pass
        if book.state is not before:
            self._mark(token_id)

    def _drop_left(self) -> None:
        now = self._kernel.clock.monotonic()
        left = [t for t, since in self._leaving.items() if now - since >= GRACE_S]
        # Scrolling through a long list leaves hundreds of rows behind within that time.
        passed = [t for t in self._leaving if t in self._rows and t not in left]
        excess = len(self._rows) - sum(t in self._rows for t in left) - MOST_STREAMED_ROWS
        left += passed[: max(excess, 0)]
        kept = [t for t in self._leaving if t not in left]
        left += kept[: max(len(kept) - MOST_LEFT, 0)]
        for token_id in left:
            del self._leaving[token_id]
            self._rows.discard(token_id)
            self._losses.forget(token_id)
            self._first_books.drop(token_id)
            tracked = self._tracked.pop(token_id, None)
            if tracked is not None:
                self._markets.part(tracked)
        if left:
            self._watch()

    def _watch(self) -> None:
        if self._stream_hosts is not None:
            self._stream_hosts.market_stream.watch(
                frozenset(self._tracked), together=map(self._pair_of, self._tracked)
            )

    def _mark(self, token_id: TokenId) -> None:
        self._kernel.mark(BookTopic(token_id))
        for topic in self._quote_topics.get(token_id, ()):
            self._kernel.mark(topic)

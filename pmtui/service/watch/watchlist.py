"""Starred items: saved on disk, fetched and streamed only while the list is watched.

The rows use the best data available: the books, data from this session, and last data from an earlier one. The
list works even without the venue.

Stars and alerts are in the profile's own directory: paper and live never mix. SQLite with full synchronisation,
one row each, so that a crash loses nothing and two terminals of one profile do not overwrite each other.
Unreadable data is never discarded: single rows are left in place, and a file that is not a database is moved
aside, under a reported name, before anything is written. It contains no secrets. `WatchKeeper` writes every
change at once, in order, on a thread. Another terminal of the profile writes the same file, so it is read again
whenever it has changed.
"""

import asyncio
import os
import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from pmtui.config.paths import private_dir
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.conditionals.alerts import AlertId, PriceAlert
from pmtui.domain.health import Source
from pmtui.domain.ids import ConditionId, EventId, TokenId
from pmtui.domain.markets.market import Event, Market
from pmtui.domain.markets.watchlist import (
    MOST_STARS,
    Star,
    StarKey,
    StarKind,
    StarSnapshot,
    choose_watched,
    key_of_event,
    key_of_market,
    newest,
    snapshot_event,
    snapshot_market,
    without_long_texts,
)
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import TradePrint
from pmtui.service.conditionals.price_alerts import PriceAlerts
from pmtui.service.hub import FollowedTopics
from pmtui.service.kernel import Kernel
from pmtui.service.markets.metadata import MetadataFeed
from pmtui.service.markets.prices import Quotes
from pmtui.service.topics import (
    BookTopic,
    EventTopic,
    MarketListTopic,
    MarketTopic,
    SearchTopic,
    Topic,
    WatchlistTopic,
)
from pmtui.service.views import AlertRow, Level, Load, QuoteRow, WatchlistView, WatchRow

T = TypeVar("T")

FILE = "watchlist.sqlite"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS stars (
    kind TEXT NOT NULL, item_id TEXT NOT NULL, title TEXT NOT NULL, starred_at TEXT NOT NULL,
    seen BLOB, PRIMARY KEY (kind, item_id)
);
CREATE TABLE IF NOT EXISTS alerts (alert_id TEXT PRIMARY KEY, facts BLOB NOT NULL);
"""
_BUSY_S = 2.0
"""How long to wait for another terminal's write."""


@dataclass(frozen=True, slots=True)
class StoredWatchlist:
    """The contents of the file, in the order of writing."""

    stars: tuple[Star, ...] = ()
    alerts: tuple[PriceAlert, ...] = ()
    unreadable: int = 0
    """Rows that this version cannot decode; they stay in the file."""


class StoreProblem(Exception):  # noqa: N818 - no error: the session goes on without
    """Why the file cannot be read or written, in one line."""


Change = Star | StarKey | PriceAlert | AlertId
"""An item to save, or the key of one to remove."""


class WatchStore:
    """Reads the file and writes single changes. Both wait for the disk."""

    def __init__(self, state_dir: Path) -> None:
        """Use a file in a profile's own directory."""
        self._path = state_dir / FILE
        self._is_damaged = False

    def read(self) -> StoredWatchlist:
        """Return the saved items; nothing if there is no file.

        Raises:
            StoreProblem: the file cannot be read; it is left unchanged.
        """
        try:
            if not self._path.exists():
                return StoredWatchlist()
            with closing(self._connect()) as connection:
                stars = connection.execute(
                    "SELECT kind, item_id, title, starred_at, seen FROM stars ORDER BY rowid"
                ).fetchall()
                alerts = connection.execute("SELECT facts FROM alerts ORDER BY rowid").fetchall()
        except (sqlite3.Error, OSError) as error:
            self._is_damaged = _is_damage(error)
            raise StoreProblem(_words(error)) from error
        read_stars = tuple(map(_star, stars))
        read_alerts = tuple(_decode(facts, PriceAlert) for (facts,) in alerts)
        return StoredWatchlist(
            stars=tuple(each for each in read_stars if each is not None),
            alerts=tuple(each for each in read_alerts if each is not None),
            unreadable=read_stars.count(None) + read_alerts.count(None),
        )

    def mark(self) -> tuple[int, ...]:
        """Return a mark that changes with every write, by any process; nothing is read for it."""
        try:
            found = self._path.stat()
        except OSError:
            return ()
        return found.st_ino, found.st_mtime_ns, found.st_size

    def write(self, changes: tuple[Change, ...]) -> Path | None:
        """Write changes atomically; return where a damaged file was moved, if there was one.

        Raises:
            StoreProblem: they cannot be written; the previous contents are still there.
        """
        aside = None
        try:
            private_dir(self._path.parent)
            if self._is_damaged:
                aside = self._put_aside()
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
            with closing(self._connect()) as connection, connection:
                for change in changes:
                    _write(connection, change)
        except (sqlite3.Error, OSError) as error:
            raise StoreProblem(_words(error)) from error
        return aside

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=_BUSY_S)
        try:
            connection.execute("PRAGMA synchronous=FULL")
            connection.executescript(_SCHEMA)
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _put_aside(self) -> Path:
        number = 1
        while (aside := self._path.with_name(f"{FILE}.unreadable-{number}")).exists():
            number += 1
        # SQLite's files beside it belong to it, and to no other file.
        for ending in ("", "-journal"):
            with suppress(FileNotFoundError):
                self._path.with_name(FILE + ending).rename(aside.with_name(aside.name + ending))
        self._is_damaged = False
        return aside


def _star(row: tuple[object, ...]) -> Star | None:
    kind, item_id, title, starred_at, seen = row
    try:
        return Star(
            key=StarKey(StarKind(str(kind)), str(item_id)),
            title=str(title),
            starred_at=datetime.fromisoformat(str(starred_at)),
            seen=_decode(seen, StarSnapshot),
        )
    except ValueError:
        return None


# The last seen data matters less than the star: without it the venue is simply queried.
def _decode(raw: object, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(raw, type=kind) if isinstance(raw, bytes) else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _write(connection: sqlite3.Connection, change: Change) -> None:
    match change:
        case Star(key, title, starred_at, seen):
            raw = None if seen is None else msgspec.json.encode(seen)
            connection.execute(
                "INSERT INTO stars VALUES (?, ?, ?, ?, ?) ON CONFLICT (kind, item_id) DO UPDATE"
                " SET title = excluded.title, seen = excluded.seen",
                (key.kind.value, key.item_id, title, starred_at.isoformat(), raw),
            )
        case StarKey(kind, item_id):
            connection.execute(
                "DELETE FROM stars WHERE kind = ? AND item_id = ?", (kind.value, item_id)
            )
        case PriceAlert():
            connection.execute(
                "INSERT INTO alerts VALUES (?, ?) ON CONFLICT (alert_id) DO UPDATE"
                " SET facts = excluded.facts",
                (change.alert_id, msgspec.json.encode(change)),
            )
        case str():
            connection.execute("DELETE FROM alerts WHERE alert_id = ?", (change,))


# A file that is locked or forbidden may be intact: only one that is not a database is moved aside.
def _is_damage(error: Exception) -> bool:
    return isinstance(error, sqlite3.DatabaseError) and not isinstance(
        error, sqlite3.OperationalError
    )


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__


CHECK_PERIOD_S = 5.0
"""The longest delay in noticing another terminal's changes."""


class WatchKeeper:
    """Saves stars and alerts for the next session, and reports if it cannot."""

    def __init__(self, kernel: Kernel, state_dir: Path | None) -> None:
        """Create the keeper; without a directory nothing is saved."""
        self._kernel = kernel
        self._store = None if state_dir is None else WatchStore(state_dir)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="watchlist")
        self._unwritten: deque[Change] = deque()
        self._is_stopped = False
        self._own_changes = 0
        """Number of changes in this session."""
        self._read_at: tuple[int, ...] = ()
        """The file's mark when it was last read."""
        self.problem = ""
        """Why stars are not saved, or could not be read."""

    def restore(self) -> StoredWatchlist:
        """Return the items of an earlier session, and report if they cannot be read."""
        if self._store is None:
            return StoredWatchlist()
        try:
            self._read_at = self._store.mark()
            kept = self._store.read()
        except StoreProblem as problem:
            self._report(f"The watchlist cannot be read ({problem}); its file is left as it is")
            return StoredWatchlist()
        if kept.unreadable:
            self._report(f"{kept.unreadable} of the watchlist cannot be read; its file keeps them")
        return kept

    async def follow(self, take: Callable[[StoredWatchlist], None]) -> None:
        """Watch for changes by others from now on; `take` is called with all saved items."""
        store, loop = self._store, asyncio.get_running_loop()
        while store is not None:
            await self._kernel.clock.sleep(CHECK_PERIOD_S)
            own_changes, read_at = self._own_changes, self._read_at
            mark = await loop.run_in_executor(self._thread, store.mark)
            if mark == read_at or not mark or self._unwritten:
                continue
            try:
                kept = await loop.run_in_executor(self._thread, store.read)
            except StoreProblem:
                # Reported where it was first read, or at the next write.
                continue
            if self._own_changes == own_changes:
                # Otherwise it is older than a change made here; the next check reads it again.
                self._read_at = mark
                take(kept)

    def keep(self, change: Change) -> None:
        """Write a change without waiting for it."""
        self._own_changes += 1
        if self._store is not None:
            self._unwritten.append(change)
        if self._unwritten and not self._is_stopped:
            self._kernel.start_unless_running("watchlist file", "watchlist", self._write)

    def stop(self) -> None:
        """Collect changes from now on; `close` writes them."""
        self._is_stopped = True

    async def close(self) -> None:
        """Write the remaining changes."""
        self.stop()
        await self._write()
        self._thread.shutdown(wait=True)

    async def _write(self) -> None:
        store = self._store
        while store is not None and self._unwritten:
            changes = tuple(self._unwritten)
            loop = asyncio.get_running_loop()
            try:
                aside = await loop.run_in_executor(self._thread, store.write, changes)
            except StoreProblem as problem:
                # Retried with the next change; reported once.
                self._report(f"The watchlist cannot be kept for the next session: {problem}")
                return
            for _ in changes:
                self._unwritten.popleft()
            if aside is not None:
                self._report(f"The watchlist that could not be read is kept as {aside.name}")
            else:
                self.problem = ""

    def _report(self, problem: str) -> None:
        if problem != self.problem:
            self.problem = problem
            self._kernel.log.notice(Level.WARNING, problem)
            self._kernel.mark(WatchlistTopic())


PERIOD_S = 30.0
"""How often the data of an open list is fetched again, as for every list."""

_SHOW_STARS = (MarketListTopic, SearchTopic, EventTopic, MarketTopic)


class Watchlist:
    """The stars of one profile, and the markets of its price alerts."""

    def __init__(
        self,
        kernel: Kernel,
        metadata: MetadataFeed,
        *,
        quotes: Quotes,
        tape_of: Callable[[TokenId], Sequence[TradePrint]],
        queue_of: Callable[[TokenId], Micros | None],
        keeper: WatchKeeper,
    ) -> None:
        self._kernel = kernel
        self._metadata = metadata
        self._quotes = quotes
        self._keeper = keeper
        self._stars: dict[StarKey, Star] = {}
        self._problem = ""
        self._as_of: datetime | None = None
        self._streamed: frozenset[ConditionId] = frozenset()
        self._unstreamed = 0
        self._followed = FollowedTopics(kernel.hub, self._on_book)
        self.alerts = PriceAlerts(
            kernel, book_of=quotes.book_of, tape_of=tape_of, queue_of=queue_of,
            market_of=self._market_of, keep=keeper.keep,
        )  # fmt: skip

    def restore(self) -> None:
        """Restore the items of an earlier session, before the first query."""
        kept = self._keeper.restore()
        self._stars = {star.key: star for star in kept.stars}
        self.alerts.restore(kept.alerts)
        self._kernel.start("watchlist file", lambda: self._keeper.follow(self._merge))

    def _merge(self, kept: StoredWatchlist) -> None:
        """Add items that another terminal has starred since, and drop those that it has unstarred."""
        before = tuple(self._stars)
        self._stars = {star.key: self._stars.get(star.key, star) for star in kept.stars}
        if self.alerts.merge(kept.alerts) or tuple(self._stars) != before:
            self._changed()

    async def close(self) -> None:
        """Save the known data for the next session."""
        self._keeper.stop()
        self._save_seen()
        await self._keeper.close()

    def view(self) -> WatchlistView:
        """Return the whole watchlist, in the order of starring."""
        alerts: dict[StarKey, list[PriceAlert]] = {}
        for alert in self.alerts.view():
            alerts.setdefault(key_of_market(alert.plan.condition_id), []).append(alert)
        rows = [self._row(key, alerts.get(key, ())) for key in self.keys()]
        is_asked = self._kernel.hub.is_watched(WatchlistTopic())
        load = Load.READY if self._as_of else Load.LOADING if is_asked else Load.EMPTY
        problem = self._problem or self._metadata.unreachable
        return WatchlistView(
            rows=tuple(rows),
            load=Load.FAILED if problem else load,
            as_of=self._as_of,
            problem=problem,
            unstreamed=self._unstreamed,
            kept_problem=self._keeper.problem,
        )

    def is_starred(self, condition_id: ConditionId | None) -> bool:
        """Whether a market is starred."""
        return condition_id is not None and key_of_market(condition_id) in self._stars

    def is_event_starred(self, event: Event) -> bool:
        """Whether an event, or its only market, is starred."""
        return key_of_event(event) in self._stars or _key_of(event.event_id) in self._stars

    async def star(self, key: StarKey, title: str) -> str:
        """Star an item; return why not, or "" on success."""
        if key not in self._stars:
            if len(self._stars) >= MOST_STARS:
                return f"{MOST_STARS} are starred, the most there can be: remove one first"
            seen = self._current(key)
            kept = None if seen is None else without_long_texts(seen)
            title = title if seen is None else seen.title
            self._put(Star(key, title, self._kernel.clock.now(), kept))
            self._changed()
        return ""

    async def unstar(self, key: StarKey) -> str:
        """Remove a star; alerts on the same item stay. Return why not, or "" on success."""
        if self._stars.pop(key, None) is not None:
            self._keeper.keep(key)
            self._changed()
        return ""

    def refresh(self) -> None:
        """Fetch everything on the list now."""
        self._kernel.start_unless_running("watchlist fetch", "watchlist", self._fetch)

    def on_demand(self, topic: Topic) -> None:
        """Start streaming and fetching when the list is watched."""
        if topic == WatchlistTopic():
            self._watch()
            self._kernel.start_unless_running(topic, "watchlist", self._poll)

    def on_release(self, topic: Topic) -> None:
        """Stop when the list is no longer watched, and save the newest snapshots."""
        if topic == WatchlistTopic():
            self._save_seen()
            self._watch()

    async def _poll(self) -> None:
        while self._kernel.hub.is_watched(WatchlistTopic()):
            await self._fetch()
            await self._kernel.clock.sleep(PERIOD_S)

    async def _fetch(self) -> None:
        hosts = await self._kernel.hosts()
        for key in self.keys():
            if key.kind is StarKind.EVENT:
                answer: Event | Market | Failure = await hosts.metadata.event(EventId(key.item_id))
            else:
                answer = await hosts.metadata.market(ConditionId(key.item_id))
            answer = self._kernel.check(Source.METADATA, answer)
            if not isinstance(answer, Failure):
                self._learn(answer)
            elif answer.kind is not FailureKind.NOT_FOUND:
                # After one failure the other items are not requested either.
                self._problem = str(answer)
                self._kernel.mark(WatchlistTopic())
                return
        self._problem, self._as_of = "", self._kernel.clock.now()
        self._save_seen()
        self._kernel.mark(WatchlistTopic())

    def _learn(self, answer: Event | Market) -> None:
        if isinstance(answer, Event):
            self._metadata.remember((answer,))
        else:
            self._metadata.learn_market(answer)
        for market in answer.markets if isinstance(answer, Event) else (answer,):
            if market.closed and market.condition_id:
                self.alerts.end_market(market.condition_id)
        self._watch()
        self._kernel.mark(WatchlistTopic())

    def keys(self) -> tuple[StarKey, ...]:
        """Return the listed items: stars, and markets that only alerts watch.

        Such markets come below their event if that is starred, else at the end.
        """
        alerted = [key_of_market(alert.plan.condition_id) for alert in self.alerts.view()]
        others = [key for key in dict.fromkeys(alerted) if key not in self._stars]
        events = {key: self._event_of(key) for key in others}
        keys: list[StarKey] = []
        for star in self._stars:
            keys += (star, *(key for key in others if events[key] == star))
        return tuple(dict.fromkeys((*keys, *others)))

    def _row(self, key: StarKey, alerts: Sequence[PriceAlert]) -> WatchRow:
        star, seen = self._stars.get(key), self._seen(key)
        title = star.title if star is not None else alerts[0].title
        market = seen.market if seen is not None else None
        return WatchRow(
            key=key,
            title=seen.title if seen is not None else title,
            is_starred=star is not None,
            seen=seen,
            quote=self._quotes.quote(market, seen.as_of) if market and seen else None,
            alerts=tuple(self._alert_row(alert) for alert in alerts),
        )

    def _alert_row(self, alert: PriceAlert) -> AlertRow:
        book = self._quotes.book_of(alert.plan.token_id)
        return AlertRow(alert, book.state, book.best_bid, book.best_ask)

    def _seen(self, key: StarKey) -> StarSnapshot | None:
        """Return the last known data, from this session or before it."""
        star = self._stars.get(key)
        return newest(self._current(key), star.seen if star else None)

    def _current(self, key: StarKey) -> StarSnapshot | None:
        """Return the data known in this session, from any source."""
        if key.kind is StarKind.EVENT:
            known = self._metadata.store.events.get(EventId(key.item_id))
            if known is None or known.event is None or known.as_of is None:
                return None
            return snapshot_event(known.event, known.as_of)
        state = self._metadata.store.markets.get(ConditionId(key.item_id))
        if state is None or state.market is None or state.as_of is None:
            return None
        return snapshot_market(state.market, state.as_of)

    def _market_of(self, condition_id: ConditionId) -> Market | None:
        """Return a market as known now, or as it was when it was starred."""
        seen = self._seen(key_of_market(condition_id))
        if seen is not None:
            return seen.market
        led = (star.seen.market for star in self._stars.values() if star.seen is not None)
        return next((m for m in led if m and m.condition_id == condition_id), None)

    def _event_of(self, key: StarKey) -> StarKey | None:
        seen = self._seen(key)
        event_id = seen.market.event_id if seen is not None and seen.market is not None else None
        return None if event_id is None else _key_of(event_id)

    def _put(self, star: Star) -> None:
        self._stars[star.key] = star
        self._keeper.keep(star)

    def _changed(self) -> None:
        self._watch()
        for topic in (*self._kernel.hub.watched(), WatchlistTopic()):
            if isinstance(topic, (*_SHOW_STARS, WatchlistTopic)):
                self._kernel.mark(topic)

    def _save_seen(self) -> None:
        """Save the known data, with best prices from the books, for when no host replies."""
        for star in tuple(self._stars.values()):
            row = self._row(star.key, ())
            if row.seen is None:
                continue
            seen = without_long_texts(_with_quote(row.seen, row.quote))
            if seen != star.seen:
                self._put(replace(star, title=seen.title, seen=seen))

    def _watch(self) -> None:
        markets: list[Market] = []
        if self._kernel.hub.is_watched(WatchlistTopic()):
            seen = map(self._seen, self._stars)
            markets = [s.market for s in seen if s and s.market and not s.market.closed]
        tokens = {
            condition_id: m.token_ids[0]
            for m in markets
            if (condition_id := m.condition_id) is not None and m.token_ids
        }
        self._streamed, self._unstreamed = choose_watched(tokens)
        self._followed.follow(BookTopic(tokens[condition_id]) for condition_id in self._streamed)

    def _on_book(self, _: Topic) -> None:
        self._kernel.mark(WatchlistTopic())


def _key_of(event_id: EventId) -> StarKey:
    return StarKey(StarKind.EVENT, event_id)


def _with_quote(seen: StarSnapshot, quote: QuoteRow | None) -> StarSnapshot:
    if seen.market is None or quote is None or not quote.is_live or quote.as_of is None:
        return seen
    market = replace(
        seen.market,
        best_bid=quote.best_bid,
        best_ask=quote.best_ask,
        last_trade_price=quote.last_trade_price,
    )
    return replace(seen, market=market, as_of=max(seen.as_of, quote.as_of))

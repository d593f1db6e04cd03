"""Stars and price alerts on the disk, in the profile's own directory: paper and live never mix.

SQLite with full synchronisation, a row for each, so that a crash loses nothing and two terminals of
one profile do not overwrite one another. What cannot be read is never thrown away: single rows stay
where they are, and a file that is no database at all is put aside, under a name that is told, before
anything is written. It holds no secrets.

`WatchKeeper` writes every change at once, in order, on a thread. Another terminal of the profile
writes the same file, so it is read again whenever it has changed.
"""

import asyncio
import os
import sqlite3
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec

from pmtui.config.paths import private_dir
from pmtui.domain.conditionals.alerts import AlertId, PriceAlert
from pmtui.domain.markets.watchlist import Seen, Star, StarKey, StarKind
from pmtui.service.kernel import Kernel
from pmtui.service.topics import WatchlistTopic
from pmtui.service.views import Level

FILE = "watchlist.sqlite"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS stars (
    kind TEXT NOT NULL, item_id TEXT NOT NULL, title TEXT NOT NULL, starred_at TEXT NOT NULL,
    seen BLOB, PRIMARY KEY (kind, item_id)
);
CREATE TABLE IF NOT EXISTS alerts (alert_id TEXT PRIMARY KEY, facts BLOB NOT NULL);
"""
_BUSY_S = 2.0
"""How long another terminal's write is waited for."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What the file holds, in the order it was written."""

    stars: tuple[Star, ...] = ()
    alerts: tuple[PriceAlert, ...] = ()
    unreadable: int = 0
    """Rows that this version cannot read; they stay in the file."""


class StoreProblem(Exception):  # noqa: N818 - no error: the session goes on without
    """Why the file cannot be read or written, in a line."""


Change = Star | StarKey | PriceAlert | AlertId
"""What is to be kept from now on, or by its name what is not."""


class WatchStore:
    """Reads the file and writes single changes. Both wait for the disk."""

    def __init__(self, state_dir: Path) -> None:
        """Keep the file in a profile's own directory."""
        self._path = state_dir / FILE
        self._is_damaged = False

    def read(self) -> Kept:
        """Return what is kept; nothing where there is no file.

        Raises:
            StoreProblem: it cannot be read; it stays as it is.
        """
        try:
            if not self._path.exists():
                return Kept()
            with closing(self._connect()) as connection:
                stars = connection.execute(
                    "SELECT kind, item_id, title, starred_at, seen FROM stars ORDER BY rowid"
                ).fetchall()
                alerts = connection.execute("SELECT facts FROM alerts ORDER BY rowid").fetchall()
        except (sqlite3.Error, OSError) as error:
            self._is_damaged = _is_damage(error)
            raise StoreProblem(_words(error)) from error
        read_stars = tuple(map(_star, stars))
        read_alerts = tuple(_alert(facts) for (facts,) in alerts)
        return Kept(
            stars=tuple(each for each in read_stars if each is not None),
            alerts=tuple(each for each in read_alerts if each is not None),
            unreadable=read_stars.count(None) + read_alerts.count(None),
        )

    def mark(self) -> tuple[int, ...]:
        """Return what is another one after every write, whoever wrote; costs no reading."""
        try:
            found = self._path.stat()
        except OSError:
            return ()
        return found.st_ino, found.st_mtime_ns, found.st_size

    def write(self, changes: tuple[Change, ...]) -> Path | None:
        """Write changes, all or none; returns where a damaged file was put, if there was one.

        Raises:
            StoreProblem: they cannot be written; what was there before still is.
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
        # What SQLite left beside it belongs to it, and to no other file.
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
            seen=_seen(seen),
        )
    except ValueError:
        return None


# What was seen last is worth less than the star: without it the venue is simply asked.
def _seen(raw: object) -> Seen | None:
    try:
        return msgspec.json.decode(raw, type=Seen) if isinstance(raw, bytes) else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _alert(raw: object) -> PriceAlert | None:
    try:
        return msgspec.json.decode(raw, type=PriceAlert) if isinstance(raw, bytes) else None
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


# A file that is locked or forbidden may be whole: only what is no database is put aside.
def _is_damage(error: Exception) -> bool:
    return isinstance(error, sqlite3.DatabaseError) and not isinstance(
        error, sqlite3.OperationalError
    )


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__


LOOKS_EVERY_S = 5.0
"""How late what another terminal keeps is seen."""


class WatchKeeper:
    """Keeps stars and alerts for the next session, and reports where it cannot."""

    def __init__(self, kernel: Kernel, state_dir: Path | None) -> None:
        """Build it; without a directory nothing is kept."""
        self._kernel = kernel
        self._store = None if state_dir is None else WatchStore(state_dir)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="watchlist")
        self._unwritten: deque[Change] = deque()
        self._is_stopped = False
        self._wishes = 0
        """Changes of this session so far."""
        self._read_at: tuple[int, ...] = ()
        """The file's mark when it was read last."""
        self.problem = ""
        """Why what is starred is not kept, or what is kept was not read."""

    def restore(self) -> Kept:
        """Return what an earlier session left, and report where that cannot be read."""
        if self._store is None:
            return Kept()
        try:
            self._read_at = self._store.mark()
            kept = self._store.read()
        except StoreProblem as problem:
            self._report(f"The watchlist cannot be read ({problem}); its file is left as it is")
            return Kept()
        if kept.unreadable:
            self._report(f"{kept.unreadable} of the watchlist cannot be read; its file keeps them")
        return kept

    async def follow(self, take: Callable[[Kept], None]) -> None:
        """Read what others have written from now on; `take` is called with all that is kept."""
        store, loop = self._store, asyncio.get_running_loop()
        while store is not None:
            await self._kernel.clock.sleep(LOOKS_EVERY_S)
            wishes, read_at = self._wishes, self._read_at
            mark = await loop.run_in_executor(self._thread, store.mark)
            if mark == read_at or not mark or self._unwritten:
                continue
            try:
                kept = await loop.run_in_executor(self._thread, store.read)
            except StoreProblem:
                # Said where it was read first or is written next.
                continue
            if self._wishes == wishes:
                # Else it is older than what is wished here; the next look reads it again.
                self._read_at = mark
                take(kept)

    def keep(self, change: Change) -> None:
        """Write a change without waiting for it."""
        self._wishes += 1
        if self._store is not None:
            self._unwritten.append(change)
        if self._unwritten and not self._is_stopped:
            self._kernel.start_unless_running("watchlist file", "watchlist", self._write)

    def stop(self) -> None:
        """Gather changes from now on; `close` writes them."""
        self._is_stopped = True

    async def close(self) -> None:
        """Write what is left."""
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
                # Tried again with the next change; said once.
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

"""The journal: what was meant, what was sent and what was heard, written before the next step.

SQLite with full synchronisation, one writer thread. Nothing in it is secret: no key, no
credential, no signature. An order that cannot be journaled is not sent.
"""

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from pmtui.domain.ids import OrderId

T = TypeVar("T")

_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    order_id TEXT,
    kind TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS entries_by_order ON entries (order_id);
"""


@dataclass(frozen=True, slots=True)
class JournalProblem:
    """The journal cannot be written; nothing may be sent."""

    text: str


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One line of an order's life."""

    at: str
    order_id: OrderId | None
    kind: str
    text: str


class Journal:
    """Append-only. Open it once; every write has reached the disk when it returns."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal")
        self._connection: sqlite3.Connection | None = None

    async def append(
        self, kind: str, text: str, *, at: datetime, order_id: OrderId | None = None
    ) -> JournalProblem | None:
        """Write one entry and wait until it is on the disk."""
        row = (at.isoformat(), order_id, kind, text)
        return await self._in_thread(lambda: self._append(row))

    async def entries(self, order_id: OrderId) -> tuple[JournalEntry, ...] | JournalProblem:
        """Return an order's whole life, oldest first."""
        return await self._in_thread(lambda: self._entries(order_id))

    async def close(self) -> None:
        """Close the file."""
        await self._in_thread(self._close)
        self._thread.shutdown(wait=True)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            connection = sqlite3.connect(self._path, check_same_thread=False)
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=FULL")
            connection.executescript(_SCHEMA)
            self._path.chmod(0o600)
            self._connection = connection
        return self._connection

    def _append(self, row: tuple[str, OrderId | None, str, str]) -> JournalProblem | None:
        try:
            with self._open() as connection:
                connection.execute(
                    "INSERT INTO entries (at, order_id, kind, text) VALUES (?, ?, ?, ?)", row
                )
        except (sqlite3.Error, OSError) as error:
            return JournalProblem(f"{type(error).__name__}: {error}")
        return None

    def _entries(self, order_id: OrderId) -> tuple[JournalEntry, ...] | JournalProblem:
        try:
            rows = self._open().execute(
                "SELECT at, order_id, kind, text FROM entries WHERE order_id = ? ORDER BY sequence",
                (order_id,),
            )
            return tuple(JournalEntry(*row) for row in rows)
        except (sqlite3.Error, OSError) as error:
            return JournalProblem(f"{type(error).__name__}: {error}")

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

"""The journal of a profile: orders, moves, conditional orders and wallet transactions, written ahead.

SQLite with full synchronisation, one writer thread, one writing process. It contains no key and no request
credentials. It does keep the body of every posted order: it proves what was sent, and a damaged row is rebuilt
from it. A body contains the order's signature and the id of the API key, which give no access by themselves,
and the file is readable only by its owner. An order that cannot be journaled is not sent.
"""

import asyncio
import fcntl
import os
import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from pmtui.config.paths import private_dir
from pmtui.domain.account.wallet_transactions import WalletTransaction
from pmtui.domain.backoff import Backoff
from pmtui.domain.conditionals.conditional import ConditionalOrder
from pmtui.domain.formats import are, count
from pmtui.domain.ids import OrderId
from pmtui.domain.orders.order import (
    Fill,
    Order,
    OrderStatus,
)
from pmtui.service.journal.journal_rows import (
    SCHEMA,
    CutOffMove,
    JournaledOrder,
    JournalEntry,
    JournalProblem,
    PastLine,
    count_damaged_conditionals,
    fill_ended_order,
    has_order,
    read_conditionals,
    read_cut_off_moves,
    read_entries,
    read_order,
    read_past,
    read_ruled_out,
    read_unsettled,
    read_wallet_transactions,
    write_conditional,
    write_fill,
    write_standing,
    write_wallet_transaction,
)

T = TypeVar("T")

MOST_NOTES = 10_000
"""Notes that are queued while the disk cannot be written."""
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0

REPLACED = (
    "its file was removed or replaced while this program runs; put it back, or end the program"
)

Row = tuple[str, OrderId | None, str, str]


@dataclass(frozen=True, slots=True)
class RememberedStatus:
    """The status to record for an order."""

    order_id: OrderId
    status: OrderStatus
    is_known: bool
    """Whether the venue has ever reported it."""


@dataclass(frozen=True, slots=True)
class OutgoingOrder:
    """An order that is about to be sent, with its signed bytes."""

    order: Order
    title: str
    """Of its market."""
    body: bytes
    text: str = ""
    """The order in words."""


@dataclass(frozen=True, slots=True)
class OrderEvent:
    """An entry about an order; written only if the order itself is in the journal."""

    row: tuple[str, OrderId, str, str]
    fact: RememberedStatus | Fill | None = None
    """What the entry records. A fill that is already in the journal is not added again."""


Line = Row | ConditionalOrder | WalletTransaction | OrderEvent
"""An entry that may be written without waiting for the disk."""


class JournalLockedError(OSError):
    """Another process writes to the journal."""


class Journal:
    """Append-only entries, and one row for each order. Every awaited write has reached the disk."""

    def __init__(self, path: Path, *, first_pause_s: float = FIRST_PAUSE_S) -> None:
        """Prepare; nothing is opened yet.

        Args:
            path: of the file.
            first_pause_s: before retrying notes that could not be written; it doubles.
        """
        self._path = path
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal")
        self._connection: sqlite3.Connection | None = None
        self._lock: int | None = None
        """Lock on the journal's own file."""
        self._files: tuple[tuple[int, int] | None, ...] = ()
        """Identities of the open files."""
        self._notes: deque[Line] = deque()
        self._lost = 0
        """Number of notes dropped because too many waited for the disk."""
        self._backoff = Backoff(first_s=first_pause_s, longest_s=LONGEST_PAUSE_S)
        self._retry: asyncio.TimerHandle | None = None
        self._is_flushing = False
        self._is_closed = False
        self._on_problem: Callable[[JournalProblem | None], None] | None = None

    def on_problem(self, listener: Callable[[JournalProblem | None], None]) -> None:
        """Call `listener` once when notes cannot be written, and with None when they can again."""
        self._on_problem = listener

    async def open(self) -> JournalProblem | None:
        """Check that the journal can be written, and that no other process writes to it."""
        return await self._writing([])

    async def begin(self, outgoing: Sequence[OutgoingOrder]) -> JournalProblem | None:
        """Write orders that are about to be sent together: all of them, or none."""
        rows: list[tuple[OrderId, str, str, str, bytes]] = []
        lines: list[Line] = []
        for each in outgoing:
            order_id, at = each.order.order_id, each.order.created_at.isoformat()
            facts = msgspec.json.encode(each.order).decode()
            rows.append((order_id, at, facts, each.title, each.body))
            lines.append((at, order_id, "intent", each.text))
            lines.append((at, order_id, "sending", f"{len(each.body)} bytes"))

        def insert(connection: sqlite3.Connection) -> None:
            connection.executemany(
                "INSERT INTO orders (order_id, at, facts, title, body) VALUES (?, ?, ?, ?, ?)",
                rows,
            )

        return await self._writing(lines, insert)

    async def append(
        self, kind: str, text: str, *, at: datetime, order_id: OrderId | None = None
    ) -> JournalProblem | None:
        """Write one entry and wait until it is on disk."""
        row = (at.isoformat(), order_id, kind, text)
        return await self._writing([row])

    def record(
        self, kind: str, text: str, *, at: datetime, order_id: OrderId | None = None
    ) -> None:
        """Write one entry without waiting; its order among all others is kept."""
        self._later((at.isoformat(), order_id, kind, text))

    def record_about(
        self,
        order_id: OrderId,
        kind: str,
        text: str,
        *,
        at: datetime,
        fact: RememberedStatus | Fill | None = None,
    ) -> None:
        """Write an entry, and its fact, if the order was ever journaled.

        This does not wait for the disk. An order recorded as ended is no longer searched for. It
        also works for an order of an earlier session, and for an ended one: no late report is lost.
        """
        self._later(OrderEvent((at.isoformat(), order_id, kind, text), fact))

    def record_conditional(self, conditional: ConditionalOrder, text: str, *, at: datetime) -> None:
        """Record a conditional order's current state, and the reason unless the text is empty."""
        if not text:
            self._later(conditional)
            return
        self._notes.append(conditional)
        self.record("conditional", text, at=at)

    async def begin_wallet_transaction(
        self, transaction: WalletTransaction, text: str
    ) -> JournalProblem | None:
        """Write a wallet transaction that is about to be submitted."""
        at = transaction.created_at.isoformat()
        return await self._writing([transaction, (at, None, "wallet", text)])

    def record_wallet_transaction(
        self, transaction: WalletTransaction, text: str, *, at: datetime
    ) -> None:
        """Record a wallet transaction's current state, without waiting."""
        self._notes.append(transaction)
        self.record("wallet", text, at=at)

    async def wallet_transactions(self) -> tuple[WalletTransaction, ...] | JournalProblem:
        """Return every wallet transaction, oldest first."""
        return await self._reading(read_wallet_transactions)

    async def conditionals(self) -> tuple[ConditionalOrder, ...] | JournalProblem:
        """Return every conditional order, oldest first."""
        return await self._reading(read_conditionals)

    async def damaged_conditionals(self) -> int | JournalProblem:
        """Return how many conditional orders are unreadable."""
        return await self._reading(count_damaged_conditionals)

    async def unsettled(self) -> tuple[JournaledOrder, ...] | JournalProblem:
        """Return the orders whose result is unknown, oldest first."""
        return await self._reading(read_unsettled)

    async def ruled_out(self) -> tuple[JournaledOrder, ...] | JournalProblem:
        """Return the newest orders whose end was only concluded, oldest first."""
        return await self._reading(read_ruled_out)

    async def cut_off_moves(self) -> tuple[CutOffMove, ...] | JournalProblem:
        """Return the moves that an earlier session did not finish."""
        return await self._reading(read_cut_off_moves)

    async def order(self, order_id: OrderId) -> JournaledOrder | JournalProblem | None:
        """Return an order as journaled before it was sent; None if it was never sent."""
        return await self._reading(lambda connection: read_order(connection, order_id))

    async def entries(self, order_id: OrderId) -> tuple[JournalEntry, ...] | JournalProblem:
        """Return all entries of an order, oldest first."""
        return await self._reading(lambda connection: read_entries(connection, order_id))

    async def past(self, since: datetime) -> tuple[PastLine, ...] | JournalProblem:
        """Return the entries of earlier sessions since a moment that the log shows, oldest first."""
        return await self._reading(lambda connection: read_past(connection, since))

    async def close(self) -> None:
        """Write the remaining notes and close the file."""
        self._is_closed = True
        if self._retry is not None:
            self._retry.cancel()
        await self._in_thread(self._close)
        self._thread.shutdown(wait=True)

    async def _reading(self, read: Callable[[sqlite3.Connection], T]) -> T | JournalProblem:
        def work() -> T | JournalProblem:
            problem = self._write([])
            if problem is not None:
                return problem
            try:
                return read(self._open())
            except (sqlite3.Error, OSError, msgspec.MsgspecError) as error:
                return _problem(error)

        return await self._in_thread(work)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def _writing(
        self, lines: list[Line], insert: Callable[[sqlite3.Connection], None] | None = None
    ) -> JournalProblem | None:
        """Write now, even if earlier notes failed: an order waits for it."""
        problem = await self._in_thread(lambda: self._write(lines, insert))
        if problem is None:
            self._after_success()
        return problem

    def _later(self, note: Line) -> None:
        # The first write includes all notes collected so far: each write waits for the disk.
        self._notes.append(note)
        if self._retry is None and not self._is_flushing:
            self._flush()

    def _flush(self) -> None:
        self._is_flushing = True
        flushing = asyncio.get_running_loop().run_in_executor(self._thread, lambda: self._write([]))
        flushing.add_done_callback(self._after_notes)

    def _after_notes(self, flushing: "asyncio.Future[JournalProblem | None]") -> None:
        self._is_flushing = False
        if flushing.cancelled():
            return
        problem = flushing.result()
        if problem is None:
            self._after_success()
            if self._notes and not self._is_closed:
                self._flush()
        elif self._retry is None:
            # One try at a time with growing pauses: a full disk must not be tried for every note.
            if self._backoff.is_reset and self._on_problem is not None:
                self._on_problem(problem)
            pause_s = self._backoff.next_s()
            self._retry = asyncio.get_running_loop().call_later(pause_s, self._try_again)

    def _try_again(self) -> None:
        self._retry = None
        self._flush()

    def _after_success(self) -> None:
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
        if not self._backoff.is_reset:
            self._backoff.reset()
            if self._on_problem is not None:
                self._on_problem(None)

    def _write(
        self,
        lines: list[Line],
        insert: Callable[[sqlite3.Connection], None] | None = None,
    ) -> JournalProblem | None:
        """Write in one transaction, queued notes first."""
        notes = [self._notes.popleft() for _ in range(len(self._notes))]
        try:
            connection = self._open()
            with connection:
                if insert is not None:
                    insert(connection)
                for line in (*notes, *lines):
                    _write_line(connection, line)
                if self._lost:
                    lost = f"{count(self._lost, 'line')} before this could not be written"
                    text = f"{lost}, and {are(self._lost)} lost"
                    _write_line(connection, (_last_moment(notes), None, "notice", text))
            if self._is_replaced():
                # The data was written to a file that nobody will find.
                return JournalProblem(REPLACED)
        except (sqlite3.Error, OSError) as error:
            # Kept for the next try, in their order.
            kept = _most_telling(notes)
            self._lost += len(notes) - len(kept)
            self._notes.extendleft(reversed(kept))
            return _problem(error)
        self._lost = 0
        return None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            private_dir(self._path.parent)
            self._take_lock()
            self._hide()
            connection = sqlite3.connect(self._path, check_same_thread=False)
            connection.text_factory = _readable
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA synchronous=FULL")
                connection.executescript(SCHEMA)
            except (sqlite3.Error, OSError):
                connection.close()
                raise
            self._files = self._identities()
            self._connection = connection
        return self._connection

    def _identities(self) -> tuple[tuple[int, int] | None, ...]:
        """Return the identities of the journal file and its write-ahead log on disk."""
        return tuple(_identity(self._path.with_name(self._path.name + e)) for e in ("", "-wal"))

    def _is_replaced(self) -> bool:
        """Whether the open file is no longer the one at its path."""
        return self._identities() != self._files

    def _hide(self) -> None:
        """Make the file private; the files beside it inherit its mode."""
        for ending in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                self._path.with_name(self._path.name + ending).chmod(0o600)

    def _take_lock(self) -> None:
        """Become the only writer; the lock ends with the process, however it ends.

        The lock is on the journal itself, so that there is no lock file to remove. SQLite's own
        locks are of another kind, and the handle stays open until its connection is closed: closing
        one handle of a file releases all such locks of a process.
        """
        if self._lock is not None:
            return
        lock = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            raise JournalLockedError("another pmtui is trading on this profile") from None
        self._lock = lock

    def _close(self) -> None:
        if self._notes:
            _ = self._write([])
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _most_telling(notes: list[Line]) -> list[Line]:
    """Return as many notes as fit: facts before words, new ones before old ones."""
    too_many = len(notes) - MOST_NOTES
    if too_many <= 0:
        return notes
    words = [index for index, note in enumerate(notes) if _is_words(note)][:too_many]
    dropped = frozenset(words)
    kept = [note for index, note in enumerate(notes) if index not in dropped]
    return kept[-MOST_NOTES:]


def _last_moment(notes: list[Line]) -> str:
    rows = (note.row if isinstance(note, OrderEvent) else note for note in reversed(notes))
    return next((row[0] for row in rows if isinstance(row, tuple)), "")


def _is_words(note: Line) -> bool:
    return isinstance(note, tuple) or (isinstance(note, OrderEvent) and note.fact is None)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _readable(raw: bytes) -> str:
    """Decode a text of the file; damaged bytes must not hide the rows around them."""
    return raw.decode("utf-8", "replace")


def _write_line(connection: sqlite3.Connection, line: Line) -> None:
    if isinstance(line, OrderEvent):
        _write_about(connection, line)
    elif isinstance(line, ConditionalOrder):
        write_conditional(connection, line)
    elif isinstance(line, WalletTransaction):
        write_wallet_transaction(connection, line)
    else:
        connection.execute(
            "INSERT INTO entries (at, order_id, kind, text) VALUES (?, ?, ?, ?)", line
        )


def _write_about(connection: sqlite3.Connection, line: OrderEvent) -> None:
    if not has_order(connection, line.row[1]):
        return
    fact = line.fact
    if isinstance(fact, Fill):
        if not write_fill(connection, fact):
            return
        _write_line(connection, line.row)
        if fill_ended_order(connection, fact.order_id):
            at, order_id, _, _ = line.row
            text = f"{OrderStatus.FILLED.value}: its fills add up to all of it"
            _write_line(connection, (at, order_id, "state", text))
        return
    if fact is not None:
        write_standing(connection, fact.order_id, fact.status, is_known=fact.is_known)
    _write_line(connection, line.row)


def _problem(error: Exception) -> JournalProblem:
    if isinstance(error, JournalLockedError):
        return JournalProblem(str(error))
    return JournalProblem(f"{type(error).__name__}: {error}")

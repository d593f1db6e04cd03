"""What the journal's file holds, and reading it: also from outside, while somebody writes."""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import msgspec

from pmtui.domain.conditional import Conditional
from pmtui.domain.ids import ConditionId, OrderId, TradeId
from pmtui.domain.order import Fill, Order, OrderStatus, TradeStatus
from pmtui.domain.trade_life import merge_fill
from pmtui.records import dataclass

SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    order_id TEXT,
    kind TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS entries_by_order ON entries (order_id);
CREATE TABLE IF NOT EXISTS orders (
    order_id TEXT PRIMARY KEY,
    at TEXT NOT NULL,
    facts TEXT NOT NULL,
    title TEXT NOT NULL,
    body BLOB NOT NULL,
    state TEXT,
    is_known INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS fills (
    trade_id TEXT NOT NULL,
    order_id TEXT NOT NULL,
    facts TEXT NOT NULL,
    PRIMARY KEY (trade_id, order_id)
);
CREATE TABLE IF NOT EXISTS conditionals (
    conditional_id TEXT PRIMARY KEY,
    at TEXT NOT NULL,
    facts TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS orders_without_end ON orders (state) WHERE state IS NULL;
"""

RULED_OUT = "ruled out"
"""The kind of the line that is written where an order's end is concluded and not told."""
MOST_ENDED = 500
"""Orders of earlier sessions that are followed after their end: the newest, by no clock."""
_CONCLUDED = frozenset({OrderStatus.REJECTED, OrderStatus.CANCELLED})


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


@dataclass(frozen=True, slots=True)
class JournaledOrder:
    """An order as it was written down before it left."""

    order: Order
    title: str
    """Of its market: the service's own words."""
    state: str | None
    """How it ended; None while that is not known."""
    is_known: bool
    """Whether the venue has ever spoken of it."""


@dataclass(frozen=True, slots=True)
class OrderLife:
    """An order with everything that was written of it, oldest first."""

    order: JournaledOrder
    entries: tuple[JournalEntry, ...]


@dataclass(frozen=True, slots=True)
class JournaledFill:
    """A fill of an order that was placed from here, as last heard of."""

    fill: Fill
    title: str
    """Of its market: the service's own words."""


@dataclass(frozen=True, slots=True)
class EndedOrders:
    """The newest orders with a known end: what is heard of them later is still written down."""

    order_ids: frozenset[OrderId]
    ruled_out: tuple[JournaledOrder, ...]
    """Those of them whose end was concluded, oldest first."""
    fills: frozenset[tuple[TradeId, OrderId, TradeStatus]]
    """Their fills as they are written down."""


def write_fill(connection: sqlite3.Connection, fill: Fill) -> None:
    """Remember a fill, or how its settlement went on; it never goes back."""
    key = (fill.trade_id, fill.order_id)
    row = connection.execute(
        "SELECT facts FROM fills WHERE trade_id = ? AND order_id = ?", key
    ).fetchone()
    try:
        known = None if row is None else msgspec.json.decode(row[0], type=Fill)
    except msgspec.MsgspecError:
        # Not written by this program: better replaced than in the way of every later write.
        known = None
    facts = msgspec.json.encode(merge_fill(known, fill)).decode()
    connection.execute("INSERT OR REPLACE INTO fills VALUES (?, ?, ?)", (*key, facts))


def write_conditional(connection: sqlite3.Connection, conditional: Conditional) -> None:
    """Remember a conditional order as it stands."""
    connection.execute(
        "INSERT OR REPLACE INTO conditionals VALUES (?, ?, ?)",
        (
            conditional.conditional_id,
            conditional.created_at.isoformat(),
            msgspec.json.encode(conditional).decode(),
        ),
    )


def read_conditionals(connection: sqlite3.Connection) -> tuple[Conditional, ...]:
    """Return every conditional order there ever was, the oldest first.

    Raises:
        msgspec.MsgspecError: a row that this program did not write.
    """
    rows = connection.execute("SELECT facts FROM conditionals ORDER BY at, conditional_id")
    return tuple(msgspec.json.decode(facts, type=Conditional) for (facts,) in rows)


def read_unsettled(connection: sqlite3.Connection) -> tuple[JournaledOrder, ...]:
    """Return the orders without a final state, oldest first.

    Raises:
        msgspec.MsgspecError: a row that this program did not write.
    """
    return _read_orders(connection, "WHERE state IS NULL")


def read_recently_ended(connection: sqlite3.Connection) -> EndedOrders:
    """Return the newest orders with a known end; a row that cannot be read is left out."""
    rows = connection.execute(
        "SELECT order_id, facts, title, state, is_known, order_id IN "
        "(SELECT order_id FROM entries WHERE kind = ?) "
        "FROM orders WHERE state IS NOT NULL ORDER BY rowid DESC LIMIT ?",
        (RULED_OUT, MOST_ENDED),
    ).fetchall()
    ids = frozenset(OrderId(row[0]) for row in rows)
    ruled_out = []
    for _, facts, title, state, is_known, is_ruled_out in reversed(rows):
        if is_ruled_out and state in _CONCLUDED:
            with suppress(msgspec.MsgspecError):
                order = msgspec.json.decode(facts, type=Order)
                ruled_out.append(JournaledOrder(order, title, state, bool(is_known)))
    fills = set()
    for trade_id, order_id, facts in connection.execute("SELECT * FROM fills"):
        if order_id in ids:
            with suppress(msgspec.MsgspecError):
                status = msgspec.json.decode(facts, type=Fill).status
                fills.add((TradeId(trade_id), OrderId(order_id), status))
    return EndedOrders(ids, tuple(ruled_out), frozenset(fills))


def read_entries(connection: sqlite3.Connection, order_id: OrderId) -> tuple[JournalEntry, ...]:
    """Return an order's lines, oldest first."""
    rows = connection.execute(
        "SELECT at, order_id, kind, text FROM entries WHERE order_id = ? ORDER BY sequence",
        (order_id,),
    )
    return tuple(JournalEntry(*row) for row in rows)


def read_fills(path: Path) -> tuple[JournaledFill, ...] | JournalProblem:
    """Return the fills of a journal's orders; none where there is none, or it never had any."""
    if not path.exists():
        return ()
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as file:
            if not file.execute("SELECT 1 FROM sqlite_master WHERE name = 'fills'").fetchone():
                return ()
            rows = file.execute(
                "SELECT fills.facts, orders.title FROM fills LEFT JOIN orders USING (order_id)"
            )
            return tuple(
                JournaledFill(msgspec.json.decode(facts, type=Fill), title or "")
                for facts, title in rows
            )
    except (sqlite3.Error, OSError, msgspec.MsgspecError) as error:
        return JournalProblem(f"{type(error).__name__}: {error}")


def read_titles(path: Path) -> dict[ConditionId, str] | JournalProblem:
    """Return the titles of the markets that a journal has orders in."""
    if not path.exists():
        return {}
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as file:
            return {each.order.condition_id: each.title for each in _read_orders(file, "")}
    except (sqlite3.Error, OSError, msgspec.MsgspecError) as error:
        return JournalProblem(f"{type(error).__name__}: {error}")


def read_lives(path: Path) -> tuple[OrderLife, ...] | JournalProblem:
    """Return every order of a journal with its life, oldest first; nothing where there is none."""
    if not path.exists():
        return ()
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as file:
            return tuple(
                OrderLife(order, read_entries(file, order.order.order_id))
                for order in _read_orders(file, "")
            )
    except (sqlite3.Error, OSError, msgspec.MsgspecError) as error:
        return JournalProblem(f"{type(error).__name__}: {error}")


def _read_orders(connection: sqlite3.Connection, where: str) -> tuple[JournaledOrder, ...]:
    rows = connection.execute(
        f"SELECT facts, title, state, is_known FROM orders {where} ORDER BY at, order_id"  # noqa: S608 - two constants
    )
    return tuple(
        JournaledOrder(
            order=msgspec.json.decode(facts, type=Order),
            title=title,
            state=state,
            is_known=bool(is_known),
        )
        for facts, title, state, is_known in rows
    )

"""The contents of the journal's file, and reading it, even from outside while it is being written.

It also finds the moves that a killed session left unfinished: cancelled, and not sent again.
"""

import sqlite3
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

import msgspec

from pmtui.domain.account.wallet_transactions import WalletTransaction
from pmtui.domain.conditionals.conditional import ConditionalOrder
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ZERO, Micros, ratio_ceil
from pmtui.domain.orders.life import merge_fill
from pmtui.domain.orders.order import (
    VENUE_EXPIRY_LEAD,
    Fill,
    Order,
    OrderStatus,
    TimeInForce,
    TradeStatus,
)

T = TypeVar("T")

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
CREATE TABLE IF NOT EXISTS wallet_transactions (
    key TEXT PRIMARY KEY,
    at TEXT NOT NULL,
    facts TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS orders_without_end ON orders (state) WHERE state IS NULL;
"""

UNWANTED = "unwanted"
"""Kind of the entry after which an order is to be cancelled until it is known to be gone."""
KEPT = "kept"
"""Of the line by which the venue's refusal to cancel one was taken for an answer."""
RESIZED = "resized"
"""Another order, for fewer shares, leaves in its place."""
RULED_OUT = "ruled out"
"""Kind of the entry for an order's end that was concluded, not reported."""
MOST_ENDED = 500
"""Ended orders of earlier sessions that are still followed: the newest, by sequence."""
_CONCLUDED = frozenset({OrderStatus.REJECTED, OrderStatus.CANCELLED})


@dataclass(frozen=True, slots=True)
class JournalProblem:
    """The journal cannot be written, so nothing may be sent."""

    text: str


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One entry about an order."""

    at: str
    order_id: OrderId | None
    kind: str
    text: str


class Damage(StrEnum):
    """What is left of an order whose row is damaged."""

    NONE = ""
    FACTS = "facts"
    """Its signed bytes still contain its fields."""
    ALL = "all"
    """Only its id can be read."""


@dataclass(frozen=True, slots=True)
class JournaledOrder:
    """An order as journaled before it was sent."""

    order: Order
    title: str
    """Title of its market: the venue's own text."""
    state: str | None
    """How it ended; None while unknown."""
    is_known: bool
    """Whether the venue has ever reported it."""
    damage: Damage = Damage.NONE
    is_unwanted: bool = False
    """Whether it was to be cancelled, and is not known to be gone."""


class _PostedFields(msgspec.Struct, rename="camel"):
    token_id: str
    maker_amount: str
    taker_amount: str
    side: Side
    expiration: str
    timestamp: str


class _Posted(msgspec.Struct, rename="camel"):
    """The fields that can be recovered from an order's signed bytes."""

    order: _PostedFields
    order_type: TimeInForce
    post_only: bool = False


@dataclass(frozen=True, slots=True)
class OrderLife:
    """An order with all its entries, oldest first."""

    order: JournaledOrder
    entries: tuple[JournalEntry, ...]


@dataclass(frozen=True, slots=True)
class JournaledFill:
    """A fill of an order placed from here, as last reported."""

    fill: Fill
    title: str
    """Title of its market: the venue's own text."""


def write_fill(connection: sqlite3.Connection, fill: Fill) -> bool:
    """Save a fill or its new settlement state, which never goes back. Return whether it is news."""
    key = (fill.trade_id, fill.order_id)
    row = connection.execute(
        "SELECT facts FROM fills WHERE trade_id = ? AND order_id = ?", key
    ).fetchone()
    try:
        known = None if row is None else msgspec.json.decode(row[0], type=Fill)
    except msgspec.MsgspecError:
        # Not written by this program: better replaced than in the way of every later write.
        known = None
    merged = merge_fill(known, fill)
    if merged == known:
        return False
    facts = msgspec.json.encode(merged).decode()
    connection.execute("INSERT OR REPLACE INTO fills VALUES (?, ?, ?)", (*key, facts))
    return True


def write_standing(
    connection: sqlite3.Connection, order_id: OrderId, status: OrderStatus, *, is_known: bool
) -> None:
    """Record the state of an order; reported fills override conclusions."""
    connection.execute(
        "UPDATE orders SET state = ?, is_known = is_known OR ? WHERE order_id = ?",
        (None if status.is_open else status.value, is_known, order_id),
    )
    _ = fill_ended_order(connection, order_id)


def fill_ended_order(connection: sqlite3.Connection, order_id: OrderId) -> bool:
    """Change the end of an order to "filled" if its fills add up to all of it.

    The rest of an order that matched at once counts as cancelled until it is reported, possibly in
    a later session that knows the order only from its fills.

    Returns:
        Whether the end changed.
    """
    row = connection.execute(
        "SELECT facts, state FROM orders WHERE order_id = ?", (order_id,)
    ).fetchone()
    if row is None or row[1] not in _PARTIAL_ENDS:
        return False
    order = _decode(row[0], Order)
    rows = connection.execute("SELECT facts FROM fills WHERE order_id = ?", (order_id,))
    fills = [fill for (facts,) in rows if (fill := _decode(facts, Fill)) is not None]
    filled = sum(fill.size for fill in fills if fill.status is not TradeStatus.FAILED)
    if order is None or not filled >= order.original_size > 0:
        return False
    connection.execute(
        "UPDATE orders SET state = ?, is_known = 1 WHERE order_id = ?",
        (OrderStatus.FILLED.value, order_id),
    )
    return True


def has_order(connection: sqlite3.Connection, order_id: OrderId) -> bool:
    """Whether an order was ever journaled, in this session or before."""
    row = connection.execute("SELECT 1 FROM orders WHERE order_id = ?", (order_id,)).fetchone()
    return row is not None


def write_conditional(connection: sqlite3.Connection, conditional: ConditionalOrder) -> None:
    """Save a conditional order's current state."""
    connection.execute(
        "INSERT OR REPLACE INTO conditionals VALUES (?, ?, ?)",
        (
            conditional.conditional_id,
            conditional.created_at.isoformat(),
            msgspec.json.encode(conditional).decode(),
        ),
    )


def read_conditionals(connection: sqlite3.Connection) -> tuple[ConditionalOrder, ...]:
    """Return every readable conditional order, oldest first."""
    rows = connection.execute("SELECT facts FROM conditionals ORDER BY at, conditional_id")
    read = (_decode(facts, ConditionalOrder) for (facts,) in rows)
    return tuple(conditional for conditional in read if conditional is not None)


def count_damaged_conditionals(connection: sqlite3.Connection) -> int:
    """Return how many conditional orders are unreadable."""
    rows = connection.execute("SELECT facts FROM conditionals")
    return sum(_decode(facts, ConditionalOrder) is None for (facts,) in rows)


def write_wallet_transaction(
    connection: sqlite3.Connection, transaction: WalletTransaction
) -> None:
    """Save a wallet transaction's current state."""
    connection.execute(
        "INSERT OR REPLACE INTO wallet_transactions VALUES (?, ?, ?)",
        (
            transaction.key,
            transaction.created_at.isoformat(),
            msgspec.json.encode(transaction).decode(),
        ),
    )


def read_wallet_transactions(connection: sqlite3.Connection) -> tuple[WalletTransaction, ...]:
    """Return every readable wallet transaction, oldest first."""
    rows = connection.execute("SELECT facts FROM wallet_transactions ORDER BY at, key")
    read = (_decode(facts, WalletTransaction) for (facts,) in rows)
    return tuple(transaction for transaction in read if transaction is not None)


def read_unsettled(connection: sqlite3.Connection) -> tuple[JournaledOrder, ...]:
    """Return the orders without a final state, oldest first.

    A damaged row affects no other: its order is recovered from the signed bytes, and if these are
    damaged too, only its id is left. An invalid state counts as not ended.
    """
    ends = ", ".join(f"'{end}'" for end in sorted(_ENDS))
    return _read_orders(connection, f"WHERE state IS NULL OR state NOT IN ({ends})")


def read_ruled_out(connection: sqlite3.Connection) -> tuple[JournaledOrder, ...]:
    """Return the newest orders whose end was only concluded, oldest first."""
    states = ", ".join(f"'{state}'" for state in sorted(_CONCLUDED))
    where = (
        f"WHERE state IN ({states}) AND order_id IN "  # noqa: S608 - constants
        f"(SELECT order_id FROM entries WHERE kind = '{RULED_OUT}') AND rowid IN (SELECT rowid "
        f"FROM orders WHERE state IS NOT NULL ORDER BY rowid DESC LIMIT {MOST_ENDED})"
    )
    return _read_orders(connection, where)


def read_order(connection: sqlite3.Connection, order_id: OrderId) -> JournaledOrder | None:
    """Return an order as journaled before it was sent; None if it was never sent.

    An order that others left in place of, or were to, is one of which only the id is known.
    """
    found = _read_orders(connection, "WHERE order_id = ?", (order_id,))
    if found:
        return found[0]
    row = connection.execute(
        "SELECT at FROM entries WHERE order_id = ? AND kind IN ('move', ?) LIMIT 1",
        (order_id, RESIZED),
    ).fetchone()
    if row is None:
        return None
    return JournaledOrder(_only_id(order_id, row[0]), "", state=None, is_known=False)


def read_entries(connection: sqlite3.Connection, order_id: OrderId) -> tuple[JournalEntry, ...]:
    """Return an order's entries, oldest first."""
    rows = connection.execute(
        "SELECT at, order_id, kind, text FROM entries WHERE order_id = ? ORDER BY sequence",
        (order_id,),
    )
    return tuple(JournalEntry(*row) for row in rows)


MOST_PAST = 200
"""Entries of earlier sessions that the log starts with."""


@dataclass(frozen=True, slots=True)
class PastLine:
    """An entry of an earlier session that is shown in the trader's log."""

    at: datetime
    about: Fill | Order | str
    """A fill, an order that ended, or a line about a conditional order or the kill switch."""
    title: str = ""
    """Title of its market: the venue's own text."""


def read_past(connection: sqlite3.Connection, since: datetime) -> tuple[PastLine, ...]:
    """Return the newest fills, ends of orders, and lines about conditional orders and kills, oldest first.

    Args:
        connection: to the journal.
        since: older entries are left out.
    """
    lines = [
        PastLine(fill.matched_at, fill, title or "")
        for facts, title in connection.execute(
            "SELECT fills.facts, orders.title FROM fills LEFT JOIN orders USING (order_id) "
            "ORDER BY fills.rowid DESC LIMIT ?",
            (MOST_PAST,),
        )
        if (fill := _decode(facts, Fill)) is not None
    ]
    rows = connection.execute(
        "SELECT entries.at, entries.kind, entries.text, orders.facts, orders.title "
        "FROM entries LEFT JOIN orders USING (order_id) "
        "WHERE entries.kind IN ('conditional', 'kill', 'state') AND entries.at >= ? "
        "ORDER BY entries.sequence DESC LIMIT ?",
        (since.isoformat(), 10 * MOST_PAST),
    )
    for at, kind, text, facts, title in rows:
        word = text.partition(",")[0]
        order = _decode(facts, Order)
        if kind in ("conditional", "kill"):
            lines.append(PastLine(datetime.fromisoformat(at), text))
        elif word in _PARTIAL_ENDS and order is not None:
            ended = replace(order, status=OrderStatus(word))
            lines.append(PastLine(datetime.fromisoformat(at), ended, title or ""))
    found = sorted((line for line in reversed(lines) if line.at >= since), key=lambda line: line.at)
    return tuple(found[-MOST_PAST:])


def read_fills(path: Path) -> tuple[JournaledFill, ...] | JournalProblem:
    """Return the fills of a journal's orders; empty without a journal."""
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
    """Return every order of a journal with its entries, oldest first; empty without a journal."""
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


def _read_orders(
    connection: sqlite3.Connection, where: str, values: tuple[str, ...] = ()
) -> tuple[JournaledOrder, ...]:
    wish = (
        "SELECT kind FROM entries WHERE entries.order_id = orders.order_id "  # noqa: S608 - constants
        f"AND kind IN ('{UNWANTED}', '{KEPT}') ORDER BY sequence DESC LIMIT 1"
    )
    columns = f"order_id, at, facts, title, body, state, is_known, ({wish})"
    rows = connection.execute(
        f"SELECT {columns} FROM orders {where} ORDER BY at, order_id",  # noqa: S608 - two constants
        values,
    )
    read: list[JournaledOrder] = []
    for order_id, at, facts, title, body, state, is_known, wish in rows:
        named = OrderId(str(order_id))
        order, damage = _decode(facts, Order), Damage.NONE
        if order is None or order.order_id != named:
            order, damage = _recover(named, body), Damage.FACTS
        if order is None:
            order, damage = _only_id(named, at), Damage.ALL
        end = state if isinstance(state, str) and state in _ENDS else None
        read.append(
            JournaledOrder(
                order, str(title), end, is_known=bool(is_known), damage=damage,
                is_unwanted=wish == UNWANTED,
            )
        )  # fmt: skip
    return tuple(read)


_PARTIAL_ENDS = frozenset(
    status.value for status in (OrderStatus.CANCELLED, OrderStatus.EXPIRED, OrderStatus.REJECTED)
)
_ENDS = frozenset(status.value for status in OrderStatus if not status.is_open)


def _decode(text: object, kind: type[T]) -> T | None:
    """Decode data written by this program; None if it is damaged."""
    if not isinstance(text, str):
        return None
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.MsgspecError, ValueError):
        return None


def _recover(order_id: OrderId, body: object) -> Order | None:
    """Return an order recovered from its signed bytes; they contain no market and no outcome."""
    if not isinstance(body, bytes):
        return None
    try:
        posted = msgspec.json.decode(body, type=_Posted)
        fields = posted.order
        maker, taker = Micros(int(fields.maker_amount)), Micros(int(fields.taker_amount))
        expiration_s, signed_ms = int(fields.expiration), int(fields.timestamp)
        signed_at = datetime.fromtimestamp(signed_ms / 1000, tz=UTC)
        expires_at = datetime.fromtimestamp(expiration_s, tz=UTC) - VENUE_EXPIRY_LEAD
    except (msgspec.MsgspecError, ValueError, OverflowError, OSError):
        return None
    cash, size = (maker, taker) if fields.side is Side.BUY else (taker, maker)
    if cash <= 0 or size <= 0:
        return None
    return Order(
        order_id=order_id,
        condition_id=ConditionId(""),
        token_id=TokenId(fields.token_id),
        outcome="",
        side=fields.side,
        price=ratio_ceil(cash, size),
        original_size=size,
        matched_size=ZERO,
        status=OrderStatus.PENDING,
        time_in_force=posted.order_type,
        created_at=signed_at,
        expires_at=expires_at if expiration_s else None,
        is_post_only=posted.post_only,
    )


def _only_id(order_id: OrderId, at: object) -> Order:
    """Return an order of which only the id is known: no token, no price, no size."""
    try:
        created_at = datetime.fromisoformat(str(at))
    except ValueError:
        created_at = datetime.fromtimestamp(0, tz=UTC)
    if created_at.tzinfo is None:
        created_at = created_at.replace(tzinfo=UTC)
    return Order(
        order_id=order_id,
        condition_id=ConditionId(""),
        token_id=TokenId(""),
        outcome="",
        side=Side.BUY,
        price=ZERO,
        original_size=ZERO,
        matched_size=ZERO,
        status=OrderStatus.PENDING,
        time_in_force=TimeInForce.GTC,
        created_at=created_at,
    )


PLANNED = "to be replaced by "
"""Beginning of the entry that is written before the old order is cancelled."""


@dataclass(frozen=True, slots=True)
class CutOffMove:
    """A move without a recorded end."""

    old: OrderId
    new: OrderId
    text: str
    """The replacement of the old order, in words."""
    was_sent: bool
    """Whether the new order may have been sent."""


def read_cut_off_moves(connection: sqlite3.Connection) -> tuple[CutOffMove, ...]:
    """Return the moves whose last entry is their plan, oldest first."""
    rows = connection.execute(
        "SELECT order_id, text FROM entries WHERE sequence IN "
        "(SELECT MAX(sequence) FROM entries WHERE kind = 'move' GROUP BY order_id) "
        "AND text LIKE ? ORDER BY sequence",
        (f"{PLANNED}%",),
    )
    moves = []
    for old, text in rows.fetchall():
        new, _, words = text.removeprefix(PLANNED).partition(": ")
        found = connection.execute("SELECT 1 FROM orders WHERE order_id = ?", (new,)).fetchone()
        moves.append(CutOffMove(OrderId(old), OrderId(new), words, was_sent=found is not None))
    return tuple(moves)

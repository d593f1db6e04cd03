"""Stores the venue's state in SQLite, and restores a venue from it.

One writer, exclusive lock, write-ahead log, flushed to disk on every commit: everything confirmed to
a client survives a kill at any moment. Nothing of simulated accounts is kept except the newest
trades of each market; their books are generated again, around the restored orders.

A market's state is kept once an account that is not simulated took part in it, or when it ended;
five-minute windows without users' trades leave nothing behind.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from pmtui.config.paths import make_private, open_to_append, private_dir
from pmtui.domain.ids import Address, ApiKey, ConditionId, TokenId
from pmtui.domain.money import ZERO, Micros
from pmtui.domain.orders.order import TradeStatus
from pmtui.sim.accounts import Accounts, Credentials
from pmtui.sim.catalogue.model import Catalogue
from pmtui.sim.catalogue.rolling import windows_between
from pmtui.sim.engine.events import (
    BalanceChanged,
    Cause,
    Event,
    LevelChanged,
    MarketResolved,
    OrderCancelled,
    OrderPlaced,
    OrderUpdated,
    TickSizeChanged,
    Trade,
    TradeAdvanced,
    TradeMatched,
)
from pmtui.sim.engine.exchange import Exchange
from pmtui.sim.engine.state import EngineState, SavedAccount, SavedMarket
from pmtui.sim.engine.terms import LiveStatus, OrderView, Permission
from pmtui.sim.storage.records import Records

FILE_NAME = "venue.sqlite3"
TAPE_LENGTH = 100
"""Trades of a market that are kept for display."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS credentials (
    api_key TEXT PRIMARY KEY, secret TEXT NOT NULL, passphrase TEXT NOT NULL,
    eoa TEXT NOT NULL, nonce TEXT NOT NULL, created_ms INTEGER NOT NULL, UNIQUE (eoa, nonce));
CREATE TABLE IF NOT EXISTS owners (eoa TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS users (address TEXT PRIMARY KEY, deployed INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS ledger (
    line INTEGER PRIMARY KEY, account TEXT NOT NULL, token_id TEXT NOT NULL, balance INTEGER NOT NULL,
    change INTEGER NOT NULL, cause TEXT NOT NULL, reference TEXT NOT NULL, at_ms INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS balances (
    account TEXT NOT NULL, token_id TEXT NOT NULL, balance INTEGER NOT NULL,
    PRIMARY KEY (account, token_id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS orders (
    rank INTEGER PRIMARY KEY, order_id TEXT NOT NULL UNIQUE, row BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS trades (
    rank INTEGER PRIMARY KEY, trade_id TEXT NOT NULL UNIQUE, row BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS tape (
    rank INTEGER PRIMARY KEY, condition_id TEXT NOT NULL, row BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS tape_of_market ON tape (condition_id, rank);
CREATE TABLE IF NOT EXISTS markets (
    condition_id TEXT PRIMARY KEY, row BLOB NOT NULL, window_start_s INTEGER);
CREATE TABLE IF NOT EXISTS notes (
    kind TEXT NOT NULL, name TEXT NOT NULL, row BLOB NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID;
"""

_encode = msgspec.json.Encoder().encode
_decode_order = msgspec.json.Decoder(OrderView).decode
_decode_trade = msgspec.json.Decoder(Trade).decode
_decode_market = msgspec.json.Decoder(SavedMarket).decode


class StoreError(Exception):
    """The state cannot be opened: it is in use by another venue, unreadable, or not a state file."""


@dataclass(frozen=True, slots=True)
class StoredMarket:
    """A market in which users held shares, and the start of its window if it has one."""

    market: SavedMarket
    window_start_s: int | None


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes of one command that must survive."""

    lines: tuple[BalanceChanged, ...]
    orders: tuple[OrderView, ...]
    trades: tuple[Trade, ...]
    markets: tuple[StoredMarket, ...]


@dataclass(frozen=True, slots=True)
class Stored:
    """The contents of the store when it was opened, oldest first."""

    credentials: tuple[Credentials, ...]
    owners: tuple[Address, ...]
    users: tuple[tuple[Address, bool], ...]
    """Address, and whether a wallet is deployed there."""
    lines: tuple[BalanceChanged, ...]
    balances: tuple[tuple[Address, TokenId | None, Micros], ...]
    orders: tuple[OrderView, ...]
    trades: tuple[Trade, ...]
    markets: tuple[StoredMarket, ...]
    tape: tuple[Trade, ...] = ()
    """The newest trades of each market, by all accounts."""


class Store:
    """The venue's file; without a folder it is a temporary one and ends with the process."""

    def __init__(self, folder: Path | None = None) -> None:
        """Open or create the file.

        Raises:
            StoreError: the folder cannot be used, or another venue uses it.
        """
        try:
            if folder is not None:
                private_dir(folder)
                # The write-ahead log and its index get the same permissions.
                os.close(open_to_append(folder / FILE_NAME))
                for suffix in ("-wal", "-shm"):
                    make_private(folder / f"{FILE_NAME}{suffix}")
            # Without a name it stays in memory up to the size of the page cache.
            where = "" if folder is None else str(folder / FILE_NAME)
            self._db = sqlite3.connect(where, isolation_level=None, timeout=0.5)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"cannot open the state in {folder}: {error}") from error
        try:
            self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")
            self._db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
        except sqlite3.Error as error:
            self._db.close()
            raise StoreError(f"cannot use the state in {folder}: {error}") from error

    def begin_run(self) -> int:
        """Count this start of the venue and return the count, from 1."""
        self._db.execute(
            "INSERT INTO meta VALUES ('runs', '1') ON CONFLICT (name) "
            "DO UPDATE SET value = CAST(value AS INTEGER) + 1"
        )
        row = self._db.execute("SELECT value FROM meta WHERE name = 'runs'").fetchone()
        return int(row[0])

    def write(self, changes: Changes) -> None:
        """Write one command's changes; they are on disk when this returns."""
        self._db.execute("BEGIN IMMEDIATE")
        with self._db:
            self._write_lines(changes.lines)
            self._db.executemany(
                "INSERT INTO orders (order_id, row) VALUES (?, ?) "
                "ON CONFLICT (order_id) DO UPDATE SET row = excluded.row",
                [(order.order_id, _encode(order)) for order in changes.orders],
            )
            self._db.executemany(
                "INSERT INTO trades (trade_id, row) VALUES (?, ?) "
                "ON CONFLICT (trade_id) DO UPDATE SET row = excluded.row",
                [(trade.trade_id, _encode(trade)) for trade in changes.trades],
            )
            self._db.executemany(
                "INSERT INTO markets VALUES (?, ?, ?) "
                "ON CONFLICT (condition_id) DO UPDATE SET row = excluded.row",
                [
                    (stored.market.spec.condition_id, _encode(stored.market), stored.window_start_s)
                    for stored in changes.markets
                ],
            )

    def _write_lines(self, lines: Iterable[BalanceChanged]) -> None:
        for line in lines:
            token_id = line.token_id or ""
            self._db.execute(
                "INSERT INTO ledger (account, token_id, balance, change, cause, reference, at_ms) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    line.account,
                    token_id,
                    line.balance,
                    line.change,
                    line.cause.value,
                    line.reference,
                    line.at_ms,
                ),
            )
            self._db.execute(
                "INSERT INTO balances VALUES (?, ?, ?) "
                "ON CONFLICT (account, token_id) DO UPDATE SET balance = excluded.balance",
                (line.account, token_id, line.balance),
            )

    def add_user(self, address: Address) -> None:
        """Store an account that is not simulated."""
        self._db.execute("INSERT OR IGNORE INTO users (address) VALUES (?)", (address,))

    def deploy(self, address: Address) -> None:
        """Record that a wallet is deployed."""
        self._db.execute("UPDATE users SET deployed = 1 WHERE address = ?", (address,))

    def add_credentials(self, credentials: Credentials) -> None:
        """Store credentials, and that their owner is known."""
        self._db.execute("BEGIN IMMEDIATE")
        with self._db:
            self._db.execute(
                "INSERT INTO credentials VALUES (?, ?, ?, ?, ?, ?)",
                (
                    credentials.api_key,
                    credentials.secret,
                    credentials.passphrase,
                    credentials.eoa,
                    # Nonces have up to 256 bits; SQLite's integers have 64.
                    str(credentials.nonce),
                    credentials.created_ms,
                ),
            )
            self._db.execute("INSERT OR IGNORE INTO owners VALUES (?)", (credentials.eoa,))

    def delete_credentials(self, api_key: ApiKey) -> None:
        """Delete credentials."""
        self._db.execute("DELETE FROM credentials WHERE api_key = ?", (api_key,))

    def write_notes(self, kind: str, rows: Mapping[str, bytes | None]) -> None:
        """Store notes of other parts of the venue; None deletes a row."""
        self._db.execute("BEGIN IMMEDIATE")
        with self._db:
            self._db.executemany(
                "INSERT INTO notes VALUES (?, ?, ?) "
                "ON CONFLICT (kind, name) DO UPDATE SET row = excluded.row",
                [(kind, name, row) for name, row in rows.items() if row is not None],
            )
            self._db.executemany(
                "DELETE FROM notes WHERE kind = ? AND name = ?",
                [(kind, name) for name, row in rows.items() if row is None],
            )

    def write_tape(self, trades: Iterable[Trade]) -> None:
        """Store trades for display, the newest of each market only."""
        rows = [(trade.condition_id, _encode(trade)) for trade in trades]
        self._db.execute("BEGIN IMMEDIATE")
        with self._db:
            self._db.executemany("INSERT INTO tape (condition_id, row) VALUES (?, ?)", rows)
            self._db.executemany(
                "DELETE FROM tape WHERE condition_id = :market AND rank <= (SELECT rank FROM tape "
                "WHERE condition_id = :market ORDER BY rank DESC LIMIT 1 OFFSET :kept)",
                [{"market": name, "kept": TAPE_LENGTH} for name in {row[0] for row in rows}],
            )

    def tape_of(self, condition_id: ConditionId) -> list[Trade]:
        """Return the stored tape of a market, oldest first."""
        rows = self._db.execute(
            "SELECT row FROM tape WHERE condition_id = ? ORDER BY rank", (condition_id,)
        )
        return [_decode_trade(row) for (row,) in rows]

    def drop_tapes(self, markets: Iterable[ConditionId]) -> None:
        """Delete the tapes of markets that are no longer listed."""
        self._db.execute("BEGIN IMMEDIATE")
        with self._db:
            self._db.executemany(
                "DELETE FROM tape WHERE condition_id = ?", [(market,) for market in markets]
            )

    def notes(self, kind: str) -> list[tuple[str, bytes]]:
        """Return the notes of one kind, in the order of their names."""
        return self._db.execute(
            "SELECT name, row FROM notes WHERE kind = ? ORDER BY name", (kind,)
        ).fetchall()

    def load(self) -> Stored:
        """Return the whole contents."""
        rows = self._rows
        return Stored(
            credentials=tuple(
                Credentials(
                    ApiKey(key), secret, phrase, Address(eoa), nonce=int(nonce), created_ms=at_ms
                )
                for key, secret, phrase, eoa, nonce, at_ms in rows("credentials ORDER BY rowid")
            ),
            owners=tuple(Address(eoa) for (eoa,) in rows("owners")),
            users=tuple(
                (Address(user), bool(deployed)) for user, deployed in rows("users ORDER BY rowid")
            ),
            lines=tuple(_line(row) for row in rows("ledger ORDER BY line")),
            balances=tuple(
                (Address(account), TokenId(token) if token else None, Micros(balance))
                for account, token, balance in rows("balances")
            ),
            orders=tuple(_decode_order(row[2]) for row in rows("orders ORDER BY rank")),
            trades=tuple(_decode_trade(row[2]) for row in rows("trades ORDER BY rank")),
            markets=tuple(StoredMarket(_decode_market(row[1]), row[2]) for row in rows("markets")),
            tape=tuple(_decode_trade(row[2]) for row in rows("tape ORDER BY rank")),
        )

    def _rows(self, source: str) -> list[tuple[Any, ...]]:
        # The source is one of our own literals.
        return self._db.execute(f"SELECT * FROM {source}").fetchall()  # noqa: S608

    def close(self) -> None:
        """Close the file and release the lock."""
        self._db.close()


def _line(row: tuple[Any, ...]) -> BalanceChanged:
    _, account, token_id, balance, change, cause, reference, at_ms = row
    return BalanceChanged(
        account=Address(account),
        token_id=TokenId(token_id) if token_id else None,
        balance=Micros(balance),
        change=Micros(change),
        cause=Cause(cause),
        reference=reference,
        at_ms=at_ms,
    )


class Persistence:
    """Connects the exchange with its store."""

    def __init__(
        self, store: Store, exchange: Exchange, records: Records, catalogue: Catalogue
    ) -> None:
        self._store = store
        self._exchange = exchange
        self._records = records
        self._catalogue = catalogue
        self._kept: set[ConditionId] = set()

    def keep(self, events: Iterable[Event]) -> None:
        """Store the events that must survive; they are on disk when this returns."""
        notable = [event for event in events if not isinstance(event, LevelChanged)]
        lines = tuple(event for event in notable if isinstance(event, BalanceChanged))
        orders = {
            event.order.order_id: event.order
            for event in notable
            if isinstance(event, OrderPlaced | OrderUpdated | OrderCancelled)
        }
        trades = {
            event.trade.trade_id: event.trade
            for event in notable
            if isinstance(event, TradeMatched | TradeAdvanced)
            and self._records.concerns_users(event.trade)
        }
        markets = dict.fromkeys(order.condition_id for order in orders.values())
        markets.update((trade.condition_id, None) for trade in trades.values())
        markets.update((found, None) for found in self._markets_of(notable))
        if lines or orders or trades or markets:
            self._store.write(
                Changes(
                    lines,
                    tuple(orders.values()),
                    tuple(trades.values()),
                    tuple(self._stored_market(condition_id) for condition_id in markets),
                )
            )
            self._kept.update(markets)

    def has_kept(self, condition_id: ConditionId) -> bool:
        """Return whether a market has stored state, because users took part in it."""
        return condition_id in self._kept

    def _markets_of(self, events: Iterable[Event]) -> Iterator[ConditionId]:
        # Markets whose own state changed, or a user's shares in them.
        for event in events:
            match event:
                case BalanceChanged(token_id=token_id) if token_id is not None:
                    found = self._exchange.reads.market_of(token_id)
                    if found is not None:
                        yield found
                case MarketResolved(condition_id=condition_id):
                    if condition_id in self._kept or not self._is_window(condition_id):
                        yield condition_id
                case TickSizeChanged(condition_id=condition_id) if condition_id in self._kept:
                    yield condition_id
                case _:
                    pass

    def restore(self, accounts: Accounts, *, now_ms: int) -> None:
        """Restore accounts, orders and records, before anybody trades."""
        stored = self._store.load()
        for eoa in stored.owners:
            accounts.learn(eoa)
        for credentials in stored.credentials:
            accounts.add(credentials)
        accounts.deploy(address for address, is_deployed in stored.users if is_deployed)
        for address, _ in stored.users:
            self._records.add_user(address)
        for kept in stored.markets:
            self._bring_back_window(kept, now_ms=now_ms)
        tape = self._listed(_public_tape(stored))
        self._exchange.import_state(_engine_state(stored, tape), now_ms=now_ms)
        self._records.restore_tape(tape)
        for order in stored.orders:
            self._records.restore_order(order)
        for trade in stored.trades:
            self._records.restore_trade(trade)
        for line in stored.lines:
            self._records.restore_line(line)
        self._kept = {kept.market.spec.condition_id for kept in stored.markets}

    def _listed(self, tape: Iterable[Trade]) -> tuple[Trade, ...]:
        # Windows of an earlier run are not listed again.
        find = self._catalogue.market_by_condition
        return tuple(trade for trade in tape if find(trade.condition_id) is not None)

    def _bring_back_window(self, kept: StoredMarket, *, now_ms: int) -> None:
        # A window that ended while the venue was down is no longer listed, but may still be held.
        if kept.window_start_s is None:
            return
        start = datetime.fromtimestamp(kept.window_start_s, UTC)
        now = datetime.fromtimestamp(now_ms / 1_000, UTC)
        for event in windows_between(start, start + timedelta(seconds=1), now=now):
            self._catalogue.add_event(event)

    def _is_window(self, condition_id: ConditionId) -> bool:
        market = self._catalogue.market_by_condition(condition_id)
        return market is not None and market.is_window

    def _stored_market(self, condition_id: ConditionId) -> StoredMarket:
        view = self._exchange.reads.market(condition_id)
        if view is None:
            raise KeyError(condition_id)
        listed = self._catalogue.market_by_condition(condition_id)
        start = listed.starts_at if listed is not None and listed.is_window else None
        book = self._exchange.reads.book(view.spec.tokens[0])
        saved = SavedMarket(
            spec=view.spec,
            tick_size=view.tick_size,
            payout=view.payout,
            last_trade_price=view.last_trade_price,
            last_trade_side=view.last_trade_side,
            changed_ms=0 if book is None else book.changed_ms,
            resolved_ms=view.resolved_ms,
        )
        return StoredMarket(saved, None if start is None else int(start.timestamp()))


def _public_tape(stored: Stored) -> tuple[Trade, ...]:
    """Return the last public trades, with users' trades that a kill may have kept off the tape."""
    found = {trade.trade_id: trade for trade in (*stored.tape, *stored.trades)}
    return tuple(sorted(found.values(), key=lambda trade: trade.matched_ms))


def _engine_state(stored: Stored, tape: tuple[Trade, ...]) -> EngineState:
    shares: dict[Address, list[tuple[TokenId, Micros]]] = {}
    cash: dict[Address, Micros] = {}
    for account, token_id, balance in stored.balances:
        if token_id is None:
            cash[account] = balance
        elif balance:
            shares.setdefault(account, []).append((token_id, balance))
    users = {address for address, _ in stored.users}
    finished = {
        order.order_id: order.status for order in stored.orders if order.status != LiveStatus.LIVE
    }
    for trade in stored.trades:
        # Orders that never rest have no row of their own, but must not be accepted twice either.
        if trade.taker_account in users:
            finished.setdefault(trade.taker_order_id, LiveStatus.MATCHED)
    resting = tuple(order for order in stored.orders if order.status == LiveStatus.LIVE)
    for order in resting:
        finished.pop(order.order_id, None)
    return EngineState(
        markets=tuple(kept.market for kept in stored.markets),
        accounts=tuple(
            SavedAccount(
                address=address,
                is_unlimited=False,
                standing=Permission.GOOD,
                collateral=cash.get(address, ZERO),
                shares=tuple(shares.get(address, ())),
            )
            for address, _ in stored.users
        ),
        orders=resting,
        unsettled=tuple(trade for trade in stored.trades if not trade.status.is_final),
        known_orders=tuple(finished.items()),
        fees=Micros(
            sum(
                trade.fee
                for trade in stored.trades
                # A failed trade's fee was refunded.
                if trade.taker_account in users and trade.status is not TradeStatus.FAILED
            )
        ),
        last_trades=tuple({trade.condition_id: trade for trade in tape}.values()),
    )

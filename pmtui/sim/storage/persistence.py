"""Decides what of the exchange's events must survive, and puts a venue together again from it.

A market's state is kept once somebody who is not simulated had to do with it, or when it ended;
five-minute windows nobody traded leave nothing behind.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

from pmtui.domain.ids import Address, ConditionId, TokenId
from pmtui.domain.money import ZERO, Micros
from pmtui.domain.orders.order import TradeStatus
from pmtui.sim.accounts import Accounts
from pmtui.sim.catalogue.model import Catalogue
from pmtui.sim.catalogue.rolling import windows_between
from pmtui.sim.engine.events import (
    BalanceChanged,
    Event,
    LevelChanged,
    MarketResolved,
    MarketSwitched,
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
from pmtui.sim.engine.terms import LiveStatus, Permission
from pmtui.sim.storage.records import Records
from pmtui.sim.storage.store import Changes, Store, Stored, StoredMarket


class Persistence:
    """Between the exchange and its store."""

    def __init__(
        self, store: Store, exchange: Exchange, records: Records, catalogue: Catalogue
    ) -> None:
        self._store = store
        self._exchange = exchange
        self._records = records
        self._catalogue = catalogue
        self._kept: set[ConditionId] = set()

    def keep(self, events: Iterable[Event]) -> None:
        """Write down what must survive of some events; it is on the disk when this returns."""
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
        """Tell whether somebody who is not simulated had to do with a market."""
        return condition_id in self._kept

    def _markets_of(self, events: Iterable[Event]) -> Iterator[ConditionId]:
        # Markets whose own state changed, or in which a user's shares did.
        for event in events:
            match event:
                case BalanceChanged(token_id=token_id) if token_id is not None:
                    found = self._exchange.reads.market_of(token_id)
                    if found is not None:
                        yield found
                case MarketSwitched(condition_id=condition_id):
                    yield condition_id
                case MarketResolved(condition_id=condition_id):
                    if condition_id in self._kept or not self._is_window(condition_id):
                        yield condition_id
                case TickSizeChanged(condition_id=condition_id) if condition_id in self._kept:
                    yield condition_id
                case _:
                    pass

    def restore(self, accounts: Accounts, *, now_ms: int) -> None:
        """Bring back accounts, orders and memory, before anybody trades."""
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
        # A window that ended while the venue was down is no longer listed, but is still held.
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
            is_accepting=view.is_accepting,
            payout=view.payout,
            last_trade_price=view.last_trade_price,
            last_trade_side=view.last_trade_side,
            changed_ms=0 if book is None else book.changed_ms,
            resolved_ms=view.resolved_ms,
        )
        return StoredMarket(saved, None if start is None else int(start.timestamp()))


def _public_tape(stored: Stored) -> tuple[Trade, ...]:
    """Return the last public trades; a kill may have come before the users' ones were among them."""
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
        # Orders that never rest leave no row of their own, but must not be taken twice either.
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
                # A failed trade gave its fee back.
                if trade.taker_account in users and trade.status is not TradeStatus.FAILED
            )
        ),
        last_trades=tuple({trade.condition_id: trade for trade in tape}.values()),
    )

"""The venue behind every host: catalogue, exchange, accounts, records, subscribers, and its clock.

Everything that depends on time uses the clock, so that time can be moved. Every change goes through `act`: the
command runs, its events are recorded, then stored (and flushed to disk if they concern anybody who is not
simulated), then published. So nothing is published that a crash could undo. All of it is synchronous on one
event loop; no locks are needed.
"""

import random
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Protocol, TypeVar
from uuid import UUID

from typing_extensions import override

from pmtui.domain.ids import Address, ConditionId, TokenId, TradeId
from pmtui.domain.markets.market import FeeSchedule
from pmtui.domain.money import Micros
from pmtui.sim.accounts import Accounts, Credentials
from pmtui.sim.catalogue.model import Catalogue, CatalogueEvent, CatalogueMarket
from pmtui.sim.controls import Controls
from pmtui.sim.engine.events import Event, Trade
from pmtui.sim.engine.exchange import Exchange
from pmtui.sim.engine.terms import Done, IdSource, MarketSpec, MarketView, Refusal
from pmtui.sim.storage.persistence import Persistence, Store
from pmtui.sim.storage.records import Records


class VenueClock(Protocol):
    """Milliseconds since 1970, which never run backwards by themselves."""

    def now_ms(self) -> int:
        """Return the time in Unix milliseconds."""
        ...

    def step(self, milliseconds: int) -> None:
        """Move time forward permanently by some milliseconds."""
        ...

    def now(self) -> datetime:
        """Return the time as an aware datetime."""
        return datetime.fromtimestamp(self.now_ms() / 1_000, UTC)


class SystemClock(VenueClock):
    """The machine's time plus all steps."""

    def __init__(self) -> None:
        self._offset_ms = 0

    @override
    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000 + self._offset_ms

    @override
    def step(self, milliseconds: int) -> None:
        self._offset_ms += milliseconds


Listener = Callable[[tuple[Event, ...]], None]
T = TypeVar("T")


class SeededIds(IdSource):
    """Trade ids that are the same on every run with one seed."""

    def __init__(self, seed: int, *, run: int) -> None:
        # Another run on the same state must not reuse the ids of the first.
        self._random = random.Random(f"{seed}/{run}")

    @override
    def trade_id(self) -> TradeId:
        return TradeId(str(UUID(int=self._random.getrandbits(128), version=4)))

    @override
    def transaction_hash(self) -> str:
        return f"0x{self._random.getrandbits(256):064x}"


class Venue:
    """A trading venue in one process.

    `run` counts its starts on the same state, from 1; `began_ms` is the time of this start.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        clock: VenueClock,
        store: Store,
        seed: int = 0,
        speed: float = 1.0,
    ) -> None:
        """Open every tradable market and restore the contents of the store.

        Args:
            catalogue: the listed markets; five-minute windows are added while the venue runs.
            clock: the venue's time.
            store: the state that survives a restart; owned by the venue from now on.
            seed: for everything random except credentials.
            speed: multiplies the rate of simulated traders, divides the duration of settlement.
        """
        self.catalogue = catalogue
        self.clock = clock
        self.seed = seed
        self.speed = speed
        self.accounts = Accounts()
        self.records = Records(store.tape_of)
        self.controls = Controls()
        self.run = store.begin_run()
        self.exchange = Exchange(SeededIds(seed, run=self.run))
        self._store = store
        self._persistence = Persistence(store, self.exchange, self.records, catalogue)
        self._listeners: list[Listener] = []
        self._unpublished: deque[tuple[Event, ...]] = deque()
        self._is_publishing = False
        self.began_ms = now_ms = clock.now_ms()
        for market in catalogue.markets:
            if market.is_tradable:
                self.exchange.add_market(spec_of(market), now_ms=now_ms)
        self._persistence.restore(self.accounts, now_ms=now_ms)
        self.records.apply(self.exchange.drain_events())

    def market(self, condition_id: str) -> CatalogueMarket | None:
        """Find a market by condition id."""
        return self.catalogue.market_by_condition(condition_id)

    def market_of_token(self, token_id: str) -> CatalogueMarket | None:
        """Find the market of a token."""
        return self.catalogue.market_by_token(token_id)

    def trading(self, condition_id: str) -> MarketView | None:
        """Return the live state of a market, or None if it never accepted orders here."""
        return self.exchange.reads.market(ConditionId(condition_id))

    def pays_makers(self, market: CatalogueMarket) -> bool:
        """Return whether a market pays for resting orders now, so that its scores are sampled."""
        view = self.trading(market.condition_id)
        return view is not None and view.payout is None and market.rewards.daily_rate > 0

    def trading_of_token(self, token_id: str) -> MarketView | None:
        """Return the live state of a token's market."""
        condition_id = self.exchange.reads.market_of(TokenId(token_id))
        return None if condition_id is None else self.trading(condition_id)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with the events of every change from now on, in order.

        Returns:
            A function that ends the subscription.
        """
        self._listeners.append(listener)

        def unsubscribe() -> None:
            self._listeners.remove(listener)

        return unsubscribe

    def act(self, command: Callable[[Exchange, int], T]) -> T:
        """Run a command against the exchange: the only way to change anything.

        Args:
            command: receives the exchange and the time in Unix milliseconds; may do several things.

        Returns:
            The command's return value, after its events are on disk and published (or will be,
            right after the batch that is currently being published).
        """
        result = command(self.exchange, self.clock.now_ms())
        self.announce(self.exchange.drain_events())
        return result

    def announce(self, events: tuple[Event, ...]) -> None:
        """Record events, write them to disk, then publish them."""
        if events:
            self.records.apply(events)
            self._persistence.keep(events)
            self._publish(events)

    def notes(self, kind: str) -> list[tuple[str, bytes]]:
        """Return the notes stored with `write_notes`, in the order of their names."""
        return self._store.notes(kind)

    def write_notes(self, kind: str, rows: Mapping[str, bytes | None]) -> None:
        """Store what a part beside the exchange must still know after a restart.

        Args:
            kind: the kind of notes.
            rows: the notes by name; None deletes one. They are on disk on return.
        """
        if rows:
            self._store.write_notes(kind, rows)

    def write_tape(self, trades: Iterable[Trade]) -> None:
        """Store trades for display after a restart."""
        self._store.write_tape(trades)

    def open_user(self, address: Address) -> None:
        """Open an account that is not simulated; do nothing if it exists."""
        if not self.records.is_user(address):
            self.records.add_user(address)
            self._store.add_user(address)
            self.exchange.open_account(address)

    def register(self, credentials: Credentials) -> None:
        """Store new credentials, then accept them."""
        self._store.add_credentials(credentials)
        self.accounts.add(credentials)

    def revoke(self, credentials: Credentials) -> None:
        """Delete credentials, on disk first."""
        self._store.delete_credentials(credentials.api_key)
        self.accounts.remove(credentials.api_key)

    def deploy(self, address: Address) -> None:
        """Deploy the wallet at an address; do nothing if it is deployed."""
        self.open_user(address)
        if not self.accounts.is_deployed(address):
            self._store.deploy(address)
            self.accounts.deploy([address])

    def fund(self, address: Address, amount: Micros, *, is_deployed: bool = True) -> Done | Refusal:
        """Deposit collateral into an account.

        Args:
            address: of the account.
            amount: the amount to deposit.
            is_deployed: whether to deploy a wallet that may trade, as after a first deposit here;
                if not, the address only receives money, as in a transfer.
        """
        self.open_user(address)
        if is_deployed:
            self.deploy(address)
        return self.act(lambda exchange, now_ms: exchange.deposit(address, amount, now_ms=now_ms))

    def open_event(self, event: CatalogueEvent) -> None:
        """List a new event while the venue is running, and open its markets."""
        if not self.catalogue.add_event(event):
            return
        specs = [spec_of(market) for market in event.markets if market.is_tradable]

        def add(exchange: Exchange, now_ms: int) -> None:
            for spec in specs:
                exchange.add_market(spec, now_ms=now_ms)

        self.act(add)

    def remove_event(self, event: CatalogueEvent) -> bool:
        """Remove a past event that no users took part in.

        Returns:
            Whether it was removed; if not, part of it is still needed.
        """
        markets = [market.condition_id for market in event.markets]
        views = [self.trading(condition_id) for condition_id in markets]
        if any(view is not None and view.payout is None for view in views) or any(
            self._persistence.has_kept(condition_id) for condition_id in markets
        ):
            return False

        def remove(exchange: Exchange, now_ms: int) -> bool:
            return all(
                exchange.remove_market(view.spec.condition_id, now_ms=now_ms)
                for view in views
                if view is not None
            )

        if not self.act(remove):
            return False
        self.catalogue.remove_event(event)
        self._store.drop_tapes(markets)
        return True

    def close(self) -> None:
        """Close the store; nothing may be changed afterwards."""
        self._store.close()

    def _publish(self, events: tuple[Event, ...]) -> None:
        self._unpublished.append(events)
        if self._is_publishing:
            return
        self._is_publishing = True
        try:
            while self._unpublished:
                batch = self._unpublished.popleft()
                for listener in tuple(self._listeners):
                    listener(batch)
        finally:
            self._is_publishing = False


def spec_of(market: CatalogueMarket) -> MarketSpec:
    """Return the terms under which the exchange trades a market of the catalogue."""
    return MarketSpec(
        condition_id=market.condition_id,
        tokens=(market.token_ids[0], market.token_ids[1]),
        tick_size=market.tick_size,
        min_size=market.min_order_size,
        fee=FeeSchedule(market.fee.rate, market.fee.exponent, market.fee.taker_only),
        neg_risk=market.neg_risk,
        group=str(market.event_id) if market.neg_risk else "",
    )

"""The venue's records in memory: orders, trades, balances and prices.

They receive the engine's events before all other subscribers. Records about accounts that are not
simulated are complete and restored after a restart. The public tape, volumes and prices are bounded,
per market and in total: for a market that has not traded for long, the store still has the last
trades.
"""

from array import array
from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence

from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.money import ZERO, Micros, complement, notional_floor
from pmtui.sim.engine.events import (
    BalanceChanged,
    Event,
    LevelChanged,
    MarketAdded,
    MarketRemoved,
    OrderCancelled,
    OrderPlaced,
    OrderUpdated,
    Trade,
    TradeAdvanced,
    TradeMatched,
)
from pmtui.sim.engine.terms import MarketSpec, OrderView

RECENT_PER_MARKET = 500
RECENT_IN_ALL = 5_000
RECENT_OF_MARKETS = 10_000
"""Recent trades over all markets; the market that has not traded for longest is dropped first."""
POINTS_PER_MARKET = 1_000
POINT_S = 10
"""Seconds between two stored prices of a market."""
WIDEST_MIDDLE = 100_000
"""Micros between best bid and best ask up to which the midpoint counts as a price."""
VOLUME_STEP_MS = 600_000
VOLUME_SPAN_MS = 86_400_000
"""Dollars are summed in steps of ten minutes, which are kept for a day."""


class PriceSeries:
    """Prices of a market's first token, oldest first; older ones are thinned out."""

    __slots__ = ("moments", "prices")

    def __init__(self) -> None:
        self.moments = array("q")
        """In Unix seconds."""
        self.prices = array("q")

    def __len__(self) -> int:
        """Return the number of stored prices."""
        return len(self.moments)

    def note(self, at_s: int, price: Micros) -> None:
        """Add a price; one at the same time is replaced."""
        if self.moments and self.moments[-1] >= at_s:
            self.moments.pop()
            self.prices.pop()
        self.moments.append(at_s)
        self.prices.append(price)
        if len(self.moments) > POINTS_PER_MARKET:
            middle = POINTS_PER_MARKET // 2
            # Every second one of the older half is dropped, but never the first.
            del self.moments[1:middle:2]
            del self.prices[1:middle:2]

    @property
    def last(self) -> Micros | None:
        """Return the newest price."""
        return Micros(self.prices[-1]) if self.prices else None

    def at(self, at_s: int) -> Micros | None:
        """Return the price at a time; None before the first."""
        count = bisect_right(self.moments, at_s)
        return Micros(self.prices[count - 1]) if count else None


class _Volumes:
    """Dollars traded in a market: in total, and by steps of the last day."""

    __slots__ = ("_steps", "total")

    def __init__(self) -> None:
        self.total = ZERO
        self._steps: dict[int, int] = {}

    def add(self, at_ms: int, dollars: Micros) -> None:
        self.total = Micros(self.total + dollars)
        step = at_ms // VOLUME_STEP_MS
        self._steps[step] = self._steps.get(step, 0) + dollars
        oldest = (at_ms - VOLUME_SPAN_MS) // VOLUME_STEP_MS
        while (first := next(iter(self._steps))) < oldest:
            del self._steps[first]

    def since(self, at_ms: int) -> Micros:
        first = at_ms // VOLUME_STEP_MS
        return Micros(sum(dollars for step, dollars in self._steps.items() if step >= first))


_NO_PRICES = PriceSeries()


def _new_tape(trades: Iterable[Trade] = ()) -> deque[Trade]:
    return deque(trades, maxlen=RECENT_PER_MARKET)


class Records:
    """The venue's memory."""

    def __init__(self, read_tape: Callable[[ConditionId], Sequence[Trade]] = lambda _: ()) -> None:
        """Start empty.

        Args:
            read_tape: returns the stored tape of a market, oldest first.
        """
        self._read_tape = read_tape
        self._trades: dict[TradeId, Trade] = {}
        self._trades_of: defaultdict[Address, dict[TradeId, None]] = defaultdict(dict)
        self._trades_of_owner: defaultdict[ApiKey, dict[TradeId, None]] = defaultdict(dict)
        self._orders: dict[OrderId, OrderView] = {}
        self._ledger: defaultdict[Address, list[BalanceChanged]] = defaultdict(list)
        self._tapes: dict[ConditionId, deque[Trade]] = {}
        """By market, the most recently traded at the end."""
        self._taped = 0
        self._all_recent: deque[Trade] = deque(maxlen=RECENT_IN_ALL)
        self._volumes: defaultdict[ConditionId, _Volumes] = defaultdict(_Volumes)
        self._prices: defaultdict[ConditionId, PriceSeries] = defaultdict(PriceSeries)
        self._users: dict[Address, None] = {}
        self._first_tokens: set[TokenId] = set()

    def apply(self, events: Iterable[Event]) -> None:
        """Record events."""
        for event in events:
            match event:
                case TradeMatched(trade=trade):
                    self._record_match(trade)
                case TradeAdvanced(trade=trade):
                    if trade.trade_id in self._trades:
                        self._trades[trade.trade_id] = trade
                case OrderPlaced(order=order) | OrderUpdated(order=order):
                    self.restore_order(order)
                case OrderCancelled(order=order):
                    self.restore_order(order)
                case BalanceChanged():
                    self.restore_line(event)
                case LevelChanged(is_top_moved=True):
                    self._record_top(event)
                case MarketAdded(spec=spec):
                    self._first_tokens.add(spec.tokens[0])
                case MarketRemoved(spec=spec):
                    self._forget_market(spec)
                case _:
                    pass

    def add_user(self, account: Address) -> None:
        """Add an account whose trades are kept for good."""
        self._users[account] = None

    def is_user(self, account: Address) -> bool:
        """Return whether an account's trades are kept for good."""
        return account in self._users

    def users(self) -> tuple[Address, ...]:
        """Return the accounts whose trades are kept for good."""
        return tuple(self._users)

    def concerns_users(self, trade: Trade) -> bool:
        """Return whether a trade has a party that is not simulated."""
        return trade.taker_account in self._users or any(
            maker.account in self._users for maker in trade.makers
        )

    def restore_order(self, order: OrderView) -> None:
        """Store the latest state of an order."""
        self._orders[order.order_id] = order

    def restore_line(self, line: BalanceChanged) -> None:
        """Store a line of an account's ledger."""
        self._ledger[line.account].append(line)

    def restore_trade(self, trade: Trade) -> None:
        """Store a trade for every party that is not simulated."""
        self._trades[trade.trade_id] = trade
        parties = [(trade.taker_account, trade.taker_owner)]
        parties += [(maker.account, maker.owner) for maker in trade.makers]
        for account, owner in parties:
            if account in self._users:
                self._trades_of[account][trade.trade_id] = None
                self._trades_of_owner[owner][trade.trade_id] = None

    def restore_tape(self, trades: Iterable[Trade]) -> None:
        """Restore the latest public trades, oldest first, with their volume; price histories start over."""
        tapes: defaultdict[ConditionId, deque[Trade]] = defaultdict(_new_tape)
        for trade in trades:
            self._note_public(trade)
            tapes[trade.condition_id].append(trade)
        for condition_id, tape in sorted(tapes.items(), key=lambda item: item[1][-1].matched_ms):
            self._keep_tape(condition_id, tape)

    def _record_match(self, trade: Trade) -> None:
        if self.concerns_users(trade):
            self.restore_trade(trade)
        self._note_public(trade)
        self._add_to_tape(trade)
        price = self._first_price(trade.token_id, trade.price)
        self._note_price(trade.condition_id, price, at_ms=trade.matched_ms)

    def _note_public(self, trade: Trade) -> None:
        self._all_recent.append(trade)
        dollars = notional_floor(trade.price, trade.size)
        self._volumes[trade.condition_id].add(trade.matched_ms, dollars)

    def _add_to_tape(self, trade: Trade) -> None:
        tape = self._tapes.pop(trade.condition_id, None)
        if tape is None:
            tape = _new_tape(self._read_tape(trade.condition_id))
        else:
            self._taped -= len(tape)
        tape.append(trade)
        self._keep_tape(trade.condition_id, tape)

    def _keep_tape(self, condition_id: ConditionId, tape: deque[Trade]) -> None:
        self._tapes[condition_id] = tape
        self._taped += len(tape)
        while self._taped > RECENT_OF_MARKETS:
            self._taped -= len(self._tapes.pop(next(iter(self._tapes))))

    def _record_top(self, event: LevelChanged) -> None:
        if event.best_bid is None or event.best_ask is None:
            return
        # As on the public venue: across a wide spread, such as in a book being emptied, the
        # midpoint is not a price, and the last trade is used.
        if event.best_ask - event.best_bid <= WIDEST_MIDDLE:
            middle = Micros((event.best_bid + event.best_ask) // 2)
            price = self._first_price(event.token_id, middle)
            self._note_price(event.condition_id, price, at_ms=event.at_ms)

    def _first_price(self, token_id: TokenId, price: Micros) -> Micros:
        return price if token_id in self._first_tokens else complement(price)

    def _note_price(self, condition_id: ConditionId, price: Micros, *, at_ms: int) -> None:
        self._prices[condition_id].note(at_ms // 1_000 // POINT_S * POINT_S, price)

    def prices(self, condition_id: ConditionId) -> PriceSeries:
        """Return the prices of a market recorded in this run."""
        return self._prices.get(condition_id, _NO_PRICES)

    def _forget_market(self, spec: MarketSpec) -> None:
        condition_id = spec.condition_id
        self._taped -= len(self._tapes.pop(condition_id, ()))
        self._volumes.pop(condition_id, None)
        self._prices.pop(condition_id, None)
        self._first_tokens.discard(spec.tokens[0])
        others = (trade for trade in self._all_recent if trade.condition_id != condition_id)
        self._all_recent = deque(others, maxlen=RECENT_IN_ALL)

    def trade(self, trade_id: TradeId) -> Trade | None:
        """Return the latest state of a trade with a party that is not simulated."""
        return self._trades.get(trade_id)

    def unsettled(self) -> Sequence[Trade]:
        """Return the users' trades that are not final yet, oldest first."""
        return [trade for trade in self._trades.values() if not trade.status.is_final]

    def trades_of(self, account: Address) -> Sequence[Trade]:
        """Return the trades of an account, oldest first."""
        return [self._trades[trade_id] for trade_id in self._trades_of.get(account, ())]

    def trades_of_owner(self, owner: ApiKey) -> Sequence[Trade]:
        """Return the trades made with an API key, oldest first."""
        return [self._trades[trade_id] for trade_id in self._trades_of_owner.get(owner, ())]

    def ledger_of(self, account: Address) -> Sequence[BalanceChanged]:
        """Return every line of an account's ledger, oldest first."""
        return self._ledger.get(account, ())

    def order(self, order_id: OrderId) -> OrderView | None:
        """Return the latest state of an order."""
        return self._orders.get(order_id)

    def all_recent(self, markets: Iterable[str] | None = None) -> Sequence[Trade]:
        """Return the last public trades, oldest first: of all markets, or of some."""
        if markets is None:
            return self._all_recent
        # The venue's last trades may include none of a quiet market.
        found = [t for named in markets for t in self._tape(ConditionId(named))]
        return sorted(found, key=lambda trade: trade.matched_ms)

    def _tape(self, condition_id: ConditionId) -> Sequence[Trade]:
        tape = self._tapes.get(condition_id)
        return self._read_tape(condition_id) if tape is None else tape

    def volume(self, condition_id: ConditionId) -> Micros:
        """Return the dollars traded in a market in this run and on the restored tape."""
        volumes = self._volumes.get(condition_id)
        return ZERO if volumes is None else volumes.total

    def volume_since(self, condition_id: ConditionId, at_ms: int) -> Micros:
        """Return the dollars traded in a market since a time, and up to ten minutes before."""
        volumes = self._volumes.get(condition_id)
        return ZERO if volumes is None else volumes.since(at_ms)

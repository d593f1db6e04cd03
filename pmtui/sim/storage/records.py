"""What the venue remembers of what happened: orders, trades, balances and prices.

Fed with the engine's events before anybody else hears of them. What concerns accounts that are not
simulated is complete and comes back after a restart; the public tape is cut to recent trades, the last of
which come back too.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.money import ZERO, Micros, complement, notional_floor
from pmtui.sim.engine.events import (
    BalanceChanged,
    Event,
    LevelChanged,
    MarketAdded,
    OrderCancelled,
    OrderPlaced,
    OrderUpdated,
    Trade,
    TradeAdvanced,
    TradeMatched,
)
from pmtui.sim.engine.terms import OrderView

RECENT_PER_MARKET = 500
RECENT_IN_ALL = 5_000
POINTS_PER_MARKET = 5_000
POINT_S = 10
"""Seconds between two remembered prices of a market."""
WIDEST_MIDDLE = 100_000
"""Micros between best bid and best ask up to which their middle counts as a price."""


@dataclass(frozen=True, slots=True)
class PricePoint:
    """Price of a market's first token at a moment."""

    at_s: int
    price: Micros


@dataclass(frozen=True, slots=True)
class _Volume:
    at_ms: int
    dollars: Micros


class Records:
    """The venue's memory."""

    def __init__(self) -> None:
        self._trades: dict[TradeId, Trade] = {}
        self._trades_of: defaultdict[Address, dict[TradeId, None]] = defaultdict(dict)
        self._trades_of_owner: defaultdict[ApiKey, dict[TradeId, None]] = defaultdict(dict)
        self._orders: dict[OrderId, OrderView] = {}
        self._orders_of: defaultdict[ApiKey, dict[OrderId, None]] = defaultdict(dict)
        self._ledger: defaultdict[Address, list[BalanceChanged]] = defaultdict(list)
        self._recent: defaultdict[ConditionId, deque[Trade]] = defaultdict(
            lambda: deque(maxlen=RECENT_PER_MARKET)
        )
        self._all_recent: deque[Trade] = deque(maxlen=RECENT_IN_ALL)
        self._volumes: defaultdict[ConditionId, deque[_Volume]] = defaultdict(
            lambda: deque(maxlen=POINTS_PER_MARKET)
        )
        self._volume: defaultdict[ConditionId, Micros] = defaultdict(lambda: ZERO)
        self._points: defaultdict[ConditionId, deque[PricePoint]] = defaultdict(
            lambda: deque(maxlen=POINTS_PER_MARKET)
        )
        self._users: dict[Address, None] = {}
        self._first_tokens: set[TokenId] = set()

    def take(self, events: Iterable[Event]) -> None:
        """Remember what happened."""
        for event in events:
            match event:
                case TradeMatched(trade=trade):
                    self._take_match(trade)
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
                    self._take_top(event)
                case MarketAdded(spec=spec):
                    self._first_tokens.add(spec.tokens[0])
                case _:
                    pass

    def add_user(self, account: Address) -> None:
        """Name an account whose trades are kept for good."""
        self._users[account] = None

    def is_user(self, account: Address) -> bool:
        """Tell whether an account is one whose trades are kept."""
        return account in self._users

    def users(self) -> tuple[Address, ...]:
        """Return the accounts whose trades are kept."""
        return tuple(self._users)

    def concerns_users(self, trade: Trade) -> bool:
        """Tell whether a trade has a party that is not simulated."""
        return trade.taker_account in self._users or any(
            maker.account in self._users for maker in trade.makers
        )

    def restore_order(self, order: OrderView) -> None:
        """Keep the latest state of an order."""
        self._orders[order.order_id] = order
        self._orders_of[order.owner][order.order_id] = None

    def restore_line(self, line: BalanceChanged) -> None:
        """Keep a line of an account's ledger."""
        self._ledger[line.account].append(line)

    def restore_trade(self, trade: Trade) -> None:
        """Keep a trade under every party to it that is not simulated."""
        self._trades[trade.trade_id] = trade
        parties = [(trade.taker_account, trade.taker_owner)]
        parties += [(maker.account, maker.owner) for maker in trade.makers]
        for account, owner in parties:
            if account in self._users:
                self._trades_of[account][trade.trade_id] = None
                self._trades_of_owner[owner][trade.trade_id] = None

    def restore_tape(self, trades: Iterable[Trade]) -> None:
        """Bring back what the public saw last, oldest first, with its volume; prices begin anew."""
        for trade in trades:
            self._note_public(trade)

    def _take_match(self, trade: Trade) -> None:
        if self.concerns_users(trade):
            self.restore_trade(trade)
        self._note_public(trade)
        price = self._first_price(trade.token_id, trade.price)
        self._note_price(trade.condition_id, price, at_ms=trade.matched_ms)

    def _note_public(self, trade: Trade) -> None:
        self._recent[trade.condition_id].append(trade)
        self._all_recent.append(trade)
        dollars = notional_floor(trade.price, trade.size)
        self._volume[trade.condition_id] = Micros(self._volume[trade.condition_id] + dollars)
        self._volumes[trade.condition_id].append(_Volume(trade.matched_ms, dollars))

    def _take_top(self, event: LevelChanged) -> None:
        if event.best_bid is None or event.best_ask is None:
            return
        # As the service shows it: across a wide spread, such as that of a book being emptied, the
        # middle is nobody's price, and the last trade stands.
        if event.best_ask - event.best_bid <= WIDEST_MIDDLE:
            middle = Micros((event.best_bid + event.best_ask) // 2)
            price = self._first_price(event.token_id, middle)
            self._note_price(event.condition_id, price, at_ms=event.at_ms)

    def _first_price(self, token_id: TokenId, price: Micros) -> Micros:
        return price if token_id in self._first_tokens else complement(price)

    def _note_price(self, condition_id: ConditionId, price: Micros, *, at_ms: int) -> None:
        at_s = at_ms // 1_000 // POINT_S * POINT_S
        points = self._points[condition_id]
        if points and points[-1].at_s >= at_s:
            points.pop()
        points.append(PricePoint(at_s, price))

    def price_points(self, condition_id: ConditionId) -> Sequence[PricePoint]:
        """Return the prices noted in this run, oldest first."""
        return self._points.get(condition_id, ())

    def trade(self, trade_id: TradeId) -> Trade | None:
        """Return the latest state of a trade with a party that is not simulated."""
        return self._trades.get(trade_id)

    def unsettled(self) -> Sequence[Trade]:
        """Return the trades of users that are not final yet, oldest first."""
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

    def orders_of(self, owner: ApiKey) -> Sequence[OrderView]:
        """Return the latest state of every order made with an API key, oldest first."""
        return [self._orders[order_id] for order_id in self._orders_of.get(owner, ())]

    def order(self, order_id: OrderId) -> OrderView | None:
        """Return the latest state of an order."""
        return self._orders.get(order_id)

    def all_recent(self, markets: Iterable[str] | None = None) -> Sequence[Trade]:
        """Return the last public trades, oldest first: the venue's, or those of some markets."""
        if markets is None:
            return self._all_recent
        # Of a quiet market the venue's last trades may hold none.
        found = [t for named in markets for t in self._recent.get(ConditionId(named), ())]
        return sorted(found, key=lambda trade: trade.matched_ms)

    def volume(self, condition_id: ConditionId) -> Micros:
        """Return the dollars traded in a market in this run, and of the tape that came back."""
        return self._volume.get(condition_id, ZERO)

    def volume_since(self, condition_id: ConditionId, at_ms: int) -> Micros:
        """Return the dollars traded in a market since a moment, of the trades remembered."""
        return Micros(
            sum(v.dollars for v in self._volumes.get(condition_id, ()) if v.at_ms >= at_ms)
        )

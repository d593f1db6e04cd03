"""Practice orders against recorded books: the engine's book is kept equal to the recorded one.

Recorded levels rest in the engine as orders of an unlimited account, so that a taker takes what was
there. There are three conservative rules:

- The size taken by a practice order is gone until the recording changes that price.
- A resting practice order fills when the recorded book reaches its price, or when a recorded trade
  went through it at a worse price for the taker. At its own price it stays behind the recorded size
  forever: a recording does not contain the queue.
- Levels smaller than the market's least order are not taken from.

Nothing a practice order does changes the recorded stream.
"""

from dataclasses import dataclass, field
from functools import partial

from pmtui.domain.books.market_events import MarketEvent, TradePrinted
from pmtui.domain.ids import Address, ApiKey, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, Micros, complement, notional_floor
from pmtui.domain.orders.amounts import SIZE_STEP
from pmtui.sim.engine.events import Event, OrderPlaced
from pmtui.sim.engine.exchange import Exchange
from pmtui.sim.engine.terms import NewOrder
from pmtui.sim.replay.books import RecordedBooks, RecordedMarket
from pmtui.sim.venue import Venue

RECORDED_TRADER = Address("0x00000000000000000000000000000000000000ce")
OWNER = ApiKey("recorded")

_Level = tuple[bool, Micros]
"""Whether it is a bid, and its price in terms of the first token."""


@dataclass(slots=True)
class _Resting:
    """One market's recorded levels as they rest in the engine."""

    levels: dict[_Level, tuple[OrderId, Micros]] = field(default_factory=dict)
    tick: Micros | None = None


class PracticeBooks:
    """Keeps the engine's books equal to the recorded ones, as far as they are needed."""

    def __init__(self, venue: Venue, books: RecordedBooks) -> None:
        """Open the account for the recorded levels."""
        self._venue = venue
        self._books = books
        self._resting = {condition_id: _Resting() for condition_id in books.markets}
        self._stale: dict[str, None] = dict.fromkeys(books.markets)
        self._followed: set[str] = set()
        """Markets with a practice order: every message may fill it."""
        self._number = 0
        venue.exchange.open_account(RECORDED_TRADER, simulated=True, unlimited=True)
        venue.subscribe(self._notice)

    def note(self, condition_id: str, events: tuple[MarketEvent, ...]) -> None:
        """Handle recorded messages of a market that were already applied to its books."""
        condition_id = condition_id.lower()
        self._stale[condition_id] = None
        if condition_id not in self._followed:
            return
        for event in events:
            if isinstance(event, TradePrinted):
                self._venue.act(partial(self._trade, event))
        self.catch_up()

    def restart(self) -> None:
        """Handle a jump of the replay: every level may have changed."""
        self._stale = dict.fromkeys(self._books.markets)
        if self._followed:
            self.catch_up()

    def catch_up(self) -> None:
        """Update the engine's books to the recorded ones before they are read."""
        stale, self._stale = self._stale, {}
        for condition_id in stale:
            market = self._books.markets.get(condition_id)
            if market is not None:
                self._venue.act(partial(self._follow, market))

    def _notice(self, events: tuple[Event, ...]) -> None:
        for event in events:
            if isinstance(event, OrderPlaced):
                self._followed.add(str(event.order.condition_id).lower())

    def _follow(self, market: RecordedMarket, exchange: Exchange, now_ms: int) -> None:
        view = market.books[0].view()
        resting = self._resting[str(market.condition_id)]
        tick = view.tick_size
        if tick is not None and tick != resting.tick:
            # The engine cancels orders that are off a new grid; all of them are placed again.
            exchange.cancel_all(OWNER, condition_id=market.condition_id, now_ms=now_ms)
            exchange.change_tick_size(market.condition_id, tick, now_ms=now_ms)
            resting.levels.clear()
            resting.tick = tick
        wanted: dict[_Level, Micros] = {}
        if not market.books[0].book.is_crossed:
            wanted |= {(True, level.price): level.size for level in view.bids}
            wanted |= {(False, level.price): level.size for level in view.asks}
        outdated = [
            level for level, (_, size) in resting.levels.items() if wanted.get(level) != size
        ]
        gone = [resting.levels.pop(level)[0] for level in outdated]
        if gone:
            exchange.cancel(gone, OWNER, now_ms=now_ms)
        for level, size in wanted.items():
            if level not in resting.levels:
                order_id = self._place(exchange, now_ms, market.token_ids, level, size)
                resting.levels[level] = (order_id, size)

    def _place(
        self,
        exchange: Exchange,
        now_ms: int,
        tokens: tuple[TokenId, ...],
        level: _Level,
        size: Micros,
    ) -> OrderId:
        is_bid, price = level
        # In the token that is bought, so that nothing needs to be held: an ask of one outcome is a
        # bid of the other.
        token, price = (tokens[0], price) if is_bid else (tokens[1], complement(price))
        self._number += 1
        order_id = OrderId(f"0x{self._number:064x}")
        whole = Micros(size - size % SIZE_STEP)
        # Refused if it is below the minimum size or off the grid: then it cannot be taken.
        _ = exchange.place(
            NewOrder(
                order_id, RECORDED_TRADER, OWNER, token, Side.BUY,
                maker_amount=notional_floor(price, whole), taker_amount=whole,
            ),
            now_ms=now_ms,
        )  # fmt: skip
        return order_id

    def _trade(self, trade: TradePrinted, exchange: Exchange, now_ms: int) -> None:
        """Fill the practice orders that a recorded trade went through."""
        found = self._books.market(trade.condition_id)
        if found is None or trade.token_id not in found.token_ids:
            return
        is_first = found.index_of(trade.token_id) == 0
        price = trade.price if is_first else complement(trade.price)
        is_sale = (trade.side is Side.SELL) == is_first
        resting = self._resting[str(found.condition_id)]
        tick = resting.tick
        if tick is None:
            return
        limit = Micros(price + tick) if is_sale else Micros(price - tick)
        bid, ask = exchange.reads.top(found.token_ids[0])
        best = bid if is_sale else ask
        if best is None or not 0 < limit < ONE or (best < limit if is_sale else best > limit):
            return
        order_id = self._place(exchange, now_ms, found.token_ids, (not is_sale, limit), trade.size)
        _ = exchange.cancel((order_id,), OWNER, now_ms=now_ms)

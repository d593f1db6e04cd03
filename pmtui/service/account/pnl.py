"""Profit and loss in the service: the result of the day, and the equity of a month.

The venue's clock determines the day: ours may be wrong or adjusted, which must neither hide the day's
loss nor begin a new day. Until that clock has been measured there is no result.

The opening of the day is kept in a small file, so that another session on the same day continues the
count; the fills themselves come from the venue. Equity samples are kept in another file.
"""

from collections.abc import Callable
from datetime import date, datetime
from itertools import takewhile
from pathlib import Path
from typing import Annotated

import msgspec

from pmtui.config.paths import replace_file
from pmtui.domain.account.pnl import (
    DayFigures,
    DayTrades,
    EquityPoint,
    Exchange,
    Holding,
    Opening,
    ShareMove,
    ShareMoves,
    add_up_trades,
    day_figures,
    day_of,
    day_result,
    expected_shares,
    open_day,
    price_partners,
    read_exchanges,
    realized_on_day,
    with_sample,
    worth_at_opening,
)
from pmtui.domain.account.position import Position
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import SCALE, Micros, complement
from pmtui.domain.orders.order import Fill
from pmtui.service.account.account import AccountFeed
from pmtui.service.kernel import Kernel
from pmtui.service.markets.market_store import KnownMarkets
from pmtui.service.topics import AccountTopic, ActivityTopic, StatusTopic
from pmtui.service.views import Level

DAY_FILE = "day.json"
CHECK_PERIOD_S = 5.0
"""The longest delay in noticing a new day, and the largest age of the price of closed holdings."""


_PairOf = Callable[[TokenId], tuple[TokenId, ...]]


class _DayFile(msgspec.Struct, frozen=True, omit_defaults=True):
    day: date
    held: dict[str, tuple[int, int]]
    """Shares and price by token, in millionths."""
    moved: dict[str, tuple[int, int]] = {}
    """What came without a trade, or went: shares and their worth then, in millionths of a millionth."""
    young: dict[str, tuple[int, int, Annotated[datetime, msgspec.Meta(tz=True)]]] = {}
    """The same as far as a trade may still explain it, and since when."""


class DailyPnl:
    """The day's result of one profile."""

    def __init__(
        self,
        kernel: Kernel,
        feed: AccountFeed,
        known: KnownMarkets,
        *,
        positions: Callable[[], tuple[Position, ...]],
        state_dir: Path | None,
    ) -> None:
        self._kernel = kernel
        self._feed = feed
        self._known = known
        self._positions = positions
        self._path = None if state_dir is None else state_dir / DAY_FILE
        self._opening: Opening | None = None
        self._moves = ShareMoves()
        self._prices: dict[TokenId, Micros] = {}
        """The last known price of every token, including tokens no longer held."""
        self._marked: Micros | None = None
        self._fills: tuple[Fill, ...] = ()
        """The fills whose trades were added up."""
        self._trades = DayTrades(date.min)
        self._realized: tuple[tuple[Opening, DayTrades, tuple[Exchange, ...]], Micros] | None = None
        """The realised result with its inputs: prices do not change it."""

    @property
    def result(self) -> Micros | None:
        """Profit or loss of the day so far, fees included; None while unknown.

        Computed on demand, from the same fills and prices as everything else on a screen.
        """
        loss = self.loss()
        return None if loss is None else Micros(-loss)

    @property
    def is_dated(self) -> bool:
        """Whether the current day is known."""
        return self._kernel.is_venue_clock_known

    def figures(
        self, equity: Micros, *, balance: Micros, positions: tuple[Position, ...]
    ) -> DayFigures | None:
        """Return the result in cents that go with the equity's, in parts that add up to it; None while unknown.

        Args:
            equity: as it is shown.
            balance: the cash that it contains.
            positions: all that is held, at the prices that it contains.
        """
        result = self._result(positions)
        opening, trades = self._opening, self._trades
        if result is None or opening is None:
            return None
        counted = (opening, trades, self._exchanges(trades.day))
        if self._realized is None or self._realized[0] != counted:
            self._realized = counted, realized_on_day(*counted)
        began = worth_at_opening(opening, balance, positions, result)
        return day_figures(equity, trades, self._realized[1], began=began)

    async def run(self) -> None:
        """Update the result, detect a new day, and store prices that may be gone tomorrow."""
        while True:
            before, self._marked = self._marked, self.result
            if self._marked != before:
                self._kernel.mark(StatusTopic())
                self._kernel.mark(AccountTopic())
            await self._kernel.clock.sleep(CHECK_PERIOD_S)

    def loss(self) -> Micros | None:
        """Return the loss since midnight UTC, negative for a gain; None while unknown."""
        result = self._result(self._positions())
        return None if result is None else Micros(-(result // SCALE))

    def _result(self, positions: tuple[Position, ...]) -> int | None:
        """Return the day's result, see `day_result`; None while unknown."""
        if not self._feed.state.is_complete or not self.is_dated:
            return None
        trades = self._todays_trades()
        if not trades.has_every_fee:
            return None
        opening = self._opening
        if opening is None or opening.day != trades.day:
            opening = self._open(open_day(positions, trades))
        pair_of = self._pairs(positions, trades)
        self._note_prices(positions, pair_of)
        self._price_settled(positions, opening, trades)
        prices = price_partners(self._prices, trades, pair_of)
        self._follow_moves(opening, trades, prices, pair_of)
        return day_result(opening, trades, prices, self._moves.every())

    def _todays_trades(self) -> DayTrades:
        """Return the trades of the venue's day, added up again only if there is a new one."""
        fills, today = self._feed.own.fills(), day_of(self._kernel.venue_now())
        if fills is not self._fills or today != self._trades.day:
            # Newest first: fills of earlier days need not be searched.
            todays = takewhile(lambda fill: day_of(fill.matched_at) >= today, fills)
            self._fills, self._trades = fills, add_up_trades(todays, today)
        return self._trades

    def _pairs(self, positions: tuple[Position, ...], trades: DayTrades) -> _PairOf:
        """Return a lookup for the outcomes of a token's market: all known ones, or those we traded or held."""
        conditions = {position.token_id: position.condition_id for position in positions}
        conditions |= trades.markets
        seen: dict[ConditionId, tuple[TokenId, ...]] = {}
        for token_id, condition_id in conditions.items():
            seen[condition_id] = (*seen.get(condition_id, ()), token_id)

        def pair_of(token_id: TokenId) -> tuple[TokenId, ...]:
            condition_id = conditions.get(token_id)
            if condition_id is None:
                return self._known.pair(token_id)
            return self._known.tokens(condition_id) or seen[condition_id]

        return pair_of

    def _note_prices(self, positions: tuple[Position, ...], pair_of: _PairOf) -> None:
        """Record the prices of holdings; a token no longer held is priced by its other outcome."""
        now = {p.token_id: p.current_price for p in positions if p.current_price is not None}
        for token_id, price in now.items():
            self._prices[token_id] = price
            for other in pair_of(token_id):
                if other not in now and other in self._prices:
                    self._prices[other] = complement(price)

    def _price_settled(
        self, positions: tuple[Position, ...], opening: Opening, trades: DayTrades
    ) -> None:
        """Record the payout of shares that were held or traded today and were exchanged since."""
        held = {position.token_id for position in positions}
        for token_id in (trades.markets.keys() | opening.held.keys()) - held:
            price = self._known.settled_price(token_id)
            if price is not None:
                self._prices[token_id] = price

    def _exchanges(self, day: date) -> tuple[Exchange, ...]:
        return read_exchanges(
            self._feed.state.activity,
            day,
            tokens_of=self._known.tokens,
            settled_price=self._known.settled_price,
        )

    def _follow_moves(
        self,
        opening: Opening,
        trades: DayTrades,
        prices: dict[TokenId, Micros],
        pair_of: _PairOf,
    ) -> None:
        """Apply the difference between holdings and the opening plus the day's trades."""
        holdings = self._feed.holdings
        expected = expected_shares(opening, trades)
        # What came and went again is in no list: it is known by its moves alone.
        tokens = {token_id for token_id, _ in holdings.sizes()} | expected.keys()
        tokens |= self._moves.every().keys()
        held = {token_id: holdings.size(token_id) for token_id in tokens}
        changes = {
            token_id: size - expected.get(token_id, 0)
            for token_id, size in held.items()
            if size is not None
        }

        def redeemed_at(token_id: TokenId) -> Micros | None:
            exchanges = self._exchanges(trades.day)
            paid = (e.price for e in exchanges if e.token_id == token_id and e.change is None)
            return next(paid, None)

        if self._moves.update(
            changes,
            prices,
            pair_of=pair_of,
            redeemed_at=redeemed_at,
            doubtful=holdings.doubtful(),
            now=self._kernel.venue_now(),
        ):
            self._write(opening)

    def _open(self, now: Opening) -> Opening:
        """Return the opening stored by an earlier session of the same day, else the current one."""
        self._opening, self._moves = now, ShareMoves()
        file = self._read()
        if file is not None and file.day == now.day:
            held = {TokenId(t): Holding(Micros(n), Micros(p)) for t, (n, p) in file.held.items()}
            self._opening = Opening(file.day, held)
            self._moves = ShareMoves(
                {TokenId(t): ShareMove(*m) for t, m in file.moved.items()},
                {TokenId(t): (ShareMove(n, w), at) for t, (n, w, at) in file.young.items()},
            )
        self._write(self._opening)
        return self._opening

    def _read(self) -> _DayFile | None:
        if self._path is None:
            return None
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=_DayFile)
        except (OSError, msgspec.MsgspecError):
            return None

    def _write(self, opening: Opening) -> None:
        if self._path is None:
            return
        held = {str(token): (int(h.size), int(h.price)) for token, h in opening.held.items()}
        moved = {str(token): (m.change, m.worth) for token, m in self._moves.kept.items()}
        young = {
            str(token): (m.change, m.worth, since)
            for token, (m, since) in self._moves.young.items()
        }
        try:
            replace_file(self._path, msgspec.json.encode(_DayFile(opening.day, held, moved, young)))
        except OSError as error:
            text = f"A restart will count the day's loss anew: {error.strerror or error}"
            self._kernel.log.notice(Level.WARNING, text)


EQUITY_FILE = "equity.json"
SAMPLE_PERIOD_S = 15.0
WRITE_EVERY = 20
"""Samples between two writes: five minutes of a curve may be lost in a crash."""


class _EquityFile(msgspec.Struct, frozen=True):
    points: list[tuple[datetime, int]]
    """Times and millionths of a dollar."""


class EquityCurve:
    """One profile's equity, sampled while the service runs."""

    def __init__(self, kernel: Kernel, state_dir: Path | None) -> None:
        self._kernel = kernel
        self._path = None if state_dir is None else state_dir / EQUITY_FILE
        self._points: tuple[EquityPoint, ...] = ()
        self._unwritten = 0

    @property
    def points(self) -> tuple[EquityPoint, ...]:
        """The samples, in ascending time."""
        return self._points

    async def run(self, equity: Callable[[], Micros | None]) -> None:
        """Sample the equity regularly while it is known."""
        self._points = self._read()
        while True:
            value = equity()
            if value is not None:
                self._points = with_sample(self._points, value, self._kernel.venue_now())
                self._kernel.mark(ActivityTopic())
                self._write_sometimes()
            await self._kernel.clock.sleep(SAMPLE_PERIOD_S)

    def _read(self) -> tuple[EquityPoint, ...]:
        if self._path is None:
            return ()
        try:
            file = msgspec.json.decode(self._path.read_bytes(), type=_EquityFile)
        except (OSError, msgspec.MsgspecError):
            return ()
        aware = [(at, value) for at, value in file.points if at.tzinfo is not None]
        return tuple(EquityPoint(at, Micros(value)) for at, value in sorted(aware))

    def _write_sometimes(self) -> None:
        self._unwritten -= 1
        if self._unwritten > 0 or self._path is None:
            return
        self._unwritten = WRITE_EVERY
        file = _EquityFile([(point.at, int(point.value)) for point in self._points])
        try:
            replace_file(self._path, msgspec.json.encode(file))
        except OSError as error:
            self._path = None
            text = f"The equity curve is not kept for the next start: {error.strerror or error}"
            self._kernel.log.notice(Level.WARNING, text)

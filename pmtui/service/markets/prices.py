"""Prices outside the ladder: best prices in lists, values of our positions, price history.

A live book takes precedence if it is good; else the last price reported by a host is used.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from pmtui.domain.account.position import Position, rebase_positions
from pmtui.domain.answers import Failure
from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.health import Source
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.history import Interval, PricePoint, finest_interval
from pmtui.domain.markets.market import Market
from pmtui.domain.markets.price_path import PricePath, Traded, with_path
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Fill, Order
from pmtui.domain.orders.self_trade import mark_of
from pmtui.service.account.account import AccountFeed
from pmtui.service.books.books import BooksFeed
from pmtui.service.kernel import Kernel
from pmtui.service.topics import HistoryTopic, Topic
from pmtui.service.views import HistoryView, Load, QuoteRow


class Quotes:
    """Creates quotes from books and holdings."""

    def __init__(
        self,
        *,
        book_of: Callable[[TokenId], BookView],
        positions: Callable[[], tuple[Position, ...]],
    ) -> None:
        self.book_of = book_of
        self._positions = positions

    def quote(self, market: Market, as_of: datetime | None) -> QuoteRow:
        """Return a market's best prices.

        Args:
            market: as reported by the metadata host.
            as_of: time of that report.
        """
        condition_id = market.condition_id or ConditionId("")
        size = self.position_size(market)
        book = self.book_of(market.token_ids[0]) if market.token_ids else None
        if book is not None and book.state.is_good:
            return QuoteRow(
                condition_id=condition_id,
                best_bid=book.best_bid,
                best_ask=book.best_ask,
                last_trade_price=book.own_last_price,
                as_of=book.as_of,
                is_live=True,
                position_size=size,
            )
        return QuoteRow(
            condition_id=condition_id,
            best_bid=market.best_bid,
            best_ask=market.best_ask,
            last_trade_price=market.last_trade_price,
            as_of=as_of,
            is_live=False,
            position_size=size,
            is_loading=book is not None and book.state is BookState.LOADING,
        )

    def position_size(self, market: Market) -> Micros | None:
        """Return own shares of the first outcome minus those of the second; None if there are none."""
        tokens = market.token_ids
        if len(tokens) != 2:
            return None
        sizes = {p.token_id: p.size for p in self._positions() if not p.is_dust}
        if tokens[0] not in sizes and tokens[1] not in sizes:
            return None
        return Micros(sizes.get(tokens[0], 0) - sizes.get(tokens[1], 0))


class MarkToMarket:
    """Positions marked to the newest available price."""

    def __init__(
        self,
        account: AccountFeed,
        books: BooksFeed,
        market_of: Callable[[ConditionId], Market | None],
    ) -> None:
        """Price the holdings.

        Args:
            account: the holdings.
            books: live books.
            market_of: returns a market, for the payout of resolved ones; None if it is unknown.
        """
        self._account = account
        self._books = books
        self._market_of = market_of
        self._last: dict[TokenId, tuple[Position, Position]] = {}
        """Each position as held, and as last priced: most books change less often than screens ask."""
        self._listed: tuple[Position, ...] = ()
        self._fills: tuple[Fill, ...] = ()
        self._held: tuple[Position, ...] = ()
        """The holdings at their own cost, and from what that was calculated."""

    def positions(self) -> tuple[Position, ...]:
        """Return positions at their own cost, with their payout, or the price that others make.

        That is the midpoint of a live book, else the analytics host's price.
        """
        held, own = self._at_cost(), self._account.own.open_orders()
        if len(self._last) > len(held):
            tokens = {p.token_id for p in held}
            self._last = {t: last for t, last in self._last.items() if t in tokens}
        return tuple(self._priced(p, own) for p in held)

    def _at_cost(self) -> tuple[Position, ...]:
        listed, fills = self._account.holdings.positions(), self._account.own.fills()
        if listed is not self._listed or fills is not self._fills:
            self._listed, self._fills = listed, fills
            self._held = rebase_positions(listed, fills)
        return self._held

    def _priced(self, position: Position, own: tuple[Order, ...]) -> Position:
        price = self._payout(position)
        is_settled = price is not None
        if price is None:
            price = mark_of(position, self._books.book, own)
        if price is None:
            return position
        held, priced = self._last.get(position.token_id, (None, position))
        if held is not position or (priced.current_price, priced.is_settled) != (price, is_settled):
            priced = replace(position, current_price=price, is_settled=is_settled)
            self._last[position.token_id] = position, priced
        return priced

    def _payout(self, position: Position) -> Micros | None:
        """Return the payout of a share once its market is resolved; a book may remain for a while."""
        market = self._market_of(position.condition_id)
        paid = None if market is None else market.settled_price(position.token_id)
        if paid is None and position.is_redeemable:
            return position.current_price
        return paid


HISTORY_PERIOD_S = 30.0
MANY_PERIOD_S = 300.0
"""The interval if more are watched than charts fit on a screen: the sparklines of a list."""
FEW = 8
MOST_CHARTS = 16


@dataclass(slots=True)
class HistoryState:
    """The points of one chart."""

    points: tuple[PricePoint, ...] = ()
    """As the venue sent them."""
    drawn: tuple[PricePoint, ...] = ()
    """With the path of the trades."""
    drawn_from: tuple[int, int] = (0, 0)
    """The versions of both when that was drawn."""
    traded: tuple[Traded, ...] = ()
    drawn_version: int = 0
    fetched: Interval | None = None
    """The interval in which its market fits, so that its points are as close as can be; None at first."""
    load: Load = Load.EMPTY
    as_of: datetime | None = None
    version: int = 0
    problem: str = ""


class HistoryFeed:
    """The recently opened charts."""

    def __init__(self, kernel: Kernel, *, path_of: Callable[[TokenId], PricePath]) -> None:
        """Create the feed; `path_of` returns the prices of a token's trades."""
        self._kernel = kernel
        self._path_of = path_of
        self._charts: dict[HistoryTopic, HistoryState] = {}

    def on_demand(self, topic: Topic) -> None:
        """Fetch while watched."""
        if not isinstance(topic, HistoryTopic):
            return
        known = self._charts.pop(topic, None)
        self._charts[topic] = known or HistoryState(load=Load.LOADING)
        left = [t for t in self._charts if not self._kernel.hub.is_watched(t)]
        for old in left[: max(len(self._charts) - MOST_CHARTS, 0)]:
            del self._charts[old]

        async def poll() -> None:
            while self._kernel.hub.is_watched(topic):
                await self._fetch(topic)
                await self._kernel.clock.sleep(self._period_s())

        is_polled = not self._kernel.start_unless_running(topic, "price history", poll)
        if known is None and is_polled:
            # It was dropped while unwatched, and its poll sleeps: fetch at once.
            self.refresh(topic)

    def _period_s(self) -> float:
        watched = sum(isinstance(topic, HistoryTopic) for topic in self._kernel.hub.watched())
        return HISTORY_PERIOD_S if watched <= FEW else MANY_PERIOD_S

    def refresh(self, topic: HistoryTopic) -> None:
        """Fetch a chart again."""
        self._kernel.start("price history", lambda: self._fetch(topic))

    def view(self, topic: HistoryTopic) -> HistoryView:
        """Return a chart's points."""
        state = self._charts.get(topic) or HistoryState()
        path = self._path_of(topic.token_id)
        versions = (state.version, path.version)
        if state.drawn_from != versions:
            state.drawn, state.drawn_from = with_path(state.points, path.points), versions
            state.traded = path.traded
            state.drawn_version += 1
        return HistoryView(
            points=state.drawn,
            interval=topic.interval,
            load=state.load,
            as_of=state.as_of,
            version=state.drawn_version,
            problem=state.problem,
            traded=state.traded,
        )

    async def _fetch(self, topic: HistoryTopic, *, is_again: bool = False) -> None:
        hosts = await self._kernel.hosts()
        known = self._charts.get(topic)
        interval = (known.fetched if known is not None else None) or topic.interval
        answer = self._kernel.check(
            Source.TRADING, await hosts.trading.prices_history(topic.token_id, interval)
        )
        state = self._charts.get(topic)
        if state is None:
            return  # dropped while it was fetched
        if not isinstance(answer, Failure) and answer and not is_again:
            begin = min(points[0].at for points in (state.points, answer) if points)
            state.fetched = finest_interval(topic.interval, self._kernel.clock.now() - begin)
            if state.fetched is not interval:
                await self._fetch(topic, is_again=True)
                return
        if isinstance(answer, Failure):
            state.problem = str(answer)
            state.load = Load.READY if state.points else Load.FAILED
        else:
            if answer != state.points:
                state.points = answer
                state.version += 1
            state.load, state.problem = Load.READY, ""
            state.as_of = self._kernel.clock.now()
        self._kernel.mark(topic)

"""Reads of the trading host, executed by its clients and returned as self-contained records."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import TypeVar

from pmtui.clients.account import AccountClient, KeysClient, NotificationsClient
from pmtui.clients.clob import ClobClient, HistoryClient, HostCheck
from pmtui.clients.http.paging import FetchedPage
from pmtui.clients.reads.hosts import ReadHosts
from pmtui.clients.rewards import EarningsClient, RewardsClient, RewardSearch
from pmtui.domain.account.keys import BuilderCode
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.books.book import OrderBook
from pmtui.domain.books.book_view import BookState
from pmtui.domain.books.market_events import BookSnapshot
from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId
from pmtui.domain.markets.history import Interval, PricePoint
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, MoneyError, parse_micros
from pmtui.reads import answers
from pmtui.reads.answers import Book, BookLevel, Word
from pmtui.reads.read import Values
from pmtui.reads.trading_routes import RouteName
from pmtui.wire import fields
from pmtui.wire.bounds import WireError

UNVERIFIED = "unverified"
"""Nothing contradicts the book; its hash is missing, or could not be reproduced."""
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)
T = TypeVar("T")
K = TypeVar("K")


def to_book(snapshot: BookSnapshot) -> Book | Failure:
    """Return a snapshot as an answer, checked against the hash received with it."""
    book = OrderBook(snapshot.token_id)
    try:
        book.apply_snapshot(snapshot)
        least = snapshot.min_order_size
        min_order_size = parse_micros(least) if least else None
    except MoneyError as error:
        return Failure(FailureKind.SERVER, "GET /book", str(error))
    if book.matches(((snapshot.timestamp, snapshot.hash),)):
        book.trust(BookState.VERIFIED)
    return write_book(
        book,
        timestamp=snapshot.timestamp,
        digest=snapshot.hash,
        neg_risk=snapshot.neg_risk,
        min_order_size=min_order_size,
    )


def write_book(
    book: OrderBook,
    *,
    timestamp: str,
    digest: str,
    neg_risk: bool | None,
    min_order_size: Micros | None,
) -> Book:
    """Return a book as an answer.

    Args:
        book: with its levels.
        timestamp: of its last change, in milliseconds as sent.
        digest: the hash that the venue sent for it.
        neg_risk: of its market.
        min_order_size: of its market.
    """
    try:
        at = fields.to_moment(timestamp, "timestamp") if timestamp else None
    except WireError:
        at = None
    # The view's own time is when we received the book; the venue's time is used here, so none is
    # given.
    view = book.view(_NEVER)
    worth = UNVERIFIED if view.state is BookState.LIVE else view.state.value
    return Book(
        token_id=book.token_id,
        condition_id=book.condition_id,
        at=at,
        worth=Word(worth),
        tick_size=view.tick_size,
        min_order_size=min_order_size,
        neg_risk=neg_risk,
        last_trade_price=view.last_trade_price,
        hash=Word(digest),
        bids=tuple(BookLevel(level.price, level.size) for level in view.bids),
        asks=tuple(BookLevel(level.price, level.size) for level in view.asks),
    )


Rows = tuple[object, ...] | Failure
Steps = AsyncIterator[FetchedPage[object] | Failure]


@dataclass(frozen=True, slots=True)
class Asking:
    """One query to the trading host."""

    hosts: ReadHosts
    values: Values
    account: AccountClient | None = None
    """For reads that need its key."""

    @property
    def token(self) -> TokenId:
        """The token in question."""
        return TokenId(self.values.text("token_id"))

    @property
    def tokens(self) -> tuple[TokenId, ...]:
        """All tokens in question."""
        return tuple(map(TokenId, self.values.texts("token_id")))

    @property
    def condition(self) -> ConditionId:
        """The market in question."""
        return ConditionId(self.values.text("condition_id").lower())

    @property
    def clob(self) -> ClobClient:
        """The public market data client."""
        return ClobClient(self.hosts.trading, self.hosts.routes)

    @property
    def history(self) -> HistoryClient:
        """The client for histories of several tokens, or between two times."""
        return HistoryClient(self.hosts.trading, self.hosts.routes)

    @property
    def rewards(self) -> RewardsClient:
        """The client for public rewards."""
        return RewardsClient(self.hosts.trading, self.hosts.routes)

    @property
    def own(self) -> AccountClient:
        """The account's client."""
        if self.account is None:
            raise ValueError("asked without the account that it needs")
        return self.account

    @property
    def earnings(self) -> EarningsClient:
        """The client for the account's rewards."""
        return EarningsClient(self.own.requests)


Ask = Callable[[Asking], Awaitable[Rows]]
Walk = Callable[[Asking], Steps]


async def walk_trading(asking: Asking, name: str) -> Steps:
    """Yield the pages of a read of the trading host; a failure is the last item yielded.

    Raises:
        KeyError: there is no such read.
    """
    walk = WALKED.get(name)
    if walk is not None:
        async for step in walk(asking):
            yield step
        return
    rows = await WHOLE[name](asking)
    if isinstance(rows, Failure):
        yield rows
    else:
        yield FetchedPage(rows, len(rows), 1, 0, None)


def _one(answer: T | Failure, convert: Callable[[T], object] = lambda value: value) -> Rows:
    return answer if isinstance(answer, Failure) else (convert(answer),)


def _all(
    answer: Sequence[T] | Failure, convert: Callable[[T], object] = lambda value: value
) -> Rows:
    return answer if isinstance(answer, Failure) else tuple(map(convert, answer))


def _pairs(answer: Mapping[K, T] | Failure, convert: Callable[[K, T], object]) -> Rows:
    if isinstance(answer, Failure):
        return answer
    return tuple(convert(key, value) for key, value in answer.items())


async def _check(asking: Asking) -> Rows:
    failure = await HostCheck(asking.hosts.trading, asking.hosts.routes).reach()
    return failure or (answers.Reachable(is_reachable=True),)


async def _version(asking: Asking) -> Rows:
    answer = await HostCheck(asking.hosts.trading, asking.hosts.routes).order_version()
    return _one(answer, answers.OrderVersion)


async def _time(asking: Asking) -> Rows:
    return _one(await asking.clob.server_time(), answers.ServerTime)


async def _book(asking: Asking) -> Rows:
    answer = await asking.clob.book(asking.token)
    book = answer if isinstance(answer, Failure) else to_book(answer)
    return book if isinstance(book, Failure) else (book,)


async def _books(asking: Asking) -> Rows:
    answer = await asking.clob.books(asking.tokens)
    if isinstance(answer, Failure):
        return answer
    books = [to_book(snapshot) for snapshot in answer]
    failure = next((one for one in books if isinstance(one, Failure)), None)
    return failure or tuple(books)


async def _price(asking: Asking) -> Rows:
    side = Side(asking.values.text("side"))
    answer = await asking.clob.price(asking.token, side)
    return _one(answer, lambda price: answers.BestPrice(asking.token, side, price))


async def _prices(asking: Asking) -> Rows:
    answer = await asking.clob.prices([(token, side) for token in asking.tokens for side in Side])
    if isinstance(answer, Failure):
        return answer
    return tuple(
        answers.BestPrice(token, side, price)
        for token, sides in answer.items()
        for side, price in sides.items()
    )


async def _midpoint(asking: Asking) -> Rows:
    answer = await asking.clob.midpoint(asking.token)
    return _one(answer, lambda price: answers.TokenPrice(asking.token, price))


async def _midpoints(asking: Asking) -> Rows:
    return _pairs(await asking.clob.midpoints(asking.tokens), answers.TokenPrice)


async def _spread(asking: Asking) -> Rows:
    answer = await asking.clob.spread(asking.token)
    return _one(answer, lambda spread: answers.TokenSpread(asking.token, spread))


async def _spreads(asking: Asking) -> Rows:
    return _pairs(await asking.clob.spreads(asking.tokens), answers.TokenSpread)


async def _last_trade(asking: Asking) -> Rows:
    answer = await asking.clob.last_trade(asking.token)
    return _one(answer, lambda trade: answers.LastTradePrice(asking.token, trade.price, trade.side))


async def _last_trades(asking: Asking) -> Rows:
    return _pairs(
        await asking.clob.last_trades(asking.tokens),
        lambda token, trade: answers.LastTradePrice(token, trade.price, trade.side),
    )


async def _history(asking: Asking) -> Rows:
    after, before = asking.values.moment("after"), asking.values.moment("before")
    if after is None and before is None:
        interval = Interval(asking.values.text("interval"))
        answer = await asking.clob.prices_history(asking.token, interval)
    else:
        end = before or datetime.now(UTC)  # noqa: TID251 - asked for once, at the edge
        answer = await asking.history.between(asking.token, after or end - _DAY, end)
    return _all(answer, lambda point: _point(asking.token, point))


async def _histories(asking: Asking) -> Rows:
    answer = await asking.history.histories(
        asking.tokens,
        Interval(asking.values.text("interval")),
        fidelity_minutes=int(asking.values.text("fidelity")),
    )
    if isinstance(answer, Failure):
        return answer
    return tuple(_point(token, point) for token, points in answer.items() for point in points)


_DAY = timedelta(days=1)


def _point(token: TokenId, point: PricePoint) -> answers.HistoryPoint:
    return answers.HistoryPoint(token, point.at, point.price)


async def _listed_market(asking: Asking) -> Rows:
    return _one(await asking.clob.listed_market(asking.condition))


async def _terms(asking: Asking) -> Rows:
    return _one(await asking.clob.market_terms(asking.condition))


async def _market_of_token(asking: Asking) -> Rows:
    answer = await asking.clob.market_of_token(asking.token)
    return _one(answer, lambda found: answers.TokenMarket(found.condition_id, found.token_ids))


async def _tick_size(asking: Asking) -> Rows:
    answer = await asking.clob.tick_size(asking.token)
    return _one(answer, lambda tick: answers.TokenTick(asking.token, tick))


async def _neg_risk(asking: Asking) -> Rows:
    answer = await asking.clob.neg_risk(asking.token)
    return _one(answer, lambda flag: answers.TokenNegRisk(asking.token, flag))


async def _fee_rate(asking: Asking) -> Rows:
    answer = await asking.clob.fee_rate(asking.token)
    return _one(answer, lambda fee: answers.TokenFee(asking.token, fee))


async def _market_rewards(asking: Asking) -> Rows:
    return _all(await asking.rewards.of_market(asking.condition))


async def _rebates(asking: Asking) -> Rows:
    wallet = Address(asking.values.text("wallet"))
    return _all(await asking.rewards.rebates(asking.values.day("date"), wallet))


async def _total_earnings(asking: Asking) -> Rows:
    return _all(await asking.earnings.total_earnings(asking.values.day("date")))


async def _percentages(asking: Asking) -> Rows:
    return _pairs(await asking.earnings.percentages(), answers.RewardPercentage)


async def _scoring(asking: Asking) -> Rows:
    order_id = OrderId(asking.values.text("order_id").lower())
    answer = await asking.earnings.is_scoring(order_id)
    return _one(answer, lambda flag: answers.Scoring(order_id, flag))


async def _scorings(asking: Asking) -> Rows:
    orders = [OrderId(text.lower()) for text in asking.values.texts("order_id")]
    return _pairs(await asking.earnings.are_scoring(orders), answers.Scoring)


async def _balance(asking: Asking) -> Rows:
    token = asking.token or None
    answer = await asking.own.balance(token)
    if isinstance(answer, Failure):
        return answer
    allowed = tuple(answers.to_allowance(who, amount) for who, amount in answer.allowances)
    return (answers.Balance(token, answer.balance, allowed),)


async def _order(asking: Asking) -> Rows:
    answer = await asking.own.order(OrderId(asking.values.text("order_id").lower()))
    if answer is None:
        label = asking.hosts.routes.route(RouteName.ORDER).label
        return Failure(FailureKind.NOT_FOUND, label, "there is no such order", 404)
    return _one(answer)


async def _closed_only(asking: Asking) -> Rows:
    return _one(await asking.own.is_closed_only(), answers.ClosedOnly)


def _key_name(key: ApiKey) -> answers.KeyName:
    return answers.KeyName(answers.Word(key))


async def _api_keys(asking: Asking) -> Rows:
    return _all(await asking.own.api_keys(), _key_name)


async def _readonly_keys(asking: Asking) -> Rows:
    return _all(await KeysClient(asking.own.requests).readonly_keys(), _key_name)


async def _builder_keys(asking: Asking) -> Rows:
    return _all(await KeysClient(asking.own.requests).builder_keys())


async def _builder_fees(asking: Asking) -> Rows:
    code = BuilderCode(asking.values.text("code").lower())
    return _one(await KeysClient(asking.own.requests).builder_fees(code))


async def _notices(asking: Asking) -> Rows:
    page = await NotificationsClient(asking.own.requests).notices()
    return page if isinstance(page, Failure) else tuple(page.items)


def _listing(call: RouteName) -> Walk:
    return lambda asking: asking.clob.all_listed_markets(call)


def _reward_search(asking: Asking) -> Steps:
    values = asking.values
    return asking.rewards.search(
        RewardSearch(values.text("text"), values.text("tag"), values.text("order"))
    )


def _open_orders(asking: Asking) -> Steps:
    return asking.own.walk_open_orders(
        condition_id=asking.condition or None, token_id=asking.token or None
    )


def _fills(asking: Asking) -> Steps:
    return asking.own.walk_fills(
        after=asking.values.moment("after"),
        before=asking.values.moment("before"),
        condition_id=asking.condition or None,
        token_id=asking.token or None,
    )


WALKED: Mapping[str, Walk] = MappingProxyType(
    {
        "listed-markets": _listing(RouteName.MARKETS),
        "simplified-markets": _listing(RouteName.SIMPLIFIED_MARKETS),
        "sampling-markets": _listing(RouteName.SAMPLING_MARKETS),
        "sampling-simplified-markets": _listing(RouteName.SAMPLING_SIMPLIFIED_MARKETS),
        "rewards": lambda asking: asking.rewards.walk_rewards(),
        "rewards-markets": _reward_search,
        "earnings": lambda asking: asking.earnings.walk_earnings(asking.values.day("date")),
        "market-earnings": lambda asking: asking.earnings.walk_markets(asking.values.day("date")),
        "open-orders": _open_orders,
        "fills": _fills,
    }
)
"""Reads with several pages."""

WHOLE: Mapping[str, Ask] = MappingProxyType(
    {
        "trading-check": _check,
        "order-version": _version,
        "server-time": _time,
        "book": _book,
        "books": _books,
        "price": _price,
        "prices": _prices,
        "midpoint": _midpoint,
        "midpoints": _midpoints,
        "spread": _spread,
        "spreads": _spreads,
        "last-trade": _last_trade,
        "last-trades": _last_trades,
        "prices-history": _history,
        "prices-histories": _histories,
        "listed-market": _listed_market,
        "market-terms": _terms,
        "market-of-token": _market_of_token,
        "tick-size": _tick_size,
        "neg-risk": _neg_risk,
        "fee-rate": _fee_rate,
        "market-rewards": _market_rewards,
        "rebates": _rebates,
        "total-earnings": _total_earnings,
        "reward-percentages": _percentages,
        "order-scoring": _scoring,
        "orders-scoring": _scorings,
        "balance": _balance,
        "order": _order,
        "closed-only": _closed_only,
        "api-keys": _api_keys,
        "readonly-api-keys": _readonly_keys,
        "builder-keys": _builder_keys,
        "builder-fees": _builder_fees,
        "notifications": _notices,
    }
)
"""Reads with a single reply."""

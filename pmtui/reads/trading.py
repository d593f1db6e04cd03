"""Reads of the trading host: books, prices, markets, rewards, and account data."""

from pmtui.domain.account.keys import BuilderFees, BuilderKey
from pmtui.domain.markets.history import Interval
from pmtui.domain.markets.market import ListedMarket, MarketTerms, Side
from pmtui.domain.markets.rewards import Earnings, Rebate, RewardedMarket
from pmtui.domain.orders.order import Fill, Notice, Order
from pmtui.reads import answers
from pmtui.reads.read import Argument, ArgumentKind, Needs, Read, ReadHost, Stream
from pmtui.reads.routes import Route

TOKEN = Argument("token_id", ArgumentKind.TOKEN, "outcome token", is_required=True)
TOKENS = Argument("token_id", ArgumentKind.TOKEN, "outcome tokens", is_required=True, is_many=True)
CONDITION = Argument("condition_id", ArgumentKind.CONDITION, "market", is_required=True)
ANY_CONDITION = Argument("condition_id", ArgumentKind.CONDITION, "only of this market")
ANY_TOKEN = Argument("token_id", ArgumentKind.TOKEN, "only of this outcome token")
SIDE = Argument(
    "side",
    ArgumentKind.TEXT,
    "BUY for the best bid, SELL for the best ask",
    choices=tuple(side.value for side in Side),
    default=Side.BUY.value,
)
INTERVAL = Argument(
    "interval",
    ArgumentKind.TEXT,
    "how far back",
    choices=tuple(interval.value for interval in Interval),
    default=Interval.DAY.value,
)
DAY = Argument("date", ArgumentKind.DAY, "day in UTC", default="today")
ORDER = Argument("order_id", ArgumentKind.ORDER, "order", is_required=True)
AFTER = Argument("after", ArgumentKind.MOMENT, "oldest time")
BEFORE = Argument("before", ArgumentKind.MOMENT, "newest time")


def _read(  # noqa: PLR0913 - each names a field of its own
    name: str,
    words: str,
    route: str,
    answer: object,
    *arguments: Argument,
    live: str = "",
    is_list: bool = False,
    needs: Needs = Needs.NOTHING,
    stream: Stream | None = None,
    unstreamed: tuple[str, ...] = (),
) -> Read:
    return Read(
        name,
        words,
        ReadHost.TRADING,
        answer,
        Route(route),
        live=Route(live) if live else None,
        arguments=arguments,
        is_list=is_list,
        needs=needs,
        stream=stream,
        unstreamed=unstreamed,
    )


_BOOKS = (
    _read(
        "book",
        "one token's order book, checked against the venue's hash",
        "GET /book",
        answers.Book,
        TOKEN,
        stream=Stream.MARKET,
    ),
    _read(
        "books",
        "several order books",
        "POST /books",
        answers.Book,
        TOKENS,
        is_list=True,
        stream=Stream.MARKET,
    ),
    _read(
        "price",
        "best bid or best ask",
        "GET /price",
        answers.BestPrice,
        TOKEN,
        SIDE,
        stream=Stream.MARKET,
    ),
    _read(
        "prices",
        "best bid and best ask of several tokens",
        "POST /prices",
        answers.BestPrice,
        TOKENS,
        is_list=True,
        stream=Stream.MARKET,
    ),
    _read(
        "midpoint",
        "middle of the book",
        "GET /midpoint",
        answers.TokenPrice,
        TOKEN,
        stream=Stream.MARKET,
    ),
    _read(
        "midpoints",
        "middles of several books",
        "POST /midpoints",
        answers.TokenPrice,
        TOKENS,
        is_list=True,
        stream=Stream.MARKET,
    ),
    _read(
        "spread",
        "best ask minus best bid",
        "GET /spread",
        answers.TokenSpread,
        TOKEN,
        stream=Stream.MARKET,
    ),
    _read(
        "spreads",
        "spreads of several books",
        "POST /spreads",
        answers.TokenSpread,
        TOKENS,
        is_list=True,
        stream=Stream.MARKET,
    ),
    _read(
        "last-trade",
        "price and side of the last trade",
        "GET /last-trade-price",
        answers.LastTradePrice,
        TOKEN,
        stream=Stream.MARKET,
    ),
    _read(
        "last-trades",
        "last trades of several tokens",
        "POST /last-trades-prices",
        answers.LastTradePrice,
        TOKENS,
        is_list=True,
        stream=Stream.MARKET,
    ),
    _read(
        "prices-history",
        "price over time, oldest first; `--after` and `--before` take the place of the interval",
        "GET /prices-history",
        answers.HistoryPoint,
        TOKEN,
        INTERVAL,
        AFTER,
        BEFORE,
        is_list=True,
    ),
    _read(
        "prices-histories",
        "prices of several tokens over time",
        "POST /batch-prices-history",
        answers.HistoryPoint,
        TOKENS,
        INTERVAL,
        Argument(
            "fidelity", ArgumentKind.NUMBER, "time between points", default="60", unit="minutes"
        ),
        is_list=True,
    ),
)

_MARKETS = (
    _read(
        "listed-markets",
        "all markets of the trading host",
        "GET /markets",
        ListedMarket,
        is_list=True,
    ),
    _read(
        "simplified-markets",
        "all markets in short",
        "GET /simplified-markets",
        ListedMarket,
        is_list=True,
    ),
    _read(
        "sampling-markets",
        "markets with rewards",
        "GET /sampling-markets",
        ListedMarket,
        is_list=True,
    ),
    _read(
        "sampling-simplified-markets",
        "markets with rewards in short",
        "GET /sampling-simplified-markets",
        ListedMarket,
        is_list=True,
    ),
    _read(
        "listed-market",
        "one market as the lists have it",
        "GET /markets/{condition_id}",
        ListedMarket,
        CONDITION,
    ),
    _read(
        "market-terms",
        "what orders in a market must obey: tick size, smallest order, fee, rewards",
        "GET /clob-markets/{condition_id}",
        MarketTerms,
        CONDITION,
    ),
    _read(
        "market-of-token",
        "a token's market and its pair of tokens",
        "GET /markets-by-token/{token_id}",
        answers.TokenMarket,
        TOKEN,
    ),
    _read(
        "tick-size",
        "distance between prices",
        "GET /tick-size",
        answers.TokenTick,
        TOKEN,
        stream=Stream.MARKET,
    ),
    _read(
        "neg-risk",
        "whether a token is of the negative-risk exchange",
        "GET /neg-risk",
        answers.TokenNegRisk,
        TOKEN,
    ),
    _read("fee-rate", "the old fee of a token", "GET /fee-rate", answers.TokenFee, TOKEN),
    _read("trading-check", "whether the host answers", "GET /", answers.Reachable, live="GET /ok"),
    _read("server-time", "the host's clock", "GET /time", answers.ServerTime),
    _read("order-version", "generation of orders taken", "GET /version", answers.OrderVersion),
)

_REWARDS = (
    _read(
        "rewards",
        "every market with liquidity rewards",
        "GET /rewards/config",
        RewardedMarket,
        live="GET /rewards/markets/current",
        is_list=True,
    ),
    _read(
        "market-rewards",
        "rewards of one market",
        "GET /rewards/raw",
        RewardedMarket,
        CONDITION,
        live="GET /rewards/markets/{condition_id}",
        is_list=True,
    ),
    _read(
        "rewards-markets",
        "markets with rewards by text, tag and order",
        "GET /rewards/markets/multi",
        RewardedMarket,
        Argument("text", ArgumentKind.TEXT, "words of the question"),
        Argument("tag", ArgumentKind.TEXT, "slug of a tag"),
        Argument("order", ArgumentKind.TEXT, "field to order by, in the host's spelling"),
        is_list=True,
    ),
    _read(
        "rebates",
        "what a maker got back of a day's fees",
        "GET /rebates",
        Rebate,
        DAY,
        Argument("wallet", ArgumentKind.ADDRESS, "the maker", is_required=True),
        live="GET /rebates/current",
        is_list=True,
    ),
    _read(
        "earnings",
        "what a day's resting orders earned, by market",
        "GET /rewards/earnings",
        Earnings,
        DAY,
        live="GET /rewards/user",
        is_list=True,
        needs=Needs.KEY,
    ),
    _read(
        "total-earnings",
        "a day's earnings, one sum for each asset",
        "GET /rewards/total-earnings",
        Earnings,
        DAY,
        live="GET /rewards/user/total",
        is_list=True,
        needs=Needs.KEY,
    ),
    _read(
        "reward-percentages",
        "our part of what each market pays out now",
        "GET /rewards/percentages",
        answers.RewardPercentage,
        live="GET /rewards/user/percentages",
        is_list=True,
        needs=Needs.KEY,
    ),
    _read(
        "market-earnings",
        "markets with rewards and what each paid us on a day",
        "GET /rewards/markets",
        RewardedMarket,
        DAY,
        live="GET /rewards/user/markets",
        is_list=True,
        needs=Needs.KEY,
    ),
    _read(
        "order-scoring",
        "whether an order earns rewards now",
        "GET /orders/scoring",
        answers.Scoring,
        ORDER,
        live="GET /order-scoring",
        needs=Needs.KEY,
    ),
    _read(
        "orders-scoring",
        "which of several orders earn rewards now",
        "POST /orders/scoring",
        answers.Scoring,
        Argument("order_id", ArgumentKind.ORDER, "orders", is_required=True, is_many=True),
        live="POST /orders-scoring",
        is_list=True,
        needs=Needs.KEY,
    ),
)

_ACCOUNT = (
    _read(
        "balance",
        "cash, or shares of a token, and what contracts may take",
        "GET /balance-allowance",
        answers.Balance,
        Argument("token_id", ArgumentKind.TOKEN, "outcome token; cash without it"),
        needs=Needs.KEY,
    ),
    _read(
        "open-orders",
        "open orders of the key",
        "GET /data/orders",
        Order,
        ANY_CONDITION,
        ANY_TOKEN,
        is_list=True,
        needs=Needs.KEY,
        stream=Stream.ACCOUNT,
    ),
    _read(
        "order",
        "one order of the key",
        "GET /order/{order_id}",
        Order,
        ORDER,
        live="GET /data/order/{order_id}",
        needs=Needs.KEY,
        stream=Stream.ACCOUNT,
    ),
    _read(
        "fills",
        "own fills, in the host's order",
        "GET /data/trades",
        Fill,
        AFTER,
        BEFORE,
        ANY_CONDITION,
        ANY_TOKEN,
        is_list=True,
        needs=Needs.KEY,
        stream=Stream.ACCOUNT,
        unstreamed=("before",),
    ),
    _read(
        "notifications",
        "notices that are kept for the account",
        "GET /notifications",
        Notice,
        is_list=True,
        needs=Needs.KEY,
    ),
    _read(
        "closed-only",
        "whether the account may only close positions",
        "GET /auth/ban-status/closed-only",
        answers.ClosedOnly,
        needs=Needs.KEY,
    ),
    _read(
        "api-keys",
        "names of the owner's API keys",
        "GET /auth/api-keys",
        answers.KeyName,
        is_list=True,
        needs=Needs.KEY,
    ),
    _read(
        "readonly-api-keys",
        "names of keys that can only read",
        "GET /auth/readonly-api-keys",
        answers.KeyName,
        is_list=True,
        needs=Needs.KEY,
    ),
    _read(
        "builder-keys",
        "names of the builder's keys",
        "GET /auth/builder-api-keys",
        BuilderKey,
        live="GET /auth/builder-api-key",
        is_list=True,
        needs=Needs.KEY,
    ),
    _read(
        "builder-fees",
        "what the builder of a code charges",
        "GET /fees/builder-fees/{code}",
        BuilderFees,
        Argument("code", ArgumentKind.CONDITION, "builder code", is_required=True),
        needs=Needs.KEY,
    ),
)

TRADING = (*_BOOKS, *_MARKETS, *_REWARDS, *_ACCOUNT)
"""Every read of the trading host."""

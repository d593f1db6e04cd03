"""Reads of the trading host: books, prices, markets, rewards, and account data."""

from collections.abc import Sequence

from pmtui.domain.account.keys import BuilderFees, BuilderKey
from pmtui.domain.markets.history import Interval
from pmtui.domain.markets.market import ListedMarket, MarketTerms, Side
from pmtui.domain.markets.rewards import Earnings, Rebate, RewardedMarket
from pmtui.domain.orders.order import Fill, Notice, Order
from pmtui.reads import answers
from pmtui.reads.read import Argument, ArgumentKind, Needs, Read, ReadHost, Stream
from pmtui.reads.routes import Route
from pmtui.reads.trading_routes import LIVE_ROUTES, SEED_ROUTES, RouteName

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


def _read(
    name: str,
    words: str,
    call: RouteName,
    answer: object,
    *arguments: Argument,
    is_list: bool = False,
    needs: Needs = Needs.NOTHING,
    stream: Stream | None = None,
    unstreamed: tuple[str, ...] = (),
) -> Read:
    seed, live = (
        _named(routes.route(call).label, arguments) for routes in (SEED_ROUTES, LIVE_ROUTES)
    )
    return Read(
        name,
        words,
        ReadHost.TRADING,
        answer,
        Route(seed),
        live=Route(live) if live != seed else None,
        arguments=arguments,
        is_list=is_list,
        needs=needs,
        stream=stream,
        unstreamed=unstreamed,
    )


def _named(label: str, arguments: Sequence[Argument]) -> str:
    """Return a route's label with the name of the argument that its path contains."""
    return label.replace("{id}", f"{{{arguments[0].name}}}") if "{id}" in label else label


_BOOKS = (
    _read(
        "book",
        "one token's order book, checked against the venue's hash",
        RouteName.BOOK,
        answers.Book,
        TOKEN,
        stream=Stream.MARKET,
    ),
    _read(
        "books",
        "several order books",
        RouteName.BOOKS,
        answers.Book,
        TOKENS,
        is_list=True,
        stream=Stream.MARKET,
    ),
    _read(
        "price",
        "best bid or best ask",
        RouteName.PRICE,
        answers.BestPrice,
        TOKEN,
        SIDE,
        stream=Stream.MARKET,
    ),
    _read(
        "prices",
        "best bid and best ask of several tokens",
        RouteName.PRICES,
        answers.BestPrice,
        TOKENS,
        is_list=True,
        stream=Stream.MARKET,
    ),
    _read(
        "midpoint",
        "middle of the book",
        RouteName.MIDPOINT,
        answers.TokenPrice,
        TOKEN,
        stream=Stream.MARKET,
    ),
    _read(
        "midpoints",
        "middles of several books",
        RouteName.MIDPOINTS,
        answers.TokenPrice,
        TOKENS,
        is_list=True,
        stream=Stream.MARKET,
    ),
    _read(
        "spread",
        "best ask minus best bid",
        RouteName.SPREAD,
        answers.TokenSpread,
        TOKEN,
        stream=Stream.MARKET,
    ),
    _read(
        "spreads",
        "spreads of several books",
        RouteName.SPREADS,
        answers.TokenSpread,
        TOKENS,
        is_list=True,
        stream=Stream.MARKET,
    ),
    _read(
        "last-trade",
        "price and side of the last trade",
        RouteName.LAST_TRADE,
        answers.LastTradePrice,
        TOKEN,
        stream=Stream.MARKET,
    ),
    _read(
        "last-trades",
        "last trades of several tokens",
        RouteName.LAST_TRADES,
        answers.LastTradePrice,
        TOKENS,
        is_list=True,
        stream=Stream.MARKET,
    ),
    _read(
        "prices-history",
        "price over time, oldest first; `--after` and `--before` take the place of the interval",
        RouteName.PRICES_HISTORY,
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
        RouteName.PRICES_HISTORIES,
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
        RouteName.MARKETS,
        ListedMarket,
        is_list=True,
    ),
    _read(
        "simplified-markets",
        "all markets in short",
        RouteName.SIMPLIFIED_MARKETS,
        ListedMarket,
        is_list=True,
    ),
    _read(
        "sampling-markets",
        "markets with rewards",
        RouteName.SAMPLING_MARKETS,
        ListedMarket,
        is_list=True,
    ),
    _read(
        "sampling-simplified-markets",
        "markets with rewards in short",
        RouteName.SAMPLING_SIMPLIFIED_MARKETS,
        ListedMarket,
        is_list=True,
    ),
    _read(
        "listed-market",
        "one market as the lists have it",
        RouteName.MARKET,
        ListedMarket,
        CONDITION,
    ),
    _read(
        "market-terms",
        "what orders in a market must obey: tick size, smallest order, fee, rewards",
        RouteName.MARKET_TERMS,
        MarketTerms,
        CONDITION,
    ),
    _read(
        "market-of-token",
        "a token's market and its pair of tokens",
        RouteName.MARKET_OF_TOKEN,
        answers.TokenMarket,
        TOKEN,
    ),
    _read(
        "tick-size",
        "distance between prices",
        RouteName.TICK_SIZE,
        answers.TokenTick,
        TOKEN,
        stream=Stream.MARKET,
    ),
    _read(
        "neg-risk",
        "whether a token is of the negative-risk exchange",
        RouteName.NEG_RISK,
        answers.TokenNegRisk,
        TOKEN,
    ),
    _read("fee-rate", "the old fee of a token", RouteName.FEE_RATE, answers.TokenFee, TOKEN),
    _read("trading-check", "whether the host answers", RouteName.CHECK, answers.Reachable),
    _read("server-time", "the host's clock", RouteName.TIME, answers.ServerTime),
    _read("order-version", "generation of orders taken", RouteName.VERSION, answers.OrderVersion),
)

_REWARDS = (
    _read(
        "rewards",
        "every market with liquidity rewards",
        RouteName.REWARDS,
        RewardedMarket,
        is_list=True,
    ),
    _read(
        "market-rewards",
        "rewards of one market",
        RouteName.MARKET_REWARDS,
        RewardedMarket,
        CONDITION,
        is_list=True,
    ),
    _read(
        "rewards-markets",
        "markets with rewards by text, tag and order",
        RouteName.REWARD_SEARCH,
        RewardedMarket,
        Argument("text", ArgumentKind.TEXT, "words of the question"),
        Argument("tag", ArgumentKind.TEXT, "slug of a tag"),
        Argument("order", ArgumentKind.TEXT, "field to order by, in the host's spelling"),
        is_list=True,
    ),
    _read(
        "rebates",
        "what a maker got back of a day's fees",
        RouteName.REBATES,
        Rebate,
        DAY,
        Argument("wallet", ArgumentKind.ADDRESS, "the maker", is_required=True),
        is_list=True,
    ),
    _read(
        "earnings",
        "what a day's resting orders earned, by market",
        RouteName.EARNINGS,
        Earnings,
        DAY,
        is_list=True,
        needs=Needs.KEY,
    ),
    _read(
        "total-earnings",
        "a day's earnings, one sum for each asset",
        RouteName.TOTAL_EARNINGS,
        Earnings,
        DAY,
        is_list=True,
        needs=Needs.KEY,
    ),
    _read(
        "reward-percentages",
        "our part of what each market pays out now",
        RouteName.REWARD_PERCENTAGES,
        answers.RewardPercentage,
        is_list=True,
        needs=Needs.KEY,
    ),
    _read(
        "market-earnings",
        "markets with rewards and what each paid us on a day",
        RouteName.MARKET_EARNINGS,
        RewardedMarket,
        DAY,
        is_list=True,
        needs=Needs.KEY,
    ),
    _read(
        "order-scoring",
        "whether an order earns rewards now",
        RouteName.SCORING,
        answers.Scoring,
        ORDER,
        needs=Needs.KEY,
    ),
    _read(
        "orders-scoring",
        "which of several orders earn rewards now",
        RouteName.SCORINGS,
        answers.Scoring,
        Argument("order_id", ArgumentKind.ORDER, "orders", is_required=True, is_many=True),
        is_list=True,
        needs=Needs.KEY,
    ),
)

_ACCOUNT = (
    _read(
        "balance",
        "cash, or shares of a token, and what contracts may take",
        RouteName.BALANCE,
        answers.Balance,
        Argument("token_id", ArgumentKind.TOKEN, "outcome token; cash without it"),
        needs=Needs.KEY,
    ),
    _read(
        "open-orders",
        "open orders of the key",
        RouteName.OPEN_ORDERS,
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
        RouteName.ORDER,
        Order,
        ORDER,
        needs=Needs.KEY,
        stream=Stream.ACCOUNT,
    ),
    _read(
        "fills",
        "own fills, in the host's order",
        RouteName.TRADES,
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
        RouteName.NOTICES,
        Notice,
        is_list=True,
        needs=Needs.KEY,
    ),
    _read(
        "closed-only",
        "whether the account may only close positions",
        RouteName.CLOSED_ONLY,
        answers.ClosedOnly,
        needs=Needs.KEY,
    ),
    _read(
        "api-keys",
        "names of the owner's API keys",
        RouteName.API_KEYS,
        answers.KeyName,
        is_list=True,
        needs=Needs.KEY,
    ),
    _read(
        "readonly-api-keys",
        "names of keys that can only read",
        RouteName.READONLY_KEYS,
        answers.KeyName,
        is_list=True,
        needs=Needs.KEY,
    ),
    _read(
        "builder-keys",
        "names of the builder's keys",
        RouteName.BUILDER_KEYS,
        BuilderKey,
        is_list=True,
        needs=Needs.KEY,
    ),
    _read(
        "builder-fees",
        "what the builder of a code charges",
        RouteName.BUILDER_FEES,
        BuilderFees,
        Argument("code", ArgumentKind.CONDITION, "builder code", is_required=True),
        needs=Needs.KEY,
    ),
)

TRADING = (*_BOOKS, *_MARKETS, *_REWARDS, *_ACCOUNT)
"""Every read of the trading host."""

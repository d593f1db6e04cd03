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
from pmtui.reads.trading_routes import LIVE_ROUTES, SEED_ROUTES, Call

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
    call: Call,
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
        Call.BOOK,
        answers.Book,
        TOKEN,
        stream=Stream.MARKET,
    ),
    _read(
        "books",
        "several order books",
        Call.BOOKS,
        answers.Book,
        TOKENS,
        is_list=True,
        stream=Stream.MARKET,
    ),
    _read(
        "price",
        "best bid or best ask",
        Call.PRICE,
        answers.BestPrice,
        TOKEN,
        SIDE,
        stream=Stream.MARKET,
    ),
    _read(
        "prices",
        "best bid and best ask of several tokens",
        Call.PRICES,
        answers.BestPrice,
        TOKENS,
        is_list=True,
        stream=Stream.MARKET,
    ),
    _read(
        "midpoint",
        "middle of the book",
        Call.MIDPOINT,
        answers.TokenPrice,
        TOKEN,
        stream=Stream.MARKET,
    ),
    _read(
        "midpoints",
        "middles of several books",
        Call.MIDPOINTS,
        answers.TokenPrice,
        TOKENS,
        is_list=True,
        stream=Stream.MARKET,
    ),
    _read(
        "spread",
        "best ask minus best bid",
        Call.SPREAD,
        answers.TokenSpread,
        TOKEN,
        stream=Stream.MARKET,
    ),
    _read(
        "spreads",
        "spreads of several books",
        Call.SPREADS,
        answers.TokenSpread,
        TOKENS,
        is_list=True,
        stream=Stream.MARKET,
    ),
    _read(
        "last-trade",
        "price and side of the last trade",
        Call.LAST_TRADE,
        answers.LastTradePrice,
        TOKEN,
        stream=Stream.MARKET,
    ),
    _read(
        "last-trades",
        "last trades of several tokens",
        Call.LAST_TRADES,
        answers.LastTradePrice,
        TOKENS,
        is_list=True,
        stream=Stream.MARKET,
    ),
    _read(
        "prices-history",
        "price over time, oldest first; `--after` and `--before` take the place of the interval",
        Call.PRICES_HISTORY,
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
        Call.PRICES_HISTORIES,
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
        Call.MARKETS,
        ListedMarket,
        is_list=True,
    ),
    _read(
        "simplified-markets",
        "all markets in short",
        Call.SIMPLIFIED_MARKETS,
        ListedMarket,
        is_list=True,
    ),
    _read(
        "sampling-markets",
        "markets with rewards",
        Call.SAMPLING_MARKETS,
        ListedMarket,
        is_list=True,
    ),
    _read(
        "sampling-simplified-markets",
        "markets with rewards in short",
        Call.SAMPLING_SIMPLIFIED_MARKETS,
        ListedMarket,
        is_list=True,
    ),
    _read(
        "listed-market",
        "one market as the lists have it",
        Call.MARKET,
        ListedMarket,
        CONDITION,
    ),
    _read(
        "market-terms",
        "what orders in a market must obey: tick size, smallest order, fee, rewards",
        Call.MARKET_TERMS,
        MarketTerms,
        CONDITION,
    ),
    _read(
        "market-of-token",
        "a token's market and its pair of tokens",
        Call.MARKET_OF_TOKEN,
        answers.TokenMarket,
        TOKEN,
    ),
    _read(
        "tick-size",
        "distance between prices",
        Call.TICK_SIZE,
        answers.TokenTick,
        TOKEN,
        stream=Stream.MARKET,
    ),
    _read(
        "neg-risk",
        "whether a token is of the negative-risk exchange",
        Call.NEG_RISK,
        answers.TokenNegRisk,
        TOKEN,
    ),
    _read("fee-rate", "the old fee of a token", Call.FEE_RATE, answers.TokenFee, TOKEN),
    _read("trading-check", "whether the host answers", Call.CHECK, answers.Reachable),
    _read("server-time", "the host's clock", Call.TIME, answers.ServerTime),
    _read("order-version", "generation of orders taken", Call.VERSION, answers.OrderVersion),
)

_REWARDS = (
    _read(
        "rewards",
        "every market with liquidity rewards",
        Call.REWARDS,
        RewardedMarket,
        is_list=True,
    ),
    _read(
        "market-rewards",
        "rewards of one market",
        Call.MARKET_REWARDS,
        RewardedMarket,
        CONDITION,
        is_list=True,
    ),
    _read(
        "rewards-markets",
        "markets with rewards by text, tag and order",
        Call.REWARD_SEARCH,
        RewardedMarket,
        Argument("text", ArgumentKind.TEXT, "words of the question"),
        Argument("tag", ArgumentKind.TEXT, "slug of a tag"),
        Argument("order", ArgumentKind.TEXT, "field to order by, in the host's spelling"),
        is_list=True,
    ),
    _read(
        "rebates",
        "what a maker got back of a day's fees",
        Call.REBATES,
        Rebate,
        DAY,
        Argument("wallet", ArgumentKind.ADDRESS, "the maker", is_required=True),
        is_list=True,
    ),
    _read(
        "earnings",
        "what a day's resting orders earned, by market",
        Call.EARNINGS,
        Earnings,
        DAY,
        is_list=True,
        needs=Needs.KEY,
    ),
    _read(
        "total-earnings",
        "a day's earnings, one sum for each asset",
        Call.TOTAL_EARNINGS,
        Earnings,
        DAY,
        is_list=True,
        needs=Needs.KEY,
    ),
    _read(
        "reward-percentages",
        "our part of what each market pays out now",
        Call.REWARD_PERCENTAGES,
        answers.RewardPercentage,
        is_list=True,
        needs=Needs.KEY,
    ),
    _read(
        "market-earnings",
        "markets with rewards and what each paid us on a day",
        Call.MARKET_EARNINGS,
        RewardedMarket,
        DAY,
        is_list=True,
        needs=Needs.KEY,
    ),
    _read(
        "order-scoring",
        "whether an order earns rewards now",
        Call.SCORING,
        answers.Scoring,
        ORDER,
        needs=Needs.KEY,
    ),
    _read(
        "orders-scoring",
        "which of several orders earn rewards now",
        Call.SCORINGS,
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
        Call.BALANCE,
        answers.Balance,
        Argument("token_id", ArgumentKind.TOKEN, "outcome token; cash without it"),
        needs=Needs.KEY,
    ),
    _read(
        "open-orders",
        "open orders of the key",
        Call.OPEN_ORDERS,
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
        Call.ORDER,
        Order,
        ORDER,
        needs=Needs.KEY,
        stream=Stream.ACCOUNT,
    ),
    _read(
        "fills",
        "own fills, in the host's order",
        Call.TRADES,
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
        Call.NOTICES,
        Notice,
        is_list=True,
        needs=Needs.KEY,
    ),
    _read(
        "closed-only",
        "whether the account may only close positions",
        Call.CLOSED_ONLY,
        answers.ClosedOnly,
        needs=Needs.KEY,
    ),
    _read(
        "api-keys",
        "names of the owner's API keys",
        Call.API_KEYS,
        answers.KeyName,
        is_list=True,
        needs=Needs.KEY,
    ),
    _read(
        "readonly-api-keys",
        "names of keys that can only read",
        Call.READONLY_KEYS,
        answers.KeyName,
        is_list=True,
        needs=Needs.KEY,
    ),
    _read(
        "builder-keys",
        "names of the builder's keys",
        Call.BUILDER_KEYS,
        BuilderKey,
        is_list=True,
        needs=Needs.KEY,
    ),
    _read(
        "builder-fees",
        "what the builder of a code charges",
        Call.BUILDER_FEES,
        BuilderFees,
        Argument("code", ArgumentKind.CONDITION, "builder code", is_required=True),
        needs=Needs.KEY,
    ),
)

TRADING = (*_BOOKS, *_MARKETS, *_REWARDS, *_ACCOUNT)
"""Every read of the trading host."""

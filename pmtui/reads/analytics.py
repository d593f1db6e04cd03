"""Reads of the analytics host, of the relayer, and the geographic check."""

from functools import partial

from pmtui.config.endpoints import Dialect
from pmtui.domain.account import analytics as domain
from pmtui.domain.account.position import Activity, ClosedPosition, Position
from pmtui.domain.account.wallet_transactions import RelayerTransaction
from pmtui.domain.answers import GeoAnswer
from pmtui.domain.ids import Address
from pmtui.domain.markets.market import Holder
from pmtui.reads import answers
from pmtui.reads.read import (
    Argument,
    ArgumentKind,
    Needs,
    Read,
    ReadHost,
    Stream,
    read_list,
    read_one,
)
from pmtui.reads.routes import ANALYTICS_ROUTES, Pages, Paging, Route, by_offset
from pmtui.wire import analytics as wire
from pmtui.wire.analytics import (
    decode_activity,
    decode_closed_positions,
    decode_holders,
    decode_positions,
)
from pmtui.wire.fields import load_object, required

WALLET = Argument("wallet", ArgumentKind.ADDRESS, "whose", is_required=True, seed_key="user")
_ANY_WALLET = Argument("wallet", ArgumentKind.ADDRESS, "only of this wallet", seed_key="user")
_MARKETS = Argument(
    "condition_id",
    ArgumentKind.CONDITION,
    "markets",
    is_required=True,
    is_many=True,
    seed_key="market",
    live_key="condition_id",
)
_ANY_MARKETS = Argument(
    "condition_id",
    ArgumentKind.CONDITION,
    "only of these markets",
    is_many=True,
    seed_key="market",
    live_key="condition_id",
)
_SIDE = Argument("side", ArgumentKind.TEXT, "only of this side", choices=("BUY", "SELL"))
_AFTER = Argument("after", ArgumentKind.MOMENT, "oldest time", seed_key="start")
_BEFORE = Argument("before", ArgumentKind.MOMENT, "newest time", seed_key="end")
_CATEGORIES = (
    "OVERALL", "POLITICS", "SPORTS", "ESPORTS", "CRYPTO", "CULTURE", "MENTIONS", "WEATHER",
    "ECONOMICS", "TECH", "FINANCE",
)  # fmt: skip
_CATEGORY = Argument(
    "category", ArgumentKind.TEXT, "of markets", choices=_CATEGORIES, default="OVERALL"
)
_PERIOD = Argument(
    "period",
    ArgumentKind.TEXT,
    "stretch of time",
    choices=("day", "week", "month", "all"),
    default="day",
    seed_key="timePeriod",
    live_key="time_period",
    spellings=tuple((each, each.upper(), each) for each in ("day", "week", "month", "all")),
)


_CURSOR = Pages(Paging.CURSOR, "cursor", 500)
_SEED, _LIVE = ANALYTICS_ROUTES[Dialect.SEED], ANALYTICS_ROUTES[Dialect.LIVE]
_list = partial(read_list, ReadHost.ANALYTICS)
_one = partial(read_one, ReadHost.ANALYTICS)

_WALLETS = (
    _list(
        "positions",
        "what a wallet holds, however little",
        _SEED.positions,
        Position,
        decode_positions,
        WALLET,
        _ANY_MARKETS,
        live=_LIVE.positions,
    ),
    _list(
        "closed-positions",
        "what a wallet held, and what it brought; last closed first",
        _SEED.closed_positions,
        ClosedPosition,
        decode_closed_positions,
        WALLET,
        live=_LIVE.closed_positions,
    ),
    _list(
        "activity",
        "a wallet's public history, newest first",
        _SEED.activity,
        Activity,
        decode_activity,
        WALLET,
        _SIDE,
        _AFTER,
        _BEFORE,
        live=_LIVE.activity,
    ),
    _one(
        "value",
        "what a wallet's positions are worth",
        _SEED.value.label,
        domain.WalletValue,
        wire.decode_wallet_value,
        WALLET,
        live=_LIVE.value.label,
    ),
    _one(
        "traded",
        "in how many markets a wallet has traded",
        "GET /traded",
        domain.TradedCount,
        wire.decode_traded,
        WALLET,
    ),
    _one(
        "wallet-stats",
        "a wallet's totals",
        "GET /v2/user-stats",
        domain.WalletStats,
        wire.decode_wallet_stats,
        WALLET,
    ),
    _one(
        "wallet-volume",
        "how much a wallet traded",
        "GET /v2/user-volume",
        domain.WalletVolume,
        wire.decode_wallet_volume,
        WALLET,
        _AFTER,
        _BEFORE,
    ),
    _list(
        "wallet-profit",
        "a wallet's profit over time, oldest first",
        Route("GET /v2/user-pnl"),
        domain.ProfitPoint,
        wire.decode_profit_points,
        WALLET,
        Argument(
            "interval",
            ArgumentKind.TEXT,
            "how far back",
            choices=("max", "all", "1m", "1w", "1d", "12h", "6h"),
            default="max",
        ),
    ),
    _list(
        "approvals",
        "which contracts a wallet lets take its tokens",
        Route("GET /v2/approvals"),
        domain.Approval,
        wire.decode_approvals,
        WALLET,
    ),
)

_PUBLIC = (
    Read(
        "trades",
        "public trades of markets or of a wallet, newest first",
        ReadHost.ANALYTICS,
        domain.PublicTrade,
        _SEED.trades,
        live=_LIVE.trades,
        arguments=(
            _ANY_WALLET,
            _ANY_MARKETS,
            _SIDE,
            _AFTER,
            _BEFORE,
            Argument(
                "taker_only",
                ArgumentKind.FLAG,
                "takers' sides alone, or those of makers too",
                default="true",
                seed_key="takerOnly",
                live_key="taker_only",
            ),
        ),
        is_list=True,
        stream=Stream.MARKET,
        unstreamed=("wallet", "after", "before", "taker_only"),
        decode=wire.decode_trades,
    ),
    _list(
        "holders",
        "the 20 biggest holders of each token of some markets",
        _SEED.holders,
        Holder,
        decode_holders,
        _MARKETS,
        live=_LIVE.holders,
    ),
    _list(
        "open-interest",
        "dollars locked in markets, or in all of them",
        Route("GET /oi"),
        domain.OpenInterest,
        wire.decode_open_interest,
        _ANY_MARKETS,
        live=Route("GET /v2/oi", _CURSOR),
    ),
    _list(
        "live-volume",
        "dollars traded in the markets of an event",
        Route("GET /live-volume"),
        domain.MarketVolume,
        wire.decode_live_volume,
        Argument(
            "event_id",
            ArgumentKind.NUMBER,
            "event",
            is_required=True,
            seed_key="id",
            live_key="event_id",
        ),
        live=Route("GET /v2/live-volume"),
    ),
    _list(
        "leaderboard",
        "who won or traded most",
        Route("GET /v1/leaderboard", by_offset(50, 1_000)),
        domain.LeaderboardRow,
        wire.decode_standings,
        _CATEGORY,
        _PERIOD,
        Argument(
            "order",
            ArgumentKind.TEXT,
            "what ranks",
            choices=("profit", "volume"),
            default="profit",
            seed_key="orderBy",
            live_key="sort_by",
            spellings=(("profit", "PNL", "PNL"), ("volume", "VOL", "VOLUME")),
        ),
        _ANY_WALLET,
        live=Route("GET /v2/leaderboard", _CURSOR),
    ),
    _list(
        "biggest-winners",
        "the biggest gains of a period",
        Route("GET /v2/biggest-winners", _CURSOR),
        domain.Winner,
        wire.decode_winners,
        _CATEGORY,
        Argument(
            "period",
            ArgumentKind.TEXT,
            "stretch of time",
            choices=("day", "week", "month", "all"),
            default="day",
            seed_key="time_period",
        ),
    ),
    _list(
        "market-positions",
        "who holds what in a market, and with what profit",
        Route("GET /v1/market-positions", fixed=(("limit", "500"),)),
        domain.MarketPosition,
        wire.decode_market_positions,
        Argument(
            "condition_id", ArgumentKind.CONDITION, "market", is_required=True, seed_key="market"
        ),
    ),
    _list(
        "tokens",
        "what tokens stand for, and what they pay once that is known",
        Route("GET /v2/tokens"),
        domain.TokenReference,
        wire.decode_tokens,
        Argument("token_id", ArgumentKind.TOKEN, "outcome tokens", is_required=True, is_many=True),
    ),
    _list(
        "resolutions",
        "how far the resolution of markets is",
        Route("GET /v2/resolutions"),
        domain.Resolution,
        wire.decode_resolutions,
        Argument("condition_id", ArgumentKind.CONDITION, "markets", is_required=True, is_many=True),
    ),
    _one(
        "analytics-check",
        "whether the host answers",
        "GET /",
        answers.Reachable,
        lambda _: answers.Reachable(is_reachable=True),
    ),
)

ANALYTICS = (*_WALLETS, *_PUBLIC)
"""Every read of the analytics host."""


def _decode_relay_payload(body: bytes) -> answers.RelayPayload:
    row = load_object(body, "relay payload")
    return answers.RelayPayload(
        Address(required(row, "address")), answers.Word(required(row, "nonce"))
    )


RELAYER = (
    Read(
        "wallet-deployed",
        "whether a deposit wallet exists, in the relayer's view",
        ReadHost.RELAYER,
        answers.Deployed,
        Route("GET /deployed"),
        arguments=(
            Argument("wallet", ArgumentKind.ADDRESS, "the wallet itself", is_required=True),
        ),
    ),
    Read(
        "wallet-nonce",
        "the counter that the next batch of an owner's wallet names",
        ReadHost.RELAYER,
        answers.WalletNonce,
        Route("GET /nonce"),
        arguments=(Argument("owner", ArgumentKind.ADDRESS, "owner's address", is_required=True),),
    ),
    Read(
        "relayer-transaction",
        "one transaction of the relayer",
        ReadHost.RELAYER,
        RelayerTransaction,
        Route("GET /transaction"),
        arguments=(Argument("id", ArgumentKind.TEXT, "transaction", is_required=True),),
    ),
    Read(
        "relay-payload",
        "what an older kind of wallet signs with its calls",
        ReadHost.RELAYER,
        answers.RelayPayload,
        Route("GET /relay-payload"),
        arguments=(
            Argument(
                "owner",
                ArgumentKind.ADDRESS,
                "owner's address",
                is_required=True,
                seed_key="address",
            ),
            Argument(
                "type",
                ArgumentKind.TEXT,
                "kind of wallet",
                choices=("PROXY", "SAFE"),
                default="PROXY",
            ),
        ),
        decode=_decode_relay_payload,
    ),
    Read(
        "relayer-transactions",
        "the owner's recent transactions at the relayer",
        ReadHost.RELAYER,
        RelayerTransaction,
        Route("GET /transactions"),
        is_list=True,
        needs=Needs.RELAYER_KEY,
    ),
    Read(
        "relayer-keys",
        "the owner's relayer keys, by their first digits",
        ReadHost.RELAYER,
        answers.RelayerKeyName,
        Route("GET /relayer/api/keys"),
        is_list=True,
        needs=Needs.RELAYER_KEY,
    ),
)
"""Every read of the relayer."""

GEOGRAPHIC = (
    Read(
        "geoblock",
        "where the venue thinks this machine is, and whether it may trade",
        ReadHost.GEOGRAPHIC,
        GeoAnswer,
        Route("GET /"),
    ),
)

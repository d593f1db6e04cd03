"""Trades, standings, volumes, resolutions and approvals of the analytics host, as domain values.

Both generations of names are read; the older answers in bare arrays, the newer one in envelopes:

    /trades          [{"proxyWallet": "0x…", "side": "BUY", "asset": "7121…", "conditionId": "0xab…",
                       "size": 5, "price": 0.43, "timestamp": 1780000000, "title": "Will it rain?"}]
    /v1/leaderboard  [{"rank": "1", "proxyWallet": "0x…", "userName": "ann", "vol": 10.5, "pnl": 3}]
    /v2/leaderboard  {"data": [{"rank": 1, "user_id": "0x…", "user_name": "ann", "volume": 9, "pnl": 3}]}
    /v2/oi           {"data": [{"condition_id": "0xab…", "value": 1200.5}]}
    /live-volume     [{"total": 20, "markets": [{"market": "0xab…", "value": 20}]}]

Amounts are whole units with binary noise, rounded to six decimals. Rows that cannot be read are
skipped and counted.
"""

from pmtui.domain.account.standings import (
    Approval,
    LeaderboardRow,
    MarketPosition,
    MarketVolume,
    OpenInterest,
    ProfitPoint,
    PublicTrade,
    Resolution,
    TokenReference,
    TradedCount,
    WalletStats,
    WalletValue,
    WalletVolume,
    Winner,
)
from pmtui.domain.money import AVERAGE_PRICE, CASH, CHANGE, PRICE, SIZE, Micros
from pmtui.wire import bounds, fields
from pmtui.wire.analytics import decode_value
from pmtui.wire.bounds import WireError
from pmtui.wire.directory import read_table
from pmtui.wire.fields import Row
from pmtui.wire.rows import Rows, to_condition_id, to_epoch_moment, to_token_id


def decode_trades(body: bytes) -> Rows[PublicTrade]:
    """Read public trades with who made them."""
    return read_table(body, _to_trade, "trades")


def decode_wallet_value(body: bytes) -> WalletValue:
    """Read what a wallet's positions are worth, in any of the forms it comes in."""
    loaded = fields.load(body)
    source = loaded[0] if isinstance(loaded, list) and loaded else loaded
    inner = source.get("data") if isinstance(source, dict) else None
    row = inner if isinstance(inner, dict) else source
    wallet = fields.text(row, "proxy_wallet", "user") if isinstance(row, dict) else ""
    return WalletValue(wallet, decode_value(body).amount)


def decode_traded(body: bytes) -> TradedCount:
    """Read in how many markets a wallet has traded."""
    row = fields.load_object(body, "traded")
    markets = fields.whole(row, "traded", within=fields.COUNT)
    if markets is None:
        raise WireError("traded", "missing")
    return TradedCount(fields.text(row, "user"), markets)


def decode_open_interest(body: bytes) -> Rows[OpenInterest]:
    """Read how much is locked in markets."""
    return read_table(body, _to_open_interest, "open interest")


def decode_live_volume(body: bytes) -> Rows[MarketVolume]:
    """Read what was traded in the markets of an event; those without trades may be left out."""
    loaded = fields.load(body)
    if isinstance(loaded, list):
        totals = fields.rows(loaded, "volume")
        listed = tuple(row for total in totals for row in _listed(total))
    else:
        data = fields.row(fields.row(loaded, "volume").get("data"), "data")
        listed = _listed(data)
    volumes = tuple(
        MarketVolume(
            fields.required(row, "condition_id", "market"),
            fields.required_amount(row, "taker_volume", "value", within=CASH),
        )
        for row in listed
    )
    return Rows(volumes, received=len(listed))


def decode_standings(body: bytes) -> Rows[LeaderboardRow]:
    """Read a leaderboard, or where one wallet stands: asked so, the newer host gives one row or null."""
    source = fields.load(body)
    if isinstance(source, dict) and not isinstance(source.get("data"), list):
        row = source.get("data")
        return Rows(() if row is None else (_to_standing(fields.row(row, "standing")),))
    return read_table(body, _to_standing, "standings")


def decode_winners(body: bytes) -> Rows[Winner]:
    """Read the biggest gains of a period."""
    return read_table(body, _to_winner, "winners")


def decode_wallet_stats(body: bytes) -> WalletStats:
    """Read a wallet's totals."""
    row = _data(body)
    profit = row.get("all_time_pnl")
    # A figure, or a point of the profit's history.
    total = profit if isinstance(profit, dict) else {"position_pnl": profit}
    return WalletStats(
        wallet=fields.text(row, "proxy_wallet", "user"),
        trades=fields.whole(row, "trades", within=fields.COUNT),
        biggest_win=_change(row, "biggest_win"),
        profit=_change(total, "position_pnl"),
        joined_at=to_epoch_moment(fields.text(row, "join_date")),
    )


def decode_wallet_volume(body: bytes) -> WalletVolume:
    """Read what a wallet traded."""
    row = _data(body)
    return WalletVolume(
        shares=fields.amount(row, "volume", within=SIZE),
        cash=fields.amount(row, "volume_usdc", within=CASH),
        trades=fields.whole(row, "trade_count", within=fields.COUNT),
    )


def decode_profit_points(body: bytes) -> Rows[ProfitPoint]:
    """Read a wallet's profit over time, oldest first."""
    points = fields.rows(_data(body).get("points") or [], "points", most=bounds.MOST_POINTS)
    read = tuple(
        ProfitPoint(
            fields.to_moment(fields.required(row, "timestamp"), "timestamp"),
            fields.required_amount(row, "position_pnl", "pnl", within=CHANGE),
        )
        for row in points
    )
    return Rows(read, received=len(points))


def decode_market_positions(body: bytes) -> Rows[MarketPosition]:
    """Read who holds what in a market, token by token."""
    groups = fields.rows(fields.load(body), "market positions")
    rows = [row for group in groups for row in fields.rows(group.get("positions") or [], "rows")]
    return Rows(tuple(map(_to_market_position, rows)), received=len(rows))


def decode_tokens(body: bytes) -> Rows[TokenReference]:
    """Read what tokens stand for."""
    return read_table(body, _to_token, "tokens")


def decode_resolutions(body: bytes) -> Rows[Resolution]:
    """Read how far resolutions are."""
    return read_table(body, _to_resolution, "resolutions")


def decode_approvals(body: bytes) -> Rows[Approval]:
    """Read what a wallet lets contracts take."""
    rows = fields.rows(_data(body).get("contracts") or [], "approvals")
    return Rows(tuple(map(_to_approval, rows)), received=len(rows))


def _listed(total: Row) -> tuple[Row, ...]:
    markets = total.get("conditions", total.get("markets"))
    return fields.rows([] if markets is None else markets, "markets")


def _data(body: bytes) -> Row:
    source = fields.load_object(body, "answer")
    inner = source.get("data", source)
    return {} if inner is None else fields.row(inner, "data")


def _to_trade(row: Row) -> PublicTrade:
    return PublicTrade(
        at=fields.to_moment(fields.required(row, "timestamp"), "timestamp"),
        condition_id=to_condition_id(fields.text(row, "condition_id", "conditionId")),
        token_id=to_token_id(fields.text(row, "token_id", "asset")),
        side=fields.text(row, "side"),
        price=fields.required_amount(row, "price", within=AVERAGE_PRICE),
        size=fields.required_amount(row, "size", within=SIZE),
        title=fields.shown(row, "title", most=bounds.TITLE),
        outcome=fields.shown(row, "outcome", most=bounds.LABEL),
        wallet=fields.text(row, "proxy_wallet", "proxyWallet"),
        name=fields.shown(row, "name", most=bounds.LABEL),
        transaction_hash=fields.text(row, "transaction_hash", "transactionHash"),
    )


def _to_open_interest(row: Row) -> OpenInterest:
    name = fields.required(row, "condition_id", "market")
    return OpenInterest(name, fields.required_amount(row, "value", within=CASH))


def _to_standing(row: Row) -> LeaderboardRow:
    return LeaderboardRow(
        rank=fields.whole(row, "rank", "rank_pnl", within=fields.COUNT),
        wallet=fields.text(row, "user_id", "proxyWallet"),
        name=fields.shown(row, "user_name", "userName", most=bounds.LABEL),
        profit=_change(row, "pnl"),
        volume=fields.amount(row, "volume", "vol", within=CASH),
    )


def _to_winner(row: Row) -> Winner:
    return Winner(
        rank=fields.whole(row, "rank", "win_rank", within=fields.COUNT),
        wallet=fields.text(row, "user_id", "proxy_wallet", "proxyWallet"),
        name=fields.shown(row, "user_name", "name", "userName", most=bounds.LABEL),
        profit=_change(row, "pnl", "profit"),
        title=fields.shown(row, "title", "event_title", "eventTitle", most=bounds.TITLE),
        event_slug=fields.text(row, "event_slug", "eventSlug"),
    )


def _to_market_position(row: Row) -> MarketPosition:
    return MarketPosition(
        wallet=fields.text(row, "proxyWallet"),
        name=fields.shown(row, "name", most=bounds.LABEL),
        token_id=to_token_id(fields.text(row, "asset")),
        outcome=fields.shown(row, "outcome", most=bounds.LABEL),
        size=fields.amount(row, "size", within=SIZE),
        average_price=fields.amount(row, "avgPrice", within=AVERAGE_PRICE),
        current_price=fields.amount(row, "currPrice", within=PRICE),
        current_value=fields.amount(row, "currentValue", within=CASH),
        realized=_change(row, "realizedPnl"),
        profit=_change(row, "totalPnl"),
    )


def _to_token(row: Row) -> TokenReference:
    return TokenReference(
        token_id=to_token_id(fields.text(row, "token_id")),
        condition_id=to_condition_id(fields.text(row, "condition_id")),
        outcome=fields.shown(row, "outcome", most=bounds.LABEL),
        outcome_index=fields.whole(row, "outcome_index", within=fields.COUNT),
        opposite_token_id=to_token_id(fields.text(row, "opposite_token_id")),
        title=fields.shown(row, "title", most=bounds.TITLE),
        slug=fields.text(row, "market_slug"),
        event_slug=fields.text(row, "event_slug"),
        closed=fields.flag(row, "closed", default=False),
        resolved=fields.flag(row, "resolved", default=False),
        final_price=fields.amount(row, "final_price", within=PRICE),
        neg_risk=fields.flag(row, "neg_risk", default=False),
    )


def _to_resolution(row: Row) -> Resolution:
    return Resolution(
        condition_id=to_condition_id(fields.text(row, "condition_id")),
        question_id=fields.text(row, "question_id"),
        status=fields.text(row, "status"),
        was_disputed=fields.flag(row, "was_disputed", default=False),
        price=fields.amount(row, "price", within=PRICE),
        proposed_price=fields.amount(row, "proposed_price", within=PRICE),
        resolved_at=to_epoch_moment(fields.text(row, "resolved_at")),
        updated_at=to_epoch_moment(fields.text(row, "last_update_timestamp")),
        source=fields.text(row, "resolution_source"),
        reporter=fields.text(row, "reporter"),
    )


def _to_approval(row: Row) -> Approval:
    return Approval(
        token=fields.text(row, "token"),
        spender=fields.text(row, "spender"),
        standard=fields.text(row, "standard"),
        is_approved=fields.flag(row, "approved", default=False),
        amount=fields.text(row, "amount"),
    )


def _change(row: Row, *names: str) -> Micros | None:
    return fields.amount(row, *names, within=CHANGE)

"""Payloads of the analytics host: positions, activity, leaderboards, volumes, resolutions.

Two generations exist side by side: camel case in bare arrays (`v1`), snake case in envelopes (`v2`). A
struct has both spellings, the older one with the prefix `v1_` if they differ, so that a row of either
decodes to one value. An open position, older and newer:

    [{"asset": "7121…", "conditionId": "0xab…", "size": 12.5, "avgPrice": 0.4123, "curPrice": 0.43,
      "realizedPnl": 0, "title": "Will it rain?", "outcome": "Yes", "outcomeIndex": 0}]
    {"data": [{"token_id": "7121…", "condition_id": "0xab…", "current_size": "12.5",
               "avg_price": "0.4123", "current_price": "0.43", "title": "Will it rain?"}],
     "pagination": {"has_more": false, "next_cursor": null}}

Sizes are shares, prices and amounts dollars. The numbers lag and have float noise: prices are quotients
and not on a tick, so all are rounded to six decimals and used for display only. Rows that cannot be
decoded are skipped and counted.

Older replies are bare arrays, newer ones are envelopes:

    /trades          [{"proxyWallet": "0x…", "side": "BUY", "asset": "7121…", "conditionId": "0xab…",
                       "size": 5, "price": 0.43, "timestamp": 1780000000, "title": "Will it rain?"}]
    /v1/leaderboard  [{"rank": "1", "proxyWallet": "0x…", "userName": "ann", "vol": 10.5, "pnl": 3}]
    /v2/leaderboard  {"data": [{"rank": 1, "user_id": "0x…", "user_name": "ann", "volume": 9, "pnl": 3}]}
    /v2/oi           {"data": [{"condition_id": "0xab…", "value": 1200.5}]}
    /live-volume     [{"total": 20, "markets": [{"market": "0xab…", "value": 20}]}]
"""

from typing import Any

import msgspec

from pmtui.domain.account.analytics import (
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
from pmtui.domain.account.position import Activity, ClosedPosition, Position
from pmtui.domain.answers import Value
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Holder, Side
from pmtui.domain.money import AVERAGE_PRICE, CASH, CHANGE, PRICE, SIZE, ZERO, Micros, Range
from pmtui.domain.orders.order import TradePrint
from pmtui.wire import bounds, fields
from pmtui.wire.bounds import UNREADABLE, Identifier, WireError, cut, decode_json, split_list
from pmtui.wire.fields import Row
from pmtui.wire.gamma import read_table
from pmtui.wire.rows import (
    Number,
    Rows,
    SkipLog,
    read_listing,
    read_one,
    read_rows,
    to_condition_id,
    to_count,
    to_epoch_moment,
    to_micros,
    to_token_id,
)

NO_OUTCOME = 999
"""The host's outcome index of rows that concern no outcome."""


def _v1(name: str) -> Any:
    # Typed like msgspec.field itself: the attribute's annotation gives the type.
    return msgspec.field(name=name, default=None)


class PositionRow(msgspec.Struct, gc=False):
    """An open or a closed position."""

    token_id: Identifier | None = None
    v1_token_id: Identifier | None = _v1("asset")
    condition_id: Identifier | None = None
    v1_condition_id: Identifier | None = _v1("conditionId")
    current_size: Number = None
    v1_size: Number = _v1("size")
    avg_price: Number = None
    v1_avg_price: Number = _v1("avgPrice")
    current_price: Number = None
    v1_current_price: Number = _v1("curPrice")
    realized_pnl: Number = None
    v1_realized_pnl: Number = _v1("realizedPnl")
    total_size: Number = None
    v1_total_bought: Number = _v1("totalBought")
    last_event_at: Number = None
    v1_closed_at: Number = _v1("timestamp")
    title: str | None = None
    outcome: str | None = None
    outcome_index: Number = None
    v1_outcome_index: Number = _v1("outcomeIndex")
    opposite_token_id: Identifier | None = None
    v1_opposite_token_id: Identifier | None = _v1("oppositeAsset")
    event_slug: Identifier | None = None
    v1_event_slug: Identifier | None = _v1("eventSlug")
    end_date: Identifier | None = None
    v1_end_date: Identifier | None = _v1("endDate")
    negative_risk: bool | None = None
    v1_negative_risk: bool | None = _v1("negativeRisk")
    redeemable: bool | None = None
    mergeable: bool | None = None


class ActivityRow(msgspec.Struct, gc=False):
    """One entry of a wallet's history, or a trade, which has no type."""

    type: Identifier | None = None
    side: Identifier | None = None
    token_id: Identifier | None = None
    v1_token_id: Identifier | None = _v1("asset")
    condition_id: Identifier | None = None
    v1_condition_id: Identifier | None = _v1("conditionId")
    size: Number = None
    price: Number = None
    usdc_size: Number = None
    v1_usdc_size: Number = _v1("usdcSize")
    timestamp: Number = None
    title: str | None = None
    outcome: str | None = None
    transaction_hash: Identifier | None = None
    v1_transaction_hash: Identifier | None = _v1("transactionHash")


class HolderRow(msgspec.Struct, gc=False):
    """One wallet among the largest holders of a token."""

    proxy_wallet: Identifier | None = None
    v1_proxy_wallet: Identifier | None = _v1("proxyWallet")
    name: str | None = None
    pseudonym: str | None = None
    amount: Number = None
    outcome_index: Number = None
    v1_outcome_index: Number = _v1("outcomeIndex")


class HoldersRow(msgspec.Struct, gc=False):
    """The holders of one token."""

    token_id: Identifier | None = None
    v1_token_id: Identifier | None = _v1("token")
    holders: list[msgspec.Raw] | None = None


class ValueRow(msgspec.Struct, gc=False):
    """The value of a wallet's positions."""

    value: Number = None


NO_END_DATE = "1970-01-01"

_POSITION = msgspec.json.Decoder(PositionRow)
_ACTIVITY = msgspec.json.Decoder(ActivityRow)
_HOLDERS = msgspec.json.Decoder(HoldersRow)
_HOLDER = msgspec.json.Decoder(HolderRow)
_VALUE = msgspec.json.Decoder(ValueRow)


class _ValueEnvelope(msgspec.Struct, gc=False):
    data: ValueRow | None = None
    value: Number = None


_VALUE_ENVELOPE = msgspec.json.Decoder(_ValueEnvelope)


def decode_positions(body: bytes) -> Rows[Position]:
    """Decode open positions.

    Raises:
        WireError: the body is not a list.
    """
    return read_listing(body, "data", _POSITION, _to_position, place="positions")


def decode_closed_positions(body: bytes) -> Rows[ClosedPosition]:
    """Decode closed positions.

    Raises:
        WireError: the body is not a list.
    """
    return read_listing(body, "data", _POSITION, _to_closed, place="closed positions")


def decode_activity(body: bytes) -> Rows[Activity]:
    """Decode a wallet's history; unknown kinds keep their name.

    Raises:
        WireError: the body is not a list.
    """
    return read_listing(body, "data", _ACTIVITY, _to_activity, place="activity")


def decode_prints(body: bytes) -> Rows[TradePrint]:
    """Decode public trades for a tape.

    Raises:
        WireError: the body is not a list.
    """
    return read_listing(body, "data", _ACTIVITY, _to_print, place="trades")


def decode_value(body: bytes) -> Value:
    """Decode a wallet's value: an object, one row in an array, or an envelope around either.

    Raises:
        WireError: the body has none of these forms, or no number.
    """
    if body.lstrip()[:1] == b"[":
        rows, _ = split_list(body, "data")
        if not rows:
            return Value(ZERO)
        return read_one(bytes(rows[0]), _VALUE, lambda row: _to_value(row.value))
    try:
        envelope = decode_json(_VALUE_ENVELOPE, body)
    except UNREADABLE as error:
        raise WireError.of(error) from error
    return _to_value(envelope.value if envelope.data is None else envelope.data.value)


def decode_holders(body: bytes) -> Rows[Holder]:
    """Decode the largest holders, token by token.

    Raises:
        WireError: the body is not a list.
    """
    rows, cursor = split_list(body, "data")
    log = SkipLog()
    groups = read_rows(rows, _HOLDERS, lambda row: _to_holders(row, log), log=log, place="tokens")
    holders = tuple(holder for group in groups for holder in group)
    return log.rows(holders, cursor=cursor, received=len(rows))


def _to_position(row: PositionRow) -> Position:
    end_date = row.end_date or row.v1_end_date or ""
    return Position(
        token_id=_token(row.token_id or row.v1_token_id),
        condition_id=_condition(row.condition_id or row.v1_condition_id),
        title=cut(row.title, bounds.TITLE),
        outcome=cut(row.outcome, bounds.LABEL),
        size=_required(row.current_size, row.v1_size, "size", SIZE),
        average_price=_required(row.avg_price, row.v1_avg_price, "avgPrice", AVERAGE_PRICE),
        current_price=_amount(row.current_price, row.v1_current_price, "curPrice", PRICE),
        realized=_amount(row.realized_pnl, row.v1_realized_pnl, "realizedPnl", CHANGE) or ZERO,
        outcome_index=_index(row.outcome_index, row.v1_outcome_index),
        opposite_token_id=to_token_id(row.opposite_token_id or row.v1_opposite_token_id),
        event_slug=row.event_slug or row.v1_event_slug or "",
        is_redeemable=row.redeemable is True,
        is_mergeable=row.mergeable is True,
        neg_risk=row.negative_risk is True or row.v1_negative_risk is True,
        end_date="" if end_date.startswith(NO_END_DATE) else end_date,
    )


def _to_closed(row: PositionRow) -> ClosedPosition:
    closed_at = row.v1_closed_at if row.last_event_at is None else row.last_event_at
    return ClosedPosition(
        token_id=_token(row.token_id or row.v1_token_id),
        condition_id=_condition(row.condition_id or row.v1_condition_id),
        title=cut(row.title, bounds.TITLE),
        outcome=cut(row.outcome, bounds.LABEL),
        average_price=_required(row.avg_price, row.v1_avg_price, "avgPrice", AVERAGE_PRICE),
        total_bought=_amount(row.total_size, row.v1_total_bought, "totalBought", SIZE) or ZERO,
        realized=_required(row.realized_pnl, row.v1_realized_pnl, "realizedPnl", CHANGE),
        closed_at=to_epoch_moment(closed_at),
    )


def _to_activity(row: ActivityRow) -> Activity:
    at = to_epoch_moment(row.timestamp)
    if at is None:
        raise WireError("timestamp", "missing or no time")
    return Activity(
        kind=row.type or "TRADE",
        title=cut(row.title, bounds.TITLE),
        outcome=cut(row.outcome, bounds.LABEL),
        side=row.side or "",
        price=to_micros(row.price, "price", AVERAGE_PRICE),
        size=to_micros(row.size, "size", SIZE),
        cash=_amount(row.usdc_size, row.v1_usdc_size, "usdcSize", CASH),
        at=at,
        condition_id=to_condition_id(row.condition_id or row.v1_condition_id),
        token_id=to_token_id(row.token_id or row.v1_token_id),
        transaction_hash=row.transaction_hash or row.v1_transaction_hash or "",
    )


def _to_print(row: ActivityRow) -> TradePrint:
    at = to_epoch_moment(row.timestamp)
    if at is None:
        raise WireError("timestamp", "missing or no time")
    if row.side not in (Side.BUY.value, Side.SELL.value):
        raise WireError("side", "neither buy nor sell")
    return TradePrint(
        token_id=_token(row.token_id or row.v1_token_id),
        side=Side(row.side),
        price=_required(row.price, None, "price", PRICE),
        size=_required(row.size, None, "size", SIZE),
        at=at,
        transaction_hash=row.transaction_hash or row.v1_transaction_hash or "",
    )


def _to_holders(row: HoldersRow, log: SkipLog) -> tuple[Holder, ...]:
    token_id = _token(row.token_id or row.v1_token_id)
    return read_rows(
        row.holders or (),
        _HOLDER,
        lambda holder: _to_holder(holder, token_id),
        log=log,
        place="holders",
    )


def _to_holder(row: HolderRow, token_id: TokenId) -> Holder:
    address = row.proxy_wallet or row.v1_proxy_wallet
    if not address:
        raise WireError("proxyWallet", "missing")
    return Holder(
        address=address,
        name=cut(row.name or row.pseudonym, bounds.LABEL),
        token_id=token_id,
        amount=_required(row.amount, None, "amount", SIZE),
        outcome_index=_index(row.outcome_index, row.v1_outcome_index),
    )


def _to_value(number: Number) -> Value:
    return Value(_required(number, None, "value", CASH))


def _amount(newer: Number, older: Number, field: str, within: Range) -> Micros | None:
    return to_micros(older if newer is None else newer, field, within)


def _required(newer: Number, older: Number, field: str, within: Range) -> Micros:
    amount = _amount(newer, older, field, within)
    if amount is None:
        raise WireError(field, "missing")
    return amount


def _index(newer: Number, older: Number) -> int:
    index = to_count(older if newer is None else newer, "outcomeIndex")
    return NO_OUTCOME if index is None else index


def _token(text: str | None) -> TokenId:
    token_id = to_token_id(text)
    if token_id is None:
        raise WireError("asset", "no token id")
    return token_id


def _condition(text: str | None) -> ConditionId:
    condition_id = to_condition_id(text)
    if condition_id is None:
        raise WireError("conditionId", "no condition id")
    return condition_id


def decode_trades(body: bytes) -> Rows[PublicTrade]:
    """Decode public trades with the wallets that made them."""
    return read_table(body, _to_trade, "trades")


def decode_wallet_value(body: bytes) -> WalletValue:
    """Decode the value of a wallet's positions, in any of its forms."""
    loaded = fields.load(body)
    source = loaded[0] if isinstance(loaded, list) and loaded else loaded
    inner = source.get("data") if isinstance(source, dict) else None
    row = inner if isinstance(inner, dict) else source
    wallet = fields.text(row, "proxy_wallet", "user") if isinstance(row, dict) else ""
    return WalletValue(wallet, decode_value(body).amount)


def decode_traded(body: bytes) -> TradedCount:
    """Decode the number of markets a wallet has traded in."""
    row = fields.load_object(body, "traded")
    markets = fields.whole(row, "traded", within=fields.COUNT)
    if markets is None:
        raise WireError("traded", "missing")
    return TradedCount(fields.text(row, "user"), markets)


def decode_open_interest(body: bytes) -> Rows[OpenInterest]:
    """Decode the open interest of markets."""
    return read_table(body, _to_open_interest, "open interest")


def decode_live_volume(body: bytes) -> Rows[MarketVolume]:
    """Decode the volumes of an event's markets; those without trades may be left out."""
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
    """Decode a leaderboard, or one wallet's row: for a single wallet the newer host returns one row or null."""
    source = fields.load(body)
    if isinstance(source, dict) and not isinstance(source.get("data"), list):
        row = source.get("data")
        return Rows(() if row is None else (_to_standing(fields.row(row, "standing")),))
    return read_table(body, _to_standing, "standings")


def decode_winners(body: bytes) -> Rows[Winner]:
    """Decode the largest gains of a period."""
    return read_table(body, _to_winner, "winners")


def decode_wallet_stats(body: bytes) -> WalletStats:
    """Decode a wallet's totals."""
    row = _data(body)
    profit = row.get("all_time_pnl")
    # A number, or a point of the profit history.
    total = profit if isinstance(profit, dict) else {"position_pnl": profit}
    return WalletStats(
        wallet=fields.text(row, "proxy_wallet", "user"),
        trades=fields.whole(row, "trades", within=fields.COUNT),
        biggest_win=_change(row, "biggest_win"),
        profit=_change(total, "position_pnl"),
        joined_at=to_epoch_moment(fields.text(row, "join_date")),
    )


def decode_wallet_volume(body: bytes) -> WalletVolume:
    """Decode a wallet's traded volume."""
    row = _data(body)
    return WalletVolume(
        shares=fields.amount(row, "volume", within=SIZE),
        cash=fields.amount(row, "volume_usdc", within=CASH),
        trades=fields.whole(row, "trade_count", within=fields.COUNT),
    )


def decode_profit_points(body: bytes) -> Rows[ProfitPoint]:
    """Decode a wallet's profit over time, oldest first."""
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
    """Decode the positions in a market, token by token."""
    groups = fields.rows(fields.load(body), "market positions")
    rows = [row for group in groups for row in fields.rows(group.get("positions") or [], "rows")]
    return Rows(tuple(map(_to_market_position, rows)), received=len(rows))


def decode_tokens(body: bytes) -> Rows[TokenReference]:
    """Decode the market and outcome of tokens."""
    return read_table(body, _to_token, "tokens")


def decode_resolutions(body: bytes) -> Rows[Resolution]:
    """Decode the state of resolutions."""
    return read_table(body, _to_resolution, "resolutions")


def decode_approvals(body: bytes) -> Rows[Approval]:
    """Decode a wallet's approvals."""
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

"""Payloads of the analytics host, both generations, to domain values.

Two generations live side by side: camel case in bare arrays (`v1`), snake case in envelopes (`v2`).
A struct names both spellings, the older one with the prefix `v1_` where they differ, so that a row of
either reads into one value. An open position, older and newer:

    [{"asset": "7121…", "conditionId": "0xab…", "size": 12.5, "avgPrice": 0.4123, "curPrice": 0.43,
      "realizedPnl": 0, "title": "Will it rain?", "outcome": "Yes", "outcomeIndex": 0}]
    {"data": [{"token_id": "7121…", "condition_id": "0xab…", "current_size": "12.5",
               "avg_price": "0.4123", "current_price": "0.43", "title": "Will it rain?"}],
     "pagination": {"has_more": false, "next_cursor": null}}

Sizes are shares, prices and amounts dollars. The numbers lag and carry binary noise: prices are
quotients and no tick, so all are rounded to six decimals and used for showing only. Rows that
cannot be read are skipped and counted.
"""

from typing import Any

import msgspec

from pmtui.domain.account.position import Activity, ClosedPosition, Position
from pmtui.domain.answers import Value
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Holder, Side
from pmtui.domain.money import AVERAGE_PRICE, CASH, CHANGE, PRICE, SIZE, ZERO, Micros, Range
from pmtui.domain.orders.order import TradePrint
from pmtui.wire import bounds
from pmtui.wire.bodies import decode_json, split_list
from pmtui.wire.bounds import UNREADABLE, Identifier, WireError, cut
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


def _v1(name: str) -> Any:
    # Typed like msgspec.field itself: the annotation of the attribute says what it holds.
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
    """One line of a wallet's history, or a trade, which has no type."""

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
    """One wallet among the biggest of a token."""

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
    """What a wallet's positions are worth."""

    value: Number = None


NO_OUTCOME = 999
"""The host's outcome index of rows that concern none."""
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
    """Read open positions.

    Raises:
        WireError: no list at all.
    """
    return read_listing(body, "data", _POSITION, _to_position, place="positions")


def decode_closed_positions(body: bytes) -> Rows[ClosedPosition]:
    """Read positions that are no more.

    Raises:
        WireError: no list at all.
    """
    return read_listing(body, "data", _POSITION, _to_closed, place="closed positions")


def decode_activity(body: bytes) -> Rows[Activity]:
    """Read a wallet's history; kinds that are not known here keep their name.

    Raises:
        WireError: no list at all.
    """
    return read_listing(body, "data", _ACTIVITY, _to_activity, place="activity")


def decode_prints(body: bytes) -> Rows[TradePrint]:
    """Read public trades as a tape shows them.

    Raises:
        WireError: no list at all.
    """
    return read_listing(body, "data", _ACTIVITY, _to_print, place="trades")


def decode_value(body: bytes) -> Value:
    """Read a wallet's worth: an object, one row in an array, or an envelope around either.

    Raises:
        WireError: none of these, or no number in it.
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
    """Read the biggest holders, token by token.

    Raises:
        WireError: no list at all.
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

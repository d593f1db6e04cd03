"""Replies of the trading host's account routes, as domain values.

Every function takes the bytes of a body and raises `WireError` if it cannot decode them. Whether an
order was accepted is decided by its id and its error text: `success` is true for refused ones too. A
reply with both, or with neither, is passed on unchanged: it is inconclusive.

    POST /order   {"success": true, "errorMsg": "", "orderID": "0x12…", "status": "matched",
                   "makingAmount": "5.2", "takingAmount": "10", "tradeIDs": [], "transactionsHashes": []}
    DELETE /order {"canceled": ["0x12…"], "not_canceled": {"0x34…": "already canceled or matched"}}
    GET /data/orders    {"data": [{"id": "0x12…", "status": "LIVE", …}], "next_cursor": "LTE="}
    GET /balance-allowance {"balance": "12500000", "allowances": {"0xExchange…": "115792089…"}}

Amounts of an order are dollars and shares as decimal texts; balances are whole millionths.
"""

from dataclasses import dataclass, field
from datetime import datetime

from pmtui.domain.account.keys import (
    NO_BUILDER,
    BuilderCode,
    BuilderCodeError,
    BuilderFees,
    BuilderKey,
    parse_builder_code,
)
from pmtui.domain.answers import Named, Page
from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.money import CASH, PRICE, SIZE, Micros
from pmtui.domain.orders.heartbeat import HeartbeatAnswer, HeartbeatId
from pmtui.domain.orders.order import (
    BalanceAllowance,
    CancelResult,
    Fill,
    Notice,
    NoticeId,
    NoticeKind,
    Order,
    OrderNotice,
    PostResult,
    PostStatus,
)
from pmtui.wire import bounds, fields
from pmtui.wire.bounds import WireError
from pmtui.wire.clob import decode_page, read_page
from pmtui.wire.fields import Row
from pmtui.wire.orders import Owner, decode_fills, decode_order
from pmtui.wire.rows import to_moment

LONGEST_ID = 128
"""Characters; order ids have 66, trade ids 36 (October 2026)."""
LONGEST_TEXT = 300


@dataclass(frozen=True, slots=True)
class SentCredentials:
    """Credentials in clear text, until they are wrapped as secrets."""

    api_key: ApiKey
    secret: str = field(repr=False)
    passphrase: str = field(repr=False)


def decode_credentials(body: bytes) -> SentCredentials:
    """Decode the reply to creating or deriving an API key."""
    source = fields.load_object(body, "credentials")
    return SentCredentials(
        ApiKey(fields.required(source, "apiKey", "key")),
        secret=fields.required(source, "secret"),
        passphrase=fields.required(source, "passphrase"),
    )


def decode_post_result(body: bytes) -> PostResult:
    """Decode the reply to one posted order."""
    return _post_result(fields.load_object(body, "post result"))


def decode_post_results(body: bytes) -> tuple[PostResult, ...]:
    """Decode the replies to a batch, in its order."""
    listed = fields.items(fields.load(body), "post results")
    return tuple(_post_result(fields.row(item, "post result")) for item in listed)


def _post_result(source: Row) -> PostResult:
    order_id = fields.text(source, "orderID", "orderId", "order_id")
    error = fields.shown(source, "errorMsg", most=bounds.REASON)
    error = error or fields.shown(source, "error", most=bounds.REASON)
    status = fields.text(source, "status").lower()
    if len(order_id) > LONGEST_ID:
        raise WireError("orderID", "too long")
    if error or not order_id or not fields.flag(source, "success", default=True):
        return PostResult(OrderId(order_id) if order_id else None, None, error[:LONGEST_TEXT])
    if status and status not in set(PostStatus):
        raise WireError("status", f"unknown: {status[:40]!r}")
    return PostResult(
        OrderId(order_id),
        # Older replies have no status; an accepted order at least rests.
        PostStatus(status) if status else PostStatus.LIVE,
        making_amount=fields.amount(source, "makingAmount", within=CASH),
        taking_amount=fields.amount(source, "takingAmount", within=CASH),
        trade_ids=tuple(TradeId(i) for i in fields.texts(source, "tradeIDs") if _is_id(i)),
        transaction_hashes=fields.texts(source, "transactionsHashes"),
    )


def decode_cancel_result(body: bytes) -> CancelResult:
    """Decode the reply of any cancel route; reasons are the venue's text."""
    source = fields.load_object(body, "cancel result")
    refused = fields.row(source.get("not_canceled") or {}, "not_canceled")
    return CancelResult(
        canceled=tuple(
            OrderId(each)
            for each in fields.items(source.get("canceled") or [], "canceled")
            if isinstance(each, str) and _is_id(each)
        ),
        not_canceled=tuple(
            (OrderId(key), fields.shown(refused, key, most=bounds.REASON))
            for key in refused
            if _is_id(key)
        ),
    )


def decode_order_page(body: bytes) -> Page[Order]:
    """Decode a page of `/data/orders`; rows that cannot be decoded are counted."""
    rows, cursor = decode_page(body)
    orders: list[Order] = []
    unread: list[Named] = []
    for raw in rows:
        row: Row = {}
        try:
            row = fields.load_row(raw, "order")
            orders.append(decode_order(row))
        except WireError:
            unread.append(_named([row.get("id")]))
    return Page(tuple(orders), cursor, len(unread), unread=tuple(unread))


def decode_one_order(body: bytes) -> Order | None:
    """Decode one order; None for an empty body, null or an empty object, which mean that it is not live."""
    if not body.strip():
        return None
    loaded = fields.load(body)
    if not loaded:
        return None
    return decode_order(fields.row(loaded, "order"))


def decode_fill_page(body: bytes, owner: Owner) -> Page[Fill]:
    """Decode a page of `/data/trades`: our part of each trade; unreadable rows are counted."""
    rows, cursor = decode_page(body)
    fills: list[Fill] = []
    unread: list[Named] = []
    for raw in rows:
        row: Row = {}
        try:
            row = fields.load_row(raw, "trade")
            fills.extend(decode_fills(row, owner))
        except WireError:
            unread.append(_orders_of_trade(row))
    return Page(tuple(fills), cursor, len(unread), unread=tuple(unread))


def decode_balance(body: bytes) -> BalanceAllowance:
    """Decode `/balance-allowance`: whole millionths, one allowance for each spender.

    Older replies have a single allowance, without its spender.
    """
    source = fields.load_object(body, "balance")
    balance = fields.whole(source, "balance", within=CASH)
    if balance is None:
        raise WireError("balance", "missing")
    listed = fields.row(source.get("allowances") or {}, "allowances")
    allowances = tuple(
        (
            Address(bounds.identifier(key, "allowances")),
            fields.whole(listed, key, within=fields.UINT256) or 0,
        )
        for key in listed
    )
    single = fields.whole(source, "allowance", within=fields.UINT256)
    if single is not None and not allowances:
        allowances = ((Address(""), single),)
    return BalanceAllowance(Micros(balance), allowances)


def decode_api_keys(body: bytes) -> tuple[ApiKey, ...]:
    """Decode `/auth/api-keys`."""
    loaded = fields.load(body)
    source: Row = loaded if isinstance(loaded, dict) else {"apiKeys": loaded}
    return tuple(map(ApiKey, fields.texts(source, "apiKeys", "readonlyApiKeys")))


def decode_closed_only(body: bytes) -> bool:
    """Decode `/auth/ban-status/closed-only`: whether the account may only close positions."""
    return fields.flag(fields.load_object(body, "ban status"), "closed_only", default=False)


def _orders_of_trade(row: Row) -> Named:
    makers = row.get("maker_orders") or []
    if not isinstance(makers, list):
        return None
    rested = [maker.get("order_id") if isinstance(maker, dict) else None for maker in makers]
    return _named([row.get("taker_order_id"), *rested])


def _named(ids: list[object]) -> Named:
    texts = [text for text in ids if isinstance(text, str) and text]
    return frozenset(map(OrderId, texts)) if len(texts) == len(ids) else None


def _is_id(text: str) -> bool:
    return 0 < len(text) <= LONGEST_ID


_KEY_LISTS = ("builderApiKeys", "builder_api_keys", "apiKeys", "keys", "data")


def decode_builder_keys(body: bytes) -> tuple[BuilderKey, ...]:
    """Decode a list of builder keys: names alone, or rows with their times; bare or in an object."""
    loaded = fields.load(body)
    if isinstance(loaded, dict):
        loaded = next((loaded[name] for name in _KEY_LISTS if loaded.get(name) is not None), None)
    return tuple(_builder_key(item) for item in fields.items(loaded, "builder keys"))


def decode_made_builder_key(body: bytes) -> BuilderKey:
    """Decode the reply to creating a builder's key, without its secrets."""
    return _builder_key(fields.load_object(body, "builder key"))


def _builder_key(item: object) -> BuilderKey:
    if isinstance(item, str):
        return BuilderKey(ApiKey(bounds.identifier(item, "key")))
    source = fields.row(item, "builder key")
    return BuilderKey(
        ApiKey(fields.required(source, "key", "apiKey")),
        created_at=_key_moment(source, "createdAt", "created_at"),
        revoked_at=_key_moment(source, "revokedAt", "revoked_at"),
        code=_builder_code(source),
    )


def _builder_code(source: Row) -> BuilderCode | None:
    # An invalid code is dropped; the key works without it.
    try:
        code = parse_builder_code(fields.text(source, "builderCode", "builder_code"))
    except BuilderCodeError:
        return None
    return None if code == NO_BUILDER else code


def _key_moment(source: Row, *names: str) -> datetime | None:
    at = to_moment(fields.text(source, *names))
    # A time that was never set is sent as the first second of year 1.
    return at if at is not None and at.year > 1 else None


def decode_builder_fees(body: bytes) -> BuilderFees:
    """Decode `/fees/builder-fees/{code}`."""
    source = fields.load_object(body, "builder fees")
    rates = fields.BASIS_POINTS
    maker = fields.whole(source, "builder_maker_fee_rate_bps", within=rates)
    taker = fields.whole(source, "builder_taker_fee_rate_bps", within=rates)
    if maker is None or taker is None:
        raise WireError("builder_taker_fee_rate_bps", "missing")
    return BuilderFees(maker, taker)


_NOTICE_KINDS = {kind.value: kind for kind in NoticeKind}


def decode_notices(body: bytes) -> Page[Notice]:
    """Decode `/notifications`; those that cannot be decoded are counted."""
    return read_page(body, _notice)


def _notice(source: Row) -> Notice:
    payload = fields.row(source.get("payload") or {}, "payload")
    condition_id = fields.text(payload, "market", "condition_id")
    has_order = payload.get("order_id") and payload.get("asset_id")
    return Notice(
        notice_id=NoticeId(fields.required(source, "id")),
        kind=_NOTICE_KINDS.get(
            fields.whole(source, "type", within=fields.COUNT) or 0, NoticeKind.UNKNOWN
        ),
        at=fields.moment(source, "timestamp"),
        condition_id=ConditionId(condition_id) if condition_id else None,
        question=fields.shown(payload, "question", most=bounds.TITLE),
        slug=fields.text(payload, "market_slug"),
        event_slug=fields.text(payload, "eventSlug", "event_slug"),
        order=_order_notice(payload) if has_order else None,
    )


def _order_notice(source: Row) -> OrderNotice:
    trade_id = fields.text(source, "trade_id")
    return OrderNotice(
        order_id=OrderId(fields.required(source, "order_id")),
        token_id=TokenId(fields.required(source, "asset_id")),
        outcome=fields.shown(source, "outcome", most=bounds.LABEL),
        side=fields.side(source),
        price=fields.amount(source, "price", within=PRICE),
        original_size=fields.amount(source, "original_size", within=SIZE),
        matched_size=fields.amount(source, "matched_size", within=SIZE),
        remaining_size=fields.amount(source, "remaining_size", within=SIZE),
        trade_id=TradeId(trade_id) if trade_id else None,
        transaction_hash=fields.text(source, "transaction_hash"),
    )


def decode_heartbeat(body: bytes) -> HeartbeatAnswer:
    """Decode the reply to a heartbeat, including the refusal that names the expected id.

    Sources disagree on the key of the refusal's text: `error_msg` or `error`.
    """
    source = fields.load_object(body, "heartbeat")
    refusal = fields.shown(source, "error_msg", most=bounds.REASON)
    refusal = refusal or fields.shown(source, "error", most=bounds.REASON)
    next_id = fields.text(source, "heartbeat_id")
    if not next_id and not refusal:
        raise WireError("heartbeat_id", "missing")
    return HeartbeatAnswer(HeartbeatId(next_id) if next_id else None, refusal)

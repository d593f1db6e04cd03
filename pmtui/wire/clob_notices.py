"""The account's notices and heartbeats on the trading host, as domain values."""

from pmtui.domain.account.events import Notice, NoticeId, NoticeKind, OrderNotice
from pmtui.domain.answers import Page
from pmtui.domain.ids import ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.money import PRICE, SIZE
from pmtui.domain.orders.heartbeat import HeartbeatAnswer, HeartbeatId
from pmtui.wire import bounds, fields
from pmtui.wire.clob import decode_page
from pmtui.wire.errors import WireError
from pmtui.wire.fields import Row

_KINDS = {kind.value: kind for kind in NoticeKind}


def decode_notices(body: bytes) -> Page[Notice]:
    """Read `/notifications`; those that cannot be read are counted."""
    rows, cursor = decode_page(body)
    notices: list[Notice] = []
    skipped = 0
    for row in rows:
        try:
            notices.append(_notice(fields.load_row(row, "notice")))
        except WireError:
            skipped += 1
    return Page(tuple(notices), cursor, skipped)


def _notice(source: Row) -> Notice:
    payload = fields.row(source.get("payload") or {}, "payload")
    condition_id = fields.text(payload, "market", "condition_id")
    has_order = payload.get("order_id") and payload.get("asset_id")
    return Notice(
        notice_id=NoticeId(fields.required(source, "id")),
        kind=_KINDS.get(fields.whole(source, "type", within=fields.COUNT) or 0, NoticeKind.UNKNOWN),
        at=fields.moment(source, "timestamp"),
        condition_id=ConditionId(condition_id) if condition_id else None,
        question=fields.shown(payload, "question", most=bounds.TITLE),
        slug=fields.text(payload, "market_slug"),
        event_slug=fields.text(payload, "eventSlug", "event_slug"),
        order=_order(payload) if has_order else None,
    )


def _order(source: Row) -> OrderNotice:
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
    """Read the answer to a heartbeat, also the refusal that names the id it wants.

    Sources disagree on the name of the refusal's text: `error_msg` or `error`.
    """
    source = fields.row(fields.load(body), "heartbeat")
    refusal = fields.shown(source, "error_msg", most=bounds.REASON)
    refusal = refusal or fields.shown(source, "error", most=bounds.REASON)
    next_id = fields.text(source, "heartbeat_id")
    if not next_id and not refusal:
        raise WireError("heartbeat_id", "missing")
    return HeartbeatAnswer(HeartbeatId(next_id) if next_id else None, refusal)

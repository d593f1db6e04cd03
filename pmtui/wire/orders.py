"""Own orders and own trades, as sent by both the account routes and the account channel.

    {"id": "0x12…", "status": "LIVE", "market": "0xab…", "asset_id": "7121…", "side": "BUY",
     "outcome": "Yes", "price": "0.42", "original_size": "10", "size_matched": "4",
     "order_type": "GTD", "expiration": "1780000300", "created_at": 1780000000}
    {"id": "6b1f…", "status": "MATCHED", "market": "0xab…", "asset_id": "7121…", "side": "BUY",
     "size": "10", "price": "0.43", "trader_side": "TAKER", "taker_order_id": "0x12…",
     "match_time": "1780000000", "owner": "0b7c…", "transaction_hash": "0xfe…",
     "maker_orders": [{"order_id": "0x34…", "maker_address": "0x9a…", "owner": "77aa…",
                       "asset_id": "9034…", "side": "BUY", "matched_amount": "10", "price": "0.57"}]}

Prices are dollars, sizes shares, times seconds. Only our part of a trade is kept: the top-level
fields of the message are the taker's.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime

from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import CASH, PRICE, SIZE, ZERO, Micros
from pmtui.domain.orders.order import (
    VENUE_EXPIRY_LEAD,
    Fill,
    Liquidity,
    Order,
    OrderStatus,
    TimeInForce,
    TradeStatus,
)
from pmtui.wire import bounds, fields
from pmtui.wire.bounds import WireError
from pmtui.wire.fields import Row

_DUST = Micros(10_000)
"""Matched sizes are truncated to 0.01 shares, so an order may be full with that much missing."""

_LIVES = {
    "LIVE": OrderStatus.LIVE,
    "UNMATCHED": OrderStatus.LIVE,
    "DELAYED": OrderStatus.DELAYED,
    "INVALID": OrderStatus.CANCELLED,
    "REJECTED": OrderStatus.REJECTED,
    "EXPIRED": OrderStatus.EXPIRED,
}
_TIMES_IN_FORCE = {"IOC": TimeInForce.FAK, "": TimeInForce.GTC} | {t.value: t for t in TimeInForce}


@dataclass(frozen=True, slots=True)
class Owner:
    """How to identify our own orders in a trade with several parties."""

    api_key: ApiKey
    addresses: frozenset[Address] = field(default_factory=frozenset)
    """The trading wallet, and the key's own address."""

    def has(self, source: Row) -> bool:
        """Whether one side of a trade is ours."""
        if fields.text(source, "owner") == self.api_key:
            return True
        address = fields.text(source, "maker_address").lower()
        return any(address == own.lower() for own in self.addresses)


def decode_order(source: Row) -> Order:
    """Decode an order.

    Raises:
        WireError: a field cannot be decoded, or the status is unknown.
    """
    original = fields.required_amount(source, "original_size", within=SIZE)
    matched = fields.amount(source, "size_matched", within=SIZE) or ZERO
    status, reason = order_status(fields.text(source, "status"), original, matched)
    time_in_force = fields.text(source, "order_type").upper()
    if time_in_force not in _TIMES_IN_FORCE:
        raise WireError("order_type", f"unknown: {time_in_force[:20]!r}")
    created_at = fields.moment(source, "created_at") or fields.moment(source, "timestamp")
    return Order(
        order_id=OrderId(fields.required(source, "id")),
        condition_id=ConditionId(fields.text(source, "market")),
        token_id=TokenId(fields.required(source, "asset_id")),
        outcome=fields.shown(source, "outcome", most=bounds.LABEL),
        side=fields.side(source),
        price=fields.required_amount(source, "price", within=PRICE),
        original_size=original,
        matched_size=matched,
        status=status,
        time_in_force=_TIMES_IN_FORCE[time_in_force],
        created_at=created_at or datetime.fromtimestamp(0, UTC),
        expires_at=_gone_at(source, _TIMES_IN_FORCE[time_in_force]),
        reason=reason,
    )


def _gone_at(source: Row, time_in_force: TimeInForce) -> datetime | None:
    stated = fields.moment(source, "expiration")
    is_early = stated is not None and time_in_force is TimeInForce.GTD
    return stated - VENUE_EXPIRY_LEAD if stated is not None and is_early else stated


def order_status(text: str, original: Micros, matched: Micros) -> tuple[OrderStatus, str]:
    """Return the order status for a status text, and the venue's reason if it contains one.

    Raises:
        WireError: the status is unknown.
    """
    plain = text.removeprefix("ORDER_STATUS_")
    word = plain.upper()
    if word.startswith(("CANCELED", "CANCELLED")):
        reason = plain[len("CANCELED") + (word[6] == "L") :].lstrip("_")
        is_expired = reason.upper() == "EXPIRED_ORDER"
        readable = reason.replace("_", " ").lower() if reason.isupper() else reason
        return (OrderStatus.EXPIRED if is_expired else OrderStatus.CANCELLED), readable
    if word == "MATCHED" or (word == "LIVE" and matched > 0):
        is_full = original - matched < _DUST or (word == "MATCHED" and not matched)
        return (OrderStatus.FILLED if is_full else OrderStatus.PARTIALLY_FILLED), ""
    if word not in _LIVES:
        raise WireError("status", f"unknown: {text[:40]!r}")
    return _LIVES[word], "invalid" if word == "INVALID" else ""


def decode_fills(source: Row, owner: Owner) -> tuple[Fill, ...]:
    """Decode our part of a trade: a fill as its taker, and one for each own order that rested.

    If we were on both sides, the venue reports the trade once, with us as taker. Empty if nothing
    of it is ours.

    Raises:
        WireError: a field cannot be decoded, or the status is unknown.
    """
    makers = fields.rows(source.get("maker_orders") or [], "maker_orders")
    role = fields.text(source, "trader_side").upper()
    is_taker = role == "TAKER" if role else fields.text(source, "owner") == owner.api_key
    taker_side = fields.side(source)
    token = TokenId(fields.required(source, "asset_id"))
    taken: tuple[Fill, ...] = ()
    if is_taker:
        order_id = fields.required(source, "taker_order_id")
        size = fields.required_amount(source, "size", within=SIZE)
        taken = (_fill(source, source, order_id, Liquidity.TAKER, side=taker_side, size=size),)
    rested = tuple(
        _fill(
            source,
            maker,
            fields.required(maker, "order_id"),
            Liquidity.MAKER,
            side=_maker_side(maker, taker_side, token),
            size=fields.required_amount(maker, "matched_amount", within=SIZE),
        )
        for maker in makers
        if owner.has(maker)
    )
    return taken + rested


def _fill(
    trade: Row, part: Row, order_id: str, liquidity: Liquidity, *, side: Side, size: Micros
) -> Fill:
    matched_at = fields.moment(trade, "match_time", "matchtime") or fields.moment(
        trade, "timestamp"
    )
    if matched_at is None:
        raise WireError("match_time", "missing")
    return Fill(
        trade_id=TradeId(fields.required(trade, "id")),
        order_id=OrderId(order_id),
        condition_id=ConditionId(fields.text(trade, "market")),
        token_id=TokenId(fields.required(part, "asset_id")),
        outcome=fields.shown(part, "outcome", most=bounds.LABEL),
        side=side,
        price=fields.required_amount(part, "price", within=PRICE),
        size=size,
        fee=_fee(part, liquidity),
        liquidity=liquidity,
        status=trade_status(fields.text(trade, "status")),
        matched_at=matched_at,
        transaction_hash=fields.text(trade, "transaction_hash"),
    )


def _fee(part: Row, liquidity: Liquidity) -> Micros | None:
    # `fee_rate_bps` is a leftover of the first exchange; only some replies state the fee. A taker's
    # zero counts as not stated: by the market's schedule it comes out as zero again.
    stated = fields.amount(part, "fee_usdc", "feeUsdc", "fee", within=CASH)
    return stated or (ZERO if liquidity is Liquidity.MAKER else None)


def _maker_side(maker: Row, taker_side: Side, taker_token: TokenId) -> Side:
    if fields.text(maker, "side"):
        return fields.side(maker)
    # Messages of 2024 omit it: the other token trades with the same side (a mint or a merge).
    is_same_token = fields.text(maker, "asset_id") == taker_token
    return taker_side.opposite if is_same_token else taker_side


def trade_status(text: str) -> TradeStatus:
    """Return the settlement state of a trade.

    Raises:
        WireError: the status is unknown.
    """
    word = text.upper().removeprefix("TRADE_STATUS_")
    if word == "MATCHED_NOT_BROADCASTED":
        return TradeStatus.MATCHED
    if word not in TradeStatus.__members__:
        raise WireError("status", f"unknown: {text[:40]!r}")
    return TradeStatus[word]

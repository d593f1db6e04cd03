"""A signed order and a fill as the journal's tests write them."""

from datetime import UTC, datetime

from pmtui.domain.ids import ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Fill, Liquidity, OrderStatus, TradeStatus
from pmtui.service.journal.journal import Journal, RememberedStatus
from tests.service.fakes import fill as fill_of

AT = datetime(2026, 11, 20, 12, tzinfo=UTC)


def fill(order_id: OrderId, status: TradeStatus) -> Fill:
    return fill_of(
        order_id, trade_id=TradeId("7f2c"), condition_id=ConditionId("0x" + "a1" * 32),
        token_id=TokenId("71321"), size=Micros(5_000_000), liquidity=Liquidity.TAKER,
        status=status, matched_at=AT,
    )  # fmt: skip


SIGNED = (
    b'{"order":{"salt":1,"maker":"0x1","signer":"0x1","tokenId":"71321",'
    b'"makerAmount":"4000000","takerAmount":"10000000","side":"BUY","expiration":"0",'
    b'"signatureType":3,"timestamp":"1790000000000","metadata":"0x","builder":"0x",'
    b'"signature":"0x"},"owner":"6f1c2a34","orderType":"GTC","deferExec":false,"postOnly":true}'
)


def note_standing(
    journal: Journal, order_id: OrderId, status: OrderStatus, *, is_known: bool
) -> None:
    """Let the journal remember where an order stands."""
    fact = RememberedStatus(order_id, status, is_known)
    journal.record_about(order_id, "state", status.value, at=AT, fact=fact)


def note_fill(journal: Journal, fill: Fill) -> None:
    """Let the journal remember a fill of an order that it knows."""
    journal.record_about(fill.order_id, "fill", fill.status.value, at=AT, fact=fill)

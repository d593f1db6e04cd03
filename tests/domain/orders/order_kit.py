"""One order and one fill of ours."""

from datetime import UTC, datetime

from pmtui.domain.ids import ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import parse_micros
from pmtui.domain.orders.order import Fill, Liquidity, Order, OrderStatus, TimeInForce, TradeStatus

m = parse_micros
START = datetime(2026, 6, 15, 12, 0, tzinfo=UTC)
TOKEN = TokenId("1")
ORDER = Order(
    order_id=OrderId("0x1"), condition_id=ConditionId("0xaa"), token_id=TOKEN, outcome="Yes",
    side=Side.BUY, price=m("0.53"), original_size=m("100"), matched_size=m("0"),
    status=OrderStatus.LIVE, time_in_force=TimeInForce.GTC, created_at=START,
)  # fmt: skip
FILL = Fill(
    trade_id=TradeId("t1"), order_id=ORDER.order_id, condition_id=ORDER.condition_id,
    token_id=TOKEN, outcome="Yes", side=Side.BUY, price=m("0.53"), size=m("40"), fee=m("0"),
    liquidity=Liquidity.TAKER, status=TradeStatus.MATCHED, matched_at=START,
)  # fmt: skip

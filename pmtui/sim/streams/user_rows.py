"""Events of the user channel as the service words them (WIRE_CLOB §17.2 and §17.3)."""

from pmtui.domain.ids import ApiKey
from pmtui.domain.orders.order import TimeInForce, TradeStatus
from pmtui.sim.clob.account import maker_row, order_row, trade_row
from pmtui.sim.engine.events import OrderCancelled, OrderPlaced, OrderUpdated, Trade
from pmtui.sim.venue import Venue


def order_event(
    venue: Venue, event: OrderPlaced | OrderUpdated | OrderCancelled
) -> dict[str, object]:
    """Write one step in the life of an order."""
    order = event.order
    row = order_row(venue, order)
    row |= {
        "event_type": "order",
        "type": _TYPES[type(event)],
        "order_owner": order.owner,
        "associate_trades": list(order.trade_ids) or None,
        "created_at": str(order.created_ms // 1_000),
        "timestamp": str(event.at_ms),
    }
    if isinstance(event, OrderCancelled) and order.time_in_force is TimeInForce.FOK:
        # Of a killed order, which never rested, the service says less.
        row |= {"size_matched": "", "created_at": "", "outcome": ""}
    return row


_TYPES: dict[type, str] = {
    OrderPlaced: "PLACEMENT",
    OrderUpdated: "UPDATE",
    OrderCancelled: "CANCELLATION",
}


def trade_event(venue: Venue, trade: Trade, owner: ApiKey) -> dict[str, object]:
    """Write one step in the settlement of a trade, for the party with the API key `owner`."""
    row = trade_row(venue, trade, owner)
    del row["err_msg"]
    market = venue.market(trade.condition_id)
    tokens = () if market is None else market.token_ids
    makers = [
        # Who made the market has no outcome index in rows of the trading host, but has one here.
        maker_row(venue, fill)
        | {"outcome_index": tokens.index(fill.token_id) if fill.token_id in tokens else 0}
        for fill in trade.makers
    ]
    is_new = trade.status is TradeStatus.MATCHED
    row |= {
        "event_type": "trade",
        "type": "TRADE",
        "trade_owner": owner,
        "maker_orders": makers,
        # Milliseconds at first, seconds on every later step (recordings of 2024 and 2025).
        "timestamp": str(trade.matched_ms if is_new else trade.updated_ms // 1_000),
    }
    return row

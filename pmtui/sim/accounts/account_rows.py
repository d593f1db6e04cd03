"""Orders and trades of an account as the trading host and the user stream write them."""

from pmtui.domain.ids import ApiKey, TokenId
from pmtui.domain.money import format_micros
from pmtui.sim.engine.events import MakerFill, Trade
from pmtui.sim.engine.terms import OrderView
from pmtui.sim.venue import Venue


def outcome_of(venue: Venue, token_id: TokenId) -> str:
    """Return the label of a token's outcome, empty where the catalogue does not know it."""
    market = venue.market_of_token(token_id)
    if market is None:
        return ""
    return dict(zip(market.token_ids, market.outcomes, strict=False)).get(token_id, "")


def trade_status(venue: Venue, trade: Trade) -> str:
    """Return a trade's status, under the longer name if the operator wants those."""
    return f"TRADE_STATUS_{trade.status.value}" if _is_prefixed(venue) else trade.status.value


def trade_hash(venue: Venue, trade: Trade) -> str:
    """Return a trade's transaction hash, empty while the operator has it held back."""
    age_ms = venue.clock.now_ms() - trade.matched_ms
    return "" if age_ms < venue.switches.hash_delay_ms else trade.transaction_hash


def _is_prefixed(venue: Venue) -> bool:
    return venue.switches.has_status_prefixes


def order_row(venue: Venue, order: OrderView) -> dict[str, object]:
    """Return an open order as `/data/orders` lists it."""
    return {
        "id": order.order_id,
        "status": f"ORDER_STATUS_{order.status}" if _is_prefixed(venue) else order.status,
        "owner": order.owner,
        "maker_address": order.account,
        "market": order.condition_id,
        "asset_id": order.token_id,
        "side": order.side.value,
        "original_size": format_micros(order.original_size),
        "size_matched": format_micros(order.matched_size),
        "price": format_micros(order.price),
        "outcome": outcome_of(venue, order.token_id),
        "expiration": str(order.expiration_s),
        "order_type": order.time_in_force.value,
        "associate_trades": list(order.trade_ids),
        "created_at": order.created_ms // 1_000,
    }


def maker_row(venue: Venue, fill: MakerFill) -> dict[str, object]:
    """Return the part of one resting order in a trade."""
    return {
        "order_id": fill.order_id,
        "owner": fill.owner,
        "maker_address": fill.account,
        "matched_amount": format_micros(fill.size),
        "price": format_micros(fill.price),
        "fee_rate_bps": "0",
        "asset_id": fill.token_id,
        "outcome": outcome_of(venue, fill.token_id),
        "side": fill.side.value,
    }


def trade_row(venue: Venue, trade: Trade, owner: ApiKey) -> dict[str, object]:
    """Return a trade as the party with the API key `owner` sees it.

    Side, size and price at the top are the taker's, whoever asks; owner and maker address are the
    asking party's. Who was on both sides of a trade sees it as its taker.
    """
    is_taker = trade.taker_owner == owner
    mine = next((fill.account for fill in trade.makers if fill.owner == owner), trade.taker_account)
    return {
        "id": trade.trade_id,
        "taker_order_id": trade.taker_order_id,
        "market": trade.condition_id,
        "asset_id": trade.token_id,
        "side": trade.side.value,
        "size": format_micros(trade.size),
        "fee_rate_bps": "0",
        "price": format_micros(trade.price),
        "status": trade_status(venue, trade),
        "match_time": str(trade.matched_ms // 1_000),
        "last_update": str(trade.updated_ms // 1_000),
        "outcome": outcome_of(venue, trade.token_id),
        "bucket_index": trade.bucket_index,
        "owner": owner,
        "maker_address": trade.taker_account if is_taker else mine,
        "transaction_hash": trade_hash(venue, trade),
        "err_msg": None,
        "maker_orders": [maker_row(venue, fill) for fill in trade.makers],
        "trader_side": "TAKER" if is_taker else "MAKER",
    }

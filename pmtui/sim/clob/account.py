"""The trading host's account routes: balances, open orders, trades."""

import re

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.account.keys import SignatureType
from pmtui.domain.ids import Address, ApiKey, OrderId, TokenId
from pmtui.domain.money import format_micros
from pmtui.signing.contracts import POLYGON
from pmtui.sim.accounts import Credentials
from pmtui.sim.auth import signed
from pmtui.sim.chain.contracts import Chain
from pmtui.sim.clob.pending_orders import PendingOrders, StaleBalances
from pmtui.sim.engine.events import MakerFill, Trade
from pmtui.sim.engine.terms import OrderView
from pmtui.sim.http_json import JsonResponse, failure, paged
from pmtui.sim.venue import Venue


def outcome_of(venue: Venue, token_id: TokenId) -> str:
    """Return the label of a token's outcome, or "" if the catalogue does not know it."""
    market = venue.market_of_token(token_id)
    if market is None:
        return ""
    return dict(zip(market.token_ids, market.outcomes, strict=False)).get(token_id, "")


def trade_status(venue: Venue, trade: Trade) -> str:
    """Return a trade's status, under the longer name if the operator chose those."""
    return f"TRADE_STATUS_{trade.status.value}" if _is_prefixed(venue) else trade.status.value


def trade_hash(venue: Venue, trade: Trade) -> str:
    """Return a trade's transaction hash, or "" while the operator holds it back."""
    age_ms = venue.clock.now_ms() - trade.matched_ms
    return "" if age_ms < venue.controls.hash_delay_ms else trade.transaction_hash


def _is_prefixed(venue: Venue) -> bool:
    return venue.controls.has_status_prefixes


def order_row(venue: Venue, order: OrderView) -> dict[str, object]:
    """Return an open order in the form of `/data/orders`."""
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
    """Return a trade as seen by the party with the API key `owner`.

    Side, size and price at the top level are the taker's, for every party; owner and maker address
    are the requesting party's. A party on both sides of a trade sees it as its taker.
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


PAGE = 100
MAX_ALLOWANCE = str(2**256 - 1)
SPENDERS = (POLYGON.exchange, POLYGON.neg_risk_exchange, POLYGON.neg_risk_adapter)
HASH_ID = re.compile(r"0x[0-9a-f]{64}", re.ASCII)
"""The form of a condition id or an order id."""
_ASSET_TYPES = ("COLLATERAL", "CONDITIONAL", "CONDITIONAL-V2")
_KINDS = dict(zip("0123", SignatureType, strict=True))


def wallet_asked(venue: Venue, request: Request, caller: Credentials) -> Address | Response:
    """Return the caller's wallet for a request's signature type."""
    kind = _KINDS.get(request.query_params.get("signature_type", "0"))
    if kind is None:
        return failure(400, "Invalid signature_type")
    return venue.accounts.wallet_for(caller.eoa, kind)


def bounds_of(query: QueryParams) -> range | None:
    """Return the seconds from `after` to `before`, both included; None if one is no number."""
    texts = [query.get(name) or "" for name in ("after", "before")]
    if any(text and not (text.isascii() and text.isdigit()) for text in texts):
        return None
    return range(int(texts[0] or 0), int(texts[1] or 2**62) + 1)


class AccountRoutes:
    """Reads with level-2 authentication."""

    def __init__(
        self, venue: Venue, pending: PendingOrders, balances: StaleBalances, chain: Chain
    ) -> None:
        self._venue = venue
        self._chain = chain
        self._pending = pending
        self._balances = balances

    def routes(self) -> list[Route]:
        """Return the routes; `/order/{id}` is the older name of `/data/order/{id}`."""
        return [
            Route("/balance-allowance", signed(self._venue, self.balance)),
            Route("/balance-allowance/update", signed(self._venue, self.update)),
            Route("/data/orders", signed(self._venue, self.open_orders)),
            Route("/data/order/{order_id}", signed(self._venue, self.one_order)),
            Route("/order/{order_id}", signed(self._venue, self.one_order)),
            Route("/data/trades", signed(self._venue, self.trades)),
            Route("/data/pre-migration-orders", signed(self._venue, self.pre_migration_orders)),
        ]

    async def balance(self, request: Request, caller: Credentials) -> Response:
        """Return a wallet's balance of one asset, in base units."""
        found = self._asset(request, caller)
        return found if isinstance(found, Response) else JsonResponse(found)

    async def update(self, request: Request, caller: Credentials) -> Response:
        """Read the chain again, which corrects outdated balances; the body is empty."""
        wallet = wallet_asked(self._venue, request, caller)
        if not isinstance(wallet, Response):
            self._balances.refresh(wallet, TokenId(request.query_params.get("token_id", "")))
        found = self._asset(request, caller)
        return found if isinstance(found, Response) else Response(status_code=200)

    def _asset(self, request: Request, caller: Credentials) -> dict[str, object] | Response:
        query = request.query_params
        asset_type = query.get("asset_type", "")
        if asset_type.upper() not in _ASSET_TYPES:
            return failure(400, "Invalid asset type")
        wallet = wallet_asked(self._venue, request, caller)
        if isinstance(wallet, Response):
            return wallet
        amount = 0
        if asset_type.upper() == "COLLATERAL":
            held = self._venue.exchange.reads.account(wallet)
            amount = 0 if held is None else held.collateral
        else:
            token_id = TokenId(query.get("token_id", ""))
            if self._venue.market_of_token(token_id) is None:
                return failure(400, "Invalid token id")
            amount = self._balances.balance(wallet, token_id)
        return {
            "balance": str(amount),
            "allowances": self._allowances(
                wallet, is_collateral=asset_type.upper() == "COLLATERAL"
            ),
        }

    def _allowances(self, wallet: Address, *, is_collateral: bool) -> dict[Address, str]:
        if not self._venue.exchange.reads.has_allowance(wallet):
            return dict.fromkeys(SPENDERS, "0")
        if is_collateral:
            return {spender: str(self._chain.allowance(wallet, spender)) for spender in SPENDERS}
        return {
            spender: MAX_ALLOWANCE if self._chain.is_operator(wallet, spender) else "0"
            for spender in SPENDERS
        }

    async def open_orders(self, request: Request, caller: Credentials) -> Response:
        """List the resting orders, oldest first; `id`, `market` and `asset_id` filter them."""
        query = request.query_params

        def is_asked(order: OrderView) -> bool:
            return (
                query.get("id") in (None, "", order.order_id)
                and query.get("market") in (None, "", order.condition_id)
                and query.get("asset_id") in (None, "", order.token_id)
            )

        orders = self._venue.exchange.reads.open_orders(caller.api_key)
        return paged(
            request,
            [order for order in orders if is_asked(order)],
            limit=PAGE,
            to_row=lambda order: order_row(self._venue, order),
        )

    async def one_order(self, request: Request, caller: Credentials) -> Response:
        """Return one order while it rests or is delayed; finished ones are found in the trades."""
        order_id = OrderId(request.path_params["order_id"].lower())
        order = self._venue.exchange.reads.order(order_id) or self._pending.delayed(order_id)
        if order is None or order.owner != caller.api_key:
            return failure(404, "Order not found")
        return JsonResponse(order_row(self._venue, order))

    async def pre_migration_orders(self, request: Request, _caller: Credentials) -> Response:
        """List orders from before version 2: none, because this venue had none."""
        nothing: list[OrderView] = []
        return paged(request, nothing, limit=PAGE, to_row=lambda order: order)

    async def trades(self, request: Request, caller: Credentials) -> Response:
        """List the caller's trades, newest first; `before` and `after` are inclusive seconds."""
        query = request.query_params
        bounds = bounds_of(query)
        if bounds is None:
            return failure(400, "Invalid date")

        def is_asked(trade: Trade) -> bool:
            parties = {trade.taker_account, *(fill.account for fill in trade.makers)}
            return (
                query.get("id") in (None, "", trade.trade_id)
                and query.get("market") in (None, "", trade.condition_id)
                and query.get("asset_id") in (None, "", *_tokens(trade))
                and (not query.get("maker_address") or _is_among(query["maker_address"], parties))
                and trade.matched_ms // 1_000 in bounds
            )

        mine = self._venue.records.trades_of_owner(caller.api_key)
        return paged(
            request,
            [trade for trade in reversed(mine) if is_asked(trade)],
            limit=PAGE,
            to_row=lambda trade: trade_row(self._venue, trade, caller.api_key),
        )


def _tokens(trade: Trade) -> set[str]:
    return {trade.token_id, *(fill.token_id for fill in trade.makers)}


def _is_among(address: str, parties: set[Address]) -> bool:
    return address.lower() in {party.lower() for party in parties}

"""`/builder/trades`: what was traded through a builder, open to whoever knows its code."""

from datetime import UTC, datetime

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.money import ZERO, format_micros
from pmtui.sim.accounts.account_rows import outcome_of, trade_hash, trade_status
from pmtui.sim.clob.side_key_routes import BUILDER_CODE
from pmtui.sim.http_json import failure
from pmtui.sim.paging import paged
from pmtui.sim.rewards.attribution import NO_BUILDER, AttributedTrade, Attribution
from pmtui.sim.venue import Venue

PAGE = 300


class AttributionRoutes:
    """One route."""

    def __init__(self, venue: Venue, attribution: Attribution) -> None:
        self._venue = venue
        self._attribution = attribution

    def routes(self) -> list[Route]:
        """Return the route."""
        return [Route("/builder/trades", self.trades)]

    async def trades(self, request: Request) -> Response:
        """List a builder's trades, newest first; `before` and `after` are inclusive seconds."""
        query = request.query_params
        code = query.get("builder_code", "")
        if BUILDER_CODE.fullmatch(code) is None or code == NO_BUILDER:
            return failure(400, "Invalid builder_code")
        bounds = [query.get(name) or "" for name in ("after", "before")]
        if any(bound and not (bound.isascii() and bound.isdigit()) for bound in bounds):
            return failure(400, "Invalid date")
        after_s, before_s = int(bounds[0] or 0), int(bounds[1] or 2**62)
        found = [
            one
            for one in self._attribution.trades(code)
            if _is_asked(query, one) and after_s <= one.trade.matched_ms // 1_000 <= before_s
        ]
        return paged(request, found, limit=PAGE, to_row=self._row)

    def _row(self, one: AttributedTrade) -> dict[str, object]:
        trade, maker = one.trade, one.maker
        part = trade if maker is None else maker
        cash, fee = part.cash, trade.fee if maker is None else ZERO
        market = self._venue.market(trade.condition_id)
        tokens = () if market is None else market.token_ids
        return {
            "id": trade.trade_id,
            "tradeType": "TAKER" if maker is None else "MAKER",
            "takerOrderHash": trade.taker_order_id,
            "builder": one.builder,
            "market": trade.condition_id,
            "assetId": part.token_id,
            "side": part.side.value,
            "size": format_micros(part.size),
            "sizeUsdc": format_micros(cash),
            "price": format_micros(part.price),
            "status": trade_status(self._venue, trade),
            "outcome": outcome_of(self._venue, part.token_id),
            "outcomeIndex": tokens.index(part.token_id) if part.token_id in tokens else 0,
            "owner": trade.taker_owner if maker is None else maker.owner,
            "maker": trade.taker_account if maker is None else maker.account,
            "transactionHash": trade_hash(self._venue, trade),
            "matchTime": str(trade.matched_ms // 1_000),
            "bucketIndex": trade.bucket_index,
            "fee": format_micros(fee),
            "feeUsdc": format_micros(fee),
            "err_msg": None,
            "createdAt": _moment(trade.matched_ms),
            "updatedAt": _moment(trade.updated_ms),
        }


def _is_asked(query: QueryParams, one: AttributedTrade) -> bool:
    trade, maker = one.trade, one.maker
    part = trade if maker is None else maker
    account = trade.taker_account if maker is None else maker.account
    return (
        query.get("id") in (None, "", trade.trade_id)
        and query.get("market", "").lower() in ("", trade.condition_id)
        and query.get("asset_id") in (None, "", part.token_id)
        and query.get("maker_address", "").lower() in ("", account.lower())
    )


def _moment(at_ms: int) -> str:
    return f"{datetime.fromtimestamp(at_ms / 1_000, UTC):%Y-%m-%dT%H:%M:%S.%fZ}"

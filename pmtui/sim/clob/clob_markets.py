"""Markets and their terms on the trading host, and its utility routes; open to everybody."""

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.sim.catalogue.model import CatalogueMarket
from pmtui.sim.gamma.market_rows import base_fee, compact_row, full_row, number, simplified_row
from pmtui.sim.http_json import JsonResponse, failure
from pmtui.sim.paging import paged
from pmtui.sim.venue import Venue

PAGE = 1_000
NOT_FOUND = "market not found"

Row = Callable[[Venue, CatalogueMarket], dict[str, object]]


class MarketRoutes:
    """Lists with cursors, single markets, per-token terms."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/", self.ok),
            Route("/ok", self.ok),
            Route("/time", self.time),
            Route("/version", self.version),
            Route("/markets", self._list(full_row, sampling=False)),
            Route("/simplified-markets", self._list(simplified_row, sampling=False)),
            Route("/sampling-markets", self._list(full_row, sampling=True)),
            Route("/sampling-simplified-markets", self._list(simplified_row, sampling=True)),
            Route("/markets/{condition_id}", self._one(full_row)),
            Route("/clob-markets/{condition_id}", self._one(compact_row)),
            Route("/markets-by-token/{token_id}", self.by_token),
            Route("/tick-size", self.tick_size),
            Route("/tick-size/{token_id}", self.tick_size),
            Route("/neg-risk", self.neg_risk),
            Route("/neg-risk/{token_id}", self.neg_risk),
            Route("/fee-rate", self.fee_rate),
            Route("/fee-rate/{token_id}", self.fee_rate),
        ]

    async def ok(self, request: Request) -> Response:
        """Say that somebody is there."""
        del request
        return JsonResponse("OK")

    async def time(self, request: Request) -> Response:
        """Tell the venue's time in seconds."""
        del request
        return JsonResponse(self._venue.clock.now_ms() // 1_000)

    async def version(self, request: Request) -> Response:
        """Tell which version of orders is taken."""
        del request
        return JsonResponse({"version": 2})

    def _list(self, to_row: Row, *, sampling: bool) -> Callable[[Request], object]:
        async def answer(request: Request) -> Response:
            markets = self._venue.catalogue.markets
            if sampling:
                markets = [market for market in markets if self._is_sampled(market)]
            return paged(
                request, markets, limit=PAGE, to_row=lambda market: to_row(self._venue, market)
            )

        return answer

    def _is_sampled(self, market: CatalogueMarket) -> bool:
        # Sampled markets are those that pay for resting orders at the moment.
        view = self._venue.trading(market.condition_id)
        return view is not None and view.payout is None and market.rewards.daily_rate > 0

    def _one(self, to_row: Row) -> Callable[[Request], object]:
        async def answer(request: Request) -> Response:
            market = self._venue.market(request.path_params["condition_id"])
            if market is None:
                return failure(404, NOT_FOUND)
            return JsonResponse(to_row(self._venue, market))

        return answer

    def _by_token(self, request: Request) -> CatalogueMarket | None:
        token_id = request.path_params.get("token_id") or request.query_params.get("token_id", "")
        return self._venue.market_of_token(token_id)

    async def by_token(self, request: Request) -> Response:
        """Name a token's market and both of its tokens."""
        market = self._by_token(request)
        if market is None or len(market.token_ids) != 2:
            return failure(404, NOT_FOUND)
        return JsonResponse(
            {
                "condition_id": market.condition_id,
                "primary_token_id": market.token_ids[0],
                "secondary_token_id": market.token_ids[1],
            }
        )

    async def tick_size(self, request: Request) -> Response:
        """Tell the price grid of a token's market, as a number."""
        market = self._by_token(request)
        if market is None:
            return failure(404, NOT_FOUND)
        view = self._venue.trading(market.condition_id)
        tick = market.tick_size if view is None else view.tick_size
        return JsonResponse({"minimum_tick_size": number(tick)})

    async def neg_risk(self, request: Request) -> Response:
        """Tell whether a token settles on the negative-risk exchange."""
        market = self._by_token(request)
        return (
            failure(404, NOT_FOUND)
            if market is None
            else JsonResponse({"neg_risk": market.neg_risk})
        )

    async def fee_rate(self, request: Request) -> Response:
        """Tell the legacy fee rate in basis points."""
        market = self._by_token(request)
        if market is None:
            return failure(404, "fee rate not found for market")
        return JsonResponse({"base_fee": base_fee(market)})

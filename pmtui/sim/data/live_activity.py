"""What a market is called where its trades are shown: `/markets/live-activity`, open to everybody."""

from collections.abc import Mapping

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.sim.catalogue.model import CatalogueMarket
from pmtui.sim.http_json import JsonResponse, failure
from pmtui.sim.venue import Venue
from pmtui.wire.bounds import UNREADABLE

MAX_MARKETS = 500
_decode_asked = msgspec.json.Decoder(list[str]).decode


class LiveActivityRoutes:
    """One market by path, many by a posted list."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/markets/live-activity/{condition_id}", self.one),
            Route("/markets/live-activity", self.many, methods=["POST"]),
        ]

    async def one(self, request: Request) -> Response:
        """Describe one market."""
        market = self._venue.market(request.path_params["condition_id"])
        return (
            failure(404, "market not found") if market is None else JsonResponse(self._row(market))
        )

    async def many(self, request: Request) -> Response:
        """Describe the named markets, without those that are not known."""
        try:
            asked = _decode_asked(await request.body())
        except UNREADABLE:
            return failure(400, "Invalid payload")
        if len(asked) > MAX_MARKETS:
            return failure(400, "Payload exceeds the limit")
        markets = (self._venue.market(condition_id) for condition_id in dict.fromkeys(asked))
        return JsonResponse([self._row(market) for market in markets if market is not None])

    def _row(self, market: CatalogueMarket) -> dict[str, object]:
        event = self._venue.catalogue.event_of(market)
        tags = event.raw.get("tags")
        rows = tags if isinstance(tags, list) else []
        return {
            "condition_id": market.condition_id,
            "id": market.market_id,
            "question": market.question,
            "market_slug": market.slug,
            "event_slug": event.slug,
            "series_slug": event.raw.get("seriesSlug", ""),
            "icon": market.raw.get("icon", ""),
            "image": market.raw.get("image", ""),
            "tags": [tag.get("slug", "") for tag in rows if isinstance(tag, Mapping)],
        }

"""The analytics host: positions, trades and standings told from the venue's own ledger.

It can be asked so often in ten seconds (docs/wire.md#rate-limits), whoever asks: then it answers 429 until the oldest
of these requests is ten seconds old. `/markets/live-activity`, which names a market beside its
trades, belongs to the trading host.
"""

from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from uuid import uuid4

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.sim.catalogue.model import CatalogueMarket
from pmtui.sim.chain.contracts import Chain
from pmtui.sim.clob.price_history import PastPrices
from pmtui.sim.data.dialects import AnalyticsV1, AnalyticsV2
from pmtui.sim.data.figures import Answer, Figures
from pmtui.sim.data.query import AnalyticsQuery, QueryRefusal
from pmtui.sim.http_json import JsonResponse, failure
from pmtui.sim.venue import Venue
from pmtui.wire.bounds import UNREADABLE

WINDOW_MS = 10_000
MOST_IN_ALL = 1_000
MOST_BY_GROUP: Mapping[str, int] = MappingProxyType(
    {"positions": 200, "closed-positions": 200, "trades": 200, "health": 100}
)
"""Requests in a window, for what is limited beside the limit of the whole host."""
TOO_MANY = "too many requests"


class RequestWindow:
    """Counts the requests of the last ten seconds, in all and by group."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._seen: defaultdict[str, deque[int]] = defaultdict(deque)

    def take(self, path: str) -> int:
        """Count a request, or return in how many seconds one will be taken again."""
        limits = self._venue.controls.analytics_limits
        if not limits.is_enforced:
            return 0
        now_ms = self._venue.clock.now_ms()
        groups = {"": MOST_IN_ALL}
        group = "health" if path == "/" else path.removeprefix("/v2").strip("/")
        if group in MOST_BY_GROUP:
            groups[group] = MOST_BY_GROUP[group]
        wait_ms = 0
        for name, most in groups.items():
            seen = self._seen[name]
            while seen and seen[0] <= now_ms - WINDOW_MS:
                seen.popleft()
            if len(seen) >= max(most * limits.scale, 1):
                wait_ms = max(wait_ms, seen[0] + WINDOW_MS - now_ms)
        if wait_ms:
            return -(-wait_ms // 1_000)
        for name in groups:
            self._seen[name].append(now_ms)
        return 0


def analytics_routes(venue: Venue, chain: Chain, prices: PastPrices) -> list[Route]:
    """Return the routes of the analytics host in both dialects."""
    figures, window = Figures(venue, prices, chain.hash_of), RequestWindow(venue)
    answers = {**AnalyticsV1(figures).answers(), **AnalyticsV2(figures, chain).answers()}
    return [Route(path, _endpoint(venue, answer, window)) for path, answer in answers.items()]


def _endpoint(
    venue: Venue, answer: Answer, window: RequestWindow
) -> Callable[[Request], Awaitable[Response]]:
    """Wrap an answer for the server; queries it cannot take are refused with status 400."""

    async def respond(request: Request) -> Response:
        path = request.url.path
        if wait_s := window.take(path):
            return _refused(path, 429, TOO_MANY, {"Retry-After": str(wait_s)})
        try:
            return JsonResponse(answer(AnalyticsQuery(request, venue)))
        except QueryRefusal as refusal:
            return _refused(path, 400, str(refusal))

    return respond


def _refused(
    path: str, status: int, text: str, headers: Mapping[str, str] | None = None
) -> Response:
    if not path.startswith("/v2/"):
        return failure(status, text, headers)
    trace = uuid4().hex
    body = {
        "error": text,
        "code": "rate_limited" if status == 429 else "invalid_request",
        "retryable": status == 429,
        "trace_id": trace,
    }
    return JsonResponse(body, status_code=status, headers={**(headers or {}), "x-trace-id": trace})


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

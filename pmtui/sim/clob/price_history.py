"""Price history: charts of a token, alone or with others."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.ids import TokenId
from pmtui.domain.money import complement
from pmtui.sim.clob.past_prices import PastPrices
from pmtui.sim.gamma.market_rows import number
from pmtui.sim.http_json import JsonResponse, failure
from pmtui.sim.venue import Venue
from pmtui.wire.bounds import UNREADABLE

MAX_POINTS = 10_000
MAX_BATCH = 20
_DAY_S = 86_400
INTERVALS_S = {
    "1h": 3_600,
    "6h": 6 * 3_600,
    "1d": _DAY_S,
    "1w": 7 * _DAY_S,
    "1m": 30 * _DAY_S,
    "max": 365 * _DAY_S,
    "all": 365 * _DAY_S,
}


class _Batch(msgspec.Struct):
    markets: list[str]
    start_ts: int | None = None
    end_ts: int | None = None
    interval: str | None = None
    fidelity: int = 1


_decode_batch = msgspec.json.Decoder(_Batch).decode


class HistoryRoutes:
    """`/prices-history`, and the same for many tokens at once."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._prices = PastPrices(venue)

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/prices-history", self.history),
            Route("/batch-prices-history", self.batch, methods=["POST"]),
        ]

    async def history(self, request: Request) -> Response:
        """Show prices of a token (`market` names it), ascending; unknown ones have none."""
        query = request.query_params
        span = self._span(query.get("interval"), query.get("startTs"), query.get("endTs"))
        fidelity = query.get("fidelity", "1")
        if span is None or not (fidelity.isascii() and fidelity.isdigit()):
            return failure(400, "Invalid filters")
        return JsonResponse({"history": self._rows(query.get("market", ""), span, int(fidelity))})

    async def batch(self, request: Request) -> Response:
        """Show prices of up to twenty tokens; unknown ones have none."""
        try:
            asked = _decode_batch(await request.body())
        except UNREADABLE:
            return failure(400, "Invalid payload")
        if len(asked.markets) > MAX_BATCH:
            return failure(400, "Payload exceeds the limit")
        span = self._span(asked.interval, _text(asked.start_ts), _text(asked.end_ts))
        if span is None or asked.fidelity < 0:
            return failure(400, "Invalid filters")
        rows = {token_id: self._rows(token_id, span, asked.fidelity) for token_id in asked.markets}
        return JsonResponse({"history": rows})

    def _rows(
        self, token_id: str, span: tuple[int, int], fidelity: int
    ) -> list[dict[str, int | float]]:
        market = self._venue.market_of_token(token_id)
        if market is None:
            return []
        is_first = market.token_ids.index(TokenId(token_id)) == 0
        start_s, end_s = span
        step_s = max(60 * fidelity, 60, (end_s - start_s) // MAX_POINTS + 1)
        return [
            {"t": at_s, "p": number(price if is_first else complement(price))}
            for at_s, price in self._prices.points(market, start_s, end_s, step_s)
        ]

    def _span(
        self, interval: str | None, start: str | None, end: str | None
    ) -> tuple[int, int] | None:
        now_s = self._venue.clock.now_ms() // 1_000
        if start is None and end is None:
            length = INTERVALS_S.get(interval or "max")
            return None if length is None else (now_s - length, now_s)
        if interval is not None:
            return None
        bounds = (start or "0", end or str(now_s))
        if not all(bound.isascii() and bound.isdigit() and len(bound) < 12 for bound in bounds):
            return None
        return int(bounds[0]), min(int(bounds[1]), now_s)


def _text(moment: int | None) -> str | None:
    return None if moment is None else str(moment)

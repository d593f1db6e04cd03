"""Price history: what this run has seen, and before that a past drawn from the market's name.

The past is a sum of smooth seeded waves of several lengths, shaped so that it ends where the
market began in this run and never leaves the grid of prices; the same market has the same past
every time it is asked, and on every run of one catalogue.
"""

import random
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.ids import TokenId
from pmtui.domain.money import ONE, Micros, complement
from pmtui.sim.catalogue.model import CatalogueMarket
from pmtui.sim.http_json import JsonResponse, failure
from pmtui.sim.market_rows import first_price, number
from pmtui.sim.venue import Venue
from pmtui.wire.errors import UNREADABLE

MAX_POINTS = 10_000
MAX_BATCH = 20
_DAY_S = 86_400
_INTERVALS_S = {
    "1h": 3_600,
    "6h": 6 * 3_600,
    "1d": _DAY_S,
    "1w": 7 * _DAY_S,
    "1m": 30 * _DAY_S,
    "max": 365 * _DAY_S,
    "all": 365 * _DAY_S,
}
_WAVES = (
    (40 * _DAY_S, 0.5),
    (9 * _DAY_S, 0.3),
    (2 * _DAY_S, 0.16),
    (6 * 3_600, 0.07),
    (1_800, 0.03),
)
"""Length in seconds, and size as a share of what the price leaves room for."""
_UNKNOWN_AGE_S = 90 * _DAY_S


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
        self._began_s = venue.clock.now_ms() // 1_000

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
            for at_s, price in self._points(market, start_s, end_s, step_s)
        ]

    def _span(
        self, interval: str | None, start: str | None, end: str | None
    ) -> tuple[int, int] | None:
        now_s = self._venue.clock.now_ms() // 1_000
        if start is None and end is None:
            length = _INTERVALS_S.get(interval or "max")
            return None if length is None else (now_s - length, now_s)
        if interval is not None:
            return None
        bounds = (start or "0", end or str(now_s))
        if not all(bound.isascii() and bound.isdigit() and len(bound) < 12 for bound in bounds):
            return None
        return int(bounds[0]), min(int(bounds[1]), now_s)

    def _points(
        self, market: CatalogueMarket, start_s: int, end_s: int, step_s: int
    ) -> Iterator[tuple[int, Micros]]:
        opened_s = self._began_s - _UNKNOWN_AGE_S
        if market.starts_at is not None:
            opened_s = int(market.starts_at.timestamp())
        seen = self._venue.records.price_points(market.condition_id)
        moments = [point.at_s for point in seen]
        first_s = -(-max(start_s, opened_s) // step_s) * step_s
        for at_s in range(first_s, end_s + 1, step_s):
            index = bisect_right(moments, at_s)
            if index:
                yield at_s, seen[index - 1].price
            elif at_s >= self._began_s:
                yield at_s, first_price(self._venue, market) if not seen else market.start_price
            else:
                yield at_s, past_price(market, at_s, began_s=self._began_s)


def _text(moment: int | None) -> str | None:
    return None if moment is None else str(moment)


def past_price(market: CatalogueMarket, at_s: int, *, began_s: int) -> Micros:
    """Return the price of a market's first token at a moment before this run."""
    drift = sum(
        size
        * (_wave(market.condition_id, length, at_s) - _wave(market.condition_id, length, began_s))
        for length, size in _WAVES
    )
    start = market.start_price
    # Prices near the ends have little room, so waves shrink there instead of being cut off.
    price = start + round(drift * min(start, ONE - start) * 0.8)
    tick = market.tick_size
    return Micros(min(max(price // tick * tick, tick), ONE - tick))


def _wave(name: str, length_s: int, at_s: int) -> float:
    # Values between the nodes of a lattice, eased so that no corner shows.
    node, offset = divmod(at_s, length_s)
    share = offset / length_s
    eased = share * share * (3 - 2 * share)
    before, after = _node(name, length_s, node), _node(name, length_s, node + 1)
    return before + (after - before) * eased


@lru_cache(maxsize=65_536)
def _node(name: str, length_s: int, node: int) -> float:
    return random.Random(f"{name}/{length_s}/{node}").uniform(-1, 1)

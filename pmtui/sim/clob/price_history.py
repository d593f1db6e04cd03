"""Price history of a market, for charts and for the price changes of lists.

Prices from this run take precedence; before that, a past is generated from the market's name: a sum
of smooth seeded waves of several lengths, bent so that it ends at the market's starting price in
this run and passes through the catalogue's prices of an hour, a day, a week and a month before. So
charts and lists agree, and a market has the same past on every run of one catalogue.
"""

import random
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.ids import MarketId, TokenId
from pmtui.domain.money import ONE, ZERO, Micros, complement
from pmtui.sim.catalogue.gamma import micros_of, moment_of
from pmtui.sim.catalogue.model import CatalogueMarket
from pmtui.sim.clob.markets import first_price, number
from pmtui.sim.http_json import JsonResponse, failure
from pmtui.sim.storage.records import POINT_S, PriceSeries
from pmtui.sim.venue import Venue
from pmtui.wire.bounds import UNREADABLE

_DAY_S = 86_400
_WAVES = (
    (40 * _DAY_S, 0.5),
    (9 * _DAY_S, 0.3),
    (2 * _DAY_S, 0.16),
    (6 * 3_600, 0.07),
    (1_800, 0.03),
)
"""Length in seconds, and size as a fraction of the room that the price leaves."""
NODES = 4_096
"""Nodes of waves that are cached: those of some charts, or of a page of a list."""
_UNKNOWN_AGE_S = 90 * _DAY_S
_ROOM = 0.8
"""The largest part of the way to the nearer end that all waves together may cover."""


class _Span(NamedTuple):
    length_s: int
    step_s: int
    """Seconds between two points of a usual chart of this length, at which changes are also read."""


_SPANS: Mapping[str, _Span] = {
    "oneHourPriceChange": _Span(3_600, 60),
    "oneDayPriceChange": _Span(_DAY_S, 300),
    "oneWeekPriceChange": _Span(7 * _DAY_S, 1_800),
    "oneMonthPriceChange": _Span(30 * _DAY_S, 10_800),
    "oneYearPriceChange": _Span(365 * _DAY_S, _DAY_S),
}
"""The fields of the metadata host, shortest first."""


class _Past(NamedTuple):
    level: float
    """Sum of the waves when the run began."""
    bends: tuple[tuple[int, int], ...]
    """Times, latest first, and the correction added to the waves there."""


class PastPrices:
    """Prices of the first tokens of a venue's markets, at any time up to now."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._began_s = venue.began_ms // 1_000
        self._opened: dict[MarketId, int] = {}
        self._pasts: dict[MarketId, _Past] = {}
        self._read: dict[tuple[MarketId, str], tuple[int, Micros]] = {}

    def points(
        self, market: CatalogueMarket, start_s: int, end_s: int, step_s: int
    ) -> Iterator[tuple[int, Micros]]:
        """Yield times and prices, oldest first, none from before the market opened."""
        seen = self._venue.records.prices(market.condition_id)
        for at_s in range(
            _on_grid(max(start_s, self._opened_s(market)), step_s), end_s + 1, step_s
        ):
            yield at_s, self._price(market, at_s, seen)

    def change(self, market: CatalogueMarket, field: str) -> Micros:
        """Return the price change over the time span of a metadata field."""
        seen = self._venue.records.prices(market.condition_id)
        now = first_price(self._venue, market) if seen.last is None else seen.last
        return Micros(now - self._price_before(market, field, seen))

    def _price_before(self, market: CatalogueMarket, field: str, seen: PriceSeries) -> Micros:
        now_s = self._venue.clock.now_ms() // 1_000
        at_s = self._first_s(market, _SPANS[field], now_s)
        # Times of observed prices are rounded down.
        if at_s > self._began_s - POINT_S:
            return self._price(market, at_s, seen)
        # Lists read the same point of a chart again and again.
        known = self._read.get((market.market_id, field))
        if known is None or known[0] != at_s:
            known = (at_s, self._made_up(market, at_s))
            self._read[market.market_id, field] = known
        return known[1]

    def _price(self, market: CatalogueMarket, at_s: int, seen: PriceSeries) -> Micros:
        known = seen.at(at_s)
        if known is not None:
            return known
        if at_s < self._began_s:
            return self._made_up(market, at_s)
        return market.start_price if seen else first_price(self._venue, market)

    def _opened_s(self, market: CatalogueMarket) -> int:
        opened_s = self._opened.get(market.market_id)
        if opened_s is None:
            if len(self._opened) > 2 * len(self._venue.catalogue.markets):
                # Most of these markets have ended and been removed.
                for known in (self._opened, self._pasts, self._read):
                    known.clear()
            # A game is traded long before it begins; only a window opens together with its subject.
            listed = None if market.is_window else moment_of(market.raw, "startDate")
            opened = listed or market.starts_at
            unknown_s = self._began_s - _UNKNOWN_AGE_S
            opened_s = unknown_s if opened is None else int(opened.timestamp())
            self._opened[market.market_id] = opened_s
        return opened_s

    def _first_s(self, market: CatalogueMarket, span: _Span, now_s: int) -> int:
        # The beginning of a chart of this length.
        return _on_grid(max(now_s - span.length_s, self._opened_s(market)), span.step_s)

    def _made_up(self, market: CatalogueMarket, at_s: int) -> Micros:
        past = self._pasts.get(market.market_id)
        if past is None:
            past = self._pasts[market.market_id] = self._past_of(market)
        return _on_ticks(market, _waved(market, at_s, past.level) + _bend(past.bends, at_s))

    def _past_of(self, market: CatalogueMarket) -> _Past:
        level = _waves(market.condition_id, self._began_s)
        bends = {self._began_s: 0}
        for field, span in _SPANS.items():
            change = micros_of(market.raw, field)
            if change is None and span.length_s == _DAY_S:
                # A row has no such field if nothing has changed.
                change = ZERO
            at_s = self._first_s(market, span, self._began_s)
            # The week-old price of a market younger than a week is its opening price.
            if change is not None and at_s < min(bends):
                price = _on_ticks(market, market.start_price - change)
                bends[at_s] = price - _waved(market, at_s, level)
        return _Past(level, tuple(bends.items()))


def _on_grid(at_s: int, step_s: int) -> int:
    return -(-at_s // step_s) * step_s


def _on_ticks(market: CatalogueMarket, price: int) -> Micros:
    # As far from the start as whole ticks go: the shown price is the midpoint of two quotes, which
    # is always on the price grid or half a tick beside it.
    start, tick = market.start_price, market.tick_size
    near = start + (price - start + tick // 2) // tick * tick
    lowest = start % tick or tick
    highest = ONE - ((ONE - start) % tick or tick)
    return Micros(min(max(near, lowest), highest))


def _waved(market: CatalogueMarket, at_s: int, level: float) -> int:
    start = market.start_price
    # Prices near the ends have little room, so waves shrink there instead of being clipped.
    room = min(start, ONE - start) * _ROOM
    return start + round((_waves(market.condition_id, at_s) - level) * room)


def _bend(bends: tuple[tuple[int, int], ...], at_s: int) -> int:
    later_s, later = bends[0]
    for earlier_s, earlier in bends[1:]:
        if at_s >= earlier_s:
            return earlier + (later - earlier) * (at_s - earlier_s) // (later_s - earlier_s)
        later_s, later = earlier_s, earlier
    return later


def _waves(name: str, at_s: int) -> float:
    return sum(size * _wave(name, length, at_s) for length, size in _WAVES)


def _wave(name: str, length_s: int, at_s: int) -> float:
    # Values between the nodes of a lattice, smoothed so that there are no corners.
    node, offset = divmod(at_s, length_s)
    share = offset / length_s
    eased = share * share * (3 - 2 * share)
    before, after = _node(name, length_s, node), _node(name, length_s, node + 1)
    return before + (after - before) * eased


@lru_cache(maxsize=NODES)
def _node(name: str, length_s: int, node: int) -> float:
    return random.Random(f"{name}/{length_s}/{node}").uniform(-1, 1)


MAX_POINTS = 10_000
MAX_BATCH = 20
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
    """`/prices-history`, and the batch route for many tokens."""

    def __init__(self, venue: Venue, prices: PastPrices) -> None:
        self._venue = venue
        self._prices = prices

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/prices-history", self.history),
            Route("/batch-prices-history", self.batch, methods=["POST"]),
        ]

    async def history(self, request: Request) -> Response:
        """Return prices of a token (in `market` or `token_id`), ascending; empty for unknown ones."""
        query = request.query_params
        span = self._span(query.get("interval"), query.get("startTs"), query.get("endTs"))
        fidelity = query.get("fidelity", "1")
        if span is None or not (fidelity.isascii() and fidelity.isdigit()):
            return failure(400, "Invalid filters")
        token_id = query.get("market", query.get("token_id", ""))
        return JsonResponse({"history": self._rows(token_id, span, int(fidelity))})

    async def batch(self, request: Request) -> Response:
        """Return prices of up to twenty tokens; empty for unknown ones."""
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

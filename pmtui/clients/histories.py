"""Price histories beyond the one of a single token's chart."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import final

import msgspec

from pmtui.clients.clob_requests import PublicRequests
from pmtui.clients.http.client import HttpHost
from pmtui.clients.routes_clob import Call, ClobRoutes
from pmtui.domain.answers import Failure
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.history import Interval, PricePoint
from pmtui.wire import clob as wire

_POINTS = 500
"""About how many points a chart can use."""


@final
class HistoryClient:
    """Histories of several tokens at once, and of one between two moments."""

    def __init__(self, host: HttpHost, routes: ClobRoutes) -> None:
        """Take the host and the dialect it speaks."""
        self._requests = PublicRequests(host, routes)
        self._routes = routes

    async def histories(
        self, token_ids: Sequence[TokenId], interval: Interval, *, fidelity_minutes: int
    ) -> dict[TokenId, tuple[PricePoint, ...]] | Failure:
        """Return several histories over one interval, each oldest first."""
        found: dict[TokenId, tuple[PricePoint, ...]] = {}
        step = self._routes.max_histories
        for start in range(0, len(token_ids), step):
            body = msgspec.json.encode(
                {
                    "markets": token_ids[start : start + step],
                    "interval": interval.value,
                    "fidelity": fidelity_minutes,
                }
            )
            part = await self._requests.read(
                Call.PRICES_HISTORIES, wire.decode_prices_histories, body=body
            )
            if isinstance(part, Failure):
                return part
            found |= part
        return found

    async def between(
        self, token_id: TokenId, start: datetime, end: datetime
    ) -> tuple[PricePoint, ...] | Failure:
        """Return the price of a token between two moments, oldest first."""
        minutes = max(1, (end - start) // timedelta(minutes=_POINTS))
        query = (
            ("market", token_id),
            ("startTs", str(int(start.timestamp()))),
            ("endTs", str(int(end.timestamp()))),
            ("fidelity", str(minutes)),
        )
        answer = await self._requests.read(
            Call.PRICES_HISTORY, wire.decode_prices_history, query=query
        )
        return answer if isinstance(answer, Failure) else answer.items

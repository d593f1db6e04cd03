"""Which answers a recording holds beside the stream, so that a terminal finds its way in a replay."""

from collections.abc import Callable
from typing import NamedTuple

from pmtui.clients.http.client import HttpHost
from pmtui.clients.http.rate_limits import METADATA_LIMITS, RateGate, analytics_limits, clob_limits
from pmtui.clients.routes import ANALYTICS_ROUTES, METADATA_ROUTES, ROUTES, Call
from pmtui.config.endpoints import Dialect, Endpoints
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import ConditionId, EventId, TokenId
from pmtui.domain.markets.history import Interval
from pmtui.domain.markets.market import Market
from pmtui.recording.writer import AnswerRow
from pmtui.wire import clob as wire
from pmtui.wire.bounds import WireError
from pmtui.wire.gamma import decode_markets

TRADES = 500
"""Of each market, before the recording begins."""
_FIDELITY = {Interval.DAY: 5, Interval.MAX: 1440}

Keep = Callable[[AnswerRow], None]


class RecordedMarket(NamedTuple):
    """A market that is recorded: both of its tokens, whichever was named."""

    condition_id: ConditionId
    token_ids: tuple[TokenId, ...]
    event_id: EventId | None
    title: str


class RecordedReads:
    """Reads of the three public hosts, each kept unchanged as it is answered."""

    def __init__(
        self, endpoints: Endpoints, dialect: Dialect, *, now_us: Callable[[], int]
    ) -> None:
        """Prepare to read.

        Args:
            endpoints: of the profile.
            dialect: how the hosts are spoken to.
            now_us: microseconds since the recording began.
        """
        self._clob_routes = ROUTES[dialect]
        self._gamma_routes = METADATA_ROUTES[dialect]
        self._data_routes = ANALYTICS_ROUTES[dialect]
        self._now_us = now_us
        self._hosts = {
            "clob": HttpHost(endpoints.clob, gate=RateGate(clob_limits(self._clob_routes))),
            "gamma": HttpHost(endpoints.gamma, gate=RateGate(METADATA_LIMITS)),
            "data": HttpHost(endpoints.data, gate=RateGate(analytics_limits(dialect))),
        }
        self._keep: Keep = lambda _row: None
        self.failed: list[str] = []
        """Reads that brought no answer, in words."""

    def keep_in(self, keep: Keep) -> None:
        """Hand every answer from now on to this."""
        self._keep = keep

    async def find_market(self, token_id: TokenId) -> RecordedMarket | Failure:
        """Return a token's market with all that names it."""
        path, query = self._clob_routes.route(Call.MARKET_OF_TOKEN).with_id(token_id)
        body = await self._read("clob", path, *query)
        if isinstance(body, Failure):
            return body
        try:
            found = wire.decode_market_of_token(body)
        except WireError as error:
            return Failure(FailureKind.SERVER, f"GET {path}", str(error))
        listed = await self._listed(found.condition_id)
        return RecordedMarket(
            found.condition_id,
            found.token_ids,
            None if listed is None else listed.event_id,
            "" if listed is None else listed.distinct_name,
        )

    async def read_market(self, market: RecordedMarket) -> None:
        """Read what a terminal asks when a market is opened."""
        condition_id = market.condition_id
        if market.event_id:
            await self._read("gamma", self._gamma_routes.event.format(id=market.event_id))
        path, query = self._clob_routes.route(Call.MARKET_TERMS).with_id(condition_id)
        await self._read("clob", path, *query)
        about = (self._data_routes.market_key, condition_id)
        await self._read("data", self._data_routes.trades.path, about, ("limit", str(TRADES)))
        for token_id in market.token_ids:
            for interval, minutes in _FIDELITY.items():
                await self._read(
                    "clob",
                    self._clob_routes.route(Call.PRICES_HISTORY).path,
                    ("market", token_id),
                    ("interval", interval.value),
                    ("fidelity", str(minutes)),
                )

    async def read_books(self, market: RecordedMarket) -> None:
        """Read the books as the trading host has them now."""
        for token_id in market.token_ids:
            await self._read(
                "clob", self._clob_routes.route(Call.BOOK).path, ("token_id", token_id)
            )

    async def close(self) -> None:
        """Close every connection."""
        for host in self._hosts.values():
            await host.aclose()

    async def _listed(self, condition_id: ConditionId) -> Market | None:
        for closed in ("false", "true"):
            body = await self._read(
                "gamma",
                self._gamma_routes.markets,
                ("condition_ids", condition_id),
                ("closed", closed),
            )
            if isinstance(body, Failure):
                return None
            try:
                rows = decode_markets(body)
            except WireError:
                return None
            for market in rows.items:
                if market.condition_id == condition_id:
                    return market
        return None

    async def _read(self, host: str, path: str, *query: tuple[str, str]) -> bytes | Failure:
        body = await self._hosts[host].read(path, query=query)
        if isinstance(body, Failure):
            self.failed.append(str(body))
        else:
            self._keep(AnswerRow(self._now_us(), host, path, body.decode(errors="replace"), query))
        return body

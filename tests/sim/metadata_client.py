"""Asks the metadata routes in process, without a socket."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import httpx
from starlette.applications import Starlette
from typing_extensions import override

from pmtui.sim.catalogue.model import Catalogue, CatalogueMarket
from pmtui.sim.gamma.app import metadata_routes
from pmtui.sim.gamma.rows import LiveMarket, LiveNumbers
from tests import loopback_http


class CatalogueNumbers(LiveNumbers):
    """Numbers that stand still: every row is as the catalogue has it."""

    def __init__(self, now: datetime) -> None:
        self._now = now

    @override
    def now(self) -> datetime:
        return self._now

    @override
    def market(self, market: CatalogueMarket) -> LiveMarket | None:
        return None


class MetadataClient:
    """A client of one metadata host."""

    def __init__(self, catalogue: Catalogue, live: LiveNumbers) -> None:
        self._app = Starlette(routes=metadata_routes(catalogue, live))

    def get(
        self, path: str, params: Mapping[str, str | Sequence[str]] | None = None
    ) -> httpx.Response:
        """Ask once and return the whole answer."""
        return asyncio.run(self._get(path, params))

    def read(self, path: str, **params: object) -> Any:
        """Ask for something that is there, and return what was answered."""
        answer = self.get(path, params={key: str(value) for key, value in params.items()})
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def _get(
        self, path: str, params: Mapping[str, str | Sequence[str]] | None
    ) -> httpx.Response:
        transport = httpx.ASGITransport(app=self._app)
        async with loopback_http.async_client(
            transport=transport, base_url="http://metadata"
        ) as client:
            return await client.get(path, params=params)

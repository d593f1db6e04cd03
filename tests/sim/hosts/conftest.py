"""The small venue for the tests of its hosts."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from pmtui.sim.run import RunningVenue
from tests.sim.kit import Person, http_client, small_venue


@pytest.fixture(scope="module")
def library() -> Any:
    """The service's own Python client."""
    # Imported late: it opens an HTTP client that reads the environment's proxies as it loads.
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            patch.delenv(name, raising=False)
            patch.delenv(name.lower(), raising=False)
        import py_clob_client_v2  # noqa: PLC0415  see above

        return py_clob_client_v2


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[RunningVenue]:
    async with small_venue(tmp_path) as venue:
        yield venue


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with http_client() as client:
        yield client


@pytest.fixture
async def ann(running: RunningVenue, http: httpx.AsyncClient) -> Person:
    return await Person(running, http, key=0).arrive()


@pytest.fixture
async def bob(running: RunningVenue, http: httpx.AsyncClient) -> Person:
    return await Person(running, http, key=1).arrive()

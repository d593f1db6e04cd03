"""The small venue for the tests of its hosts."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from pmtui.sim.run import RunningVenue
from tests.sim.kit import Person, http_client, small_venue


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

"""The HTTP service over a real socket, with answers that are given."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import httpx

from pmtui.agent.http_app import Diagnosis, make_app
from pmtui.agent.tools import Toolbox
from pmtui.cli.agent.http_server import bind, serve
from pmtui.domain.account.position import Position
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.directory import HitKind, SearchHit
from pmtui.domain.money import Micros
from tests import loopback_http
from tests.agent.ports import ANSWERS, TOKEN, FakePort

WALLET = "0x" + "11" * 20
POSITION = Position(
    TokenId(TOKEN), ConditionId("0xab"), "Rain", "Yes", Micros(1), Micros(1), None, Micros(0)
)
FULL = FakePort(
    {**ANSWERS, "search": (SearchHit(HitKind.EVENT, "Rain"),), "positions": (POSITION,)}
)
DIAGNOSIS = Diagnosis("0", "paper", "seed", True, False, ("service.health",))
VALUES: dict[str, str] = {"q": "rain", "user": WALLET, "token_id": TOKEN, "limit": "3"}
SIX = [
    "/health",
    "/diag",
    "/discover/search",
    "/data/positions",
    "/orderbook/{token_id}",
    "/marketdata/snapshot",
]


@asynccontextmanager
async def served(
    port: FakePort = FULL, *, accepts_token: Callable[[str], bool] | None = None
) -> AsyncIterator[httpx.AsyncClient]:
    listening, stop, up = bind(0), asyncio.Event(), asyncio.Event()
    number = listening.getsockname()[1]
    toolbox = Toolbox(port, version="0")
    app = make_app(toolbox, DIAGNOSIS, port=number, accepts_token=accepts_token)
    task = asyncio.create_task(serve(app, listening, report_ready=up.set, stop=stop))
    await up.wait()
    url = f"http://127.0.0.1:{number}"
    async with loopback_http.async_client(base_url=url) as client:
        yield client
    stop.set()
    await task

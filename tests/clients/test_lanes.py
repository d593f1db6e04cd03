"""Orders, cancels and reads of one account travel apart, so that none waits for another."""

import asyncio
from dataclasses import dataclass

import pytest

from pmtui.clients.account import AccountClient, Lanes
from pmtui.clients.clob_requests import Account, ServerClock
from pmtui.clients.http.client import HttpHost
from pmtui.domain.account.keys import SignatureType
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import OrderId
from pmtui.domain.orders.order import BalanceAllowance, CancelResult
from pmtui.reads.trading_routes import LIVE_ROUTES
from tests.clients.account_kit import CREDENTIALS, EMPTY_CANCEL, NOW, SIGNER
from tests.clients.raw_server import Call, RawServer, serving

BALANCE = b'{"balance":"7","allowances":{}}'


async def _no_time() -> Failure:
    return Failure(FailureKind.UNREACHABLE, "GET /time", "none")


@dataclass
class Stalling:
    """Answers everything but posted orders."""

    stalled: asyncio.Event

    async def __call__(self, call: Call) -> None:
        if call.line.startswith("POST"):
            self.stalled.set()
            await asyncio.Event().wait()
        elif call.line.startswith("DELETE"):
            await call.answer(EMPTY_CANCEL)
        else:
            await call.answer(b"1790000100" if "/time" in call.line else BALANCE)


def client_of(server: RawServer, *, deadline_s: float = 5.0) -> AccountClient:
    reads = server.host()
    lanes = Lanes(reads, orders=reads.lane(total_s=deadline_s), cancels=reads.lane())
    server.hosts += [lanes.orders, lanes.cancels]
    account = Account(SIGNER.address, SIGNER.address, SignatureType.DEPOSIT_WALLET, CREDENTIALS)
    return AccountClient(
        lanes, LIVE_ROUTES, account=account, clock=ServerClock(lambda: NOW, _no_time)
    )


def sources(server: RawServer, method: str) -> set[object]:
    """Return the ports that requests of a method came from: one for each connection."""
    return {
        call.writer.get_extra_info("peername")
        for call in server.calls
        if call.line.startswith(method)
    }


async def test_a_cancel_and_a_read_do_not_wait_for_a_stalled_order() -> None:
    stalled = asyncio.Event()
    async with serving(Stalling(stalled)) as server, asyncio.timeout(60):
        client = client_of(server)
        posting = asyncio.ensure_future(client.post_order(b"{}"))
        await stalled.wait()
        assert isinstance(await client.cancel((OrderId("0x1"),)), CancelResult)
        assert isinstance(await client.balance(), BalanceAllowance)
        assert not posting.done()
        posting.cancel()
        ports = [sources(server, method) for method in ("POST", "DELETE", "GET")]
        assert len(set.union(*ports)) == 3


async def test_an_order_without_an_answer_is_given_up_at_its_deadline_as_lost() -> None:
    async with serving(Stalling(asyncio.Event())) as server:
        answer = await client_of(server, deadline_s=0.2).post_order(b"{}")
        assert isinstance(answer, Failure)
        assert answer.kind is FailureKind.LOST


async def test_a_warm_lane_carries_the_order_as_its_next_request() -> None:
    async def answer(call: Call) -> None:
        is_cancel = call.line.startswith("DELETE")
        posted = b'{"success":true,"errorMsg":"","orderID":"0xa","status":"live"}'
        await call.answer(EMPTY_CANCEL if is_cancel else posted)

    async with serving(answer) as server:
        client = client_of(server)
        await client.keep_warm()
        assert len(server.calls) == 2
        await client.post_order(b"{}")
        await client.cancel((OrderId("0x1"),))
        assert [line.split("?")[0].split(" ")[0] for line in server.lines] == [
            "GET",
            "GET",
            "POST",
            "DELETE",
        ]
        assert sources(server, "POST") | sources(server, "DELETE") == sources(server, "GET")


@pytest.mark.parametrize("takes_back", [True, False])
async def test_an_order_that_is_given_up_never_leaves_later(takes_back: bool) -> None:
    """A reset in place of an orderly end is what makes the machine forget unsent bytes."""
    ended: asyncio.Future[bytes | None] = asyncio.get_running_loop().create_future()
    arrived = asyncio.Event()

    async def on_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        arrived.set()
        try:
            ended.set_result(await reader.read())
        except ConnectionResetError:
            ended.set_result(None)
        finally:
            writer.transport.abort()

    server = await asyncio.start_server(on_connection, "127.0.0.1", 0)
    host = HttpHost(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    lane = host.lane(takes_back=takes_back)
    async with server, asyncio.timeout(60):
        posting = asyncio.ensure_future(lane.send("POST", "/order", body=b""))
        await arrived.wait()
        posting.cancel()
        is_reset = await ended is None
    assert is_reset is takes_back
    await lane.aclose()

"""What a refusal may say about our clock, and that nothing but a read is ever asked twice."""

from datetime import datetime, timedelta

import pytest

from pmtui.clients.account import create_or_derive
from pmtui.clients.clob_requests import ServerClock, SignedRequests
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import OrderId
from pmtui.reads.trading_routes import LIVE_ROUTES, RouteName
from pmtui.signing.auth import ApiCredentials
from pmtui.wire.clob_account import decode_api_keys
from tests.clients.account_kit import NOW, SIGNER, account_client, is_signed
from tests.clients.raw_server import Call as Request
from tests.clients.raw_server import answering, serving

AHEAD = timedelta(seconds=700)
UNAUTHORIZED = b'{"error":"Unauthorized/Invalid api key"}'


class Wall:
    """The host's clock, which counts how often it is looked at."""

    def __init__(self, ahead: timedelta = AHEAD) -> None:
        self.looks = 0
        self.ahead = ahead

    async def read(self) -> datetime | Failure:
        self.looks += 1
        return NOW + self.ahead


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (UNAUTHORIZED, "401 Unauthorized"),
        (b'{"error":"invalid signature"}', "400 Bad Request"),
        (b'{"error":"Invalid order timestamp"}', "400 Bad Request"),
    ],
)
async def test_an_order_refused_for_its_time_is_not_sent_again_and_the_next_is_right(
    body: bytes, status: str
) -> None:
    wall = Wall()
    taken = answering(b'{"success":true,"errorMsg":"","orderID":"0xa","status":"live"}')
    async with serving(answering(body, status=status), taken) as server:
        client = account_client(server.host(), read_time=wall.read)
        refused = await client.post_order(b"{}")
        assert isinstance(refused, Failure)
        assert (refused.kind, refused.may_have_happened) == (FailureKind.REFUSED, False)
        assert (len(server.calls), wall.looks) == (1, 1)
        assert not isinstance(await client.post_order(b"{}"), Failure)
        assert wall.looks == 1
        late, right = (int(call.headers["poly_timestamp"]) for call in server.calls)
        assert right - late >= 699
        assert all(is_signed(call) for call in server.calls)


async def test_cancels_and_heartbeats_are_not_sent_again_either() -> None:
    async with serving(answering(UNAUTHORIZED, status="401 Unauthorized")) as server:
        client = account_client(server.host(), read_time=Wall().read)
        assert isinstance(await client.cancel((OrderId("0x1"),)), Failure)
        assert isinstance(await client.cancel_all(), Failure)
        assert len(server.calls) == 2


async def test_a_refusal_for_another_reason_leaves_the_clock_alone() -> None:
    wall = Wall()
    refused = answering(b'{"error":"not enough balance / allowance"}', status="400 Bad Request")
    async with serving(refused) as server:
        assert isinstance(
            await account_client(server.host(), read_time=wall.read).post_order(b"{}"), Failure
        )
        assert wall.looks == 0


async def test_a_read_refused_with_the_right_time_is_asked_once() -> None:
    wall = Wall(timedelta(0))
    async with serving(answering(UNAUTHORIZED, status="401 Unauthorized")) as server:
        client = account_client(server.host(), read_time=wall.read)
        assert isinstance(await client.api_keys(), Failure)
        assert (len(server.calls), wall.looks) == (1, 1)


async def test_a_retried_read_is_signed_anew() -> None:
    moments = [NOW, NOW + timedelta(seconds=9)]

    async def no_time() -> datetime | Failure:
        return NOW

    failing = answering(b"", status="503 Service Unavailable")
    async with serving(failing, answering(b'{"apiKeys":[]}')) as server:
        account = account_client(server.host()).requests.account
        clock = ServerClock(lambda: moments.pop(0) if len(moments) > 1 else moments[0], no_time)
        requests = SignedRequests(server.host(), LIVE_ROUTES, account=account, clock=clock)
        assert await requests.read(RouteName.API_KEYS, decode_api_keys) == ()
        stamps = [int(call.headers["poly_timestamp"]) for call in server.calls]
        assert stamps == [1_790_000_100, 1_790_000_109]
        assert all(is_signed(call) for call in server.calls)


async def test_credentials_refused_for_their_time_are_fetched_with_the_right_one() -> None:
    async def strict(call: Request) -> None:
        if int(call.headers["poly_timestamp"]) < 1_790_000_700:
            await call.answer(b'{"error":"Invalid L1 Request headers"}', status="401 Unauthorized")
        else:
            await call.answer(b'{"apiKey":"k","secret":"c2hhcmVk","passphrase":"p"}')

    async with serving(strict) as server:
        found = await create_or_derive(
            server.host(),
            LIVE_ROUTES,
            signer=SIGNER,
            clock=ServerClock(lambda: NOW, Wall().read),
        )
        assert isinstance(found, ApiCredentials)
        assert len(server.calls) == 2

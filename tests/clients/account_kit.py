"""An account on a raw server: its key, its client, and whether a request is signed."""

import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

from pmtui.clients.account import AccountClient
from pmtui.clients.clob_requests import Account, ServerClock
from pmtui.clients.http.client import HttpHost
from pmtui.domain.account.keys import SignatureType
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import ApiKey
from pmtui.reads.trading_routes import LIVE_ROUTES, ClobRoutes
from pmtui.signing.auth import ApiCredentials, RequestSigner
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from tests.clients.raw_server import Call

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "clob.json").read_bytes())
SIGNER = Signer(Secret.from_hex(VECTORS["orders"][0]["inputs"]["privateKey"]))
CREDENTIALS = ApiCredentials(
    ApiKey("6f1c2a34-9a0b-4c7d-8e1f-0a1b2c3d4e5f"),
    secret=Secret.from_text("c2hhcmVkLXNlY3JldC1zaGFyZWQtc2VjcmV0LTAwMDE="),
    passphrase=Secret.from_text("0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0"),
)
NOW = datetime.fromtimestamp(1_790_000_100, UTC)
EMPTY_CANCEL = b'{"canceled":[],"not_canceled":{}}'


async def no_time() -> datetime | Failure:
    return Failure(FailureKind.UNREACHABLE, "GET /time", "none")


def account_client(
    host: HttpHost,
    routes: ClobRoutes = LIVE_ROUTES,
    *,
    read_time: Callable[[], Awaitable[datetime | Failure]] = no_time,
) -> AccountClient:
    account = Account(SIGNER.address, SIGNER.address, SignatureType.DEPOSIT_WALLET, CREDENTIALS)
    return AccountClient(host, routes, account=account, clock=ServerClock(lambda: NOW, read_time))


def is_signed(call: Call) -> bool:
    """Whether a request's HMAC covers what arrived."""
    method, target, _ = call.line.split(" ")
    headers = {name.upper(): value for name, value in call.headers.items()}
    verifier = RequestSigner(CREDENTIALS)
    return verifier.verify(headers, method=method, path=target.split("?")[0], body=call.body)

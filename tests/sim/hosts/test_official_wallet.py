"""The service's own unified library, unmodified, makes a wallet, approves, splits, merges and redeems here.

Its pins are not ours, so it is installed into an environment of its own, from whatever package index this
machine is set up for; without one the test is skipped.
"""

import asyncio
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pmtui.clients.http.client import HttpHost
from pmtui.clients.relayer import RelayerClient, mint_relayer_key
from pmtui.domain.answers import Failure
from pmtui.signing.auth import sign_in
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.signing.wallet import derive_wallets
from pmtui.sim.admin_token import operator_headers
from tests.sim.kit import KEYS, http_client
from tests.sim.process import VenueProcess, venue_process

pytestmark = pytest.mark.slow

LIBRARY = "polymarket-client==0.14.0"
PROGRAM = Path(__file__).with_name("official_wallet.py")
INSTALL_S = 400
RUN_S = 120


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an interpreter that has the library."""
    folder = tmp_path_factory.mktemp("official")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True, timeout=INSTALL_S)
    found = folder / "bin" / "python"
    try:
        installed = subprocess.run(
            [found, "-m", "pip", "install", "-q", "--disable-pip-version-check", LIBRARY],
            capture_output=True, text=True, timeout=INSTALL_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        pytest.skip(f"{LIBRARY} takes too long to install here")
    if installed.returncode:
        pytest.skip(f"{LIBRARY} cannot be installed here")
    return found


async def relayer_key(venue: VenueProcess, owner: Signer) -> str:
    def sign(nonce: str) -> str:
        issued = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")  # noqa: TID251 - the venue's process runs on the machine's clock
        return sign_in(owner, nonce=nonce, issued_at=issued, expiration_time=None).authorization

    metadata, relayer = HttpHost(venue.urls["gamma"]), HttpHost(venue.urls["relayer"])
    key = await mint_relayer_key(metadata, RelayerClient(relayer), sign)
    await metadata.aclose()
    await relayer.aclose()
    assert not isinstance(key, Failure)
    return key.api_key


async def some_market(venue: VenueProcess) -> str:
    async with http_client() as http:
        answer = await http.get(venue.urls["gamma"] + "/markets?limit=50&closed=false")
    rows: list[dict[str, Any]] = answer.json()
    return next(str(r["conditionId"]) for r in rows if r.get("version") and r["acceptingOrders"])


async def request_for(venue: VenueProcess, owner: Signer) -> str:
    """Return what the program is to do, as it reads it."""
    asked = {
        "urls": venue.urls,
        "key": KEYS[0],
        "owner": owner.address,
        "relayer_key": await relayer_key(venue, owner),
        "condition": await some_market(venue),
        "operator": operator_headers(venue.admin_token),
    }
    return json.dumps(asked)


def test_the_official_library_comes_from_a_bare_key_to_cash_again(python: Path) -> None:
    owner = Signer(Secret.from_hex(KEYS[0]))
    with venue_process("--port", "0", "--seed", "7", "--speed", "20") as venue:
        asked = asyncio.run(request_for(venue, owner))
        ran = subprocess.run(
            [python, PROGRAM], input=asked, text=True, capture_output=True,
            timeout=RUN_S, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        seen = json.loads(ran.stdout)
        wallet = derive_wallets(owner.address).deposit_beacon
        assert seen["wallet"] == wallet
        assert {"split", "merge", "redeem"} < set(seen)
        ledger = venue.operate("GET", f"/ledger/{wallet}")
        assert (ledger["collateral"], ledger["shares"], ledger["is_whole"]) == ("100", {}, True)

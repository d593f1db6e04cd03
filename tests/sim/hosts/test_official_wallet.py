"""The service's own libraries, unmodified, make a wallet, approve, split, merge and redeem here.

Their pins are not ours, so they are installed into an environment of their own, from whatever package index this
machine is set up for; without one the tests are skipped.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pmtui.clients.http.client import HttpHost
from pmtui.clients.relayer import RelayerClient
from pmtui.domain.account.wallet_transactions import MAX_UINT256
from pmtui.domain.answers import Failure
from pmtui.domain.ids import ConditionId
from pmtui.service.clock import SystemClock
from pmtui.signing import wallet_calls
from pmtui.signing.contracts import POLYGON
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.signing.wallet import derive_wallets
from pmtui.sim.admin_token import operator_headers
from tests.clients.relayer_key import mint_relayer_key
from tests.signing.kit import sign_in
from tests.sim.kit import KEYS, http_client
from tests.sim.process import VenueProcess, venue_process
from tests.sim.remote import remote_person

pytestmark = pytest.mark.slow

LIBRARIES = (
    "polymarket-client==0.14.0",
    "py-builder-relayer-client==0.0.3",
    # The library before imports it and does not name it among what it needs.
    "poly-eip712-structs",
)
FOLDER = Path(__file__).parent
INSTALL_S = 400
RUN_S = 120
DEADLINE_S = 600


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Path:
    """An interpreter that has the libraries, made with our own pip; without them tests are skipped.

    It is made once for these pins and kept with what pytest keeps from run to run.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    kept = tmp_path_factory.getbasetemp()
    if pytestconfig.pluginmanager.has_plugin("cacheprovider"):
        kept = pytestconfig.cache.mkdir("official")
    place = kept / " ".join((version, *LIBRARIES))
    if (place / "bin" / "python").exists():
        return place / "bin" / "python"
    # Its interpreter is a link, which may lead nowhere by now.
    shutil.rmtree(place, ignore_errors=True)
    made = _with_libraries(tmp_path_factory.mktemp("official"))
    # Whole or not at all, and another worker may have been faster.
    mine = place.with_name(f"{os.getpid()}")
    shutil.move(made, mine)
    try:
        mine.rename(place)
    except OSError:
        shutil.rmtree(mine)
    return place / "bin" / "python"


def _with_libraries(folder: Path) -> Path:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    found = folder / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", found)
    try:
        installed = subprocess.run(
            [*pip, "install", "-q", "--no-compile", *LIBRARIES],
            capture_output=True, text=True, timeout=INSTALL_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        pytest.skip("the libraries take too long to install here")
    if installed.returncode:
        pytest.skip("the libraries cannot be installed here")
    return folder


def run_program(python: Path, program: str, asked: str) -> Any:
    """Run one of the programs beside this file; returns what it has seen."""
    ran = subprocess.run(
        [python, FOLDER / program], input=asked, text=True, capture_output=True,
        timeout=RUN_S, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


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


def test_the_unified_library_comes_from_a_bare_key_to_cash_again(python: Path) -> None:
    owner = Signer(Secret.from_hex(KEYS[0]))
    with venue_process("--port", "0", "--seed", "7", "--speed", "20") as venue:
        seen = run_program(python, "official_wallet.py", asyncio.run(request_for(venue, owner)))
        wallet = derive_wallets(owner.address).deposit_beacon
        assert seen["wallet"] == wallet
        assert {"split", "merge", "redeem"} < set(seen)
        ledger = venue.operate("GET", f"/ledger/{wallet}")
        assert (ledger["collateral"], ledger["shares"], ledger["is_whole"]) == ("100", {}, True)


async def builder_key(venue: VenueProcess) -> dict[str, str]:
    """Return a builder's key: the older library knows no other way to submit."""
    async with http_client() as http:
        person = await remote_person(venue, http)
        person.use((await person.create_key()).json())
        made: dict[str, str] = (await person.call("POST", "/auth/builder-api-key")).json()
    return {name: made[name] for name in ("key", "secret", "passphrase")}


def batches(condition: ConditionId) -> dict[str, list[dict[str, str]]]:
    """Return the calls of each step; the library leaves writing them to its caller."""
    adapter = POLYGON.collateral_adapter
    calls = {
        "approve": [
            wallet_calls.approve(POLYGON.collateral, adapter, MAX_UINT256),
            wallet_calls.set_operator(POLYGON.conditional_tokens, adapter, is_approved=True),
        ],
        "split": [wallet_calls.split(condition, 40_000_000, neg_risk=False)],
        "merge": [wallet_calls.merge(condition, 10_000_000, neg_risk=False)],
        "redeem": [wallet_calls.redeem(condition, neg_risk=False)],
    }
    return {
        name: [{"target": c.target, "value": "0", "data": "0x" + c.data.hex()} for c in those]
        for name, those in calls.items()
    }


async def regular_market(venue: VenueProcess) -> ConditionId:
    async with http_client() as http:
        answer = await http.get(venue.urls["gamma"] + "/markets?limit=50&closed=false")
    rows: list[dict[str, Any]] = answer.json()
    return next(
        ConditionId(r["conditionId"])
        for r in rows
        if r.get("acceptingOrders") and not r.get("negRisk") and r.get("clobTokenIds")
    )


def test_the_relayers_library_comes_from_a_bare_key_to_cash_again(python: Path) -> None:
    owner = Signer(Secret.from_hex(KEYS[0]))
    with venue_process("--port", "0", "--seed", "7", "--speed", "20") as venue:
        condition = asyncio.run(regular_market(venue))
        asked = {
            "urls": venue.urls,
            "key": KEYS[0],
            "owner": owner.address,
            "builder": asyncio.run(builder_key(venue)),
            "condition": condition,
            "deadline": f"{SystemClock().now().timestamp() + DEADLINE_S:.0f}",
            "operator": operator_headers(venue.admin_token),
            "batches": batches(condition),
        }
        seen = run_program(python, "official_relayer.py", json.dumps(asked))
        wallet = derive_wallets(owner.address).deposit_beacon
        assert (seen["wallet"], seen["before"], seen["after"]) == (wallet, False, True)
        states = {seen[name] for name in ("deploy", *asked["batches"])}
        assert states <= {"STATE_MINED", "STATE_CONFIRMED"}
        ledger = venue.operate("GET", f"/ledger/{wallet}")
        assert (ledger["collateral"], ledger["shares"], ledger["is_whole"]) == ("100", {}, True)

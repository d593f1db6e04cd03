"""A relayer key that the trader has: pasted outside the screen, seen nowhere, used for a batch."""

from pathlib import Path

import pytest

from pmtui.service.clock import SystemClock
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from tests import loopback_http
from tests.journeys import test_accounts, trader
from tests.journeys.conftest import Start
from tests.journeys.keystores import store_key
from tests.journeys.test_accounts import KEY, PASSPHRASE, PROFILE, answer_prompt
from tests.journeys.test_wallet import CHAIN_DEADLINE_S, open_account, sign
from tests.journeys.venue import PaperVenue
from tests.signing.kit import sign_in

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]

venue = test_accounts.venue
PROMPT = "Relayer key: "


def minted(venue: PaperVenue) -> str:
    """Make a relayer key as the venue's website does, in another program."""
    signer = Signer(Secret.from_hex(KEY))
    with loopback_http.client() as http:
        nonce = http.get(f"{venue.urls['gamma']}/nonce").json()["nonce"]
        now = SystemClock().now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
        signed = sign_in(signer, nonce=nonce, issued_at=now, expiration_time=None)
        headers = {"Authorization": signed.authorization}
        http.get(f"{venue.urls['gamma']}/login", headers=headers).raise_for_status()
        cookies = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
        answer = http.post(
            f"{venue.urls['relayer']}/relayer/api/auth", json={}, headers={"Cookie": cookies}
        )
        key: str = answer.raise_for_status().json()["apiKey"]
        return key


@pytest.mark.parametrize("way", [(), ("attach",)])
def test_a_pasted_key_is_seen_nowhere_and_submits(
    start: Start, home: Path, venue: PaperVenue, way: tuple[str, ...]
) -> None:
    store_key(home, PROFILE, KEY, PASSPHRASE)
    key = minted(venue)
    terminal = start("--profile", PROFILE, *way)
    answer_prompt(terminal, PASSPHRASE)
    trader.wait_for_markets(terminal)
    open_account(terminal)
    terminal.until(lambda: terminal.row_with("Relayer key", "none yet"), "the line")
    for number, given in enumerate(("0198f3a1-of-nobody", key), 1):
        terminal.press("I")
        terminal.until(lambda n=number: terminal.output.count(PROMPT.encode()) == n, "the prompt")  # type: ignore[misc]
        terminal.type(f"{given}\r")
        terminal.until(lambda: terminal.row_with("Step", "What is known"), "the account again")
        said = "the relayer refuses this key" if number == 1 else "The relayer key is kept"
        terminal.until_text(said)
    terminal.until(lambda: terminal.row_with("Relayer key", "present"), "the key")
    terminal.press("s")
    terminal.until_text("Send cash")
    recipient = Signer(Secret.from_hex("5d" * 32)).address
    for text in (recipient, recipient, "1"):
        terminal.type(text)
        terminal.press("tab")
    terminal.press("enter")
    sign(terminal, "Send $1", badge="LIVE")
    terminal.until_text("Confirmed: Send", deadline_s=CHAIN_DEADLINE_S)
    assert key.encode() not in terminal.output
    kept = [
        path for path in home.rglob("*") if path.is_file() and key.encode() in path.read_bytes()
    ]
    assert [path.name for path in kept] == ["relayer-key.json"]

"""The account screen in a real terminal: on paper, without a key, and with one that stays unseen."""

import base64
import re
from pathlib import Path

import pytest

from pmtui.signing.auth import auth_headers
from pmtui.signing.contracts import POLYGON_CHAIN_ID
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from tests import loopback_http
from tests.journeys import test_accounts, trader
from tests.journeys.conftest import Start
from tests.journeys.keystores import store_key
from tests.journeys.terminal import Terminal
from tests.journeys.test_accounts import KEY, PASSPHRASE, PROFILE, answer_prompt
from tests.journeys.venue import PaperVenue

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]

venue = test_accounts.venue
_COPIED = re.compile(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)")
MOST_LINES = 24


def copied(terminal: Terminal) -> list[str]:
    """Return what the clipboard was given, one after the other."""
    return [base64.b64decode(text).decode() for text in _COPIED.findall(bytes(terminal.output))]


def open_account(terminal: Terminal) -> None:
    trader.wait_for_markets(terminal)
    terminal.press("a")
    terminal.until(lambda: terminal.row_with("Step", "What is known"), "the account")


def wait_until_done(terminal: Terminal) -> None:
    """Wait until every step is done, by the heading and in the lines."""
    terminal.until_text("every step is done")
    terminal.until(lambda: terminal.row_with("+ done", "Deployed (chain)"), "the lines")
    terminal.until(lambda: terminal.row_with("+ done", "Approve cash"), "the approvals")


def credentials_of(venue: PaperVenue) -> dict[str, str]:
    """Return the trading host's credentials of the key, as it would tell whoever has the key."""
    signer = Signer(Secret.from_hex(KEY))
    with loopback_http.client() as http:
        now_s = int(http.get(f"{venue.urls['clob']}/time").text)
        headers = auth_headers(signer, timestamp_s=now_s, nonce=0, chain_id=POLYGON_CHAIN_ID)
        answer = http.get(f"{venue.urls['clob']}/auth/derive-api-key", headers=headers)
    assert answer.status_code == 200, answer.text
    found: dict[str, str] = answer.json()
    return found


def test_the_paper_account_shows_its_wallet_and_what_it_allows(start: Start, home: Path) -> None:
    terminal = start(size=(80, 24))
    open_account(terminal)
    wait_until_done(terminal)
    wallet = PaperVenue(home).wallet
    assert terminal.row_with("Key", "paper's own")
    assert terminal.row_with("Paying wallet", f"{wallet[:8]}…{wallet[-6:]}")
    assert terminal.row_with("Approve cash", "unlimited: Exchange 0xE11118…7B996B")
    assert terminal.row_with("Approve cash", "unlimited: Neg-risk exchange")
    assert "cash $10,000.00" in terminal.rows()[0]
    terminal.press(*["down"] * 4)
    terminal.until_text(f" {wallet}, ")
    terminal.press("y")
    terminal.until(lambda: copied(terminal), "the address on the clipboard")
    assert copied(terminal) == [wallet]
    terminal.press("enter")
    terminal.until_text("What is signed")
    terminal.press("escape")
    terminal.until(lambda: terminal.row_with("Step", "What is known"), "the account")
    terminal.press("q")
    assert terminal.exit_code() == 0


def test_without_a_key_the_account_names_the_command_that_makes_one(
    start: Start, venue: PaperVenue
) -> None:
    terminal = start("--profile", PROFILE, size=(80, 24))
    terminal.until(lambda: terminal.row_with("¢"), "markets")
    assert "READ-ONLY" in terminal.rows()[0]
    terminal.press("a")
    terminal.until_text("not done: Key")
    command = f"pmtui account new --profile {PROFILE}"
    assert terminal.row_with(f"`{command}` makes a key")
    terminal.until(lambda: terminal.row_with("Region", "not blocked"), "the place")
    assert terminal.row_with("Paying wallet", "? not known", "needs a key first")
    terminal.press("y")
    terminal.until(lambda: copied(terminal), "the command on the clipboard")
    assert copied(terminal) == [command]
    terminal.press("q")
    assert terminal.exit_code() == 0


def test_no_secret_is_painted_logged_or_copied(start: Start, home: Path, venue: PaperVenue) -> None:
    store_key(home, PROFILE, KEY, PASSPHRASE)
    terminal = start("--profile", PROFILE, size=(120, 36))
    answer_prompt(terminal, PASSPHRASE)
    open_account(terminal)
    wait_until_done(terminal)
    assert terminal.row_with("Key", "keystore")
    for _ in range(MOST_LINES):
        terminal.press("y", "enter")
        terminal.until_text("What is signed")
        terminal.press("y", "escape")
        terminal.until(lambda: terminal.row_with("Step", "What is known"), "the account")
        terminal.press("down")
    terminal.press("r", "l")
    terminal.until(lambda: terminal.row_with("LOG", "everything"), "the log")
    terminal.press("q")
    assert terminal.exit_code() == 0
    assert venue.wallet in copied(terminal)
    found = credentials_of(venue)
    log = (home / "state" / "pmtui.log").read_text()
    seen = "\n".join([terminal.output.decode(errors="replace"), log, *copied(terminal)]).lower()
    assert found["apiKey"][:8] in seen
    for secret in (KEY, PASSPHRASE, found["secret"], found["passphrase"], found["apiKey"]):
        assert secret.lower() not in seen

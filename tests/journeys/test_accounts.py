"""A key of one's own: typed once, kept encrypted, opened before the screen, found nowhere else."""

import json
import os
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pmtui.sim.admin_token import write_token
from tests.journeys import trader
from tests.journeys.broken_program import __name__ as broken_program
from tests.journeys.conftest import Start
from tests.journeys.keystores import store_key
from tests.journeys.processes import processes_of
from tests.journeys.terminal import Terminal
from tests.journeys.venue import PaperVenue
from tests.sim.kit import KEYS
from tests.sim.process import venue_process

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]

KEY = KEYS[0].removeprefix("0x")
PASSPHRASE = "four-words-nobody-guesses"
WRONG = "not-the-passphrase-either"
PROFILE = "practice"


@pytest.fixture
def venue(home: Path, tmp_path: Path) -> Iterator[PaperVenue]:
    """A local venue that the profile `practice` takes for the venue, with money for the key."""
    with venue_process("--seed", "3") as running:
        hosts = "\n".join(
            f'{name}_url = "{url}"' for name, url in running.urls.items() if name != "admin"
        )
        config = home / "config" / "config.toml"
        config.parent.mkdir(parents=True)
        config.write_text(f'[profiles.{PROFILE}]\nlike = "live"\ndialect = "seed"\n{hosts}\n')
        # An auditor looks at it as at the paper venue, with the same key.
        auditor = tmp_path / "auditor" / "state" / "paper"
        (auditor / "venue").mkdir(parents=True)
        write_token(auditor / "venue", running.admin_token)
        (auditor / "venue.json").write_text(json.dumps(running.urls))
        (auditor / "paper.key").write_text(KEY)
        account = PaperVenue(tmp_path / "auditor")
        account.post("/fund", {"address": account.wallet, "amount": "1000"})
        yield account


def import_key(start: Start) -> Terminal:
    """Keep the key as a trader does it, at the prompts."""
    terminal = start("account", "import", "--profile", PROFILE)
    terminal.until_text("Private key")
    terminal.type(f"0x{KEY}\r")
    terminal.until_text("Passphrase for the keystore")
    terminal.type(f"{PASSPHRASE}\r")
    terminal.until_text("Again:")
    terminal.type(f"{PASSPHRASE}\r")
    assert terminal.exit_code() == 0
    return terminal


def answer_prompt(terminal: Terminal, passphrase: str, *, number: int = 1) -> None:
    """Type at the prompt of this number."""
    terminal.until(
        lambda: terminal.output.count(b"Passphrase: ") == number, f"prompt number {number}"
    )
    terminal.type(f"{passphrase}\r")


def traces(home: Path, *terminals: Terminal) -> list[str]:
    """Return where a key or a passphrase can be found that should be nowhere."""
    needles = [secret.encode() for secret in (KEY, PASSPHRASE, WRONG)]
    needles.append(bytes.fromhex(KEY))
    places = {f"output of {t.pid}": bytes(t.output) for t in terminals}
    places |= {str(path): path.read_bytes() for path in home.rglob("*") if path.is_file()}
    for pid in processes_of(home):
        for name in ("cmdline", "environ"):
            places[f"{name} of {pid}"] = Path(f"/proc/{pid}/{name}").read_bytes()
    return [
        place
        for place, content in places.items()
        if any(needle.lower() in content.lower() for needle in needles)
    ]


def test_an_imported_key_trades_and_leaves_no_trace(
    start: Start, home: Path, venue: PaperVenue
) -> None:
    importing = import_key(start)
    terminal = start("--profile", PROFILE, size=(160, 45))
    answer_prompt(terminal, WRONG)
    terminal.until_text("2 tries left")
    answer_prompt(terminal, PASSPHRASE, number=2)
    trader.wait_for_markets(terminal)
    assert "LIVE" in terminal.rows()[0]
    trader.open_first_market(terminal)
    trader.rest_an_order(terminal)
    assert len(venue.ledger().open_orders) == 1
    assert traces(home, importing, terminal) == []
    trader.close_ticket(terminal)
    terminal.press("q")
    terminal.until_text("Quit with working orders?")
    terminal.press("enter")
    assert terminal.exit_code() == 0
    assert traces(home, importing, terminal) == []


def test_a_bug_tells_nothing_of_the_key(start: Start, home: Path, venue: PaperVenue) -> None:
    store_key(home, PROFILE, KEY, PASSPHRASE)
    command = (sys.executable, "-m", broken_program, "--standalone", "--profile", PROFILE)
    with Terminal(command, home=home) as terminal:
        answer_prompt(terminal, PASSPHRASE)
        trader.wait_for_markets(terminal)
        terminal.press("l")
        terminal.until(lambda: terminal.row_with("LOG", "everything"), "the log")
        terminal.press("f")
        assert terminal.exit_code() == 70
        assert "Traceback" in (home / "state" / "pmtui.log").read_text()
        assert traces(home, terminal) == []


def test_two_terminals_opened_in_the_same_moment_both_come_up(
    start: Start, home: Path, venue: PaperVenue
) -> None:
    store_key(home, PROFILE, KEY, PASSPHRASE)
    terminals = [start("--profile", PROFILE, is_attached=True) for _ in range(2)]
    for terminal in terminals:
        terminal.until_text("Passphrase:")
    # The second one is asked still when the first has unlocked the service.
    for terminal in terminals:
        terminal.type(f"{PASSPHRASE}\r")
        trader.wait_for_markets(terminal)
        assert "LIVE" in terminal.rows()[0]


def test_three_wrong_passphrases_end_it(start: Start, home: Path, venue: PaperVenue) -> None:
    store_key(home, PROFILE, KEY, PASSPHRASE)
    terminal = start("--profile", PROFILE)
    for number in (1, 2, 3):
        answer_prompt(terminal, WRONG, number=number)
    assert terminal.exit_code() == 2
    said = " ".join(terminal.output.decode().split())
    assert said.count("the passphrase is wrong") == 3
    assert b"\x1b[?1049h" not in terminal.output


def test_an_empty_passphrase_looks_only(start: Start, home: Path, venue: PaperVenue) -> None:
    store_key(home, PROFILE, KEY, PASSPHRASE)
    terminal = start("--profile", PROFILE, size=(160, 45))
    answer_prompt(terminal, "")
    terminal.until(
        lambda: re.search(r"READ-ONLY +keystore locked", terminal.rows()[0]), "why it is read-only"
    )
    terminal.until(lambda: terminal.row_with("¢"), "markets")
    trader.open_first_market(terminal)
    for key in ("b", "s"):
        terminal.press(key)
        terminal.until(lambda: "Read-only" in trader.notice(terminal), f"an answer to {key}")
    terminal.press("q")
    assert terminal.exit_code() == 0
    assert venue.ledger().open_orders == []


def test_a_service_is_unlocked_once_by_a_terminal_that_keeps_nothing(
    start: Start, home: Path, venue: PaperVenue
) -> None:
    store_key(home, PROFILE, KEY, PASSPHRASE)
    terminal = start("--profile", PROFILE, "attach")
    answer_prompt(terminal, WRONG)
    answer_prompt(terminal, PASSPHRASE, number=2)
    trader.wait_for_markets(terminal)
    terminal.until(lambda: " LIVE " in terminal.rows()[0], "a key to trade with")
    market = venue.busy_markets()[0]
    trader.find_market(terminal, market)
    trader.rest_an_order(terminal)
    assert [order["original_size"] for order in venue.ledger().open_orders] == ["40"]
    # The next one need not be asked.
    other = start("--profile", PROFILE, "attach")
    trader.wait_for_markets(other)
    other.until_text("1 working")
    assert traces(home, terminal, other) == []


def test_a_passphrase_that_the_service_lost_is_asked_for_again(
    start: Start, home: Path, venue: PaperVenue
) -> None:
    store_key(home, PROFILE, KEY, PASSPHRASE)
    terminal = start("--profile", PROFILE, is_attached=True)
    answer_prompt(terminal, PASSPHRASE)
    trader.wait_for_markets(terminal)
    terminal.until(lambda: " LIVE " in terminal.rows()[0], "a key to trade with")
    (service,) = [pid for pid, line in processes_of(home).items() if " serve " in line]
    os.kill(service, signal.SIGKILL)
    terminal.until_text("Unlock the keystore?")
    terminal.until(lambda: "READ-ONLY" in terminal.rows()[0], "no key any more")
    terminal.press("enter")
    terminal.until(lambda: terminal.output.endswith(b"Passphrase: "), "a prompt outside the screen")
    terminal.type(WRONG + "\r")
    terminal.until_text("Unlock the keystore?")
    terminal.press("enter")
    terminal.until(lambda: terminal.output.endswith(b"Passphrase: "), "the prompt once more")
    terminal.type(PASSPHRASE + "\r")
    terminal.until(lambda: " LIVE " in terminal.rows()[0], "the key again")
    assert traces(home, terminal) == []

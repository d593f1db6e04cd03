"""The account commands at their prompts: mistakes are said, and nothing is half done."""

import signal
from pathlib import Path

import pytest

from pmtui.cli.keys.unlocking import keystore_path
from pmtui.signing.keystore import encrypt_keystore
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from tests.journeys.conftest import Start
from tests.journeys.terminal import Terminal

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]

PASSPHRASE = "four-words-nobody-guesses"
SECRET = Secret.from_hex("5d" * 32)
OWNER = Signer(SECRET).address


def begin(start: Start, *arguments: str) -> Terminal:
    return start("account", *arguments, "--profile", "live")


def answer(terminal: Terminal, prompt: str, text: str, *, number: int = 1) -> None:
    """Type a line at the prompt of this number."""
    terminal.until(
        lambda: terminal.output.count(prompt.encode()) == number, f"{prompt!r} for time {number}"
    )
    terminal.type(f"{text}\r")


def said(terminal: Terminal) -> str:
    """Return all that was written, whatever lines the screen made of it."""
    return " ".join(terminal.output.decode().split())


@pytest.fixture
def stored(home: Path) -> Path:
    return keystore_path(home / "state", "live")


@pytest.fixture
def keystore(home: Path, tmp_path: Path) -> Path:
    """A keystore of another program."""
    path = tmp_path / "old.json"
    path.write_text(encrypt_keystore(SECRET, Secret.from_text(PASSPHRASE), work_factor=2))
    return path


def test_two_different_passphrases_store_nothing(start: Start, stored: Path) -> None:
    terminal = begin(start, "new")
    answer(terminal, "Passphrase for", PASSPHRASE)
    answer(terminal, "Again:", f"{PASSPHRASE}!")
    assert terminal.exit_code() == 2
    assert "the two passphrases differ" in said(terminal)
    assert not stored.exists()


def test_giving_up_at_a_prompt_is_no_bug(start: Start, stored: Path) -> None:
    terminal = begin(start, "new")
    terminal.until_text("Passphrase for")
    terminal.press("ctrl+c")
    assert terminal.exit_code() == 2
    assert "cancelled" in said(terminal)
    assert "Traceback" not in said(terminal)
    assert not stored.exists()


def test_a_program_killed_at_its_prompt_leaves_nothing(start: Start, stored: Path) -> None:
    terminal = begin(start, "new")
    answer(terminal, "Passphrase for", PASSPHRASE)
    terminal.until_text("Again:")
    terminal.send_signal(signal.SIGKILL)
    assert terminal.exit_code() == -signal.SIGKILL
    assert not stored.exists()


def test_another_keystores_passphrase_may_be_mistyped(
    start: Start, stored: Path, keystore: Path
) -> None:
    terminal = begin(start, "import", "--keystore", str(keystore))
    answer(terminal, "Passphrase of", "wrong")
    terminal.until_text("2 more")
    answer(terminal, "Passphrase of", PASSPHRASE, number=2)
    assert terminal.exit_code() == 0
    assert OWNER in said(terminal)
    assert stored.exists()


def test_removing_asks_for_the_end_of_the_address(
    start: Start, stored: Path, keystore: Path
) -> None:
    stored.parent.mkdir(parents=True)
    stored.write_bytes(keystore.read_bytes())
    for typed, code in ((OWNER[:4], 2), (OWNER[-4:].lower(), 0)):
        assert stored.exists()
        terminal = begin(start, "remove")
        answer(terminal, "Type the last 4 characters", typed)
        assert terminal.exit_code() == code
        assert "are lost" in said(terminal)
    assert not stored.exists()


def test_a_keystore_in_use_is_not_removed(
    start: Start, home: Path, stored: Path, keystore: Path
) -> None:
    stored.parent.mkdir(parents=True)
    stored.write_bytes(keystore.read_bytes())
    first = begin(start, "remove")
    first.until_text("Type the last 4 characters")
    second = begin(start, "remove", "--yes")
    assert second.exit_code() == 2
    assert "another terminal" in said(second)
    assert stored.exists()

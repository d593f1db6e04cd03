import json
import subprocess
import sys
from pathlib import Path

import pytest

from pmtui.cli.keys.unlocking import BESIDE, SessionKey, find_session_key, keystore_path
from pmtui.cli.session_process import session_lock
from pmtui.cli.venue.paper import load_paper_key
from pmtui.config.settings import load_settings
from pmtui.config.toml_file import ConfigError
from pmtui.domain.account.keys import KeyKind
from pmtui.domain.ids import OrderId
from pmtui.service.journal.journal import Journal, OutgoingOrder
from pmtui.signing.keystore import encrypt_keystore
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.signing.wallet import derive_wallets
from tests.cli.secret_lines import lines_on_fd
from tests.service.fakes import resting
from tests.sim.kit import KEYS

PASSPHRASE = "correct horse battery"
KEY = "5d" * 32
OTHER = "6e" * 32


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    monkeypatch.delenv("PMTUI_PRIVATE_KEY", raising=False)
    return tmp_path


@pytest.fixture
def keystore(home: Path) -> Path:
    path = keystore_path(home / "state", "live")
    path.parent.mkdir(parents=True)
    text = encrypt_keystore(Secret.from_hex(KEY), Secret.from_text(PASSPHRASE), work_factor=2)
    path.write_text(text)
    return path


def find(home: Path, *lines: str, profile: str = "live") -> SessionKey:
    settings = load_settings({"profile": profile})
    with lines_on_fd(*lines) as number:
        return find_session_key(settings, home / "state", passphrase_fd=number)


def test_without_any_key_a_session_looks_only(home: Path) -> None:
    found = find(home)
    assert found.secret is None
    assert found.reason.startswith("no key")
    assert (found.kind, found.remedy) == (KeyKind.NONE, "pmtui account new --profile live")


def test_the_passphrase_opens_the_keystore(home: Path, keystore: Path) -> None:
    found = find(home, PASSPHRASE)
    assert (found.secret, found.kind) == (Secret.from_hex(KEY), KeyKind.KEYSTORE)


def test_an_empty_passphrase_leaves_it_closed(home: Path, keystore: Path) -> None:
    found = find(home, "")
    assert found.secret is None
    assert "locked" in found.reason
    assert found.remedy == "pmtui --profile live"


def test_a_wrong_passphrase_is_said_and_not_repeated(home: Path, keystore: Path) -> None:
    with pytest.raises(ConfigError, match="passphrase is wrong") as caught:
        find(home, "hunter2", PASSPHRASE)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("content", [b"{}", b"\xff", b'{"version": 3}'])
def test_a_damaged_keystore_is_no_reason_to_look_only(
    home: Path, keystore: Path, content: bytes
) -> None:
    keystore.write_bytes(content)
    with pytest.raises(ConfigError, match="not an Ethereum keystore"):
        find(home, PASSPHRASE)


def test_the_variable_goes_first_and_leaves_the_environment(
    home: Path, keystore: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMTUI_PRIVATE_KEY", OTHER)
    found = find(home)
    assert (found.secret, found.kind) == (Secret.from_hex(OTHER), KeyKind.ENVIRONMENT)
    # The variable is gone: what comes after asks for the passphrase.
    assert find(home, PASSPHRASE).secret == Secret.from_hex(KEY)


def test_a_variable_that_is_no_key_is_refused_without_being_shown(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMTUI_PRIVATE_KEY", "5d5d5d")
    with pytest.raises(ConfigError, match="no private key") as caught:
        find(home)
    assert "5d5d5d" not in str(caught.value)


def test_paper_takes_no_key_of_the_traders(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PMTUI_PRIVATE_KEY", KEY)
    assert find(home, profile="paper").secret is None
    said = capsys.readouterr().err
    assert "PMTUI_PRIVATE_KEY is not used" in said
    assert KEY not in said


def test_live_refuses_the_paper_accounts_key(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paper = load_paper_key(home / "state" / "paper")
    monkeypatch.setenv("PMTUI_PRIVATE_KEY", paper.reveal().hex())
    with pytest.raises(ConfigError, match="paper account"):
        find(home)


def test_live_refuses_a_published_key(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PMTUI_PRIVATE_KEY", KEYS[0])
    with pytest.raises(ConfigError, match="published development key"):
        find(home)


async def test_a_journal_that_waits_for_another_accounts_orders_is_not_taken_up(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(home / "state" / "live" / "journal.sqlite")
    wallets = derive_wallets(Signer(Secret.from_hex(KEY)).address)
    for number, maker in enumerate((wallets.deposit_uups, wallets.owner), start=1):
        body = json.dumps({"order": {"maker": maker}}).encode()
        order = resting(OrderId(f"0x0{number}"))
        assert await journal.begin([OutgoingOrder(order, "", body)]) is None
    await journal.close()
    monkeypatch.setenv("PMTUI_PRIVATE_KEY", KEY)
    assert find(home).secret is not None
    monkeypatch.setenv("PMTUI_PRIVATE_KEY", OTHER)
    with pytest.raises(ConfigError, match="2 orders of another account"):
        find(home)


def test_a_process_with_a_key_leaves_no_core_and_shows_no_memory() -> None:
    program = (
        "import ctypes, resource; from pmtui.cli.keys.secret_input import forbid_dumps; forbid_dumps();"
        "print(resource.getrlimit(resource.RLIMIT_CORE), ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "(0, 0) 0"


def test_while_another_terminal_trades_nobody_is_asked_for_the_passphrase(
    home: Path, keystore: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = load_settings({"profile": "live"})
    with session_lock(keystore.parent):
        # No terminal here: a prompt would fail.
        beside = find_session_key(settings, home / "state", passphrase_fd=None, is_for_session=True)
        assert beside == SessionKey(None, BESIDE)
        assert "another terminal trades" in capsys.readouterr().err
        with pytest.raises(ConfigError, match="another terminal"), lines_on_fd("never read") as fd:
            find_session_key(settings, home / "state", passphrase_fd=fd, is_for_session=True)
        # What only reads with the key goes on beside it.
        assert find(home, PASSPHRASE).secret == Secret.from_hex(KEY)


def test_a_key_from_the_environment_is_refused_while_another_terminal_trades(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMTUI_PRIVATE_KEY", KEY)
    settings = load_settings({"profile": "live"})
    with (
        session_lock(home / "state" / "live"),
        pytest.raises(ConfigError, match="another terminal"),
    ):
        find_session_key(settings, home / "state", passphrase_fd=None, is_for_session=True)


FOREIGN = ("http://venue.example.org", "http://10.0.0.7:8080", "http://127.0.0.1.example.org")


@pytest.mark.parametrize("address", FOREIGN)
def test_a_key_is_not_used_where_nothing_encrypts_it(
    home: Path, keystore: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("PMTUI_CLOB_URL", address)
    with pytest.raises(ConfigError) as caught:
        find(home, PASSPHRASE)
    assert address in str(caught.value)
    monkeypatch.setenv("PMTUI_ALLOW_CLEARTEXT", "true")
    assert find(home, PASSPHRASE).secret is not None


def test_streams_are_encrypted_too(
    home: Path, keystore: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMTUI_WS_USER_URL", "ws://venue.example.org/ws/user")
    with pytest.raises(ConfigError):
        find(home, PASSPHRASE)


@pytest.mark.parametrize("host", ["127.0.0.1:81", "localhost", "[::1]:81"])
def test_this_machine_needs_no_encryption(
    home: Path, keystore: Path, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.setenv("PMTUI_CLOB_URL", f"http://{host}")
    monkeypatch.setenv("PMTUI_WS_USER_URL", f"ws://{host}/ws/user")
    assert find(home, PASSPHRASE).secret is not None


def test_without_a_key_anything_may_be_looked_at(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMTUI_CLOB_URL", FOREIGN[0])
    assert find(home).secret is None


def test_a_keystore_that_others_could_have_written_is_refused(home: Path, keystore: Path) -> None:
    keystore.chmod(0o620)
    with pytest.raises(ConfigError, match="refused"):
        find(home, PASSPHRASE)
    keystore.chmod(0o600)
    keystore.parent.chmod(0o777)
    with pytest.raises(ConfigError, match="refused"):
        find(home, PASSPHRASE)


def test_what_a_killed_program_left_beside_a_keystore_is_removed(
    home: Path, keystore: Path
) -> None:
    unfinished = keystore.with_name(f".{keystore.name}.abc123")
    unfinished.write_text("half")
    assert find(home, PASSPHRASE).secret is not None
    assert not unfinished.exists()


_SHOW_ENVIRONMENT = """
import os, sys
from pathlib import Path
from pmtui.cli.keys.unlocking import find_session_key
from pmtui.config.settings import load_settings
settings = load_settings({"profile": sys.argv[1]})
find_session_key(settings, Path(sys.argv[2]), passphrase_fd=None)
print(os.getpid(), "PMTUI_PRIVATE_KEY" in os.environ, flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("profile", ["paper", "live"])
def test_the_key_leaves_the_environment_that_the_system_shows(home: Path, profile: str) -> None:
    environment = {"PMTUI_HOME": str(home), "PMTUI_PRIVATE_KEY": KEY, "PATH": "/bin"}
    command = [sys.executable, "-c", _SHOW_ENVIRONMENT, profile, str(home / "state")]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        number, is_there = child.stdout.readline().split()
        try:
            block = Path(f"/proc/{number}/environ").read_bytes()
        except PermissionError:
            # Nobody but root may look any more.
            block = b""
        child.communicate("")
    assert is_there == "False"
    assert KEY.encode() not in block

import json
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from eth_account import Account

from pmtui.cli.account.account import run
from pmtui.cli.keys.unlocking import keystore_path
from pmtui.cli.venue.paper import load_paper_key
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
OWNER = Signer(Secret.from_hex(KEY)).address

Said = Callable[..., tuple[int, str, str]]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    monkeypatch.delenv("PMTUI_PRIVATE_KEY", raising=False)
    return tmp_path


@pytest.fixture
def account(home: Path, capsys: pytest.CaptureFixture[str]) -> Said:
    """Run an account command on the live profile; returns its code, its output, its problems."""

    def run_it(*arguments: str, lines: tuple[str, ...] = (), profile: str = "live") -> object:
        with lines_on_fd(*lines) as number:
            words = [str(number) if word == "FD" else word for word in arguments]
            code = run([*words, "--profile", profile], work_factor=2)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run_it  # type: ignore[return-value]  # what capsys gives has no finer type


def stored(home: Path) -> Path:
    return keystore_path(home / "state", "live")


def test_a_new_account_can_be_opened_by_the_key_library(home: Path, account: Said) -> None:
    code, out, err = account("new", "--passphrase-fd", "FD", lines=(PASSPHRASE,))
    assert (code, err) == (0, "")
    path = stored(home)
    secret = Secret(bytes(Account.decrypt(json.loads(path.read_text()), PASSPHRASE)))
    wallets = derive_wallets(Signer(secret).address)
    for address in (
        wallets.owner,
        wallets.deposit_beacon,
        wallets.proxy,
        wallets.safe,
    ):
        assert address in out
    # A key of today has no wallet of the form before; one address is to be funded.
    assert wallets.deposit_uups not in out
    assert "July" not in out
    assert f"Fund this address and no other: {wallets.deposit_beacon}" in out
    assert str(path) in out
    assert "Losing this file or its passphrase loses the account" in out
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_an_open_directory_is_closed_to_others(home: Path, account: Said) -> None:
    stored(home).parent.mkdir(parents=True, mode=0o755)
    assert account("new", "--passphrase-fd", "FD", lines=(PASSPHRASE,))[0] == 0
    assert stat.S_IMODE(stored(home).parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("action", ["new", "import"])
def test_an_account_is_never_replaced(home: Path, account: Said, action: str) -> None:
    account("import", "--key-fd", "FD", "--passphrase-fd", "FD", lines=(KEY, PASSPHRASE))
    before = stored(home).read_bytes()
    code, out, err = account(action, "--passphrase-fd", "FD", lines=("another one",))
    assert (code, out) == (2, "")
    assert OWNER in err
    assert "[profiles.second]" in err
    assert stored(home).read_bytes() == before


def test_an_empty_passphrase_stores_nothing(home: Path, account: Said) -> None:
    code, _, err = account("new", "--passphrase-fd", "FD", lines=("",))
    assert code == 2
    assert "protects nothing" in err
    assert not stored(home).exists()


def test_a_weak_passphrase_is_taken_and_called_weak(home: Path, account: Said) -> None:
    code, _, err = account("new", "--passphrase-fd", "FD", lines=("hunter2",))
    assert code == 0
    assert "weak" in err
    assert "hunter2" not in err


def test_without_a_terminal_a_passphrase_is_not_asked_for_with_echo(home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pmtui", "account", "new", "--profile", "live"],
        input=f"{PASSPHRASE}\n{PASSPHRASE}\n",
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )
    assert done.returncode == 2
    assert "no terminal" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not stored(home).exists()


@pytest.mark.parametrize("written", [KEY, f"0x{KEY}", KEY.upper(), f" {KEY} "])
def test_a_key_is_imported_however_it_is_written(home: Path, account: Said, written: str) -> None:
    code, out, _ = account(
        "import", "--key-fd", "FD", "--passphrase-fd", "FD", lines=(written, PASSPHRASE)
    )
    assert code == 0
    assert OWNER in out
    assert KEY not in stored(home).read_text()


@pytest.mark.parametrize("written", ["", "zz", KEY[:-2], KEY + "00", "00" * 32, "ff" * 32])
def test_what_is_no_key_is_refused_without_being_repeated(
    home: Path, account: Said, written: str
) -> None:
    code, out, err = account(
        "import", "--key-fd", "FD", "--passphrase-fd", "FD", lines=(written, PASSPHRASE)
    )
    assert (code, out) == (2, "")
    assert "no private key" in err
    assert not written or written not in err
    assert not stored(home).exists()


def test_another_keystore_is_imported_with_its_passphrase(home: Path, account: Said) -> None:
    other = home / "old.json"
    other.write_text(
        encrypt_keystore(Secret.from_hex(KEY), Secret.from_text(PASSPHRASE), work_factor=2)
    )
    before = other.read_bytes()
    arguments = ("import", "--keystore", str(other), "--passphrase-fd", "FD")
    code, _, err = account(*arguments, lines=("wrong",))
    assert (code, stored(home).exists()) == (2, False)
    assert "passphrase is wrong" in err
    code, out, _ = account(*arguments, lines=(PASSPHRASE,))
    assert code == 0
    assert OWNER in out
    assert other.read_bytes() == before
    assert Account.decrypt(json.loads(stored(home).read_text()), PASSPHRASE).hex() == KEY


@pytest.mark.parametrize("content", [b"{}", b"\xff\xfe", b" " * 70_000])
def test_a_foreign_file_is_no_keystore(home: Path, account: Said, content: bytes) -> None:
    other = home / "old.json"
    other.write_bytes(content)
    code, _, err = account(
        "import", "--keystore", str(other), "--passphrase-fd", "FD", lines=(PASSPHRASE,)
    )
    assert code == 2
    assert "not an Ethereum keystore" in err


def test_a_file_that_is_not_there_is_named(home: Path, account: Said) -> None:
    code, _, err = account("import", "--keystore", str(home / "none.json"))
    assert code == 2
    assert "none.json" in err


def test_the_paper_accounts_key_is_not_for_live(home: Path, account: Said) -> None:
    paper = load_paper_key(home / "state" / "paper")
    code, _, err = account("import", "--key-fd", "FD", lines=(paper.reveal().hex(),))
    assert code == 2
    assert "paper account" in err
    assert paper.reveal().hex() not in err


def test_a_published_key_is_for_local_venues_only(
    home: Path, account: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("import", "--key-fd", "FD", "--passphrase-fd", "FD")
    code, _, err = account(*arguments, lines=(KEYS[0], PASSPHRASE))
    assert code == 2
    assert "published development key" in err
    monkeypatch.setenv("PMTUI_CLOB_URL", "http://127.0.0.1:1")
    assert account(*arguments, lines=(KEYS[0], PASSPHRASE))[0] == 0


@pytest.mark.parametrize("action", ["new", "import", "remove"])
def test_the_paper_profile_keeps_no_keystore(home: Path, account: Said, action: str) -> None:
    code, _, err = account(action, profile="paper")
    assert code == 2
    assert "a key of its own" in err
    assert not (home / "state").exists()


def test_the_paper_account_is_shown_and_never_made_by_looking(home: Path, account: Said) -> None:
    assert "when it is first used" in account("show", profile="paper")[1]
    assert not (home / "state").exists()
    secret = load_paper_key(home / "state" / "paper")
    _, out, _ = account("show", profile="paper")
    assert Signer(secret).address in out
    assert secret.reveal().hex() not in out


def test_an_account_is_shown_without_its_passphrase(home: Path, account: Said) -> None:
    assert "READ-ONLY" in account("show")[1]
    account("import", "--key-fd", "FD", "--passphrase-fd", "FD", lines=(KEY, PASSPHRASE))
    code, out, err = account("show")
    assert (code, err) == (0, "")
    assert OWNER in out
    assert str(stored(home)) in out
    assert "chmod" not in out
    stored(home).chmod(0o644)
    assert "chmod 600" in account("show")[1]
    stored(home).write_text("{}")
    assert "does not say its address" in account("show")[1]


def test_the_variable_goes_before_the_keystore(
    home: Path, account: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    account("new", "--passphrase-fd", "FD", lines=(PASSPHRASE,))
    monkeypatch.setenv("PMTUI_PRIVATE_KEY", KEY)
    _, out, _ = account("show")
    assert out.index(OWNER) < out.index("Its keystore is")
    assert KEY not in out
    monkeypatch.setenv("PMTUI_PRIVATE_KEY", "zz")
    assert "not usable" in account("show")[1]


def test_removing_takes_a_yes_and_leaves_the_rest(home: Path, account: Said) -> None:
    account("import", "--key-fd", "FD", "--passphrase-fd", "FD", lines=(KEY, PASSPHRASE))
    code, _, err = account("remove")
    assert code == 2
    assert "--yes" in err
    assert stored(home).exists()
    code, out, err = account("remove", "--yes")
    assert code == 0
    assert OWNER in out
    assert "lost" in err
    assert not stored(home).exists()
    assert account("remove", "--yes")[0] == 2


async def test_removing_tells_of_orders_that_are_still_open(home: Path, account: Said) -> None:
    account("import", "--key-fd", "FD", "--passphrase-fd", "FD", lines=(KEY, PASSPHRASE))
    journal = Journal(home / "state" / "live" / "journal.sqlite")
    maker = derive_wallets(OWNER).deposit_beacon
    body = json.dumps({"order": {"maker": maker}}).encode()
    assert await journal.begin([OutgoingOrder(resting(OrderId("0x01")), "", body)]) is None
    await journal.close()
    assert "1 order open or unknown" in account("remove", "--yes")[2]


@pytest.mark.parametrize(
    "arguments",
    [
        ("new", "--key-fd", "3"),
        ("show", "--passphrase-fd", "3"),
        ("new", "--yes"),
        ("import", "--key-fd", "3", "--keystore", "x"),
    ],
)
def test_an_option_of_another_action_is_refused(account: Said, arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as ended:
        account(*arguments)
    assert ended.value.code == 2

"""Keys of every kind are named by address, never shown; wallets are looked for at the relayer."""

from pathlib import Path

import pytest

from pmtui.cli.doctor.findings import State
from pmtui.cli.doctor.profile_checks import check_key, check_wallet
from pmtui.cli.keys.unlocking import PAPER_KEY_FILE, keystore_path
from pmtui.cli.venue.paper import load_paper_key
from pmtui.clients.http.client import HttpHost
from pmtui.clients.relayer import RelayerClient
from pmtui.config.paths import private_dir
from pmtui.config.settings import Settings, load_settings
from pmtui.domain.account.keys import SignatureType
from pmtui.signing.keystore import encrypt_keystore
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from tests.sim.kit import KEYS, Person, http_client, small_venue

ADDRESS = Signer(Secret.from_hex(KEYS[0])).address
LOCAL = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All files below a folder of the test's own."""
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    return tmp_path


def live(**settings: object) -> Settings:
    return load_settings({"profile": "live", **settings})


def keep_key(state: Path) -> Path:
    path = keystore_path(state, "live")
    private_dir(path.parent)
    secret = Secret.from_hex(KEYS[0])
    path.write_text(encrypt_keystore(secret, Secret.from_text("a passphrase"), work_factor=2))
    path.chmod(0o600)
    return path


def test_a_profile_without_a_key_is_a_warning(home: Path) -> None:
    owner, (found,) = check_key(live(), home / "state")
    assert (owner, found.state, found.figures["kind"]) == (None, State.WARNING, "none")


def test_a_keystore_is_named_by_its_address_without_being_opened(home: Path) -> None:
    _ = keep_key(home / "state")
    owner, (found,) = check_key(live(), home / "state")
    assert owner == ADDRESS
    assert (found.state, found.figures["address"]) == (State.OK, ADDRESS)


def test_a_keystore_that_others_can_read_is_a_warning(home: Path) -> None:
    keep_key(home / "state").chmod(0o644)
    _, (found,) = check_key(live(), home / "state")
    assert found.state is State.WARNING


def test_a_file_that_is_no_keystore_is_a_problem(home: Path) -> None:
    keep_key(home / "state").write_bytes(b"\xff\xfe")
    _, (found,) = check_key(live(), home / "state")
    assert found.state is State.PROBLEM


def test_a_keystore_that_names_no_address_is_a_warning(home: Path) -> None:
    keep_key(home / "state").write_text("{}")
    owner, (found,) = check_key(live(), home / "state")
    assert (owner, found.state) == (None, State.WARNING)


def test_a_key_of_the_environment_is_named_and_never_shown(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMTUI_PRIVATE_KEY", KEYS[0])
    monkeypatch.setenv("PMTUI_CLOB_URL", LOCAL)
    owner, findings = check_key(live(), home / "state")
    assert owner == ADDRESS
    assert findings[0].state is State.WARNING
    assert KEYS[0][2:] not in repr(findings)


def test_a_development_key_for_the_public_venue_is_a_problem(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMTUI_PRIVATE_KEY", KEYS[0])
    _, (found,) = check_key(live(), home / "state")
    assert found.state is State.PROBLEM


def test_a_variable_that_holds_no_key_is_not_quoted(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMTUI_PRIVATE_KEY", "0xfeedfeed")
    owner, (found,) = check_key(live(), home / "state")
    assert (owner, found.state) == (None, State.PROBLEM)
    assert "feedfeed" not in repr(found)


def test_cleartext_hosts_elsewhere_are_a_problem(home: Path) -> None:
    _ = keep_key(home / "state")
    settings = live(clob_url="http://venue.example")
    _, findings = check_key(settings, home / "state")
    assert findings[-1].state is State.PROBLEM
    assert "venue.example" in findings[-1].text


def test_the_paper_key_is_named_once_there_is_one(home: Path) -> None:
    settings = load_settings()
    before, (nothing,) = check_key(settings, home / "state")
    secret = load_paper_key(home / "state" / "paper")
    after, (found,) = check_key(settings, home / "state")
    assert (before, nothing.state, after) == (None, State.OK, Signer(secret).address)
    assert found.figures["address"] == after


@pytest.mark.parametrize("content", [b"zzz", b"", b"ab", b"\xff\xfe", b"00" * 32])
def test_a_paper_key_that_is_none_is_a_problem_with_a_remedy(home: Path, content: bytes) -> None:
    path = home / "state" / "paper" / PAPER_KEY_FILE
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    owner, (found,) = check_key(load_settings(), home / "state")
    assert (owner, found.state, bool(found.remedy)) == (None, State.PROBLEM, True)


async def test_a_wallet_is_looked_for_at_the_relayer(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        host = HttpHost(running.urls["relayer"])
        relayer, kind = RelayerClient(host), SignatureType.DEPOSIT_WALLET
        (before,) = await check_wallet(ADDRESS, relayer, kind)
        ann = await Person(running, http).arrive()
        (after,) = await check_wallet(ADDRESS, relayer, kind)
        await host.aclose()
    assert (before.state, before.figures["deployed"]) == (State.WARNING, False)
    assert (after.state, after.figures["wallet"]) == (State.OK, ann.wallet)


async def test_without_an_address_or_an_answer_the_wallet_is_skipped() -> None:
    host = HttpHost(LOCAL)
    relayer, kind = RelayerClient(host), SignatureType.DEPOSIT_WALLET
    (unknown,) = await check_wallet(None, relayer, kind)
    (unanswered,) = await check_wallet(ADDRESS, relayer, kind)
    await host.aclose()
    assert (unknown.state, unanswered.state) == (State.SKIPPED, State.SKIPPED)

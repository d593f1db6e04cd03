"""The command as it is typed: its report, its exit code, and no secret in either."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pmtui.cli.keys.unlocking import keystore_path
from pmtui.cli.main import main
from pmtui.config.endpoints import Endpoints
from pmtui.domain.markets.market import Side
from pmtui.signing.keystore import encrypt_keystore
from pmtui.signing.secret import Secret
from pmtui.sim.run import RunningVenue, VenueOptions, running_venue
from tests.cli.public_venue import PASSPHRASE
from tests.cli.secret_lines import lines_on_fd
from tests.sim.kit import KEYS, Person, http_client, write_catalogue

HOSTS = tuple(Endpoints.__dataclass_fields__)


@pytest.fixture
async def venue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RunningVenue]:
    """A venue on the machine's own time, with one order on its book, taken for the public one."""
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path / "home"))
    options = VenueOptions(speed=0, catalogue=(write_catalogue(tmp_path),))
    async with running_venue(options) as running, http_client() as http:
        for name in HOSTS:
            monkeypatch.setenv(f"PMTUI_{name.upper()}_URL", running.urls[name])
        ann = await Person(running, http).arrive()
        await ann.rest(Side.BUY, "0.4", "10")
        yield running


async def doctor(*words: str) -> int:
    """Run the command in a thread of its own, as in a process of its own."""
    return await asyncio.to_thread(main, ["doctor", "--profile", "live", *words])


async def test_a_profile_that_works_ends_with_0_and_every_subject(
    venue: RunningVenue, capsys: pytest.CaptureFixture[str]
) -> None:
    code = await doctor("--json")
    report = json.loads(capsys.readouterr().out)
    states = {row["name"]: row["state"] for row in report["checks"]}
    assert (code, report["problems"]) == (0, 0), report
    assert states["trading"] == states["book"] == states["clock"] == "ok"
    assert {row["subject"] for row in report["checks"]} == {
        "terminal", "profile", "account", "hosts", "streams",
    }  # fmt: skip


async def test_a_host_that_is_gone_ends_with_1_and_the_others_are_looked_at(
    venue: RunningVenue, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMTUI_RELAYER_URL", "http://127.0.0.1:9")
    code = await doctor("--json")
    report = json.loads(capsys.readouterr().out)
    states = {row["name"]: row["state"] for row in report["checks"]}
    assert (code, states["relayer"], states["book"]) == (1, "problem", "ok")


async def test_no_secret_is_ever_shown(
    venue: RunningVenue, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMTUI_PRIVATE_KEY", KEYS[0])
    await doctor()
    said = capsys.readouterr()
    assert "streams" in said.out
    assert KEYS[0][2:] not in said.out + said.err


async def test_the_order_stream_is_logged_in_to_with_the_key_of_the_environment(
    venue: RunningVenue, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for key, state in ((KEYS[0], "ok"), (KEYS[2], "skipped")):
        # The second one never traded: it has no API credentials, and none are made for it.
        monkeypatch.setenv("PMTUI_PRIVATE_KEY", key)
        _ = await doctor("--json")
        report = json.loads(capsys.readouterr().out)
        states = {(row["subject"], row["name"]): row["state"] for row in report["checks"]}
        assert states["streams", "orders"] == state, report
    async with http_client() as http:
        stranger = Person(venue, http, key=2)
        assert (await stranger.derive_key()).status_code != 200


@pytest.mark.parametrize(
    ("line", "state"), [(PASSPHRASE, "ok"), ("another", "problem"), (None, "skipped")]
)
async def test_the_order_stream_is_logged_in_to_with_the_keystores_passphrase(
    line: str | None,
    state: str,
    venue: RunningVenue,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = keystore_path(tmp_path / "home" / "state", "live")
    path.parent.mkdir(parents=True)
    secret = Secret.from_hex(KEYS[0])
    path.write_text(encrypt_keystore(secret, Secret.from_text(PASSPHRASE), work_factor=2))
    path.chmod(0o600)
    with lines_on_fd(line or "") as number:
        given = () if line is None else ("--passphrase-fd", str(number))
        code = await doctor("--json", *given)
    said = capsys.readouterr()
    (found,) = [row for row in json.loads(said.out)["checks"] if row["name"] == "orders"]
    assert (found["state"], bool(found["remedy"])) == (state, state == "problem"), found
    assert code == (state == "problem")
    assert KEYS[0][2:] not in said.out + said.err
    assert line is None or line not in said.out + said.err


def test_a_descriptor_that_holds_nothing_ends_with_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    assert main(["doctor", "--profile", "live", "--passphrase-fd", "1000000"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


async def test_an_order_stream_that_is_gone_is_a_problem(
    venue: RunningVenue, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMTUI_PRIVATE_KEY", KEYS[0])
    monkeypatch.setenv("PMTUI_WS_USER_URL", "ws://127.0.0.1:9")
    monkeypatch.setattr("pmtui.cli.doctor.stream_checks.OPEN_S", 1.0)
    assert await doctor("--json") == 1
    report = json.loads(capsys.readouterr().out)
    (found,) = [row for row in report["checks"] if row["name"] == "orders"]
    assert (found["state"], bool(found["remedy"])) == ("problem", True)


def test_a_file_where_the_state_directory_has_to_be_is_the_one_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    (tmp_path / "state").write_text("")
    code = main(["doctor", "--json"])
    report = json.loads(capsys.readouterr().out)
    problems = [row for row in report["checks"] if row["state"] == "problem"]
    assert (code, [row["name"] for row in problems]) == (1, ["folder"])
    assert problems[0]["text"] == f"{tmp_path / 'state'} is not a directory"
    assert not {"disk", "journal", "kill switch"} & {row["name"] for row in report["checks"]}


def test_settings_that_cannot_be_used_end_with_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    assert main(["doctor", "--profile", "nowhere"]) == 2
    assert capsys.readouterr().err.count("\n") == 1

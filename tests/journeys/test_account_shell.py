"""The wallet from a shell, with processes that are killed: a bare key to a wallet that trades and cashes in."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pmtui.domain.ids import Address
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.signing.wallet import derive_wallets
from pmtui.sim.admin_token import operator_headers, read_token
from tests import loopback_http
from tests.cli.secret_lines import lines_on_fd
from tests.journeys import trader
from tests.journeys.conftest import Start
from tests.journeys.keystores import store_key
from tests.journeys.venue import PaperVenue
from tests.sim.kit import KEYS

pytestmark = pytest.mark.journey

PASSPHRASE = "correct horse battery"
OTHER = Address("0x70997970C51812dc3A010C7d01b50e0d17dc79C8")
PATIENCE_S = 120
NOTHING_HAPPENED = 1
WRONG_USAGE = 2
NOT_KNOWN = 75


def wait_until(is_so: Callable[[], bool], *, seconds: float) -> None:
    """Look again and again until something is so."""
    end, pause = time.monotonic() + seconds, threading.Event()
    while not is_so():
        assert time.monotonic() < end, is_so.__name__
        pause.wait(0.2)


@dataclass(frozen=True, slots=True)
class Shell:
    """A home with a key of its own, and the venue that it is about."""

    home: Path
    urls: Mapping[str, str]
    operator: Mapping[str, str]
    wallet: Address

    def command(self, *words: str) -> tuple[list[str], dict[str, str]]:
        environment = {**os.environ, "PMTUI_HOME": str(self.home), "PMTUI_PROFILE": "bare"}
        return [sys.executable, "-m", "pmtui", "account", *words], environment

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        command, environment = self.command(*words)
        with lines_on_fd(PASSPHRASE) as number:
            return subprocess.run(
                [*command, "--passphrase-fd", str(number)],
                env=environment, pass_fds=(number,), text=True, capture_output=True,
                timeout=PATIENCE_S, check=False,
            )  # fmt: skip

    def done(self, *words: str) -> str:
        ended = self.run(*words)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    def status(self) -> Any:
        return json.loads(self.done("status", "--json"))

    def steps(self) -> dict[str, str]:
        return {each["step"]: each["state"] for each in self.status()["steps"]}

    def operate(self, path: str, body: dict[str, object]) -> None:
        with loopback_http.client(timeout=PATIENCE_S) as http:
            http.post(
                self.urls["admin"] + path, json=body, headers=dict(self.operator)
            ).raise_for_status()

    def ledger(self) -> Any:
        with loopback_http.client(timeout=PATIENCE_S) as http:
            url = f"{self.urls['admin']}/ledger/{self.wallet}"
            return http.get(url, headers=dict(self.operator)).raise_for_status().json()

    def cash(self) -> Decimal:
        return Decimal(self.ledger()["collateral"])


@contextmanager
def venue(folder: Path) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    command = [sys.executable, "-m", "pmtui", "sim", "--port", "0", "--state", str(folder)]
    process = subprocess.Popen(
        [*command, "--speed", "5", "--exit-with-stdin"], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        urls = json.loads(process.stdout.readline())
        yield urls, operator_headers(read_token(folder))
    finally:
        process.terminate()
        process.communicate()


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    home = tmp_path / "home"
    (home / "config").mkdir(parents=True)
    with venue(tmp_path / "venue") as (urls, operator):
        lines = ["[profiles.bare]", 'like = "live"', 'dialect = "seed"']
        lines += [f'{name}_url = "{url}"' for name, url in urls.items() if name != "admin"]
        (home / "config" / "config.toml").write_text("\n".join(lines))
        owner = Signer(Secret.from_hex(KEYS[0])).address
        made = Shell(home, urls, operator, derive_wallets(owner).deposit_beacon)
        store_key(home, "bare", KEYS[0], PASSPHRASE)
        yield made


def test_a_bare_key_comes_to_a_wallet_that_trades_and_cashes_in(shell: Shell) -> None:
    assert shell.steps()["deploy"] == "to do"
    assert shell.run("deploy", "--yes").returncode == NOTHING_HAPPENED
    shell.done("relayer-key", "--yes")
    dry = shell.done("deploy", "--dry-run")
    assert "Deploy" in dry
    shell.done("deploy", "--yes")
    batch = json.loads(shell.done("approve", "--dry-run", "--json"))
    assert len(batch["calls"]) == 8
    assert len(batch["digest"]) == 66
    assert {call["function"] for call in batch["calls"]} == {"approve", "setApprovalForAll"}
    wait_until(lambda: shell.run("approve", "--yes").returncode == 0, seconds=PATIENCE_S)
    assert shell.steps()["approvals"] == "done"
    assert shell.run("approve").returncode == NOTHING_HAPPENED
    shell.operate("/fund", {"address": shell.wallet, "amount": "100"})
    _split_merge_and_redeem(shell)


def _split_merge_and_redeem(shell: Shell) -> None:
    """Cash becomes both outcomes, and a win becomes cash."""
    with loopback_http.client() as http:
        rows = http.get(shell.urls["gamma"] + "/markets?limit=50&closed=false").json()
    condition = next(
        row["conditionId"] for row in rows if row.get("clobTokenIds") and row["acceptingOrders"]
    )
    shell.done("split", condition, "20", "--yes")
    assert sorted(shell.ledger()["shares"].values()) == ["20", "20"]
    shell.done("merge", condition, "5", "--yes")
    assert shell.cash() == Decimal("85")
    shell.operate("/resolve", {"condition_id": condition, "winner": 0})
    shell.done("redeem", "--all", "--yes")
    assert shell.cash() == Decimal("100")
    assert shell.run("redeem", "--all", "--yes").returncode == NOTHING_HAPPENED


def test_beside_a_terminal_its_service_takes_the_steps(start: Start, home: Path) -> None:
    terminal = start(is_attached=True)
    trader.wait_for_markets(terminal)
    paper = PaperVenue(home)
    market = paper.busy_markets()[0]
    before = paper.ledger().collateral

    def account(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "pmtui", "account", *words],
            env={**os.environ, "PMTUI_HOME": str(home)}, stdin=subprocess.DEVNULL,
            text=True, capture_output=True, timeout=PATIENCE_S, check=False,
        )  # fmt: skip

    dry = account("split", market.condition_id, "7.5", "--dry-run", "--json")
    assert dry.returncode == 0, dry.stderr
    assert [flow["amount"] for flow in json.loads(dry.stdout)["flows"]] == ["-7.5", "7.5", "7.5"]
    assert account("split", market.condition_id, "7.5").returncode == WRONG_USAGE
    assert account("split", market.condition_id, "99999", "--yes").returncode == NOTHING_HAPPENED
    assert account("split", market.condition_id, "much", "--yes").returncode == WRONG_USAGE
    assert account("approve", "--yes").returncode == NOTHING_HAPPENED
    assert paper.ledger().collateral == before
    split = account("split", market.condition_id, "7.5", "--yes")
    assert split.returncode == 0, split.stderr
    assert paper.ledger().collateral - before == Decimal("-7.5")
    (told,) = json.loads(account("status", "--json").stdout)["transactions"]
    assert (told["status"], told["ours"]) == ("confirmed", True)
    terminal.until_text("Confirmed: Split")
    terminal.press("q")
    assert terminal.exit_code() == 0


@contextmanager
def serving(shell: Shell, *options: str, fds: Sequence[int] = ()) -> Iterator[None]:
    environment = {**os.environ, "PMTUI_HOME": str(shell.home), "PMTUI_PROFILE": "bare"}
    command = [sys.executable, "-m", "pmtui", "serve", *options]
    with subprocess.Popen(
        command, env=environment, pass_fds=fds, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            assert "Serving" in process.stdout.readline()
            yield
        finally:
            process.terminate()


def kill_while_pending(shell: Shell, is_pending: Callable[[], bool], *words: str) -> None:
    command, environment = shell.command(*words)
    with lines_on_fd(PASSPHRASE) as number:
        process = subprocess.Popen(
            [*command, "--passphrase-fd", str(number)], env=environment, pass_fds=(number,),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        wait_until(is_pending, seconds=PATIENCE_S)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()


def test_a_transfer_happens_once_or_not_at_all_through_kills_lost_answers_and_reverts(
    shell: Shell,
) -> None:
    shell.operate("/fund", {"address": shell.wallet, "amount": "100"})
    shell.done("relayer-key", "--yes")
    _kill_a_pending_transfer(shell)
    assert shell.cash() == Decimal("94.5")

    lost = {"host": "relayer", "prefix": "/submit", "method": "POST", "is_answer_lost": True}
    shell.operate("/faults", lost)
    shell.done("send", OTHER, "1", "--yes")
    assert shell.cash() == Decimal("93.5")
    assert states(shell) == ["confirmed", "confirmed"]

    shell.operate("/relayer", {"course": "failed", "count": 1})
    assert shell.run("send", OTHER, "1", "--yes").returncode == NOTHING_HAPPENED
    assert shell.cash() == Decimal("93.5")
    assert sorted(states(shell)) == ["confirmed", "confirmed", "failed"]


def _kill_a_pending_transfer(shell: Shell) -> None:
    """It goes on with the next command, and another like it is refused meanwhile."""
    shell.operate("/relayer", {"course": "stalled", "count": 1})

    def is_pending() -> bool:
        journal = shell.home / "state" / "bare" / "journal.sqlite"
        return journal.exists() and b"pending" in b"".join(
            part.read_bytes() for part in journal.parent.glob("journal.sqlite*")
        )

    kill_while_pending(shell, is_pending, "send", OTHER, "5.5", "--yes")
    (left,) = states(shell)
    assert left in ("pending", "unknown")
    assert shell.run("send", OTHER, "5.5", "--yes").returncode == NOTHING_HAPPENED
    shell.operate("/relayer", {"course": "normal", "count": 0})
    wait_until(lambda: states(shell) == ["confirmed"], seconds=PATIENCE_S)


def states(shell: Shell) -> list[str]:
    """Return how it stands with every transaction."""
    return [known["status"] for known in shell.status()["transactions"]]


def test_a_step_that_a_service_carries_out_outlives_its_command(shell: Shell) -> None:
    with serving(shell):
        refused = shell.run("approve", "--yes")
        assert (refused.returncode, refused.stdout) == (NOTHING_HAPPENED, "")
        assert "keystore locked" in refused.stderr
    shell.operate("/fund", {"address": shell.wallet, "amount": "100"})
    with (
        lines_on_fd(PASSPHRASE) as number,
        serving(shell, "--passphrase-fd", str(number), fds=(number,)),
    ):
        shell.done("relayer-key", "--yes")
        shell.operate("/relayer", {"course": "stalled", "count": 1})
        kill_while_pending(
            shell, lambda: states(shell) == ["pending"], "send", OTHER, "5.5", "--yes"
        )
        assert shell.run("send", OTHER, "5.5", "--yes").returncode == NOTHING_HAPPENED
        shell.operate("/relayer", {"course": "normal", "count": 0})
        wait_until(lambda: states(shell) == ["confirmed"], seconds=PATIENCE_S)
    assert shell.cash() == Decimal("94.5")

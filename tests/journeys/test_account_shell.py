"""The wallet from a shell, with processes that are killed: a bare key to a wallet that trades and cashes in."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest

from pmtui.domain.ids import Address
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.signing.wallet import derive_wallets
from pmtui.sim.admin_token import operator_headers, read_token
from tests.cli.secret_lines import lines_on_fd
from tests.journeys.keystores import store_key
from tests.sim.kit import KEYS

pytestmark = pytest.mark.journey

PASSPHRASE = "correct horse battery"
OTHER = Address("0x70997970C51812dc3A010C7d01b50e0d17dc79C8")
PATIENCE_S = 120
NOTHING_HAPPENED = 1
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
        with httpx.Client(trust_env=False, timeout=PATIENCE_S) as http:
            http.post(
                self.urls["admin"] + path, json=body, headers=dict(self.operator)
            ).raise_for_status()

    def ledger(self) -> Any:
        with httpx.Client(trust_env=False, timeout=PATIENCE_S) as http:
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


@pytest.fixture
def funded(shell: Shell) -> Shell:
    """A wallet that is ready for everything, with 100 dollars."""
    shell.operate("/fund", {"address": shell.wallet, "amount": "100"})
    shell.done("relayer-key", "--yes")
    return shell


def test_a_bare_key_comes_to_a_wallet_that_may_trade(shell: Shell) -> None:
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


def test_what_was_pending_when_it_was_killed_goes_on_and_happens_once(funded: Shell) -> None:
    funded.operate("/relayer", {"course": "stalled", "count": 1})

    def is_pending() -> bool:
        journal = funded.home / "state" / "bare" / "journal.sqlite"
        return journal.exists() and b"pending" in b"".join(
            part.read_bytes() for part in journal.parent.glob("journal.sqlite*")
        )

    kill_while_pending(funded, is_pending, "send", OTHER, "5.5", "--yes")
    (left,) = funded.status()["transactions"]
    assert left["status"] in ("pending", "unknown")
    assert funded.run("send", OTHER, "5.5", "--yes").returncode == NOTHING_HAPPENED
    funded.operate("/relayer", {"course": "normal", "count": 0})

    def is_confirmed() -> bool:
        (known,) = funded.status()["transactions"]
        return bool(known["status"] == "confirmed")

    wait_until(is_confirmed, seconds=PATIENCE_S)
    assert funded.cash() == Decimal("94.5")


def test_a_lost_answer_is_found_again_and_sent_once(funded: Shell) -> None:
    lost = {"host": "relayer", "prefix": "/submit", "method": "POST", "is_answer_lost": True}
    funded.operate("/faults", lost)
    funded.done("send", OTHER, "1", "--yes")
    assert funded.cash() == Decimal("99")
    assert len(funded.status()["transactions"]) == 1


def test_a_batch_that_reverts_changes_nothing_and_says_so(funded: Shell) -> None:
    funded.operate("/relayer", {"course": "failed", "count": 1})
    ended = funded.run("send", OTHER, "1", "--yes")
    assert ended.returncode == NOTHING_HAPPENED
    assert funded.cash() == Decimal("100")
    (known,) = funded.status()["transactions"]
    assert known["status"] == "failed"


def test_cash_becomes_both_outcomes_and_a_win_becomes_cash(funded: Shell) -> None:
    with httpx.Client(trust_env=False) as http:
        rows = http.get(funded.urls["gamma"] + "/markets?limit=50&closed=false").json()
    condition = next(
        row["conditionId"] for row in rows if row.get("clobTokenIds") and row["acceptingOrders"]
    )
    funded.done("split", condition, "20", "--yes")
    assert sorted(funded.ledger()["shares"].values()) == ["20", "20"]
    funded.done("merge", condition, "5", "--yes")
    assert funded.cash() == Decimal("85")
    funded.operate("/resolve", {"condition_id": condition, "winner": 0})
    funded.done("redeem", "--all", "--yes")
    assert funded.cash() == Decimal("100")
    assert funded.run("redeem", "--all", "--yes").returncode == NOTHING_HAPPENED

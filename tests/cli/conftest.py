import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from pmtui.cli.keys.unlocking import keystore_path
from pmtui.cli.main import main
from pmtui.domain.markets.market import Side
from pmtui.signing.keystore import encrypt_keystore
from pmtui.signing.secret import Secret
from tests.cli.public_venue import HOSTS, PASSPHRASE
from tests.cli.secret_lines import lines_on_fd
from tests.sim.kit import KEYS, RAIN_NO, Person, http_client, small_venue

Get = Callable[..., Awaitable[tuple[int, str, str]]]


@pytest.fixture
async def bob(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Person]:
    """One who offers four of ten Yes at 0.40, of which Ann bought six; taken for the public venue."""
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    async with small_venue(tmp_path) as running, http_client() as http:
        for name in HOSTS:
            monkeypatch.setenv(f"PMTUI_{name.upper()}_URL", running.urls[name])
        ann = await Person(running, http, key=0).arrive()
        bob = await Person(running, http, key=1).arrive()
        await bob.rest(Side.BUY, "0.6", "10", token=RAIN_NO)
        placed = await ann.place(Side.BUY, "0.4", "6")
        assert placed.json()["status"] == "matched", placed.text
        ann.pass_time(60)
        yield bob


@pytest.fixture
def get(capsys: pytest.CaptureFixture[str]) -> Get:
    """Run the command on the live profile in a thread of its own, as in a process of its own."""

    async def run_it(*arguments: str, lines: tuple[str, ...] = ()) -> tuple[int, str, str]:
        with lines_on_fd(*lines) as number:
            words = [str(number) if word == "FD" else word for word in arguments]
            code = await asyncio.to_thread(main, ["--profile", "live", "get", *words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run_it


@pytest.fixture
def keystore(tmp_path: Path) -> Path:
    """Ann's key in the keystore of the live profile."""
    path = keystore_path(tmp_path / "state", "live")
    path.parent.mkdir(parents=True)
    secret = Secret.from_hex(KEYS[0])
    path.write_text(encrypt_keystore(secret, Secret.from_text(PASSPHRASE), work_factor=2))
    return path

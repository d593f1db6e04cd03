"""The service outlives its terminals: whatever becomes of a line, it goes on and is found again."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from pmtui.cli.service.shell_client import request_status
from pmtui.cli.session_process import session_lock
from pmtui.config.toml_file import ConfigError
from pmtui.domain.markets.market import Side
from pmtui.link.local_socket import bind, socket_path_of
from pmtui.link.messages import Done, Goodbye, Hello, Refused, ServiceStatus, pack
from pmtui.sim.admin_token import read_token
from tests import loopback_http
from tests.journeys import trader
from tests.journeys.conftest import Start
from tests.journeys.processes import service_pid, wait_until_gone
from tests.journeys.terminal import PROGRAM, Terminal
from tests.journeys.venue import Market, PaperVenue
from tests.sim.process import VenueProcess
from tests.sim.remote import remote_person

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]

PATIENCE_S = 30.0
ASK_PERIOD_S = 0.05
LOST_WITHIN_S = 3.0
"""A second by the promise, and as much again on a machine that is busy."""


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PROGRAM, *arguments], env={**os.environ, "PMTUI_HOME": str(home)},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def standing(home: Path) -> ServiceStatus | None:
    """Ask the service how it stands, as `pmtui status` does, without a program started for it."""
    answer = request_status(socket_path_of(home / "run", "paper"))
    return answer if isinstance(answer, ServiceStatus) else None


def open_orders(home: Path) -> int | None:
    found = standing(home)
    return found.open_orders if found else None


def terminals(home: Path) -> int | None:
    found = standing(home)
    return found.terminals if found else None


def conditionals(home: Path) -> int | None:
    found = standing(home)
    return found.conditional_orders if found else None


def wait_for(is_so: Callable[[], bool], what: str) -> None:
    """Ask the service again and again, and leave it time to work in between."""
    end, pause = time.monotonic() + PATIENCE_S, threading.Event()
    while not is_so():
        assert time.monotonic() < end, f"waited in vain for {what}"
        pause.wait(ASK_PERIOD_S)


def test_a_service_that_trades_by_older_settings_is_said(start: Start, home: Path) -> None:
    terminal = start("attach")
    trader.wait_for_markets(terminal)
    assert "older settings" not in terminal.text()
    (home / "config").mkdir(exist_ok=True)
    (home / "config" / "config.toml").write_text("[limits]\norder_usd = 5\n")
    start("attach").until_text("older settings")


@pytest.fixture
def attached(start: Start, home: Path) -> Terminal:
    terminal = start("attach")
    trader.wait_for_markets(terminal)
    return terminal


def at_a_market(terminal: Terminal, home: Path) -> Market:
    market = PaperVenue(home).busy_markets()[0]
    trader.find_market(terminal, market)
    return market


def says_it_is_gone(terminal: Terminal) -> bool:
    return any(words in terminal.text() for words in ("the service is gone", "no service:"))


@contextmanager
def taken_lock(home: Path) -> Iterator[None]:
    """Hold a profile as a session does, as soon as nobody else does."""
    end = time.monotonic() + LOST_WITHIN_S
    with ExitStack() as held:
        while True:
            try:
                held.enter_context(session_lock(home / "state" / "paper"))
                break
            except ConfigError:
                assert time.monotonic() < end, "the killed service still holds its lock"
        yield


def test_an_order_outlives_its_line_its_service_and_its_terminal(
    attached: Terminal, start: Start, home: Path
) -> None:
    market = at_a_market(attached, home)
    trader.rest_an_order(attached)
    pid = service_pid(home)
    attached.hang_up()
    attached.exit_code()
    wait_for(lambda: terminals(home) == 0, "no terminal")
    assert open_orders(home) == 1
    again = start("attach")
    again.until_text("1 working")
    assert service_pid(home) == pid
    assert PaperVenue(home).ledger().is_whole
    trader.wait_for_ladder(again, market)
    _kill_the_service(again, home)
    _leave_and_stop(again, start, home)


def _kill_the_service(terminal: Terminal, home: Path) -> None:
    """Its loss is seen at once, and another one takes its place with everything."""
    killed, began = service_pid(home), time.monotonic()
    os.kill(killed, signal.SIGKILL)
    # With its lock taken no other one starts before the loss has been seen.
    with taken_lock(home):
        terminal.until(lambda: says_it_is_gone(terminal), "the loss", deadline_s=LOST_WITHIN_S)
        assert time.monotonic() - began < LOST_WITHIN_S
    terminal.until(lambda: not says_it_is_gone(terminal), "another service")
    terminal.until_text("1 working")
    terminal.until(lambda: trader.has_good_book(terminal), "a good book again")
    assert service_pid(home) != killed
    assert PaperVenue(home).ledger().is_whole


def _leave_and_stop(terminal: Terminal, start: Start, home: Path) -> None:
    """Leaving offers to keep the service, and to stop it with every order cancelled."""
    terminal.press("q")
    terminal.until_text("Leave this terminal?")
    assert terminal.row_with("It goes on without you", "1 working order")
    terminal.press("escape")
    terminal.until_gone("Leave this terminal?")
    terminal.press("q")
    terminal.until_text("Leave this terminal?")
    terminal.press("enter")
    assert terminal.exit_code() == 0
    assert open_orders(home) == 1
    last = start("attach")
    last.until_text("1 working")
    trader.wait_for_markets(last)
    last.press("q")
    last.until_text("Leave this terminal?")
    last.press("down", "down")
    last.until(lambda: last.row_with("Cancel every order, then stop it"), "the choice")
    last.press("enter")
    assert last.exit_code() == 0
    assert "1 cancelled, and the venue lists no open order any more" in last.text()
    assert wait_until_gone(home) == {}


def test_two_terminals_share_orders_though_one_stands_still_and_not_their_arming(
    attached: Terminal, start: Start, home: Path
) -> None:
    market = at_a_market(attached, home)
    other = start("attach")
    trader.wait_for_markets(other)
    trader.find_market(other, market)
    assert terminals(home) == 2
    attached.press("v")
    attached.until_text("ARMED")
    attached.send_signal(signal.SIGSTOP)
    price = trader.rest_an_order(other)
    attached.send_signal(signal.SIGCONT)
    attached.until_text("1 working")
    attached.until(lambda: "40" in trader.ladder_row(attached, price), "the order in the ladder")
    attached.until(lambda: trader.has_good_book(attached), "a good book")
    assert "ARMED" not in other.text()
    trader.close_ticket(other)
    other.press("X")
    trader.agree(other, "Cancel all working orders?")
    other.until_text("Cancelled 1 order everywhere")
    attached.until_text("0 working")


def test_an_order_of_a_terminal_that_was_killed_is_known_to_the_next(
    attached: Terminal, start: Start, home: Path
) -> None:
    at_a_market(attached, home)
    shown = trader.quote(attached)
    assert shown is not None
    PaperVenue(home).post(
        "/faults", {"host": "clob", "prefix": "/order", "delay_ms": 1_500, "remaining": 1}
    )
    trader.open_ticket(attached)
    price = shown[0] - 10 * trader.CENT
    trader.fill_in(attached, price=f"{price * 100:.0f}", size="40")
    trader.review(attached)
    trader.send(attached)
    attached.send_signal(signal.SIGKILL)
    attached.exit_code()
    again = start("attach")
    again.until_text("1 working")
    again.until(lambda: len(PaperVenue(home).ledger().open_orders) == 1, "the order at the venue")


def test_a_stop_fires_while_nobody_looks_and_is_told_of(
    attached: Terminal, start: Start, home: Path
) -> None:
    market = at_a_market(attached, home)
    shown = trader.quote(attached)
    assert shown is not None
    bid, ask = shown
    trader.open_ticket(attached)
    trader.fill_in(attached, price=f"{(ask + 2 * trader.CENT) * 100:.0f}", size="20")
    trader.review(attached)
    trader.send(attached)
    attached.until_text("Bought 20")
    trader.close_ticket(attached)
    # The trade is told before the position is counted.
    attached.until(lambda: attached.row_with("Yes", "20 at"), "the position")
    attached.press("t")
    attached.until_text("Stop")
    attached.until(lambda: attached.cursor_row().strip(), "a field with the keys")
    attached.type(f"{(bid - trader.CENT) * 100:.0f}")
    attached.press("enter")
    attached.until_text("Place stop / target?")
    attached.press("enter")
    attached.until_gone("Place stop / target?")
    wait_for(lambda: conditionals(home) == 1, "the stop")
    attached.send_signal(signal.SIGKILL)
    attached.exit_code()
    wait_for(lambda: terminals(home) == 0, "no terminal")
    asyncio.run(_push_down(home, market, bid - 3 * trader.CENT))
    wait_for(lambda: conditionals(home) == 0, "the stop done")
    again = start("attach")
    again.until_text("While no terminal was attached")


async def _push_down(home: Path, market: Market, price: Decimal) -> None:
    """Let somebody take every bid down to a price: who buys the other outcome mints with them."""
    venue = PaperVenue(home)
    token = read_token(home / "state" / "paper" / "venue")
    async with loopback_http.async_client() as http:
        answer = await http.get(
            f"{venue.urls['clob']}/neg-risk", params={"token_id": market.tokens[1]}
        )
        process = VenueProcess(None, venue.urls, token)  # type: ignore[arg-type]  # its parent ends it
        person = await (await remote_person(process, http)).arrive(dollars="5000000")
        response = await person.place(
            Side.BUY, str(1 - price), "2000000", token=market.tokens[1],
            neg_risk=answer.json()["neg_risk"],
        )  # fmt: skip
        assert response.status_code == 200, response.text


def test_the_shell_asks_stops_and_finds_nobody_afterwards(attached: Terminal, home: Path) -> None:
    found = json.loads(run(home, "status", "--json").stdout)
    assert found["running"] is True
    assert found["terminals"] == 1
    assert run(home, "stop").returncode == 0
    attached.until_text("SERVICE ENDED", deadline_s=LOST_WITHIN_S)
    assert run(home, "status").returncode == 1
    attached.press("r")
    attached.until_gone("SERVICE ENDED")
    wait_for(lambda: terminals(home) == 1, "the terminal")
    assert run(home, "stop").returncode == 0
    attached.until_text("SERVICE ENDED")
    attached.press("q")
    assert attached.exit_code() == 0
    assert wait_until_gone(home) == {}


def test_a_socket_that_was_left_behind_is_no_service(start: Start, home: Path) -> None:
    first = start("attach")
    trader.wait_for_markets(first)
    for pid in (first.pid, service_pid(home)):
        os.kill(pid, signal.SIGKILL)
    first.exit_code()
    assert (home / "run" / "paper.sock").exists()
    assert run(home, "status").returncode == 1
    trader.wait_for_markets(start("attach"))


class OlderService:
    """A service of another version: it takes no terminal in, and ends when it is told to."""

    def __init__(self, home: Path, *, can_restart: bool) -> None:
        (home / "run").mkdir(parents=True, mode=0o700)
        self._path = home / "run" / "paper.sock"
        self._can_restart = can_restart
        self._listening = bind(self._path)
        self._listening.settimeout(None)
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join(timeout=10)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                one, _ = self._listening.accept()
                with one:
                    if not self._answer(one):
                        return

    def _answer(self, one: socket.socket) -> bool:
        data = one.recv(65_536)
        if not data:
            return True
        end = 4 + int.from_bytes(data[:4], "big")
        if not msgspec.msgpack.decode(data[4:end], type=Hello).is_terminal:
            if len(data) == end:
                one.recv(65_536)
            self._path.unlink()
            one.sendall(pack(Done()) + pack(Goodbye("pmtui: it has ended")))
            self._listening.close()
            return False
        text = "the service is pmtui 0.0.1, this is another"
        one.sendall(pack(Refused(text, "0.0.1", can_restart=self._can_restart)))
        return True


def test_a_service_of_another_version_that_is_needed_is_left_alone(
    start: Start, home: Path
) -> None:
    with OlderService(home, can_restart=False):
        terminal = start("attach", size=(200, 50))
        assert terminal.exit_code() == 2
        assert terminal.row_with("pmtui 0.0.1", "pmtui stop")


def test_a_service_of_another_version_that_nobody_needs_is_replaced(
    start: Start, home: Path
) -> None:
    with OlderService(home, can_restart=True):
        terminal = start("attach", size=(200, 50))
        terminal.until_text("restart it? [Y/n]")
        terminal.press("enter")
        trader.wait_for_markets(terminal)
        assert terminals(home) == 1


def test_pmtui_alone_starts_a_service_which_ends_when_nobody_needs_it(
    start: Start, home: Path
) -> None:
    env = {"PMTUI_SERVICE__IDLE_EXIT_S": "10"}
    terminal = start(is_attached=True, env=env)
    trader.wait_for_markets(terminal)
    pid = service_pid(home)
    terminal.press("q")
    assert terminal.exit_code() == 0
    again = start(is_attached=True, env=env)
    trader.wait_for_markets(again)
    assert service_pid(home) == pid
    again.press("q")
    assert again.exit_code() == 0
    assert wait_until_gone(home) == {}


def test_an_idle_service_makes_room_for_a_standalone_terminal(start: Start, home: Path) -> None:
    first = start(is_attached=True)
    trader.wait_for_markets(first)
    first.press("q")
    assert first.exit_code() == 0
    alone = start()
    trader.wait_for_markets(alone)
    assert run(home, "status").returncode == 1
    beside = start(is_attached=True, size=(200, 50))
    assert beside.exit_code() == 2
    assert beside.row_with("a standalone terminal runs this profile")

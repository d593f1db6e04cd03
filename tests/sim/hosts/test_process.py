"""`pmtui sim` as a program: its first line, its end, and what it refuses."""

import os
import signal
import socket
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from pmtui.cli.venue.sim import run
from tests import loopback_http
from tests.sim.kit import write_catalogue
from tests.sim.process import venue_process

NAMES = ["clob", "gamma", "data", "relayer", "ws_market", "ws_user", "rpc", "geoblock", "admin"]


@pytest.fixture
def small(tmp_path: Path) -> list[str]:
    return ["--catalogue", str(write_catalogue(tmp_path)), "--speed", "0"]


def test_the_first_line_names_every_host_and_all_of_them_answer(small: list[str]) -> None:
    with venue_process(*small) as process, loopback_http.client() as http:
        assert list(process.urls) == NAMES
        for name in NAMES:
            if not name.startswith("ws_"):
                expected = (401,) if name == "admin" else (200, 404)
                assert http.get(process.urls[name]).status_code in expected
        assert process.operate("GET", "/") == "OK"
        assert process.urls["ws_market"].endswith("/ws/market")
        assert process.urls["ws_user"].endswith("/ws/user")
        for name in ("ws_market", "ws_user"):
            url = httpx.URL(process.urls[name])
            socket.create_connection((url.host, url.port or 0), timeout=60).close()


def test_a_given_port_is_that_of_the_trading_host_and_the_rest_follow(small: list[str]) -> None:
    port = _eight_free_ports()
    with venue_process("--port", str(port), *small) as process:
        assert process.urls["clob"] == f"http://127.0.0.1:{port}"
        assert process.urls["gamma"] == f"http://127.0.0.1:{port + 1}"
        assert process.urls["admin"] == f"http://127.0.0.1:{port + 7}"


def _eight_free_ports() -> int:
    """Return the first of eight ports in a row, below those that the system hands out itself."""
    for first in range(20_000 + os.getpid() % 1_000 * 8, 30_000, 8):
        try:
            with ExitStack() as probes:
                for port in range(first, first + 8):
                    probes.enter_context(socket.socket()).bind(("127.0.0.1", port))
        except OSError:
            continue
        return first
    raise AssertionError("no eight free ports in a row")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_in_order_even_with_a_client_connected(
    small: list[str], number: signal.Signals
) -> None:
    with venue_process(*small) as process, loopback_http.client() as http:
        http.get(process.urls["clob"])
        process.process.send_signal(number)
        assert process.process.wait(timeout=60) == 0


def test_it_ends_when_its_standard_input_closes(small: list[str]) -> None:
    with venue_process(*small) as process:
        assert process.end() == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--port", "70000"], "between 0 and 65528"),
        (["--port", "clob"], "--port"),
        (["--speed", "-1"], "between 0 and 1000"),
        (["--catalogue", "/nowhere/events.json"], "no such file: /nowhere/events.json"),
        (["--colour"], "--colour"),
    ],
)
def test_wrong_options_are_refused_in_words(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    assert words in capsys.readouterr().err


def test_a_port_in_use_is_refused_in_one_line(
    small: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert run(["--port", str(port), *small]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"pmtui sim: cannot listen on port {port}: ")
    assert error.count("\n") == 1


def test_a_state_that_cannot_be_used_is_refused_in_one_line(
    small: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "state").write_text("a file where a folder should be")
    assert run(["--state", str(tmp_path / "state"), *small]) == 2
    assert capsys.readouterr().err.startswith("pmtui sim: cannot open the state in ")


def test_help_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    assert "--state DIR" in capsys.readouterr().out

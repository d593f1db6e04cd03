import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual import constants, events
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from pmtui.ui.driver import PromptDriver, _InputReader, driver_class
from tests.ui.pty_child import PtyChild


def _press(child: PtyChild, number: int, key: bytes, name: str) -> float:
    """Return how long the answer to a key took."""
    started = time.monotonic()
    child.send(key)
    child.until(lambda: f"{number}:{name}." in child.row(0), f"the answer to {name}")
    return time.monotonic() - started


def test_a_lone_escape_does_not_wait_for_the_stock_drivers_poll() -> None:
    with PtyChild("tests.ui.key_app", "ours") as child:
        child.until(lambda: "ready" in child.row(0), "the first paint")
        escapes = [_press(child, i + 1, b"\x1b", "escape") for i in range(7)]
        # The stock driver takes 100 ms at least; the best of ours does not depend on the load. One
        # that something else follows at once, such as an answer of the terminal, needs no waiting.
        assert min(wait for wait in escapes if wait >= 0.024) < 0.09


def test_sequences_text_and_escape_are_told_apart() -> None:
    with PtyChild("tests.ui.key_app", "ours") as child:
        child.until(lambda: "ready" in child.row(0), "the first paint")
        _press(child, 1, b"\x1b[A", "up")
        _press(child, 2, b"x", "x")
        _press(child, 3, "é".encode(), "é")
        _press(child, 4, b"\x1bOP", "f1")
        _press(child, 5, b"\x1b", "escape")
        child.send(b"\x1b[")
        child.send(b"B")
        child.until(lambda: "6:down." in child.row(0), "a sequence that arrives in two parts")


def test_the_users_own_delay_is_honoured() -> None:
    with PtyChild("tests.ui.key_app", "ours", env={"ESCDELAY": "200"}) as child:
        child.until(lambda: "ready" in child.row(0), "the first paint")
        # An answer of the terminal that follows at once ends the waiting for one of them at most.
        assert max(_press(child, n, b"\x1b", "escape") for n in (1, 2, 3)) >= 0.199


def test_quitting_does_not_wait_for_a_key() -> None:
    with PtyChild("tests.ui.key_app", "ours") as child:
        child.until(lambda: "ready" in child.row(0), "the first paint")
        child.send(b"\x11")
        child.until(lambda: child.process is not None and child.process.poll() == 0, "the end")
        assert b"\x1b[?1049l" in child.output


def test_the_program_ends_with_its_terminal() -> None:
    with PtyChild("tests.ui.key_app", "ours") as child:
        child.until(lambda: "ready" in child.row(0), "the first paint")
        process = child.process
        assert process is not None
        child.hang_up()
        assert process.wait(20) is not None


MANY = 60
"""Keys whose answers find no room in any buffer."""


def _press_many(child: PtyChild, count: Path) -> None:
    for number in range(1, MANY + 1):
        child.send(b"x")
        child.until(
            lambda seen=number: count.exists() and count.read_text() == str(seen),  # type: ignore[misc]  # bound now
            f"key {number} being taken",
        )


def test_a_terminal_that_does_not_read_holds_nothing_up_and_is_painted_anew(
    tmp_path: Path,
) -> None:
    count = tmp_path / "count"
    with PtyChild("tests.ui.key_app", "ours", env={"KEY_COUNT_FILE": str(count)}) as child:
        child.until(lambda: "ready" in child.row(0), "the first paint")
        child.freeze()
        _press_many(child, count)
        assert f"{MANY}:x." not in child.row(0)
        child.thaw()
        child.until(lambda: f"{MANY}:x." in child.row(0), "the newest picture")
        _press(child, MANY + 1, b"y", "y")


def test_a_program_ends_while_its_terminal_does_not_read(tmp_path: Path) -> None:
    count = tmp_path / "count"
    with PtyChild("tests.ui.key_app", "ours", env={"KEY_COUNT_FILE": str(count)}) as child:
        child.until(lambda: "ready" in child.row(0), "the first paint")
        process = child.process
        assert process is not None
        child.freeze()
        _press_many(child, count)
        child.send(b"\x11")
        child.until(lambda: process.poll() is not None, "the end")


def test_a_release_without_the_private_names_gets_the_stock_driver(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert driver_class() is PromptDriver
    with monkeypatch.context() as patch:
        patch.setattr(LinuxDriver, "_run_input_thread", None)
        assert driver_class() is None
    with monkeypatch.context() as patch:
        patch.setattr(XTermParser, "__init__", lambda _self: None)
        assert driver_class() is None
    monkeypatch.setattr(constants, "DRIVER", "textual.drivers.linux_driver:LinuxDriver")
    assert driver_class() is None


@pytest.fixture
def pipes() -> Iterator[tuple[_InputReader, int, int]]:
    terminal, keys = os.pipe()
    wake, waker = os.pipe()
    reader = _InputReader(terminal, wake)
    yield reader, keys, waker
    reader.close()
    for descriptor in (terminal, wake, waker):
        os.close(descriptor)


def _keys(reader: _InputReader) -> list[str]:
    return [m.key for m in reader.next_messages() or [] if isinstance(m, events.Key)]


def test_the_reader_waits_for_the_rest_of_a_sequence_only_so_long(
    pipes: tuple[_InputReader, int, int],
) -> None:
    reader, keys, waker = pipes
    os.write(keys, b"a\x1b[A\x1b")
    assert _keys(reader) == ["a", "up"]
    assert _keys(reader) == ["escape"]
    os.write(keys, b"\xc3")
    assert _keys(reader) == []
    os.write(keys, b"\xa9")
    assert _keys(reader) == ["é"]
    os.write(waker, b"x")
    assert reader.next_messages() == []
    os.close(keys)
    assert reader.next_messages() is None

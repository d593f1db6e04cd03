import re
import signal
from pathlib import Path

import pytest
from textual import constants
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from pmtui.ui.terminal.driver import PmtuiDriver, driver_class
from tests.ui.pty_child import PtyChild


def _press(child: PtyChild, number: int, key: bytes, name: str) -> None:
    child.send(key)
    child.until(lambda: f"{number}:{name}." in child.row(0), f"the answer to {name}")


# At which moments is for `test_input_reader`, whose clock does not run.
def test_sequences_text_and_escape_are_told_apart() -> None:
    with PtyChild("tests.ui.key_app", "ours") as child:
        child.until(lambda: "ready" in child.row(0), "the first paint")
        _press(child, 1, b"\x1b[A", "up")
        _press(child, 2, b"x", "x")
        _press(child, 3, "é".encode(), "é")
        _press(child, 4, b"\x1bOP", "f1")
        _press(child, 5, b"\x1b", "escape")
        _press(child, 6, b"\x1b[B", "down")


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


_STRANGE = re.compile(rb"\x1b\]|\x1b\[[<>=]|\x1b\[[^@-~]*\$")
"""What a terminal without operating system commands or private parameters would print."""


@pytest.mark.parametrize("term", ["vt100", "vt220", "linux", "xterm-256color"])
def test_a_plain_terminal_is_sent_no_sequence_that_it_would_print(term: str) -> None:
    with PtyChild("tests.ui.key_app", "ours", env={"TERM": term, "COLORTERM": ""}) as child:
        child.until(lambda: "ready" in child.row(0), "the first paint")
        child.send(b"\x11")
        child.until(lambda: child.process is not None and child.process.poll() == 0, "the end")
        found = _STRANGE.search(bytes(child.output))
        assert (found is not None) == (term == "xterm-256color"), found


@pytest.mark.parametrize(("around", "has_mouse"), [({"TMUX": "x"}, True), ({"STY": "x"}, False)])
def test_screen_is_not_asked_for_the_mouse(around: dict[str, str], has_mouse: bool) -> None:
    env = {"TERM": "screen-256color", "STY": "", "TMUX": "", **around}
    with PtyChild("tests.ui.key_app", "ours", env=env) as child:
        child.until(lambda: "ready" in child.row(0), "the first paint")
        child.send(b"\x11")
        child.until(lambda: child.process is not None and child.process.poll() == 0, "the end")
        assert (b"\x1b[?1000h" in child.output) == has_mouse
        # Where there is one screen only, nothing of ours stays on it.
        assert child.output.rfind(b"\x1b[H\x1b[J") > child.output.rfind(b"ready")


@pytest.mark.parametrize(("answer", "has_mouse"), [(84, True), (83, False)])
def test_what_is_named_like_screen_is_asked_whether_it_is(answer: int, has_mouse: bool) -> None:
    env = {"TERM": "screen-256color", "STY": "", "TMUX": ""}
    with PtyChild("tests.ui.key_app", "ours", env=env) as child:
        child.until(lambda: b"\x1b[>c" in child.output, "the question")
        assert b"\x1b[?1000h" not in child.output
        # Torn by the line, and no key for that.
        child.send(b"\x1b[>%d;" % answer)
        child.send(b"0;0c")
        if has_mouse:
            child.until(lambda: b"\x1b[?1000h" in child.output, "the mouse")
        _press(child, 1, b"x", "x")
        assert (b"\x1b[?1000h" in child.output) == has_mouse
        child.send(b"\x11")
        child.until(lambda: child.process is not None and child.process.poll() == 0, "the end")
        assert b"\x1b[?1000l" in child.output or not has_mouse


def test_a_size_in_the_environment_is_not_the_terminals() -> None:
    with PtyChild("tests.ui.key_app", "ours", env={"COLUMNS": "80", "LINES": "24"}) as child:
        child.until(lambda: "ready" in child.row(0), "the first paint")
        _press(child, 1, b"x", "x")
        child.resize(70, 20)

        def has_resized() -> bool:
            child.send(b"x")
            return "width=70, height=20" in child.row(0)

        child.until(has_resized, "the new size")


@pytest.mark.parametrize("number", [signal.SIGTSTP, signal.SIGSTOP])
def test_a_program_that_was_stopped_goes_on_where_it_was(number: signal.Signals) -> None:
    with PtyChild("tests.ui.key_app", "ours") as child:
        child.until(lambda: "ready" in child.row(0), "the first paint")
        process = child.process
        assert process is not None
        state = Path(f"/proc/{process.pid}/stat")
        for count in (1, 2):
            _press(child, 2 * count - 1, b"x", "x")
            process.send_signal(number)
            child.until(lambda: state.read_text().rpartition(")")[2].split()[0] == "T", "a halt")
            process.send_signal(signal.SIGCONT)
            seen = len(child.output)
            child.until(lambda seen=seen: b":x." in child.output[seen:], "a whole picture")  # type: ignore[misc]  # bound now
            _press(child, 2 * count, b"\x1b[A", "up")
        threads = [task.joinpath("comm") for task in state.with_name("task").iterdir()]
        child.send(b"\x11")
        child.until(lambda: process.poll() == 0, "the end")
        assert len(threads) <= 4, "somebody reads twice"
        assert b"Traceback" not in child.output


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
    assert driver_class() is PmtuiDriver
    with monkeypatch.context() as patch:
        patch.setattr(LinuxDriver, "_run_input_thread", None)
        assert driver_class() is None
    with monkeypatch.context() as patch:
        patch.setattr(XTermParser, "__init__", lambda _self: None)
        assert driver_class() is None
    monkeypatch.setattr(constants, "DRIVER", "textual.drivers.linux_driver:LinuxDriver")
    assert driver_class() is None

import asyncio
import os
import termios
from collections.abc import Iterator

import pytest

from pmtui.ui.terminal.hidden_line import LONGEST, HiddenLine, ask_hidden_line
from tests.ui.pty_child import PtyChild

SECRET = "0198f3a1-relayer"
PROMPT = "Key: "


@pytest.fixture
def ends() -> Iterator[tuple[int, int]]:
    terminal, program = os.openpty()
    yield terminal, program
    for each in (terminal, program):
        os.close(each)


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        (b"abc\r", "abc"),
        (b"abc\n", "abc"),
        (b"abx\x7fc\r", "abc"),
        (b"wrong\x15abc\r", "abc"),
        (b"\x1b[200~abc\x1b[201~\r", "abc"),
        ("schlüssel\r".encode(), "schlüssel"),
        (b"\r", ""),
        (b"ab\x03", None),
        (b"ab\x1b", None),
        (b"\x04", None),
        (b"\xff\xfe\r", None),
        (b"a" * (LONGEST + 1), None),
    ],
)
def test_a_line_is_what_was_typed(typed: bytes, text: str | None) -> None:
    line = HiddenLine()
    assert line.feed(typed)
    assert line.text == text


def test_a_line_goes_on_until_enter() -> None:
    line = HiddenLine()
    assert not line.feed(b"ab")
    assert line.feed(b"c\r")
    assert line.text == "abc"


async def seen(terminal: int, sign: bytes) -> bytes:
    """Read what the terminal was given until something is in it."""
    loop, shown = asyncio.get_running_loop(), b""
    while sign not in shown:
        shown += await loop.run_in_executor(None, os.read, terminal, 1_024)
    return shown


async def test_what_is_typed_is_not_shown_and_the_terminal_is_as_before(
    ends: tuple[int, int],
) -> None:
    terminal, program = ends
    before = termios.tcgetattr(program)
    asking = asyncio.ensure_future(ask_hidden_line(program, PROMPT, output=program))
    shown = await seen(terminal, PROMPT.encode())
    os.write(terminal, f"{SECRET}\r".encode())
    assert await asking == SECRET
    shown += await seen(terminal, b"\n")
    assert SECRET.encode() not in shown
    assert termios.tcgetattr(program) == before


async def test_who_stops_waiting_leaves_the_terminal_as_it_was(ends: tuple[int, int]) -> None:
    terminal, program = ends
    before = termios.tcgetattr(program)
    asking = asyncio.ensure_future(ask_hidden_line(program, PROMPT, output=program))
    await seen(terminal, PROMPT.encode())
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert termios.tcgetattr(program) == before


async def test_a_terminal_that_is_gone_gives_nothing() -> None:
    terminal, program = os.openpty()
    asking = asyncio.ensure_future(ask_hidden_line(program, PROMPT, output=program))
    await seen(terminal, PROMPT.encode())
    os.close(terminal)
    assert await asking is None
    os.close(program)


def test_an_application_asks_and_goes_on() -> None:
    with PtyChild("tests.ui.key_app", "hidden", "feed") as child:
        child.until(lambda: "ready" in child.row(0), "the first paint")
        child.send(b"P")
        child.until(lambda: PROMPT.encode() in child.output, "the prompt")
        child.send(f"{SECRET}\r".encode())
        child.until(lambda: f"given {len(SECRET)}" in child.row(0), "the picture again")
        child.until(lambda: "tick" in child.row(1), "what goes on")
        child.send(b"x")
        child.until(lambda: ":x." in child.row(0), "the keys again")
        child.send(b"P")
        child.until(lambda: child.output.count(PROMPT.encode()) == 2, "the prompt again")
        child.send(b"\x03")
        child.until(lambda: "given nothing" in child.row(0), "nothing")
        assert SECRET.encode() not in child.output
        child.send(b"\x11")
        child.until(lambda: child.process is not None and child.process.poll() == 0, "the end")


def test_an_application_that_is_told_to_end_while_it_asks_ends() -> None:
    with PtyChild("tests.ui.key_app", "hidden") as child:
        child.until(lambda: "ready" in child.row(0), "the first paint")
        child.send(b"E")
        child.until(lambda: PROMPT.encode() in child.output, "the prompt")
        child.until(lambda: child.process is not None and child.process.poll() == 0, "the end")

from collections.abc import Callable
from typing import Any

import pyte
import pytest
from rich.text import Text
from textual import events
from textual.app import App
from textual.driver import Driver
from textual.geometry import Offset
from typing_extensions import override

from pmtui.ui.cells import Cell
from pmtui.ui.terminal.cell_diff import CellDisplay
from pmtui.ui.terminal.terminal_app import TerminalApp
from pmtui.ui.widgets.text_line import TextLine
from tests.ui.recording_driver import RecordingDriver
from tests.ui.stage import Stage
from tests.ui.wait import settle, until


class _App(TerminalApp, Stage):
    def __init__(self, *lines: TextLine) -> None:
        super().__init__(*lines)
        self.driver_class = RecordingDriver

    @property
    def frames(self) -> list[str]:
        assert isinstance(self._driver, RecordingDriver)
        return self._driver.frames

    def on_key(self) -> None:
        self.query_one(TextLine).show((Cell("pressed"),))


def _screen(app: _App) -> pyte.Screen:
    screen = pyte.Screen(40, 5)
    pyte.Stream(screen).feed("".join(app.frames))
    return screen


def _shows(app: _App, text: str) -> Callable[[], bool]:
    return lambda: str(_screen(app).display[0]).startswith(text)


async def test_a_frame_is_one_write_of_what_changed() -> None:
    line = TextLine((Cell("price 0.51"),))
    app = _App(line)
    async with app.run_test(headless=False, size=(40, 5)) as pilot:
        await until(pilot, _shows(app, "price 0.51"), "the first paint")
        await settle(pilot)
        app.frames.clear()
        line.show((Cell("price 0.52"),))
        await until(pilot, lambda: app.frames, "the second paint")
        (frame,) = app.frames
        assert frame.startswith("\x1b[1;10H\x1b[")
        assert frame.endswith("m2\x1b[m")
        app.frames.clear()
        line.refresh()
        await settle(pilot)
        assert not app.frames


async def test_the_cursor_follows_a_text_field() -> None:
    line = TextLine((Cell("a"),))
    app = _App(line)
    async with app.run_test(headless=False, size=(40, 5)) as pilot:
        await until(pilot, _shows(app, "a"), "the first paint")
        app.cursor_position = Offset(3, 1)
        line.show((Cell("b"),))
        await until(pilot, _shows(app, "b"), "the second paint")
        assert app.frames[-1].endswith("\x1b[2;4H")


@pytest.mark.parametrize(
    "event", [events.AppFocus(), Driver.SignalResume()], ids=["focus", "resume"]
)
async def test_coming_back_repaints_everything(event: events.Event) -> None:
    app = _App(TextLine((Cell("here"),)))
    async with app.run_test(headless=False, size=(40, 5)) as pilot:
        await until(pilot, _shows(app, "here"), "the first paint")
        await settle(pilot)
        app.frames.clear()
        app.post_message(event)
        await until(pilot, _shows(app, "here"), "the repaint")


async def test_suspending_forgets_what_the_terminal_shows() -> None:
    app = _App(TextLine((Cell("here"),)))
    async with app.run_test(headless=False, size=(40, 5)) as pilot:
        await until(pilot, _shows(app, "here"), "the first paint")
        app._suspend_signal()
        app.frames.clear()
        app.screen.refresh()
        await until(pilot, _shows(app, "here"), "the repaint")


async def test_frames_of_another_kind_go_the_stock_way() -> None:
    app = _App(TextLine((Cell("here"),)))
    async with app.run_test(headless=False, size=(40, 5)) as pilot:
        await until(pilot, _shows(app, "here"), "the first paint")
        await settle(pilot)
        assert app.terminal.is_known
        app._display(app.screen, Text("rubbish"))
        assert not app.terminal.is_known
        app._display(app.screen, None)


class _SurprisedDisplay(CellDisplay):
    tries = 0

    @override
    def encode(self, driver: Driver, renderable: Any) -> str:
        self.tries += 1
        raise AttributeError("no chops here")


class _Surprised(_App):
    terminal: _SurprisedDisplay

    def __init__(self, line: TextLine) -> None:
        super().__init__(line)
        self.terminal = _SurprisedDisplay(self, on_room=self.catch_up)


async def test_surprises_cost_a_repaint_and_after_three_no_more_tries() -> None:
    line = TextLine((Cell("frame 0"),))
    app = _Surprised(line)
    async with app.run_test(headless=False, size=(40, 5)) as pilot:
        for number in range(1, 6):
            line.show((Cell(f"frame {number}"),))
            await until(pilot, _shows(app, f"frame {number}"), "the stock display")
        assert app.terminal.tries == 3


async def test_a_key_is_answered() -> None:
    app = _App(TextLine((Cell("waiting"),)))
    async with app.run_test(headless=False, size=(40, 5)) as pilot:
        await until(pilot, _shows(app, "waiting"), "the first paint")
        await pilot.press("x")
        await until(pilot, _shows(app, "pressed"), "the answer")


async def test_without_a_terminal_textual_displays() -> None:
    app = _App(TextLine())
    async with app.run_test(size=(40, 5)):
        assert isinstance(app, App)
        assert not app.terminal.is_known

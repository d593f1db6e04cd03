"""Toasts stand once and stay behind; input keeps its order."""

import gc
import weakref
from typing import Any

import pytest
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static
from typing_extensions import override

from pmtui.ui.app import PmtuiApp
from pmtui.ui.cells import Cell
from pmtui.ui.portfolio.log import LogScreen
from pmtui.ui.terminal.terminal_app import TerminalApp
from pmtui.ui.theme.theme_files import load_themes
from pmtui.ui.theme.theme_picker import ThemePicker
from pmtui.ui.widgets.text_line import TextLine
from tests.ui.fake_surface import FakeService
from tests.ui.recording_driver import RecordingDriver
from tests.ui.stage import Stage
from tests.ui.wait import settle, until


def told(app: PmtuiApp) -> list[str]:
    return [each.message for each in app._notifications]


def app_of(service: FakeService) -> PmtuiApp:
    return PmtuiApp(service.surface(), themes=load_themes()[0])


async def test_the_same_words_stand_once() -> None:
    app = app_of(FakeService())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        app.notify("The chart is hidden.")
        app.notify("Another thing.")
        app.notify("The chart is hidden.")
        await until(pilot, lambda: len(told(app)) > 1, "both")
        await settle(pilot)
        assert told(app) == ["Another thing.", "The chart is hidden."]


async def test_toasts_stay_where_they_came_up() -> None:
    app = app_of(FakeService())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        app.notify("Nothing to copy here.")
        await until(pilot, lambda: told(app), "a word")
        # A dialog is the same place.
        app.action_change_theme()
        await until(pilot, lambda: isinstance(app.screen, ThemePicker), "a dialog")
        await pilot.press("escape")
        await until(pilot, lambda: not app.screen.is_modal, "the list again")
        assert told(app) == ["Nothing to copy here."]
        await pilot.press("l")
        await until(pilot, lambda: isinstance(app.screen, LogScreen), "the log")
        assert told(app) == []
        # What is said as the screen changes is about that.
        app.action_markets()
        app.notify("Back again.")
        await until(pilot, lambda: told(app) == ["Back again."], "what came after")


class Closing(Screen[None]):
    """A screen with something to draw."""

    @override
    def compose(self) -> ComposeResult:
        yield Static("words", id="words")


async def test_the_drawn_lines_of_a_closed_screen_are_let_go() -> None:
    app = Clicked(Box())
    async with app.run_test(size=(40, 10)) as pilot:
        await app.push_screen(Closing())
        await settle(pilot)
        lines = weakref.ref(app.screen.query_one("#words")._styles_cache)
        await app.pop_screen()
        await settle(pilot)
        _ = gc.collect()
        assert lines() is None


class Box(Widget, can_focus=True):
    BINDINGS = [Binding("b", "note", "x")]  # noqa: RUF012 - Textual's way

    def __init__(self) -> None:
        super().__init__()
        self.done: list[str] = []

    def action_note(self) -> None:
        self.done.append("key")

    def on_click(self) -> None:
        self.done.append("click")


class Clicked(TerminalApp):
    def __init__(self, box: Box) -> None:
        super().__init__()
        self.box = box

    @override
    def compose(self) -> ComposeResult:
        yield self.box

    def on_mount(self) -> None:
        self.box.focus()


async def test_a_key_does_not_overtake_the_click_before_it() -> None:
    app = Clicked(Box())
    async with app.run_test() as pilot:
        await settle(pilot)
        for kind in (events.MouseDown, events.MouseUp):
            app.post_message(mouse(kind))
        app.post_message(events.Key("b", "b"))
        await until(pilot, lambda: "key" in app.box.done, "the key")
        assert app.box.done == ["click", "key"]


def mouse(kind: Any) -> events.Event:
    event: events.Event = kind(
        None, 1, 1, 0, 0, button=1, shift=False, meta=False, ctrl=False, screen_x=1, screen_y=1
    )
    return event


class NoFrames:
    """A frame timer that never fires."""

    def pause(self) -> None:
        return

    def resume(self) -> None:
        return


class Answering(TerminalApp, Stage):
    def on_key(self) -> None:
        self.query_one(TextLine).show((Cell("pressed"),))


async def test_a_key_is_answered_without_the_frame_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Answering(TextLine((Cell("waiting"),)))
    app.driver_class = RecordingDriver
    async with app.run_test(headless=False, size=(40, 5)) as pilot:
        await settle(pilot)
        monkeypatch.setattr(Screen, "_update_timer", NoFrames())
        driver = app._driver
        assert isinstance(driver, RecordingDriver)
        app.post_message(events.Key("x", "x"))
        await until(pilot, lambda: "pressed" in "".join(driver.frames), "the answer")

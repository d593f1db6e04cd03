import asyncio

import pytest
from textual import events
from textual.binding import Binding
from textual.screen import Screen
from typing_extensions import override

from pmtui.service.topics import LogTopic, StatusTopic, Topic
from pmtui.ui.cells import Cell
from pmtui.ui.frame import FrameScreen
from pmtui.ui.terminal.cell_diff import CellDiff
from pmtui.ui.terminal.immediate_repaint import PaintNow
from pmtui.ui.terminal.key_dispatch import StraightKeys
from pmtui.ui.widgets.text_line import TextLine
from tests.ui.fake_surface import FakeService
from tests.ui.recording_driver import RecordingDriver
from tests.ui.stage import Stage
from tests.ui.wait import settle, until


class _NoFrames:
    """A frame timer that never fires."""

    def pause(self) -> None:
        return

    def resume(self) -> None:
        return


class _Handling(CellDiff, PaintNow, Stage):
    def on_key(self) -> None:
        # Late, as by way of a message: not before the key has been everywhere.
        self.call_later(self.query_one(TextLine).show, (Cell("pressed"),))


async def test_a_key_is_answered_without_the_frame_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    app = _Handling(TextLine((Cell("waiting"),)))
    app.driver_class = RecordingDriver
    async with app.run_test(headless=False, size=(40, 5)) as pilot:
        await settle(pilot)
        monkeypatch.setattr(Screen, "_update_timer", _NoFrames())
        driver = app._driver
        assert isinstance(driver, RecordingDriver)
        app.post_message(events.Key("x", "x"))
        await until(pilot, lambda: "pressed" in "".join(driver.frames), "the answer")


class _App(PaintNow, Stage):
    paints = 0

    @override
    def post_display_hook(self) -> None:
        self.paints += 1


async def test_a_feed_can_paint_its_widget_at_once() -> None:
    line = TextLine((Cell("old"),))
    app = _App(line)
    app.paint_now()
    async with app.run_test() as pilot:
        await settle(pilot)
        paints = app.paints
        app.paint_now()
        assert app.paints == paints
        line.show((Cell("new"),))
        app.paint_now(line)
        assert app.paints == paints + 1


class _Answering(CellDiff, PaintNow, StraightKeys, Stage):
    BINDINGS = [Binding("x", "answer", "x")]  # noqa: RUF012 - Textual's way

    def action_answer(self) -> None:
        self.query_one(TextLine).show((Cell("pressed"),))


async def test_what_a_bound_key_changed_is_on_its_way_before_anything_else_happens() -> None:
    app = _Answering(TextLine((Cell("waiting"),)))
    app.driver_class = RecordingDriver
    async with app.run_test(headless=False, size=(40, 5)) as pilot:
        await settle(pilot)
        driver = app._driver
        assert isinstance(driver, RecordingDriver)
        driver.frames.clear()
        with app._context():
            key = app.on_event(events.Key("x", "x"))
            # Without a turn of the loop: a coroutine that waits for nothing ends at its first step.
            with pytest.raises(StopIteration):
                key.send(None)
        assert "pressed" in "".join(driver.frames)


class _Told(FrameScreen):
    def __init__(self, service: FakeService) -> None:
        super().__init__(service.surface())
        self.told: list[str] = []

    @override
    def topics(self) -> tuple[Topic, ...]:
        return ()

    @override
    def show_topic(self, topic: Topic) -> None:
        asyncio.get_running_loop().call_soon(self.told.append, "turn")
        self.told.append(type(topic).__name__)


async def test_a_key_gets_its_turn_between_two_topics() -> None:
    service = FakeService()
    app = Stage()
    async with app.run_test() as pilot:
        screen = _Told(service)
        await app.push_screen(screen)
        await settle(pilot)
        screen.told.clear()
        service.announce(StatusTopic())
        service.announce(LogTopic())
        await until(pilot, lambda: screen.told.count("turn") == 2, "both topics")
        assert screen.told == ["StatusTopic", "turn", "LogTopic", "turn"]

"""A line that is behind: what only shows waits for it, what keys act on does not."""

from collections.abc import AsyncIterator

import pytest
from textual import events
from textual.pilot import Pilot
from typing_extensions import override

from pmtui.domain.ids import TokenId
from pmtui.service.topics import AccountTopic, BookTopic, StatusTopic, TapeTopic, Topic
from pmtui.ui.frame import FrameScreen
from pmtui.ui.terminal.cell_diff import CellDisplay
from pmtui.ui.terminal.terminal_app import TerminalApp
from tests.ui.fake_surface import FakeService
from tests.ui.recording_driver import RecordingDriver
from tests.ui.stage import Stage
from tests.ui.wait import settle, until

BOOK, TAPE = BookTopic(TokenId("1")), TapeTopic(TokenId("1"))


class _Screen(FrameScreen):
    def __init__(self, service: FakeService) -> None:
        super().__init__(service.surface())
        self.shown: list[Topic | str] = []

    @override
    def topics(self) -> tuple[Topic, ...]:
        return (BOOK, TAPE, AccountTopic())

    @override
    def show_topic(self, topic: Topic) -> None:
        self.shown.append(topic)

    def on_key(self) -> None:
        self.shown.append("key")


class _Display(CellDisplay):
    is_slow = True

    @override
    def has_no_room(self) -> bool:
        return self.is_slow


class _App(TerminalApp, Stage):
    terminal: _Display

    def __init__(self) -> None:
        super().__init__()
        self.terminal = _Display(self, on_room=lambda: self.screen.call_next(self.catch_up))

    @override
    def catch_up(self) -> None:
        if isinstance(self.screen, FrameScreen):
            self.screen.feed.catch_up()


Slow = tuple[FakeService, _App, _Screen, Pilot[None]]


@pytest.fixture
async def slow() -> AsyncIterator[Slow]:
    """A screen on a line for which a picture waits already."""
    service = FakeService()
    app = _App()
    app.driver_class = RecordingDriver
    async with app.run_test(headless=False, size=(60, 10)) as pilot:
        screen = _Screen(service)
        await app.push_screen(screen)
        await until(pilot, lambda: app.terminal.is_behind, "a picture waiting")
        await settle(pilot)
        screen.feed.catch_up()
        screen.shown.clear()
        yield service, app, screen, pilot


async def test_what_only_shows_waits_and_is_shown_once_when_there_is_room(slow: Slow) -> None:
    service, app, screen, pilot = slow
    for _ in range(5):
        service.announce(BOOK)
        service.announce(TAPE)
    await settle(pilot)
    assert not screen.shown
    app.terminal.is_slow = False
    app.terminal.paint_held()
    await until(pilot, lambda: screen.shown, "the newest state")
    assert screen.shown == [BOOK, TAPE]


async def test_everything_else_is_told_at_once(slow: Slow) -> None:
    service, _, screen, pilot = slow
    service.announce(BOOK)
    service.announce(AccountTopic())
    service.announce(StatusTopic())
    await settle(pilot)
    assert screen.shown == [AccountTopic(), StatusTopic()]


async def test_a_key_meets_the_newest_state(slow: Slow) -> None:
    service, app, screen, pilot = slow
    service.announce(BOOK)
    app.post_message(events.Key("x", "x"))
    await until(pilot, lambda: "key" in screen.shown, "the key")
    assert screen.shown == [BOOK, "key"]


async def test_on_a_line_with_room_nothing_waits(slow: Slow) -> None:
    service, app, screen, pilot = slow
    app.terminal.is_slow = False
    app.terminal.paint_held()
    await settle(pilot)
    screen.shown.clear()
    service.announce(BOOK)
    await until(pilot, lambda: screen.shown == [BOOK], "the book")

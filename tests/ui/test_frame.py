"""What a screen is told of the service, and when."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import replace

from textual.screen import Screen
from typing_extensions import override

from pmtui.service.topics import LogTopic, StatusTopic, Topic
from pmtui.ui.frame import FrameScreen
from tests.ui.fake_surface import FakeService, FakeSubscription
from tests.ui.look import shows
from tests.ui.stage import Stage
from tests.ui.wait import settle, until


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


class _Silent:
    """Announces nothing, as in the frame before the first announcement."""

    def subscribe(
        self, topics: Iterable[Topic], notify: Callable[[Topic], None]
    ) -> FakeSubscription:
        return FakeSubscription(frozenset(topics), notify)


async def test_a_screen_that_comes_to_the_front_again_shows_the_status_of_now() -> None:
    service = FakeService()
    app = Stage()
    async with app.run_test() as pilot:
        await app.push_screen(FrameScreen(replace(service.surface(), subscriptions=_Silent())))
        await settle(pilot)
        await app.push_screen(Screen())
        service.status_view = replace(service.status_view, kill_lock="killed")
        await app.pop_screen()
        await until(pilot, lambda: shows(app, "LOCKED"), "the lock")

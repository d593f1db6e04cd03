"""What a screen is told of the service, and when."""

import asyncio

from typing_extensions import override

from pmtui.service.topics import LogTopic, StatusTopic, Topic
from pmtui.ui.frame import FrameScreen
from tests.ui.fake_surface import FakeService
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

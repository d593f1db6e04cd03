"""Notices of the log ring and leave the terminal as the settings say."""

import pytest
from typing_extensions import override

from pmtui.domain.notices import Bell, NoticeWays
from pmtui.service.topics import LogTopic
from pmtui.service.views import Level, LogEntry, LogView
from pmtui.ui.app import PmtuiApp
from pmtui.ui.surface import Options, Surface
from pmtui.ui.theme.theme_files import load_themes
from tests.ui.demo import believable_service
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.wait import settle, until


class _Ringing(PmtuiApp):
    bells = 0

    @override
    def bell(self) -> None:
        self.bells += 1


def _app(service: FakeService, ways: NoticeWays) -> _Ringing:
    surface = Surface(service, service, service, Options(notices=ways))
    return _Ringing(surface, themes=load_themes()[0])


def _told(service: FakeService, *levels: Level) -> None:
    entries = tuple(
        LogEntry(number, NOW, level, "notice", "Something happened")
        for number, level in enumerate(levels, 1)
    )
    service.log_view = LogView(entries, 0, 0)
    service.announce(LogTopic())


@pytest.mark.parametrize(("bell", "rings"), [(Bell.OFF, 0), (Bell.ALERTS, 0), (Bell.ALL, 1)])
async def test_the_bell_rings_for_what_was_chosen(bell: Bell, rings: int) -> None:
    service = believable_service()
    app = _app(service, NoticeWays(bell=bell))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        _told(service, Level.INFO, Level.WARNING)
        await settle(pilot)
        await until(pilot, lambda: app.bells == rings, "the bell")

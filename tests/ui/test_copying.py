"""Copying goes to the clipboard of the terminal one sits at, whatever machine this runs on."""

import base64

from pmtui.domain.ids import OrderId
from pmtui.service.views import Level, LogEntry, LogView
from pmtui.ui.app import PmtuiApp
from pmtui.ui.screens.log import LogScreen
from pmtui.ui.theme_files import load_themes
from tests.scenes.world import make_world
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.recording_driver import RecordingDriver
from tests.ui.screens.look import text_of
from tests.ui.screens.test_market_siblings import opened
from tests.ui.wait import settle, until

ORDER_ID = OrderId("0x" + "ab" * 32)


def recorded(service: FakeService) -> PmtuiApp:
    app = PmtuiApp(service.surface(), themes=load_themes()[0])
    app.driver_class = RecordingDriver
    return app


def written(app: PmtuiApp) -> str:
    assert isinstance(app._driver, RecordingDriver)
    return "".join(app._driver.frames)


async def test_an_order_id_of_the_log_reaches_the_clipboard() -> None:
    service = FakeService()
    entry = LogEntry(1, NOW, Level.INFO, "order", "BUY 5 Yes rests", ORDER_ID)
    service.log_view = LogView((entry,), 0, 0)
    app = recorded(service)
    async with app.run_test(headless=False, size=(80, 24)) as pilot:
        await pilot.press("l")
        await until(pilot, lambda: isinstance(app.screen, LogScreen), "the log")
        await settle(pilot)
        await pilot.press("y")
        sequence = f"\x1b]52;c;{base64.b64encode(ORDER_ID.encode()).decode()}\a"
        await until(pilot, lambda: sequence in written(app), "the order id on its way")


async def test_where_there_is_nothing_the_clipboard_stays_as_it_is() -> None:
    app = recorded(FakeService())
    async with app.run_test(headless=False, size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("y")
        await until(pilot, lambda: app._notifications, "a word about it")
        assert "\x1b]52" not in written(app)


async def test_a_long_id_is_told_by_its_ends_on_the_line_that_covers_nothing() -> None:
    world = make_world()
    app = recorded(world.service)
    async with app.run_test(headless=False, size=(80, 24)) as pilot:
        screen = await opened(app, pilot, world.strike)
        token = str(screen.token_id)
        assert len(token) > 40
        await pilot.press("y")
        sequence = f"\x1b]52;c;{base64.b64encode(token.encode()).decode()}\a"
        await until(pilot, lambda: sequence in written(app), "the whole token on its way")
        assert text_of(app, "#notice").strip() == f"Copied the token id: {token[:8]}…{token[-6:]}"
        assert not app._notifications

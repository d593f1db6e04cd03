"""Toasts stand once for the same words, and do not follow to another screen."""

from pmtui.ui.app import PmtuiApp
from pmtui.ui.portfolio.log import LogScreen
from pmtui.ui.theme.theme_files import load_themes
from pmtui.ui.theme.theme_picker import ThemePicker
from tests.ui.fake_surface import FakeService
from tests.ui.wait import settle, until


def told(app: PmtuiApp) -> list[str]:
    return [each.message for each in app._notifications]


def app_of(service: FakeService) -> PmtuiApp:
    return PmtuiApp(service.surface(), themes=load_themes()[0])


async def test_the_same_words_stand_once() -> None:
    app = app_of(FakeService())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        app.say_briefly("The chart is hidden.")
        app.say_briefly("Another thing.")
        app.say_briefly("The chart is hidden.")
        await until(pilot, lambda: len(told(app)) > 1, "both")
        await settle(pilot)
        assert told(app) == ["Another thing.", "The chart is hidden."]


async def test_toasts_stay_where_they_came_up() -> None:
    app = app_of(FakeService())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("y")
        await until(pilot, lambda: told(app), "a word about the key")
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
        app.say_briefly("Back again.")
        await until(pilot, lambda: told(app) == ["Back again."], "what came after")

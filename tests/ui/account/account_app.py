"""The whole program with the account screen in front."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.pilot import Pilot

from pmtui.ui.app import PmtuiApp
from tests.ui.fake_surface import FakeService
from tests.ui.look import shows
from tests.ui.stage import THEMES
from tests.ui.wait import until


def app_on(service: FakeService, *, ascii_only: bool = False) -> PmtuiApp:
    return PmtuiApp(service.surface(ascii_only=ascii_only), themes=tuple(THEMES.values()))


@asynccontextmanager
async def account_on(
    service: FakeService, *, ascii_only: bool = False
) -> AsyncIterator[tuple[PmtuiApp, Pilot[None]]]:
    """Show the account of a service at 80 columns, every step of it done."""
    app = app_on(service, ascii_only=ascii_only)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("a")
        await until(pilot, lambda: shows(app, "every step is done"), "the account")
        yield app, pilot

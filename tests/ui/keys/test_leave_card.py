"""The card before a terminal leaves its service."""

from dataclasses import replace

import pytest

from pmtui.domain.orders.heartbeat import BeatState, HeartbeatPolicy, HeartbeatView
from pmtui.ui.app import PmtuiApp
from pmtui.ui.keys.quit_key import KEEP, LeaveCard, choices_of
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme_files import load_themes
from tests.ui.fake_surface import PAPER_STATUS, FakeService
from tests.ui.screens.look import shows
from tests.ui.wait import settle, until

BEATING = replace(
    PAPER_STATUS, heartbeat=HeartbeatView(HeartbeatPolicy.ON, BeatState.BEATING, PAPER_STATUS.now)
)


def attached(service: FakeService) -> PmtuiApp:
    surface = service.surface()
    options = replace(surface.options, is_attached=True)
    away = Surface(surface.queries, surface.commands, surface.subscriptions, options)
    return PmtuiApp(away, themes=load_themes()[0])


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)])
async def test_what_goes_on_is_named_and_may_go_on(size: tuple[int, int]) -> None:
    app = attached(FakeService(status_view=BEATING))
    async with app.run_test(size=size) as pilot:
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, LeaveCard), "the card")
        await until(pilot, lambda: shows(app, "Leave the service running"), "the choices")
        assert shows(app, "heartbeats")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert app.quit_key.stop_policy is None
    assert app.return_code == 0


async def test_staying_changes_nothing() -> None:
    app = attached(FakeService(status_view=BEATING))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("q")
        await until(pilot, lambda: shows(app, "Leave the service running"), "the card")
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, LeaveCard), "no card")
        assert app.is_running


async def test_the_service_can_be_stopped_with_the_terminal() -> None:
    app = attached(FakeService(status_view=BEATING))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("q")
        await until(pilot, lambda: shows(app, "Stop the service"), "the card")
        await settle(pilot)
        await pilot.press("down", "enter")
        await settle(pilot)
    assert app.quit_key.stop_policy == "leave"


async def test_where_nothing_depends_on_it_nothing_is_asked() -> None:
    app = attached(FakeService())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("q")
        await settle(pilot)
    assert app.return_code == 0
    assert app.quit_key.stop_policy is None


@pytest.mark.parametrize(
    ("has_orders", "has_heartbeat", "expected"),
    [
        (False, False, [KEEP, "leave"]),
        (True, False, [KEEP, "leave", "cancel"]),
        (True, True, [KEEP, "switch", "cancel"]),
    ],
)
def test_only_what_can_be_kept_is_offered(
    has_orders: bool, has_heartbeat: bool, expected: list[str]
) -> None:
    offered = choices_of(has_orders=has_orders, has_heartbeat=has_heartbeat)
    assert [key for key, _ in offered] == expected

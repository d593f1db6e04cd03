"""The card before a terminal leaves its service."""

from dataclasses import replace

import pytest

from pmtui.domain.conditionals.conditional import ConditionalId, ConditionalOrder, ConditionalState
from pmtui.domain.money import Micros
from pmtui.domain.orders.heartbeat import BeatState, HeartbeatPolicy, HeartbeatView
from pmtui.ui.app import PmtuiApp
from pmtui.ui.keys.quit_key import KEEP, LeaveCard, choices_of
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme_files import load_themes
from tests.ui import believable
from tests.ui.fake_surface import NOW, PAPER_STATUS, FakeService
from tests.ui.look import shows
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


async def test_another_terminal_and_a_paused_stop_are_named() -> None:
    position = believable.position(1, "Will it?", size=20)
    stop = ConditionalOrder(
        conditional_id=ConditionalId("c1"), condition_id=position.condition_id,
        token_id=position.token_id, outcome=position.outcome, title="Will it?",
        size=position.size, stop=Micros(250_000), take_profit=None, give_way=Micros(50_000),
        created_at=NOW, state=ConditionalState.PAUSED, reason="Trading locked",
    )  # fmt: skip
    service = FakeService(status_view=replace(PAPER_STATUS, terminals=2))
    service.account_view = replace(
        service.account_view, positions=(position,), conditionals=(stop,),
        balances=((position.token_id, position.size),),
    )  # fmt: skip
    app = attached(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("q")
        await until(pilot, lambda: shows(app, "Leave the service running"), "the card")
        assert shows(app, f"1 paused stop, which will not sell: 20 {position.outcome} unprotected")
        assert shows(app, "1 other terminal is attached")

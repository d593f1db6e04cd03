"""What is typed into a form that did not open trades nothing and chooses nothing."""

from dataclasses import replace
from datetime import timedelta

import pytest
from textual.pilot import Pilot

from pmtui.service.topics import AccountTopic
from pmtui.ui.market.market import MarketScreen
from tests.ui.demo_market import MarketDemo
from tests.ui.market.market_kit import SMALL, line
from tests.ui.market.single_key_kit import armed, sent
from tests.ui.wait import settle

RESTS = "The form did not open: keys are ignored for a moment"


async def refused(app: MarketDemo, pilot: Pilot[None]) -> MarketScreen:
    """Press the key of a form for what is held, where nothing is."""
    screen = await armed(app, pilot, at=50)
    service = app.market.service
    service.account_view = replace(service.account_view, positions=(), balances=(), open_orders=())
    service.announce(AccountTopic())
    await settle(pilot)
    await pilot.press("3", "t")
    assert "No position" in line(screen, "notice")
    return screen


@pytest.mark.parametrize("key", ["4", "5", "comma", "full_stop", "enter"])
async def test_what_was_meant_for_the_form_rests_and_it_is_said(key: str) -> None:
    app = MarketDemo(0)
    async with app.run_test(size=SMALL) as pilot:
        screen = await refused(app, pilot)
        before = screen.controls.single_keys.preset
        app.market.service.at += timedelta(seconds=1.4)
        await pilot.press(key)
        await settle(pilot)
        assert RESTS in line(screen, "notice")
        assert screen.controls.single_keys.preset == before
        assert not sent(app)
        assert not screen.ticket.is_open


async def test_keys_that_rest_make_it_no_longer() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=SMALL) as pilot:
        screen = await refused(app, pilot)
        app.market.service.at += timedelta(seconds=1)
        await pilot.press("4")
        assert RESTS in line(screen, "notice")
        app.market.service.at += timedelta(seconds=0.5)
        await pilot.press("4")
        assert "Single-key size: 100 shares; " in line(screen, "notice")


async def test_a_key_of_no_field_trades_as_ever() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=SMALL) as pilot:
        _ = await refused(app, pilot)
        await pilot.press("B")
        assert len(sent(app)) == 1


async def test_a_question_that_was_not_asked_is_not_agreed_to_below() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=SMALL) as pilot:
        screen = await refused(app, pilot)
        app.market.service.at += timedelta(seconds=2)
        await pilot.press("z", "enter")
        await settle(pilot)
        assert RESTS in line(screen, "notice")
        assert not screen.ticket.is_open

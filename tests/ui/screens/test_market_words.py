"""What the trading screen says in words: one truth at once, and no longer than it holds."""

from textual.pilot import Pilot

from pmtui.ui.screens.market import MarketScreen
from tests.ui.demo_market import MarketDemo
from tests.ui.screens.test_market import SMALL, line, opened
from tests.ui.screens.test_market_one_key import arm, disarm, widen
from tests.ui.wait import settle, until


async def armed_by_key(app: MarketDemo, pilot: Pilot[None]) -> MarketScreen:
    widen(app)
    screen = await opened(app, pilot)
    await pilot.press("v")
    assert "ARMED: B buys" in line(screen, "notice")
    arm(app)
    await until(pilot, lambda: "ARMED" in line(screen, "book-state"), "it is armed")
    assert "ARMED: B buys" in line(screen, "notice")
    return screen


async def test_what_was_said_of_arming_goes_with_it() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=SMALL) as pilot:
        screen = await armed_by_key(app, pilot)
        await pilot.resize_terminal(78, 24)
        await until(pilot, lambda: app.market.service.calls_of("disarm"), "it is disarmed")
        disarm(app)
        await until(pilot, lambda: not screen._was_armed, "the screen knows")
        assert "ARMED" not in line(screen, "notice")
        assert "ARMED" not in line(screen, "book-state")


async def test_other_words_stay_while_arming_ends() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=SMALL) as pilot:
        screen = await armed_by_key(app, pilot)
        screen.say("Sent BUY 5 Yes 50¢.")
        disarm(app)
        await until(pilot, lambda: not screen._was_armed, "the screen knows")
        await settle(pilot)
        assert "Sent BUY" in line(screen, "notice")

"""What the trading screen says in words: one truth at once, and no longer than it holds."""

from dataclasses import replace
from datetime import timedelta

import pytest
from textual.pilot import Pilot

from pmtui.service.topics import LogTopic, MarketTopic, StatusTopic
from pmtui.service.views import Level, LogEntry, LogView
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.message_line import NOTICE_LIFE_S
from pmtui.ui.ticket.scaled import ScaledScreen
from tests.ui.demo_market import MarketDemo
from tests.ui.look import screen_lines
from tests.ui.market.market_kit import SMALL, line, on_market, opened
from tests.ui.market.single_key_kit import arm, chips, disarm, widen
from tests.ui.moving_market import CONDITION
from tests.ui.wait import settle, until


async def armed_by_key(app: MarketDemo, pilot: Pilot[None]) -> MarketScreen:
    widen(app)
    screen = await opened(app, pilot)
    await pilot.press("v")
    assert "ARMED 5: B/S" in line(screen, "notice")
    arm(app)
    await until(pilot, lambda: "ARMED" in chips(screen), "it is armed")
    assert "ARMED 5: B/S" in line(screen, "notice")
    return screen


async def test_what_was_said_of_arming_goes_with_it() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=SMALL) as pilot:
        screen = await armed_by_key(app, pilot)
        await pilot.resize_terminal(78, 24)
        await until(pilot, lambda: app.market.service.calls_of("disarm"), "it is disarmed")
        disarm(app)
        await until(pilot, lambda: not chips(screen), "the screen knows")
        assert "ARMED" not in line(screen, "notice")
        assert not chips(screen)


async def test_other_words_stay_while_arming_ends() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=SMALL) as pilot:
        screen = await armed_by_key(app, pilot)
        screen.message_line.show("Sent BUY 5 Yes @ 50¢.")
        disarm(app)
        await until(pilot, lambda: not chips(screen), "the screen knows")
        await settle(pilot)
        assert "Sent BUY" in line(screen, "notice")


def pass_seconds(app: MarketDemo, seconds: int) -> None:
    app.market.service.at += timedelta(seconds=seconds)
    app.market.service.announce(StatusTopic())


async def test_what_is_in_sight_anyway_is_confirmed_for_a_moment_only() -> None:
    async with on_market() as (app, pilot, screen):
        await pilot.press("O")
        assert "Both outcomes on the ladder: No too." in line(screen, "notice")
        pass_seconds(app, 1)
        await settle(pilot)
        assert "Both outcomes on the ladder: No too." in line(screen, "notice")
        pass_seconds(app, 2)
        await until(pilot, lambda: not line(screen, "notice"), "it goes")
        await pilot.press("g")
        assert "Group " in line(screen, "notice")
        pass_seconds(app, 3)
        await until(pilot, lambda: not line(screen, "notice"), "it goes too")
        screen.message_line.show("Not sent.")
        pass_seconds(app, 2)
        await settle(pilot)
        assert "Not sent." in line(screen, "notice")


async def test_a_confirmation_goes_with_what_it_named() -> None:
    async with on_market() as (_, pilot, screen):
        await pilot.press("O")
        assert "Both outcomes on the ladder: No too." in line(screen, "notice")
        await pilot.press("o")
        assert "Both outcomes" not in line(screen, "notice")
        screen.message_line.show("Not sent.")
        await pilot.press("o")
        assert "Not sent." in line(screen, "notice")


async def test_a_notice_never_waits_for_a_confirmation() -> None:
    async with on_market() as (app, pilot, screen):
        service = app.market.service
        older = LogEntry(
            1, service.at - timedelta(seconds=1), Level.WARNING, "notice", "An older one"
        )
        service.log_view = LogView((older,), 0, 0)
        await pilot.press("O")
        service.announce(LogTopic())
        await settle(pilot)
        assert "Both outcomes" in line(screen, "notice")
        newer = LogEntry(2, service.at, Level.WARNING, "notice", "The order was refused")
        service.log_view = LogView((older, newer), 0, 0)
        service.announce(LogTopic())
        await until(pilot, lambda: "refused" in line(screen, "notice"), "the notice")


def tell(app: MarketDemo, level: Level, text: str) -> None:
    service = app.market.service
    entries = service.log_view.entries
    entry = LogEntry(len(entries) + 1, service.at, level, "notice", text)
    service.log_view = LogView((*entries, entry), 0, 0)
    service.announce(LogTopic())


async def test_a_notice_goes_after_its_time_though_the_recorded_time_stands_still() -> None:
    async with on_market() as (app, pilot, screen):
        tell(app, Level.WARNING, "The order was refused")
        await until(pilot, lambda: "refused" in line(screen, "notice"), "the notice")
        app.market.service.waited_s += NOTICE_LIFE_S + 1
        app.market.service.announce(StatusTopic())
        await until(pilot, lambda: "refused" not in line(screen, "notice"), "no notice")


@pytest.mark.parametrize("level", [Level.WARNING, Level.BAD])
async def test_news_as_bad_waits_for_nothing_that_a_key_said(level: Level) -> None:
    async with on_market() as (app, pilot, screen):
        tell(app, level, "An older one")
        screen.message_line.show("Not armed: The trading host is down.")
        app.market.service.announce(LogTopic())
        await settle(pilot)
        assert "Not armed" in line(screen, "notice")
        tell(app, level, "Not cancelled: Connection refused")
        await until(pilot, lambda: "refused" in line(screen, "notice"), "it is seen at once")


async def test_better_news_waits_for_what_a_key_said() -> None:
    async with on_market() as (app, pilot, screen):
        screen.message_line.show("Not sent.")
        tell(app, Level.GOOD, "Bought 5 Yes at 50¢")
        await settle(pilot)
        assert "Not sent." in line(screen, "notice")
        pass_seconds(app, 6)
        await until(pilot, lambda: "Bought 5 Yes" in line(screen, "notice"), "its turn comes")


async def test_the_reason_of_a_long_refusal_is_read_whole() -> None:
    async with on_market() as (app, pilot, screen):
        title = "Will the committee lower its rate at the meeting in September?"
        what = f"Rejected: Buy 5 Yes at 50¢ · {title}"
        tell(app, Level.BAD, f"{what} (no balance for this)")
        await until(pilot, lambda: "Rejected" in line(screen, "notice"), "it is told")
        await settle(pilot)
        assert any("(no balance for this)" in shown for shown in screen_lines(app))


async def test_the_footer_offers_no_trade_in_a_market_that_is_over() -> None:
    async with on_market((160, 45)) as (app, pilot, screen):
        trades = ("b Buy", "s Sell", "v Arm", "Move", "Ticket here", "To best bid")
        assert all(words in line(screen, "footer") for words in trades[:3])
        close_market(app)
        await until(pilot, lambda: "b Buy" not in line(screen, "footer"), "it is over")
        assert not any(words in line(screen, "footer") for words in trades)
        arm(app)
        await until(pilot, lambda: "v Disarm" in line(screen, "footer"), "what is left to do")


async def test_the_last_second_of_a_market_is_told_in_words() -> None:
    app = MarketDemo(0)
    service = app.market.service
    async with app.run_test(size=SMALL) as pilot:
        _ = await opened(app, pilot)
        view = service.markets[CONDITION]
        assert view.market is not None
        end_at = service.at + timedelta(milliseconds=400)
        service.markets[CONDITION] = replace(view, market=replace(view.market, end_at=end_at))
        service.announce(MarketTopic(CONDITION))
        await until(pilot, lambda: any("ended" in x for x in screen_lines(app)), "it is told")
        assert not any("ended left" in x for x in screen_lines(app))


def close_market(app: MarketDemo) -> None:
    service = app.market.service
    view = service.markets[CONDITION]
    assert view.market is not None
    service.markets[CONDITION] = replace(view, market=replace(view.market, closed=True))
    service.announce(MarketTopic(CONDITION))


async def test_while_a_form_has_the_keys_no_title_promises_what_enter_does() -> None:
    async with on_market() as (app, pilot, screen):
        assert "enter" in line(screen, "book")
        await pilot.press("L")
        await until(pilot, lambda: isinstance(app.screen, ScaledScreen), "the form is open")
        await settle(pilot)
        assert "enter" not in line(screen, "book")
        shown = screen_lines(app)
        assert not any("Review" in row and "…" in row for row in shown)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen, "the form is closed")
        await settle(pilot)
        assert "enter" in line(screen, "book")

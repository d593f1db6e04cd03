"""The key of the kill switch, over a service that does nothing by itself."""

from dataclasses import replace

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from pmtui.service.topics import StatusTopic
from pmtui.service.views import StatusView
from pmtui.ui.app import PmtuiApp
from pmtui.ui.keys.actions import Keymap
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.portfolio.portfolio import PortfolioScreen
from pmtui.ui.question import QuestionScreen
from pmtui.ui.theme.theme_files import load_themes
from pmtui.ui.ticket.confirm import ConfirmScreen
from pmtui.ui.ticket.fields import Choice
from pmtui.ui.ticket.scaled import ScaledScreen
from tests.ui.fake_surface import PAPER_STATUS, READ_ONLY_STATUS, FakeService
from tests.ui.look import shows
from tests.ui.moving_market import CONDITION, MovingMarket
from tests.ui.wait import settle, until

LOCKED = "Trading locked since 2026-06-15 11:59:00 UTC by pmtui kill in another shell"


def made(service: FakeService) -> PmtuiApp:
    return PmtuiApp(service.surface(), themes=load_themes()[0])


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)])
async def test_it_asks_names_what_happens_and_then_does_it(size: tuple[int, int]) -> None:
    service = FakeService(status_view=replace(PAPER_STATUS, open_orders=3))
    app = made(service)
    async with app.run_test(size=size) as pilot:
        await pilot.press("K")
        await until(pilot, lambda: shows(app, "Kill switch?"), "the question")
        assert app.screen.has_class("-danger")
        assert shows(app, "3 now.")
        for words in ("Cancels all working orders", "Disarms single keys", "pmtui release"):
            assert shows(app, words), words
        assert service.calls == []
        await settle(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: service.calls_of("kill"), "the kill")
        assert not isinstance(app.screen, QuestionScreen)


async def test_an_answer_from_before_the_question_is_told_to_come_too_early() -> None:
    service = FakeService()
    app = made(service)
    async with app.run_test(size=(80, 24)) as pilot:
        hasty = events.Key("enter", None)
        await pilot.press("K")
        await until(pilot, lambda: shows(app, "Kill switch?"), "the question")
        await settle(pilot)
        app.screen.post_message(hasty)
        await until(pilot, lambda: shows(app, "Too quick: read it first"), "the reason")
        assert service.calls_of("kill") == []
        await pilot.press("enter")
        await until(pilot, lambda: service.calls_of("kill"), "the kill")


async def test_declining_does_nothing() -> None:
    service = FakeService()
    app = made(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("K")
        await until(pilot, lambda: isinstance(app.screen, QuestionScreen), "the question")
        await pilot.press("escape")
        await settle(pilot)
        assert service.calls_of("kill") == []


async def test_locked_it_says_so_and_the_same_key_releases_after_a_question() -> None:
    service = FakeService(status_view=replace(PAPER_STATUS, kill_lock=LOCKED))
    app = made(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, " LOCKED "), "the status line")
        await pilot.press("K")
        await until(pilot, lambda: shows(app, "Unlock trading?"), "the question")
        assert shows(app, "Trading locked since 2026-06-15 11:59:00 UTC")
        await settle(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: service.calls_of("unlock_entry"), "the release")
        assert service.calls_of("kill") == []


async def test_a_kill_from_another_shell_meanwhile_is_not_thrown_twice() -> None:
    service = FakeService()
    app = made(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("K")
        await until(pilot, lambda: isinstance(app.screen, QuestionScreen), "the question")
        service.status_view = replace(PAPER_STATUS, kill_lock=LOCKED)
        service.announce(StatusTopic())
        await until(pilot, lambda: shows(app, " LOCKED "), "the status line below the question")
        await pilot.press("enter")
        await settle(pilot)
        assert service.calls == []


async def test_without_a_key_it_does_not_promise_to_cancel() -> None:
    app = made(FakeService(status_view=READ_ONLY_STATUS))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("K")
        await until(pilot, lambda: shows(app, "Kill switch?"), "the question")
        assert shows(app, "cancels nothing")
        assert not shows(app, "until none is left")
        # A stray key is no answer and does not go past the question; after it, keys work on.
        await settle(pilot)
        await pilot.press("p")
        await settle(pilot)
        assert isinstance(app.screen, QuestionScreen)
        await pilot.press("escape", "p")
        await until(pilot, lambda: isinstance(app.screen, PortfolioScreen), "the portfolio")


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (replace(PAPER_STATUS, watching=1), "Pauses 1 stop; resume it under C."),
        (replace(PAPER_STATUS, watching=2, paused=1), "Pauses 2 stops; resume them under C."),
        (replace(PAPER_STATUS, kill_lock=LOCKED, paused=2),
         "2 stops stay paused; resume them under C."),
    ],
)  # fmt: skip
async def test_it_names_the_stops_that_it_pauses_and_that_unlocking_does_not_resume(
    status: StatusView, words: str
) -> None:
    app = made(FakeService(status_view=status))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("K")
        await until(pilot, lambda: shows(app, words), words)


async def test_without_stops_it_speaks_of_none() -> None:
    app = made(FakeService())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("K")
        await until(pilot, lambda: shows(app, "Kill switch?"), "the question")
        assert not shows(app, "stop")


async def in_a_market(app: PmtuiApp, pilot: Pilot[None]) -> MarketScreen:
    screen = MarketScreen(app.surface, CONDITION)
    _ = app.push_screen(screen)
    await until(pilot, lambda: screen.ladder.book is not None, "the ladder")
    await settle(pilot)
    return screen


async def question(app: PmtuiApp, pilot: Pilot[None], key: str, title: str) -> None:
    """Ask by a key, and decline."""
    front = app.screen
    await pilot.press(key)
    await until(pilot, lambda: shows(app, title), f"{title} over {front}")
    assert isinstance(app.screen, QuestionScreen)
    await pilot.press("escape")
    await until(pilot, lambda: app.screen is front, "what was in front")
    await settle(pilot)


async def test_a_ticket_and_its_card_leave_the_keys_that_stop_trading_alone() -> None:
    app = made(MovingMarket().service)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await in_a_market(app, pilot)
        await pilot.press("b")
        await until(pilot, lambda: screen.ticket.has_focus_within, "the ticket")
        await pilot.press("5", "0")
        for key, title in (("K", "Kill switch?"), ("X", "Cancel all working orders?")):
            await question(app, pilot, key, title)
            assert screen.ticket.size_field.value == "50"
            assert screen.ticket.has_focus_within
        # Another letter is a typo, and is kept to be seen.
        await pilot.press("Q")
        assert screen.ticket.size_field.value == "50Q"
        await pilot.press("backspace", "shift+tab", "tab", "tab")
        assert isinstance(screen.focused, Choice)
        await question(app, pilot, "K", "Kill switch?")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen), "the card")
        await question(app, pilot, "X", "Cancel all working orders?")
        await question(app, pilot, "K", "Kill switch?")


async def test_a_key_of_ones_own_stops_trading_from_a_field_too() -> None:
    service = MovingMarket().service
    keymap = Keymap({"global.kill": ("f12",)})
    surface = service.surface()
    surface = replace(surface, options=replace(surface.options, keymap=keymap))
    app = PmtuiApp(surface, themes=load_themes()[0])
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await in_a_market(app, pilot)
        await pilot.press("b")
        await until(pilot, lambda: screen.ticket.has_focus_within, "the ticket")
        await pilot.press("K")
        assert screen.ticket.size_field.value == "K"
        await question(app, pilot, "f12", "Kill switch?")


async def test_a_form_leaves_them_alone_and_a_question_does_not_ask_itself_again() -> None:
    app = made(MovingMarket().service)
    async with app.run_test(size=(120, 36)) as pilot:
        await in_a_market(app, pilot)
        await pilot.press("L")
        await until(pilot, lambda: isinstance(app.screen, ScaledScreen), "the form")
        await question(app, pilot, "K", "Kill switch?")
        await pilot.press("X")
        await until(pilot, lambda: shows(app, "Cancel all working orders?"), "the question")
        depth = len(app.screen_stack)
        await pilot.press("X")
        await until(pilot, lambda: shows(app, "Answer first; esc to go back"), "the answer")
        assert len(app.screen_stack) == depth
        await question(app, pilot, "K", "Kill switch?")


async def test_a_field_for_text_takes_the_letters() -> None:
    app = made(MovingMarket().service)
    async with app.run_test(size=(120, 36)) as pilot:
        await in_a_market(app, pilot)
        await pilot.press("colon", "K", "X")
        await until(pilot, lambda: isinstance(app.focused, Input), "the command line")
        await settle(pilot)
        assert isinstance(app.focused, Input)
        assert app.focused.value.endswith("KX")

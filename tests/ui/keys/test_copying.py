"""Copying goes to the clipboard of the terminal one sits at, whatever machine this runs on."""

import base64

import pytest

from pmtui.domain.ids import OrderId
from pmtui.service.views import Level, LogEntry, LogView
from pmtui.ui.app import PmtuiApp
from pmtui.ui.keys.global_keys import describe_copy
from pmtui.ui.portfolio.log import LogScreen
from pmtui.ui.theme.theme_files import load_themes
from tests.scenes.world import make_world
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.look import text_of
from tests.ui.market.sibling_kit import opened
from tests.ui.recording_driver import RecordingDriver
from tests.ui.wait import settle, until

ORDER_ID = OrderId("0x" + "ab" * 32)
SEQUENCE = f"\x1b]52;c;{base64.b64encode(ORDER_ID.encode()).decode()}\a"


@pytest.fixture(autouse=True)
def _no_program_around(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("TMUX", "STY", "NCURSES_NO_UTF8_ACS"):
        monkeypatch.delenv(name, raising=False)


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
        await until(pilot, lambda: SEQUENCE in written(app), "the order id on its way")


async def test_where_there_is_nothing_the_clipboard_stays_as_it_is() -> None:
    app = recorded(FakeService())
    async with app.run_test(headless=False, size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("y")
        await until(pilot, lambda: "Nothing" in text_of(app, "#notice"), "a word about it")
        assert "\x1b]52" not in written(app)


async def test_a_long_id_is_told_by_its_ends_on_the_line_that_covers_nothing() -> None:
    world = make_world()
    app = recorded(world.service)
    async with app.run_test(headless=False, size=(80, 24)) as pilot:
        screen = await opened(app, pilot, world.strike)
        token = str(screen.reader.token_id)
        assert len(token) > 40
        await pilot.press("y")
        sequence = f"\x1b]52;c;{base64.b64encode(token.encode()).decode()}\a"
        await until(pilot, lambda: sequence in written(app), "the whole token on its way")
        assert text_of(app, "#notice").strip() == f"Copied the token id: {token[:8]}…{token[-6:]}"
        assert not app._notifications


async def test_mosh_passes_the_same_text_on_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NCURSES_NO_UTF8_ACS", "1")
    app = recorded(FakeService())
    async with app.run_test(headless=False, size=(80, 24)) as pilot:
        await settle(pilot)
        app.copy_to_clipboard(ORDER_ID)
        app.copy_to_clipboard(ORDER_ID)
        between = SEQUENCE + "\x1b]52;c;\a"
        assert between in written(app).replace("\x1b[6n", "")
        await until(pilot, lambda: written(app).count(SEQUENCE) == 2, "the text once more")


@pytest.mark.parametrize("is_taken", [True, False])
async def test_what_is_around_us_is_given_the_text_first(
    monkeypatch: pytest.MonkeyPatch, *, is_taken: bool
) -> None:
    monkeypatch.setenv("TMUX", "/somewhere,1,0")
    monkeypatch.setenv("TERM", "tmux-256color")
    given: list[str] = []

    async def take(text: str) -> bool:
        given.append(text)
        return is_taken

    app = recorded(FakeService())
    app.clipboard_writer.hand_over = take
    async with app.run_test(headless=False, size=(80, 24)) as pilot:
        await settle(pilot)
        app.copy_to_clipboard(ORDER_ID)
        wrapped = f"\x1bPtmux;\x1b{SEQUENCE}\x1b\\"
        await until(pilot, lambda: wrapped in written(app), "what passes through")
        assert given == [ORDER_ID]
        assert (SEQUENCE + wrapped in written(app)) != is_taken


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (120, f"No clipboard here. The order id: {ORDER_ID}"),
        (80, f"order id: {ORDER_ID}"),
        (70, ORDER_ID),
    ],
)
async def test_without_a_clipboard_the_text_is_shown_whole(
    monkeypatch: pytest.MonkeyPatch, columns: int, said: str
) -> None:
    monkeypatch.setenv("TERM", "putty-256color")
    app = recorded(FakeService())
    async with app.run_test(headless=False, size=(columns, 24)) as pilot:
        await settle(pilot)
        assert describe_copy(app, "order id", ORDER_ID) == said

"""A form stands out: what lies behind is dimmed, except prices and the lines around the screen."""

import time

import pytest
from rich.color import Color
from rich.style import Style
from textual._compositor import LayoutUpdate
from textual.pilot import Pilot
from textual.strip import Strip

from pmtui.ui.cells import Line, focus_mark
from pmtui.ui.keys.palette import Palette
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.modal import Modal
from pmtui.ui.terminal.output_throttle import OutputThrottle
from pmtui.ui.theme.theme import DEFAULT_THEME
from pmtui.ui.ticket.fields import Choice, EntryLabel, NumberField, TextBlock
from pmtui.ui.ticket.protect import ProtectScreen
from pmtui.ui.ticket.scaled import ScaledScreen
from pmtui.ui.widgets.panel import Panel
from pmtui.ui.widgets.text_line import TextLine
from tests.ui import believable
from tests.ui.demo_market import MarketDemo
from tests.ui.wait import settle, until


def text_of(line: Line) -> str:
    return "".join(cell.text for cell in line)


def styles(app: MarketDemo, x: int, y: int, width: int) -> set[Style]:
    """Return the styles of the texts on a part of a line."""
    update = app.screen._compositor.render_update(full=True, screen_stack=app._background_screens)
    assert isinstance(update, LayoutUpdate)
    return {
        style
        for text, style, _ in Strip.join(update.strips[y]).crop(x, x + width)
        if text.strip() and style is not None
    }


def inks(app: MarketDemo, x: int, y: int, width: int) -> set[str]:
    """Return the colours of the texts on a part of a line."""
    found = styles(app, x, y, width)
    return {style.color.get_truecolor().hex for style in found if style.color is not None}


async def opened(app: MarketDemo, pilot: Pilot[None]) -> MarketScreen:
    await until(pilot, lambda: isinstance(app.screen, MarketScreen), "the market")
    await settle(pilot)
    screen = app.screen
    assert isinstance(screen, MarketScreen)
    return screen


async def form(app: MarketDemo, pilot: Pilot[None]) -> Modal[None]:
    await pilot.press("L")
    await until(pilot, lambda: isinstance(app.screen, ScaledScreen), "the form")
    await settle(pilot)
    assert isinstance(app.screen, ScaledScreen)
    return app.screen


def middle(app: MarketDemo, screen: MarketScreen, name: str) -> set[str]:
    region = screen.query_one(name).region
    lines = [inks(app, region.x, y, region.width) for y in range(region.y, region.bottom)]
    return set().union(*lines)


@pytest.fixture(autouse=True)
def true_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORTERM", "truecolor")


async def test_a_form_dims_what_it_is_not_about() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        names = ("LadderPane", "#head", "#status")
        before = {name: middle(app, screen, name) for name in names}
        _ = await form(app, pilot)
        after = {name: middle(app, screen, name) for name in names}
        assert after["LadderPane"] == before["LadderPane"]
        assert after["#status"] == before["#status"]
        assert not after["#head"] & before["#head"]
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen, "the screen")
        await settle(pilot)
        assert middle(app, screen, "#head") == before["#head"]


async def test_the_palette_dims_as_a_form_does() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        status, head = middle(app, screen, "#status"), middle(app, screen, "#head")
        ladder = inks(app, 8, 30, 10)
        assert ladder
        _ = await form(app, pilot)
        behind = middle(app, screen, "#head")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen, "the screen")
        await app.push_screen(Palette())
        await settle(pilot)
        assert middle(app, screen, "#head") == behind != head
        assert middle(app, screen, "#status") == status
        # It covers most of the ladder.
        assert not inks(app, 8, 30, 10) & ladder
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen, "the screen")
        await settle(pilot)
        assert middle(app, screen, "#head") == head


async def test_a_card_covers_its_form_and_dims_nothing_twice() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        screen.ladder.point_at(believable.micros("0.45"))
        dialog = await form(app, pilot)
        head = middle(app, screen, "#head")
        await pilot.press("4", "7", "tab", "3", "tab", "tab", *"60")
        dialog.query_one("#scaled-count", NumberField).value = "3"
        await settle(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: app.screen not in (screen, dialog), "the card")
        await settle(pilot)
        card = app.screen.query_one("#card").region
        assert card.contains_region(dialog.query_one(".frame").region)
        assert middle(app, screen, "#head") == head


def with_few_colours(few: str, monkeypatch: pytest.MonkeyPatch) -> MarketDemo:
    if few == "NO_COLOR":
        monkeypatch.setenv("NO_COLOR", "1")
    if few == "sixteen":
        monkeypatch.delenv("COLORTERM")
        monkeypatch.setenv("TERM", "linux")
    return MarketDemo(0, theme="ansi" if few == "ansi" else DEFAULT_THEME)


@pytest.mark.parametrize("few", ["NO_COLOR", "sixteen", "ansi"])
async def test_with_few_colours_nothing_behind_a_form_is_bold_or_reversed(
    few: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = with_few_colours(few, monkeypatch)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        head = screen.query_one("#head").region
        before = styles(app, *head.offset, head.width)
        status = styles(app, 0, 0, 120)
        assert any(style.bold or style.reverse for style in before)
        _ = await form(app, pilot)
        behind = styles(app, *head.offset, head.width)
        assert not any(style.bold or style.reverse for style in behind)
        if few == "sixteen":
            # Textual mixes the colour of what is faint, unless a theme has the terminal's own.
            assert not {style.color for style in behind} & {style.color for style in before}
        else:
            assert all(style.dim for style in behind)
        assert styles(app, 0, 0, 120) == status
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen, "the screen")
        await settle(pilot)
        assert styles(app, *head.offset, head.width) == before


async def test_a_line_without_room_carries_no_dimming() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        before = middle(app, screen, "#head")
        app._driver.pace = OutputThrottle(time.monotonic)  # type: ignore[union-attr]
        _ = await form(app, pilot)
        assert middle(app, screen, "#head") == before


async def test_every_form_over_a_ladder_stands_beside_it() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot)
        for key in ("L", "t", "A"):
            await pilot.press(key)
            await until(pilot, lambda: app.screen is not screen, "the form")
            await settle(pilot)
            frame = app.screen.query_one(".frame").region
            assert not frame.overlaps(screen.query_one("#book").region)
            assert frame.right <= 80
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is screen, "the screen")


async def test_the_stop_form_repeats_the_average_and_the_break_even_price() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot)
        await pilot.press("t")
        await until(pilot, lambda: isinstance(app.screen, ProtectScreen), "the form")
        await settle(pilot)
        assert (
            text_of(app.screen.query_one("#protect-stake", TextLine).line) == "avg 48.13¢  b/e 50¢"
        )
        assert app.screen is not screen


async def test_a_scaled_form_finds_no_fault_with_what_was_not_entered_yet() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(80, 24)) as pilot:
        _ = await opened(app, pilot)
        dialog = await form(app, pilot)
        assert len(dialog.query(".unit")) == 2
        said = dialog.query_one("#state", TextBlock)
        assert said.lines == ()
        await pilot.press("enter")
        await until(pilot, lambda: bool(said.lines), "what is missing")


async def test_only_what_is_in_front_shows_the_focus() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        panel = screen.query_one("#book", Panel)
        focused = panel.title_line
        _ = await form(app, pilot)
        assert focus_mark() not in text_of(panel.title_line)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen, "the screen")
        await settle(pilot)
        assert panel.title_line[0] == focused[0]


async def test_a_ticket_behind_its_card_shows_no_caret_and_no_marked_field() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        await pilot.press("b", "1", "0")
        await settle(pilot)
        label = screen.query_one("#ticket-size-label", TextLine)
        size = screen.query_one("#ticket-size", NumberField)
        assert "▸" in text_of(label.line)
        caret = size.get_component_rich_style("input--cursor")
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is not screen, "the card")
        await settle(pilot)
        assert "▸" not in text_of(label.line)
        behind = size.get_component_rich_style("input--cursor")
        assert behind.bgcolor != caret.bgcolor
        assert not behind.reverse
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen, "the ticket")
        await settle(pilot)
        assert "▸" in text_of(label.line)
        assert size.get_component_rich_style("input--cursor") == caret


async def test_a_line_that_becomes_brisk_carries_the_dimming_after_all() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        before = middle(app, screen, "#head")
        app._driver.pace = OutputThrottle(time.monotonic)  # type: ignore[union-attr]
        _ = await form(app, pilot)
        assert middle(app, screen, "#head") == before
        del app._driver.pace  # type: ignore[union-attr]
        await until(pilot, lambda: middle(app, screen, "#head") != before, "the dimming")


async def test_behind_a_form_the_cursor_of_the_ladder_is_quiet_but_there() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        screen.ladder.point_at(believable.micros("0.45"))
        await settle(pilot)
        before = cursor_row(screen)
        _ = await form(app, pilot)
        behind = cursor_row(screen)
        assert not grounds(before) & grounds(behind)
        assert not any(style.bold for text, style, _ in behind if style and text == "45¢")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen, "the screen")
        await settle(pilot)
        assert cursor_row(screen) == before


async def test_behind_a_form_the_cursor_of_the_ladder_is_not_reversed_without_colour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = with_few_colours("NO_COLOR", monkeypatch)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        screen.ladder.point_at(believable.micros("0.45"))
        await settle(pilot)
        assert all(style.reverse for _, style, _ in cursor_row(screen).crop(0, 10) if style)
        _ = await form(app, pilot)
        assert not any(style.reverse for _, style, _ in cursor_row(screen).crop(0, 10) if style)


def cursor_row(screen: MarketScreen) -> Strip:
    rows = (screen.ladder.render_line(y) for y in range(screen.ladder.size.height))
    return next(row for row in rows if "▸" in row.text)


def grounds(row: Strip) -> set[Color | None]:
    return {style.bgcolor for _, style, _ in row if style is not None}


async def test_behind_a_card_a_form_marks_no_entry_and_no_choice() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        screen.ladder.point_at(believable.micros("0.45"))
        dialog = await form(app, pilot)
        await pilot.press("4", "7", "tab", "3", "tab")
        choice, label = dialog.query_one("#scaled-shape", Choice), dialog.query(EntryLabel)
        assert dialog.focused is choice
        focused, marks = choice.render_line(0), [text_of(each.line) for each in label]
        assert any("▸" in mark for mark in marks)
        await pilot.press("tab", *"60", "shift+tab", "enter")
        await until(pilot, lambda: app.screen not in (screen, dialog), "the card")
        await settle(pilot)
        assert dialog.focused is choice
        assert not grounds(choice.render_line(0)) & grounds(focused)
        assert not any("▸" in text_of(each.line) for each in label)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is dialog, "the form")
        await settle(pilot)
        assert choice.render_line(0) == focused
        assert [text_of(each.line) for each in label] == marks

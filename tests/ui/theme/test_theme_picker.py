"""Choosing a theme: tried on at once, kept or given back."""

from textual._compositor import LayoutUpdate
from textual.pilot import Pilot
from textual.strip import Strip

from pmtui.ui.app import PmtuiApp
from pmtui.ui.surface import Options, Surface
from pmtui.ui.theme.theme_files import load_themes, parse_theme
from pmtui.ui.theme.theme_picker import ThemePicker
from pmtui.ui.widgets.line_table import LineTable
from tests.ui.fake_surface import FakeService
from tests.ui.look import screen_lines
from tests.ui.wait import settle, until


async def opened(pilot: Pilot[None]) -> PmtuiApp:
    app = pilot.app
    assert isinstance(app, PmtuiApp)
    app.action_change_theme()
    await until(pilot, lambda: isinstance(app.screen, ThemePicker), "the card")
    await settle(pilot)
    return app


def under_cursor(app: PmtuiApp) -> str | None:
    return app.screen.query_one(LineTable).cursor_key


def made() -> PmtuiApp:
    return PmtuiApp(FakeService().surface(), themes=load_themes()[0], theme="harbour")


async def test_moving_tries_on_and_escape_gives_back() -> None:
    async with made().run_test(size=(80, 24)) as pilot:
        app = await opened(pilot)
        seen = set()
        for key in ("home", "down", "down"):
            await pilot.press(key)
            await until(pilot, lambda: app.theme == under_cursor(app), "the theme tried on")
            seen.add(app.theme)
        assert len(seen) == 3
        await pilot.press("escape")
        await until(pilot, lambda: app.theme == "harbour", "the theme of before")
        assert not isinstance(app.screen, ThemePicker)


async def test_enter_keeps_it() -> None:
    async with made().run_test(size=(80, 24)) as pilot:
        app = await opened(pilot)
        await pilot.press("home", "enter")
        await until(pilot, lambda: not isinstance(app.screen, ThemePicker), "the card gone")
        first = load_themes()[0][0].name
        assert app.theme == first != "harbour"


async def test_the_card_is_no_higher_than_what_it_lists() -> None:
    async with made().run_test(size=(200, 50)) as pilot:
        app = await opened(pilot)
        assert app.screen.query_one(LineTable).size.height == len(load_themes()[0])


async def test_every_theme_of_ours_says_what_it_is_for() -> None:
    kinds = {
        "harbour": "dark", "daylight": "light", "beacon": "high contrast",
        "meridian": "colour-blind safe", "ansi": "16 colours", "slate": "monochrome",
    }  # fmt: skip
    async with made().run_test(size=(80, 40)) as pilot:
        app = await opened(pilot)
        rows = screen_lines(app)
        for name, kind in kinds.items():
            assert any(f" {name} " in row and kind in row for row in rows), "\n".join(rows)


async def test_a_file_that_cannot_be_used_is_named_with_its_fault() -> None:
    wrong = ("mine.toml: unknown [roles] key 'bidd', did you mean 'bid'?", "b.toml: needs a name")
    service = FakeService()
    surface = Surface(service, service, service, Options(theme_problems=wrong))
    async with PmtuiApp(surface, themes=load_themes()[0]).run_test(size=(80, 24)) as pilot:
        app = await opened(pilot)
        text = " ".join(" ".join(screen_lines(app)).split())
        assert "mine.toml: unknown" in text
        assert "and 1 more file" in text
        assert "harbour" in text


async def test_only_themes_that_are_made_for_a_ladder_are_offered() -> None:
    mine = parse_theme('name = "mine"\n[colors]\nprimary = "#336699"\n')
    names = {theme.name for theme in load_themes()[0]} | {"mine"}
    themes = (*load_themes()[0], mine)
    app = PmtuiApp(FakeService().surface(), themes=themes, theme="harbour")
    async with app.run_test(size=(80, 40)) as pilot:
        _ = await opened(pilot)
        table = app.screen.query_one(LineTable)
        assert {row.key for row in table.rows} == names


async def test_a_list_behind_the_card_takes_on_the_strokes_of_a_smaller_screen() -> None:
    async with made().run_test(size=(120, 36)) as pilot:
        app = await opened(pilot)
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, ThemePicker), "the card gone")
        await settle(pilot)
        update = app.screen._compositor.render_update(full=True)
        assert isinstance(update, LayoutUpdate)
        shown = "\n".join(Strip.join(strips).text for strips in update.strips)
        assert not set("╭╮╰╯") & set(shown), shown

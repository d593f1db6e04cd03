"""The application as a whole, over a service that does nothing by itself."""

from dataclasses import replace
from functools import partial

import pytest
from textual.command import CommandList, CommandPalette

from pmtui.domain.conditionals.conditional import ConditionalId, ConditionalOrder, ConditionalState
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import Micros
from pmtui.ui.app import PmtuiApp
from pmtui.ui.explore.markets import MarketsScreen
from pmtui.ui.keys.actions import Keymap
from pmtui.ui.keys.help import HelpScreen
from pmtui.ui.portfolio.log import LogScreen
from pmtui.ui.portfolio.portfolio import PortfolioScreen
from pmtui.ui.question import QuestionScreen
from pmtui.ui.surface import Options, Surface
from pmtui.ui.theme.theme_files import load_themes
from pmtui.ui.theme.theme_picker import ThemePicker
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.text_line import KeyLine, TextLine
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.look import shows
from tests.ui.stage import shown_text
from tests.ui.wait import settle, until


def is_in_front(app: PmtuiApp, kind: type[object]) -> bool:
    return isinstance(app.screen, kind)


def made() -> PmtuiApp:
    return PmtuiApp(FakeService().surface(), themes=load_themes()[0])


@pytest.mark.parametrize("places", [(), ("p",), ("l",), ("question_mark",)])
async def test_the_palette_opens_everywhere_and_offers_what_works_there(
    places: tuple[str, ...],
) -> None:
    app = made()
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press(*places, "ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, CommandPalette), "the palette")
        await pilot.press(*"theme")
        await settle(pilot)
        await pilot.press("escape", "escape")
        await settle(pilot)
        assert app.crash is None
        assert app.is_running


@pytest.mark.parametrize("theme", ["ansi", "slate"])
async def test_the_cursor_of_the_palette_is_seen_without_many_colours(theme: str) -> None:
    app = made()
    app.theme = theme
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, CommandPalette), "the palette")
        await pilot.press(*"stop")
        commands = app.screen.query_one(CommandList)
        await until(pilot, lambda: commands.highlighted == 1, "something found")
        lines = [commands.render_line(y) for y in range(commands.size.height)]
        words = [[s.style for s in line if s.text.strip() and s.style] for line in lines]
        marked = [all(style.underline for style in styles) for styles in words if styles]
        # The first line is a heading.
        assert marked[:2] == [False, True]
        assert not all(marked[1:])


@pytest.mark.parametrize(
    ("key", "idle"),
    [
        ("m", "Markets"),
        ("p", "Portfolio"),
        ("w", "Watchlist"),
        ("l", "Log"),
        ("question_mark", "Star"),
    ],
)
async def test_the_footer_names_no_key_that_does_nothing_here(key: str, idle: str) -> None:
    app = made()
    async with app.run_test(size=(200, 50)) as pilot:
        await pilot.press(key)
        await settle(pilot)
        footer = app.screen.query_one("#footer", KeyLine)
        labels = "".join(cell.text for cell in footer.line).split()
        assert idle not in labels
        # In the help the key that searches elsewhere narrows the help.
        assert {"Filter" if key == "question_mark" else "Search", "Quit"} <= set(labels)
        # Nothing is listed that could be starred.
        assert "Star" not in labels


async def test_the_palette_leads_to_the_themes() -> None:
    app = made()
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, CommandPalette), "the palette")
        await pilot.press(*"theme")
        commands = app.screen.query_one(CommandList)
        await until(pilot, lambda: commands.option_count == 2, "the one entry below its heading")
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, ThemePicker), "the themes")


async def test_every_place_is_a_key_away_and_escape_leads_back() -> None:
    app = made()
    async with app.run_test(size=(120, 36)) as pilot:
        for key, kind in (("p", PortfolioScreen), ("l", LogScreen), ("question_mark", HelpScreen)):
            await pilot.press(key)
            await until(pilot, partial(is_in_front, app, kind), kind.__name__)
        await pilot.press("escape", "escape", "escape")
        await until(pilot, lambda: isinstance(app.screen, MarketsScreen), "the list")
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(app.screen, MarketsScreen)


async def test_going_to_a_place_again_does_not_pile_screens_up() -> None:
    app = made()
    async with app.run_test(size=(120, 36)) as pilot:
        for key in "plplpl":
            await pilot.press(key)
        await settle(pilot)
        assert len(app.screen_stack) <= 3
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, MarketsScreen), "the list")
        assert len(app.screen_stack) == 1


async def test_quitting_without_orders_asks_nothing() -> None:
    app = made()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("q")
        await until(pilot, lambda: not app.is_running or app._exit, "it leaves")


async def test_quitting_tells_of_conditional_orders_that_end_with_the_program() -> None:
    service = FakeService()
    stop = ConditionalOrder(
        conditional_id=ConditionalId("c1"), condition_id=ConditionId("0xa"), token_id=TokenId("1"),
        outcome="Yes", title="Will it rain?", size=Micros(5_000_000), stop=Micros(400_000),
        take_profit=None, give_way=Micros(50_000), created_at=NOW,
    )  # fmt: skip
    rests = replace(stop, conditional_id=ConditionalId("c2"), state=ConditionalState.PAUSED)
    service.account_view = replace(service.account_view, conditionals=(stop, rests), open_orders=())
    app = PmtuiApp(service.surface(), themes=load_themes()[0])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, QuestionScreen), "the question")
        assert shows(app, "Quit with active stops?")
        assert shows(app, "1 stop is inactive")
        assert shows(app, "5 Yes  ▼ stop 40.0¢")
        await settle(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: not app.is_running or app._exit, "it leaves")


async def test_the_key_of_the_list_shows_the_list_after_a_search_too() -> None:
    app = made()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", *"rate", "down")
        screen = app.screen
        assert isinstance(screen, MarketsScreen)
        await until(pilot, lambda: screen.has_class("-results"), "the results")
        app.action_bring_forward("portfolio")
        await until(pilot, lambda: is_in_front(app, PortfolioScreen), "the portfolio")
        await pilot.press("m")
        await until(pilot, lambda: app.screen is screen, "the list")
        assert not screen.has_class("-results")
        assert not screen.has_class("-searching")


async def test_tab_goes_round_the_tabs_and_help_says_so() -> None:
    app = made()
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("p")
        await until(pilot, lambda: is_in_front(app, PortfolioScreen), "the portfolio")
        await pilot.press("tab")
        await until(pilot, lambda: app.screen.query_one("#orders").has_class("-active"), "orders")
        await pilot.press("shift+tab")
        await until(
            pilot, lambda: app.screen.query_one("#positions").has_class("-active"), "positions"
        )
        await pilot.press("question_mark")
        await until(pilot, lambda: is_in_front(app, HelpScreen), "the help")
        rows = [
            "".join(cell.text for cell in row.cells) for row in app.screen.query_one(LineTable).rows
        ]
        assert any("tabNext tab" in row for row in rows)
        assert not any("Next pane" in row for row in rows)


async def test_the_key_that_ends_other_programs_is_answered_with_the_one_that_does() -> None:
    service = FakeService()
    keymap = Keymap({"global.quit": ("f10",)})
    surface = Surface(service, service, service, Options(keymap=keymap))
    app = PmtuiApp(surface, themes=load_themes()[0])
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press("ctrl+c")
        line = app.screen.query_one("#notice", TextLine)
        await until(pilot, lambda: "f10 leaves pmtui." in shown_text(line)[0], "an answer")
        assert app.is_running

import pytest
from textual.strip import Strip
from typing_extensions import override

from pmtui.ui.cells import Cell, Emphasis
from pmtui.ui.keys.actions import FooterEntry
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.text_line import TextLine, entry_at, paint_footer
from tests.ui.stage import THEMES, Stage, painted, shown_text
from tests.ui.wait import settle, until

LINE = (Cell("PAPER", Role.PAPER), Cell(" 10,000.00", Role.TEXT, Emphasis.DIM))


class _Counted(TextLine):
    paints = 0
    layouts = 0

    @override
    def render_line(self, y: int) -> Strip:
        self.paints += 1
        return super().render_line(y)


async def test_the_same_cells_again_are_not_painted_again() -> None:
    line = _Counted(LINE)
    app = Stage(line)
    async with app.run_test(size=(40, 5)) as pilot:
        await until(pilot, lambda: line.paints, "the first paint")
        await settle(pilot)
        paints, layouts = line.paints, line._layout_updates
        line.show((*LINE,))
        await settle(pilot)
        assert line.paints == paints
        line.show((Cell("LIVE", Role.LIVE),))
        await until(pilot, lambda: line.paints > paints, "the paint of new cells")
        assert line._layout_updates == layouts
        assert shown_text(line) == ["LIVE".ljust(40)]
        assert line.line == (Cell("LIVE", Role.LIVE),)


async def test_a_line_too_long_is_cropped_with_a_mark() -> None:
    line = TextLine((Cell("abcdefghijkl"),))
    async with Stage(line).run_test(size=(10, 3)) as pilot:
        await settle(pilot)
        assert shown_text(line) == ["abcdefghi…"]


async def test_a_line_painted_for_its_width_follows_it() -> None:
    line = TextLine()
    line.show_in_width(lambda width: (Cell("x".rjust(width)),))
    async with Stage(line).run_test(size=(10, 3)) as pilot:
        await until(pilot, lambda: shown_text(line) == ["x".rjust(10)], "it is painted")
        await pilot.resize_terminal(20, 3)
        await until(pilot, lambda: shown_text(line) == ["x".rjust(20)], "it is painted anew")
        line.show(LINE)
        assert line.line == LINE


@pytest.mark.parametrize("theme", THEMES)
async def test_a_line_is_painted_in_every_theme(theme: str) -> None:
    line = TextLine(LINE)
    async with Stage(line, theme=theme).run_test(size=(40, 5)) as pilot:
        await settle(pilot)
        (strip,) = painted(line)
        assert strip.text.startswith("PAPER 10,000.00")
        first = next(iter(strip)).style
        assert first is not None
        assert first.bold
        assert first.bgcolor is not None


async def test_changing_the_theme_repaints_in_its_colours() -> None:
    line = TextLine(LINE)
    app = Stage(line)
    async with app.run_test(size=(40, 5)) as pilot:
        await settle(pilot)
        (before,) = painted(line)
        app.theme = "daylight"
        await until(pilot, lambda: list(painted(line)) != [before], "the new colours")


@pytest.mark.parametrize("theme", ["harbour", "ansi", "slate"])
async def test_a_line_lives_without_colour(theme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    line = TextLine(LINE)
    app = Stage(line, theme=theme)
    async with app.run_test(size=(40, 5)) as pilot:
        await until(pilot, lambda: "PAPER" in app.export_screenshot(), "the line on the screen")


ENTRIES = (
    FooterEntry("confirm.accept", "enter", "Send", is_dangerous=True),
    FooterEntry("confirm.decline", "esc", "Back", is_dangerous=False),
)


def at(text: str, inside: int = 0) -> str | None:
    line = paint_footer(ENTRIES, 40)
    words = "".join(cell.text for cell in line)
    found = entry_at(line, words.index(text) + inside, ENTRIES)
    return found.id if found is not None else None


def test_a_key_and_its_words_are_one_target() -> None:
    assert at("enter") == at("Send") == at("Send", 3) == "confirm.accept"
    assert at("esc") == at("Back", 3) == "confirm.decline"


def test_beside_and_between_there_is_nothing() -> None:
    line = paint_footer(ENTRIES, 40)
    assert entry_at(line, 0, ENTRIES) is None
    assert at("Send", 4) is None
    assert entry_at(line, 39, ENTRIES) is None

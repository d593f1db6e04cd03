"""Greeting, tour and glossary on real screens."""

from dataclasses import replace

import pytest

from pmtui.ui.app import PmtuiApp
from pmtui.ui.cells import Row
from pmtui.ui.frame import FrameScreen
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import help_lines
from pmtui.ui.keys.help import GLOSSARY, HelpScreen, TermsScreen
from pmtui.ui.ladder.paint_ladder import SIGNS
from pmtui.ui.surface import Options, Surface
from pmtui.ui.theme.theme_files import load_themes
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.text_line import TextLine
from tests.ui import believable
from tests.ui.fake_surface import FakeService
from tests.ui.look import text_of
from tests.ui.stage import shown_text
from tests.ui.wait import settle, until


def made(*, is_first_run: bool = False) -> PmtuiApp:
    service = FakeService()
    surface = Surface(service, service, service, Options(is_first_run=is_first_run))
    return PmtuiApp(surface, themes=load_themes()[0])


def tour_line(app: PmtuiApp) -> str:
    screen = app.screen
    assert isinstance(screen, FrameScreen)
    if not screen.has_class("-touring"):
        return ""
    return "".join(cell.text for cell in screen.query_one("#tour", TextLine).line)


def notice(app: PmtuiApp) -> str:
    return "".join(cell.text for cell in app.screen.query_one("#notice", TextLine).line)


async def test_the_first_run_says_where_to_begin_and_later_ones_do_not() -> None:
    app = made(is_first_run=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "T: tour" in notice(app), "the greeting")
        await pilot.press("T")
        await until(pilot, lambda: "New here" not in notice(app), "the tour in its place")
    app = made()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert notice(app) == ""


async def test_the_tour_follows_what_is_done_and_ends_when_asked() -> None:
    app = made()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("T")
        await until(pilot, lambda: "Tour 1/" in tour_line(app), "the first step")
        await pilot.press("slash")
        await until(pilot, lambda: "Tour 2/" in tour_line(app), "the second step")
        await pilot.press("escape", "p")
        await until(pilot, lambda: "Tour 2/" in tour_line(app), "the step on another screen")
        await pilot.press("T")
        await until(pilot, lambda: tour_line(app) == "", "the end")


async def test_the_tour_takes_no_order_of_before_for_a_new_one() -> None:
    service = FakeService()
    service.account_view = replace(service.account_view, open_orders=(), recent=())
    app = PmtuiApp(service.surface(), themes=load_themes()[0])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("T")
        await until(pilot, lambda: "Tour 1/" in tour_line(app), "the first step")
        # What an earlier session left comes later than the key.
        old = believable.order(1, 1, age_s=600)
        service.account_view = replace(service.account_view, open_orders=(old,), recent=(old,))
        await pilot.press("slash")
        await until(pilot, lambda: "Tour 2/" in tour_line(app), "the second step")
        new = believable.order(2, 1, age_s=0)
        service.account_view = replace(service.account_view, recent=(new, old))
        await until(pilot, lambda: "Tour 6/" in tour_line(app), "the step after the order")


async def test_the_help_leads_to_the_words() -> None:
    app = made()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen), "the help")
        # One key has one meaning in a footer.
        assert text_of(app, "#footer").count("? ") == 1
        await pilot.press("g")
        await until(pilot, lambda: isinstance(app.screen, TermsScreen), "the words")
        await settle(pilot)
        shown = {row.cells[0].text for row in app.screen.query_one(LineTable).rows} - {""}
        assert shown == {term.word for term in GLOSSARY}
        await pilot.press("escape", "s")
        await until(
            pilot, lambda: "SIGNS ON THE LADDER" in text_of(app, "#text-panel"), "the legend"
        )
        await settle(pilot)
        shown = {row.cells[0].text for row in app.screen.query_one(LineTable).rows} - {""}
        assert shown == {sign for sign, _ in SIGNS}


async def test_a_page_of_help_is_turned_at_the_first_press() -> None:
    app = made()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen), "the help")
        await settle(pilot)
        table = app.screen.query_one(LineTable)
        await pilot.press("pagedown")
        await until(pilot, lambda: table.scroll_offset.y > 0, "the next page")
        await pilot.press("pageup")
        await until(pilot, lambda: table.scroll_offset.y == 0, "the first page")


def test_the_words_are_in_order_and_told_once() -> None:
    words = [term.word.casefold() for term in GLOSSARY]
    assert words == sorted(words)
    assert len(set(words)) == len(words)


async def test_help_says_whole_sentences_on_a_small_screen() -> None:
    app = made()
    async with app.run_test(size=(80, 60)) as pilot:
        _ = app.push_screen(HelpScreen(app.surface, (Context.LADDER, Context.MARKET), "trading"))
        await until(pilot, lambda: isinstance(app.screen, HelpScreen), "the help")
        await settle(pilot)
        table = app.screen.query_one(LineTable)
        whole = shown_text(table)
        assert any("joins on an empty" in line for line in whole)
        assert not any("…" in line for line in whole)
        rows = len(table.rows)
        await pilot.resize_terminal(200, 60)
        await until(pilot, lambda: len(table.rows) < rows, "longer lines on a wide screen")


@pytest.mark.parametrize(("width", "count"), [(80, 1), (109, 1), (120, 2), (169, 2), (200, 3)])
async def test_help_has_as_many_pages_as_fit_and_they_scroll_together(
    width: int, count: int
) -> None:
    app = made()
    async with app.run_test(size=(width, 30)) as pilot:
        contexts = (Context.LADDER, Context.MARKET, Context.TICKET)
        _ = app.push_screen(HelpScreen(app.surface, contexts, "trading"))
        await until(pilot, lambda: isinstance(app.screen, HelpScreen), "the help")
        await settle(pilot)
        pages = [table for table in app.screen.query(LineTable) if table.region]
        assert len(pages) == count
        assert len({len(page.rows) for page in pages}) == 1
        shown = "\n".join(text for page in pages for row in page.rows for text in _texts(row))
        keys = help_lines(*contexts, Context.GLOBAL)
        rows = [row for page in pages for row in page.rows if row.key.startswith("-")]
        headings = [row.cells[0].text for row in rows if row.cells[0].text]
        # Every subject once, in its order.
        assert headings == [*dict.fromkeys(key.subject for key in keys), "Signs"]
        assert all(key.label in shown for key in keys)
        await pilot.press("end")
        await until(pilot, lambda: pages[0].scroll_offset.y > 0, "the end")
        await until(pilot, lambda: len({p.scroll_offset.y for p in pages}) == 1, "all pages")


def _texts(row: Row) -> list[str]:
    return [cell.text for cell in row.cells]


def test_the_large_contexts_are_in_subjects_throughout() -> None:
    for context in (Context.MARKET, Context.GLOBAL):
        subjects = {line.subject for line in help_lines(context)}
        assert len(subjects) > 2
        assert context.value.capitalize() not in subjects


async def test_the_help_is_narrowed_to_what_is_typed() -> None:
    app = made()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen), "the help")
        table = app.screen.query_one(LineTable)
        before = len(table.rows)
        await pilot.press("slash", *"kill")
        await until(pilot, lambda: len(table.rows) < before, "fewer keys")
        shown = shown_text(table)
        assert any(line.split()[:3] == ["K", "Kill", "switch"] for line in shown)
        await pilot.press("enter", "g")
        await until(pilot, lambda: isinstance(app.screen, TermsScreen), "the keys are back")


async def test_every_page_of_help_has_a_title() -> None:
    app = made()
    async with app.run_test(size=(200, 50)) as pilot:
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen), "the help")
        await until(pilot, lambda: "HELP, more keys" in text_of(app, "#most-panel"), "its title")
        assert "HELP, more keys" in text_of(app, "#more-panel")

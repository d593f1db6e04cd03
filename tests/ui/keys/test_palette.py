import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.command import CommandList

from pmtui.domain.markets.watchlist import StarKey, StarKind
from pmtui.service.views import Load, WatchlistView, WatchRow
from pmtui.ui.app import PmtuiApp
from pmtui.ui.keys.palette import Palette, match
from pmtui.ui.theme.theme_files import load_themes
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.wait import until


@given(st.text(max_size=8), st.text(max_size=40))
def test_found_letters_are_those_of_the_query_in_their_order(query: str, text: str) -> None:
    found = match(query, text)
    if found is None:
        return
    assert 0 <= found.score <= 1
    assert list(found.offsets) == sorted(set(found.offsets))
    assert len(found.offsets) == len(query)
    for letter, offset in zip(query, found.offsets, strict=True):
        assert text[offset].lower()[:1] == letter.lower()[:1]


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_a_part_of_a_text_is_found_in_it(before: str, query: str, after: str) -> None:
    found = match(query, before + query + after)
    assert found is not None
    assert found.score >= 0.9


def test_letters_that_stand_apart_are_found_and_count_less() -> None:
    together, apart = match("arm", "Arm single keys"), match("asg", "Arm single keys")
    assert together is not None
    assert apart is not None
    assert together.score > apart.score > 0
    assert match("xyz", "Arm single keys") is None


def test_a_title_of_one_letter_over_and_over_is_matched_at_once() -> None:
    """Every way to spell the query would be tried otherwise: hours, at this length."""
    title = "a " * 5_000
    assert match("aaaaaaaaaaaa", title) is not None
    assert match("aaaaaaaaaaab", title) is None


@pytest.mark.parametrize("width", [80, 120, 200])
async def test_an_action_is_one_line_with_its_key(width: int) -> None:
    app = PmtuiApp(FakeService().surface(), themes=load_themes()[0])
    async with app.run_test(size=(width, 36)) as pilot:
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, Palette), "the palette")
        await pilot.press(*"portfolio")
        commands = app.screen.query_one(CommandList)
        await until(pilot, lambda: commands.option_count > 1, "something found")

        def drawn() -> list[str]:
            lines = map(commands.render_line, range(commands.size.height))
            texts = ["".join(segment.text for segment in line).rstrip() for line in lines]
            return [text for text in texts if text]

        await until(pilot, lambda: len(drawn()) == commands.option_count, "all of it drawn")
        shown = drawn()
        assert shown[0].split() == ["Actions"]
        words = shown[1].split()
        assert (words[0], words[-1]) == ("Portfolio", "p")
        # The keys end in one column.
        with_keys = [line for line in shown if line.split()[-1] in ("p", "X", "K", "C")]
        assert len({len(line) for line in with_keys}) == 1


async def test_actions_come_before_starred_markets() -> None:
    service = FakeService()
    title = "No change: ECB decision"
    row = WatchRow(StarKey(StarKind.EVENT, "7"), title, True, None)
    service.watchlist_view = WatchlistView((row,), Load.READY, NOW)
    app = PmtuiApp(service.surface(), themes=load_themes()[0])
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, Palette), "the palette")
        commands = app.screen.query_one(CommandList)
        await until(pilot, lambda: commands.option_count > 20, "every action")
        assert "No change" in str(commands.options[-1].prompt)
        assert sum("No change" in str(option.prompt) for option in commands.options) == 1
        headings = [str(option.prompt) for option in commands.options if option.disabled]
        assert headings == ["Actions", "Starred"]
        # The best match is chosen, and its kind comes first.
        await pilot.press(*"no change")
        await until(pilot, lambda: str(commands.options[0].prompt) == "Starred", "the market")
        assert commands.highlighted == 1


async def test_actions_of_the_screen_come_first_and_themes_are_one_of_them() -> None:
    app = PmtuiApp(FakeService().surface(), themes=load_themes()[0])
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, Palette), "the palette")
        commands = app.screen.query_one(CommandList)
        await until(pilot, lambda: commands.option_count > 20, "every action")
        shown = [str(option.prompt).split()[0] for option in commands.options]
        assert shown[:2] == ["Actions", "Sort"]
        assert sum(word.startswith("Theme") for word in shown) == 1
        assert commands.size.width <= 80

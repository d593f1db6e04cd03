import pytest

from pmtui.ui.cells import Emphasis
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import footer_entries
from pmtui.ui.surface import Options
from pmtui.ui.widgets.text_line import KeyLine, paint_footer
from tests.ui.stage import Stage, shown_text
from tests.ui.wait import settle


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("context", [Context.MARKETS, Context.EVENT, Context.PORTFOLIO])
def test_the_way_to_the_rest_and_the_way_out_are_always_shown(width: int, context: Context) -> None:
    line = paint_footer(footer_entries(context, Context.GLOBAL), width)
    text = "".join(cell.text for cell in line)
    assert len(text) == width
    assert "? Help  q Quit" in text


def test_every_word_of_the_footer_is_as_readable_as_other_text() -> None:
    line = paint_footer(footer_entries(Context.MARKETS, Context.GLOBAL), 200)
    assert any(cell.text == "VIEW " for cell in line)
    # Themes keep every role readable; dimmed, none of them is.
    assert not any(cell.emphasis & Emphasis.DIM for cell in line)


async def test_keys_that_find_less_room_than_expected_are_left_out_whole() -> None:
    entries = footer_entries(Context.EVENT, Context.GLOBAL)
    line = KeyLine(entries, Options(), width=120)
    async with Stage(line).run_test(size=(52, 3)) as pilot:
        await settle(pilot)
        shown = shown_text(line)[0]
        assert "…" not in shown
        assert "? Help  q Quit" in shown
        line.show_keys(entries, 100)
        await settle(pilot)
        assert shown_text(line)[0] == shown

import pytest

from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import footer_entries
from pmtui.ui.widgets.text_line import paint_footer


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("context", [Context.MARKETS, Context.EVENT, Context.PORTFOLIO])
def test_the_way_to_the_rest_and_the_way_out_are_always_shown(width: int, context: Context) -> None:
    line = paint_footer(footer_entries(context, Context.GLOBAL), width)
    text = "".join(cell.text for cell in line)
    assert len(text) == width
    assert "? Help  q Quit" in text

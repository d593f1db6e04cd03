import pytest
from textual.widget import Widget

from pmtui.ui.cells import Cell
from pmtui.ui.widgets.text_line import TextLine
from tests.ui.stage import Stage
from tests.ui.wait import settle


async def test_what_is_to_be_painted_is_told_the_screen_at_once() -> None:
    line, other = TextLine((Cell("old"),)), TextLine()
    app = Stage(line, other)
    async with app.run_test() as pilot:
        await settle(pilot)
        line.show((Cell("new"),))
        assert line in app.screen._dirty_widgets
        assert other not in app.screen._dirty_widgets
        await settle(pilot)
        assert not app.screen._dirty_widgets


async def test_a_hidden_line_is_painted_when_it_shows_again() -> None:
    line = TextLine((Cell("old"),))
    app = Stage(line)
    async with app.run_test() as pilot:
        line.display = False
        await settle(pilot)
        line.show((Cell("new"),))
        assert line not in app.screen._dirty_widgets
        line.display = True
        await settle(pilot)
        assert "new" in app.screen._compositor.render_strips()[0].text


async def test_another_release_is_told_its_own_way(monkeypatch: pytest.MonkeyPatch) -> None:
    line = TextLine((Cell("old"),))
    app = Stage(line)
    async with app.run_test() as pilot:
        await settle(pilot)
        monkeypatch.delattr(Widget, "clear_cached_dimensions")
        assert not line._tell_screen(())
        monkeypatch.undo()
        monkeypatch.setattr(TextLine, "_tell_screen", lambda *_: False)
        line.show((Cell("new"),))
        await settle(pilot)
        assert "new" in app.screen._compositor.render_strips()[0].text


@pytest.mark.parametrize("css", ["padding: 0 1", "border: round red", "opacity: 50%", "tint: red 20%"])  # fmt: skip
async def test_a_dressed_line_is_left_to_textual(css: str) -> None:
    class Dressed(Stage):
        CSS = "#dressed { height: 3; " + css + "; }"

    bare, dressed = TextLine(), TextLine(id="dressed")
    async with Dressed(bare, dressed).run_test():
        assert bare.is_bare
        assert not dressed.is_bare

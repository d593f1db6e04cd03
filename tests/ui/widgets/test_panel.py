"""The frame around a pane: a line that is exactly as wide as the pane, whatever it has to say."""

from hypothesis import given
from hypothesis import strategies as st
from textual.containers import Vertical
from textual.geometry import Size
from typing_extensions import override

from pmtui.ui.cells import Cell, Line, line_width
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_pane import LinePane
from pmtui.ui.widgets.panel import Edges, Panel, are_frames_wanted, paint_below, paint_title
from tests.ui.stage import Stage, shown_text
from tests.ui.wait import settle


def _text(line: Line) -> str:
    return "".join(cell.text for cell in line)


def test_the_value_stands_at_the_right_end_of_the_title() -> None:
    line = paint_title((Cell("PRICE 1d"),), (Cell("37.7"),), 30)
    assert _text(line) == "╭─ PRICE 1d ────────── 37.7 ─╮"


def test_a_small_screen_has_a_rule_instead_of_a_frame() -> None:
    line = paint_title((Cell("TAPE"),), (Cell("UTC"),), 20, edges=Edges.RULE)
    assert _text(line) == "─ TAPE ─────── UTC ─"


def test_a_panel_beside_another_one_branches_off_its_stroke() -> None:
    line = paint_title((Cell("TAPE"),), (), 12, edges=Edges.SPLIT)
    assert _text(line) == "├─ TAPE ────"


def test_a_value_without_room_is_left_out_whole() -> None:
    line = paint_title((Cell("PRICE 1d"),), (Cell("37.7 to 39.8"),), 20)
    assert _text(line) == "╭─ PRICE 1d ───────╮"


def test_a_sign_says_where_keys_go() -> None:
    assert _text(paint_title((Cell("TAPE"),), (), 12, is_focused=True)) == "╭■ TAPE ───╮"
    focused = paint_title((Cell("TAPE"),), (), 12, edges=Edges.RULE, is_focused=True)
    assert _text(focused) == "■ TAPE ─────"


_TEXTS = st.text(alphabet="abc ¢日", max_size=40)


@given(
    name=_TEXTS,
    value=_TEXTS,
    width=st.integers(0, 60),
    edges=st.sampled_from(Edges),
    is_focused=st.booleans(),
)
def test_a_title_takes_exactly_the_width_there_is(
    name: str, value: str, width: int, *, edges: Edges, is_focused: bool
) -> None:
    cells = tuple(Cell(text) for text in (name, value))
    line = paint_title(cells[:1], cells[1:], width, edges=edges, is_focused=is_focused)
    assert line_width(line) == width


@given(width=st.integers(0, 60))
def test_the_line_below_takes_exactly_the_width_there_is(width: int) -> None:
    assert line_width(paint_below(width)) == width


def test_frames_need_a_screen_of_both_sizes() -> None:
    assert are_frames_wanted(Size(120, 36))
    assert not are_frames_wanted(Size(120, 24))
    assert not are_frames_wanted(Size(80, 36))


class _Pane(LinePane, can_focus=True):
    DEFAULT_CSS = "_Pane { height: 1fr; }"
    worth = "39.8"

    @override
    def title(self) -> Line:
        return (Cell("PRICE"),)

    @override
    def value(self) -> Line:
        return (Cell(self.worth),)

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        return tuple((Cell(f"row {n}".ljust(width)),) for n in range(height))


async def test_a_pane_hands_its_title_to_the_frame_and_keeps_all_its_lines() -> None:
    pane = _Pane()
    panel = Panel(pane)
    async with Stage(panel).run_test(size=(30, 6)) as pilot:
        pilot.app.screen.set_focus(None)
        await settle(pilot)
        assert shown_text(panel)[0] == "╭─ PRICE ───────────── 39.8 ─╮"
        assert shown_text(panel)[5].startswith("╰─")
        assert shown_text(pane)[0].startswith("row 0")
        assert pane.size == Size(26, 4)
        pane.focus()
        pane.worth = "40.1"
        pane.repaint()
        await settle(pilot)
        assert shown_text(panel)[0] == "╭■ PRICE ───────────── 40.1 ─╮"


async def test_strokes_take_another_role_while_they_are_told_to() -> None:
    panel = Panel(_Pane())
    async with Stage(panel).run_test(size=(30, 6)) as pilot:
        pilot.app.screen.set_focus(None)
        await settle(pilot)
        roles = [panel.title_line[-1].role]
        for look in (Role.ARMED, None):
            panel.show_look(look)
            roles.append(panel.title_line[-1].role)
        assert roles == [Role.FRAME, Role.ARMED, Role.FRAME]


async def test_a_rule_leaves_the_pane_its_whole_width() -> None:
    pane = _Pane()
    panel = Panel(pane)
    async with Stage(Vertical(panel)).run_test(size=(30, 6)) as pilot:
        pilot.app.screen.set_focus(None)
        pilot.app.screen.set_class(True, "-ruled")
        await settle(pilot)
        assert shown_text(panel)[0] == "─ PRICE ─────────────── 39.8 ─"
        assert pane.size == Size(30, 5)

"""What leaves for a terminal of plain ASCII, cell for cell."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.segment import Segment
from textual.color import Color

import pmtui.ui
from pmtui.ui.cells import Cell
from pmtui.ui.plain import cell_width, plain
from pmtui.ui.terminal.ascii_filter import UNKNOWN, AsciiFilter, is_ascii, to_ascii_cells
from pmtui.ui.terminal.terminal_app import TerminalApp
from pmtui.ui.widgets.text_line import TextLine
from tests.ui.look import screen_lines
from tests.ui.stage import Stage
from tests.ui.wait import settle

UI = Path(str(pmtui.ui.__file__)).parent
DRAWN_OTHERWISE = frozenset({"plain.py", "qr_code.py", "plot.py", "screen_buffer.py"})
"""Tables of what venues send, and what is not drawn in ASCII at all."""


@given(st.text().map(plain))
@example("Ärger 市 “x” ½ ﬁ 👍🏽 e\u0301")
def test_each_cell_becomes_one_cell(text: str) -> None:
    shown = to_ascii_cells(text)
    assert shown.isascii()
    assert len(shown) == cell_width(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("51¢ café “x” 市", '51c cafe "x" ? '),
        ("┏━┓┃a┃┗━┛ ┤┼", "+-+|a|+-+ ++"),
        ("███▌ ▏  ▕█ ▐█", "#### .  .# ##"),
        ("▁▂▃▄▅▆▇█", "...::::#"),
        ("bid ≥ 45¢, ask ≤ 9¢", "bid >=45c, ask <=9c"),
        ("½ ™ ﬁ", "? ? ?"),
        ("Cut of 25 b… ~31 a → b ▸ ▾", "Cut of 25 b~ ~31 a > b > -"),
        ("▄▄▖", "::."),
        ("sum bid 99¢, Vol ▴ ▾", "sum bid 99c, Vol + -"),
        ("plain", "plain"),
    ],
)
def test_signs_have_their_likes(text: str, shown: str) -> None:
    assert to_ascii_cells(text) == shown


def test_every_sign_of_ours_has_its_like() -> None:
    unlike = {sign for sign in signs() if to_ascii_cells(sign) == UNKNOWN}
    assert unlike == set()


def signs() -> Iterator[str]:
    """Yield what our screens draw: the characters of every string that is no docstring."""
    for module in UI.rglob("*.py"):
        if module.name in DRAWN_OTHERWISE:
            continue
        tree = ast.parse(module.read_text())
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from (c for c in node.value if not c.isascii() and id(node) not in docs)


def test_styles_stay() -> None:
    segments = [Segment("a"), Segment("¢"), Segment("b")]
    shown = AsciiFilter().apply(segments, Color(0, 0, 0))
    assert [segment.text for segment in shown] == ["a", "c", "b"]
    assert [segment.style for segment in shown] == [segment.style for segment in segments]


class Plain(TerminalApp, Stage):
    is_ascii = True
    CSS = "TextLine { border: heavy red; height: 3; }"


async def test_lines_and_frames_pass_the_filter() -> None:
    app = Plain(TextLine((Cell("51¢ … 市"),)))
    async with app.run_test(size=(20, 4)) as pilot:
        await settle(pilot)
        assert is_ascii(app.screen)
        lines = screen_lines(app)
        assert lines[:3] == [
            "+" + "-" * 18 + "+",
            "|51c ~ ? ".ljust(19) + "|",
            "+" + "-" * 18 + "+",
        ]


async def test_other_terminals_get_everything() -> None:
    app = Stage(TextLine((Cell("51¢"),)))
    async with app.run_test(size=(20, 4)) as pilot:
        await settle(pilot)
        assert not is_ascii(app.screen)
        assert screen_lines(app)[0].startswith("51¢")

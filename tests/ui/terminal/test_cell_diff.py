import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from rich.color import Color, ColorSystem

from pmtui.ui.terminal.screen_buffer import reduced
from tests.ui.pty_child import PtyChild
from tests.ui.torture_app import STEPS, settled

Cells = list[list[Any]]


def _cells(child: PtyChild) -> Cells:
    screen = child.screen
    return [[screen.buffer[y][x] for x in range(child.columns)] for y in range(child.rows)]


def _settle(children: Sequence[PtyChild], step: int) -> None:
    for child in children:
        words = settled(step, child.columns, child.rows)
        child.until(lambda: words in child.output, f"step {step} being painted")  # noqa: B023 - used at once


def _differences(one: Cells, other: Cells) -> list[tuple[int, int]]:
    return [
        (x, y)
        for y, (line, twin) in enumerate(zip(one, other, strict=True))
        for x, (cell, mate) in enumerate(zip(line, twin, strict=True))
        if cell != mate
    ]


def _as_it_is(cells: Cells) -> Cells:
    return cells


def _without_colour(cells: Cells) -> Cells:
    return [[cell._replace(fg="default", bg="default") for cell in line] for line in cells]


def _of_256(cells: Cells) -> Cells:
    return [
        [cell._replace(fg=_nearest(cell.fg), bg=_nearest(cell.bg)) for cell in line]
        for line in cells
    ]


def _nearest(color: str) -> str:
    """Return which of 256 colours is shown for one of an emulator's; names are none of them."""
    if not re.fullmatch("[0-9a-f]{6}", color):
        return color
    return reduced(Color.parse(f"#{color}"), ColorSystem.EIGHT_BIT).get_truecolor().hex[1:].lower()


# The emulator of neither has read everything yet: they agree in the end, or never.
def _agree(
    ours: PtyChild, stock: PtyChild, what: str, *, as_ours: Callable[[Cells], Cells] = _as_it_is
) -> None:
    def is_same() -> bool:
        stock.pump(0)
        return not _differences(_cells(ours), as_ours(_cells(stock)))

    ours.until(is_same, f"the picture of Textual: {what}")


@pytest.mark.parametrize("env", [{}, {"NO_COLOR": "1"}, {"COLORTERM": ""}, {"COLORTERM": "", "TERM": "xterm"}], ids=["truecolor", "no colour", "256 colours", "16 colours"])  # fmt: skip
@pytest.mark.slow
def test_diffed_and_stock_output_leave_equal_screens(env: dict[str, str]) -> None:
    # Textual's own way to 256 colours is not ours: its picture is reduced here.
    has_256 = env == {"COLORTERM": ""}
    # Textual's own greys would fight the terminal's: ours leaves colour alone.
    as_ours = _without_colour if "NO_COLOR" in env else _of_256 if has_256 else _as_it_is
    with (
        PtyChild("tests.ui.torture_app", "diff", env=env) as ours,
        PtyChild("tests.ui.torture_app", "stock", env={} if has_256 else env) as stock,
    ):
        both = (ours, stock)
        for step in range(STEPS + 1):
            _settle(both, step)
            _agree(ours, stock, f"step {step}", as_ours=as_ours)
            if step < STEPS:
                for child in both:
                    child.send(b"n")
        assert len(ours.output) < len(stock.output) / 2


def test_a_resize_forgets_the_shadow_and_paints_everything() -> None:
    with (
        PtyChild("tests.ui.torture_app", "diff") as ours,
        PtyChild("tests.ui.torture_app", "stock") as stock,
    ):
        both = (ours, stock)
        _settle(both, 0)
        for columns, rows in ((60, 20), (100, 30), (100, 31)):
            for child in both:
                child.resize(columns, rows)
            _settle(both, 0)
            _agree(ours, stock, f"{columns}x{rows}")


def test_a_disturbed_screen_is_mended_on_focus_and_on_the_redraw_key() -> None:
    with PtyChild("tests.ui.torture_app", "diff") as child:
        _settle([child], 0)
        good = _cells(child)
        for remedy in (b"\x1b[I", b"\x0c"):
            child.output += b"\x1b[2J\x1b[Hrubbish of another program"
            assert _differences(_cells(child), good)
            child.send(remedy)
            child.until(lambda: not _differences(_cells(child), good), f"the repaint by {remedy!r}")


def test_an_idle_screen_writes_nothing() -> None:
    with PtyChild("tests.ui.torture_app", "diff") as child:
        _settle([child], 0)
        seen = len(child.output)
        child.pump(1.0)
        assert len(child.output) == seen


def test_a_release_of_textual_that_surprises_us_gets_the_stock_display() -> None:
    with (
        PtyChild("tests.ui.torture_app", "surprise") as ours,
        PtyChild("tests.ui.torture_app", "stock") as stock,
    ):
        both = (ours, stock)
        _settle(both, 0)
        for step in range(1, 3):
            for child in both:
                child.send(b"n")
            _settle(both, step)
            _agree(ours, stock, f"step {step}")

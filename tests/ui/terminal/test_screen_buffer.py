import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style

from pmtui.ui.terminal.screen_buffer import Piece, ScreenBuffer, cells_of

WIDTH, HEIGHT = 12, 3
RED = Style(color="#ff0000", bgcolor="#000000")
BOLD = Style(color="#00ff00", bgcolor="#101010", bold=True)
LINK = Style(color="#00ff00", bgcolor="#101010", link="https://example.org")
STYLES = (RED, BOLD, Style(reverse=True), Style())


class _Terminal:
    def __init__(self, colors: ColorSystem | None = ColorSystem.TRUECOLOR) -> None:
        self.shadow = ScreenBuffer(WIDTH, HEIGHT, colors)
        self.screen = pyte.Screen(WIDTH, HEIGHT)
        self.screen.reset_mode(pyte.modes.DECAWM)
        self._stream = pyte.Stream(self.screen)

    def show(self, *pieces: Piece) -> str:
        frame = self.shadow.encode(pieces)
        self._stream.feed(frame)
        return frame

    def row(self, y: int = 0) -> str:
        return str(self.screen.display[y])


def _line(text: str, style: Style = RED, *, x: int = 0, y: int = 0) -> Piece:
    return (x, y, [Segment(text, style)])


def test_the_same_cells_again_write_nothing() -> None:
    terminal = _Terminal()
    assert terminal.show(_line("hello world!"))
    assert terminal.show(_line("hello world!")) == ""


def test_only_the_changed_cells_are_written() -> None:
    terminal = _Terminal()
    terminal.show(_line("price 0.51  "))
    frame = terminal.show(_line("price 0.52  "))
    assert frame == "\x1b[1;10H\x1b[38;2;255;0;0;48;2;0;0;0m2\x1b[m"
    assert terminal.row() == "price 0.52  "


def test_a_small_gap_is_written_through_and_a_large_one_jumped() -> None:
    terminal = _Terminal()
    terminal.show(_line("a..b.......c"))
    assert "B" not in terminal.show(_line("A..B.......C")).replace("A..B", "")
    assert "\x1b[7C" in terminal.show(_line("x..y.......z"))


def test_a_change_of_style_alone_is_written() -> None:
    terminal = _Terminal()
    terminal.show(_line("abc"))
    assert "abc" in terminal.show(_line("abc", BOLD))


def test_what_others_may_have_changed_is_written_again_by_a_fresh_shadow() -> None:
    terminal = _Terminal()
    terminal.show(_line("abc"))
    terminal.shadow = ScreenBuffer(WIDTH, HEIGHT, ColorSystem.TRUECOLOR)
    assert "abc" in terminal.show(_line("abc"))


def test_half_a_wide_character_is_not_left_behind() -> None:
    terminal = _Terminal()
    terminal.show(_line("市場あい        "))
    terminal.show(_line("x", x=1))
    terminal.show(_line("a", x=0), _line("場", x=2))
    assert terminal.row().startswith("ax場")
    terminal.show(_line("abcdefghijkl"))
    assert terminal.row() == "abcdefghijkl"


def test_a_joined_emoji_cannot_shift_the_rest_of_the_line() -> None:
    terminal = _Terminal()
    frame = terminal.show(_line("👩\u200d💻ab e\u0301z    "))
    assert "\x1b[1;3H" in frame
    assert terminal.row().rstrip().endswith("ab \u00e9z")
    terminal.show(_line("xyab ez     "))
    assert terminal.row() == "xyab ez     "


def test_controls_in_a_text_never_reach_the_terminal() -> None:
    terminal = _Terminal()
    frame = terminal.show(_line("a\x07\x1b[2Jb\x9b2J\tc"))
    assert "\x07" not in frame
    assert "\x1b[2J" not in frame
    assert "\x9b" not in frame


def test_what_lies_outside_the_terminal_is_dropped() -> None:
    terminal = _Terminal()
    assert terminal.show(_line("below", y=HEIGHT)) == ""
    terminal.show(_line("wide 市場市場市場"))
    assert terminal.row().startswith("wide 市場市")
    terminal.show(_line("z", x=WIDTH))
    terminal.show((0, 1, [Segment("\x1b[H", None, [(1,)]), Segment("after", RED)]))  # type: ignore[list-item]
    assert terminal.row(1).startswith("after")


@pytest.mark.parametrize(
    ("colors", "sequence"),
    [
        (ColorSystem.TRUECOLOR, "38;2;255;0;0;48;2;0;0;0"),
        (ColorSystem.EIGHT_BIT, "38;5;196;48;5;16"),
        (ColorSystem.STANDARD, "31;40"),
    ],
)
def test_colours_are_reduced_to_what_the_terminal_has(colors: ColorSystem, sequence: str) -> None:
    assert f"\x1b[{sequence}m" in _Terminal(colors).show(_line("abc"))


def test_without_colours_only_attributes_are_written() -> None:
    frame = _Terminal(None).show(_line("abc"), _line("def", BOLD, x=4))
    assert frame == "\x1b[1;1Habc\x1b[C\x1b[0;1mdef\x1b[m"


def test_links_are_opened_and_closed() -> None:
    frame = _Terminal().show(_line("abc", LINK), _line("def", BOLD, x=3))
    assert frame.index(";https://example.org\x1b\\") < frame.index("abc")
    assert frame.index("\x1b]8;;\x1b\\") < frame.index("def")


PIECES = st.lists(
    st.tuples(
        st.integers(0, WIDTH - 1),
        st.integers(0, HEIGHT - 1),
        st.lists(
            st.tuples(st.text("ab 市é😀", min_size=1, max_size=6), st.sampled_from(STYLES)),
            min_size=1,
            max_size=3,
        ),
    ),
    max_size=6,
)


# Whole lines only: a piece that cuts through a wide character of another is a case of its own.
@given(st.lists(PIECES, max_size=5))
def test_the_terminal_shows_what_a_full_repaint_would_show(
    frames: list[list[tuple[int, int, list[tuple[str, Style]]]]],
) -> None:
    terminal = _Terminal()
    last: dict[int, Piece] = {}
    for frame in frames:
        lines = [_whole_line(y, texts) for _, y, texts in frame]
        last |= {line[1]: line for line in lines}
        terminal.show(*lines)
    repainted = _Terminal()
    repainted.show(*last.values())
    for y in range(HEIGHT):
        assert _cells(terminal, y) == _cells(repainted, y)


def _whole_line(y: int, texts: list[tuple[str, Style]]) -> Piece:
    return (0, y, [*(Segment(t, s) for t, s in texts), Segment(" " * WIDTH, RED)])


def _cells(terminal: _Terminal, y: int) -> list[object]:
    return [terminal.screen.buffer[y][x] for x in range(WIDTH)]


def test_what_looks_the_same_is_kept_once() -> None:
    rule, title = cells_of("──── ✦"), cells_of("─ PRICE ─ ✦ ")
    assert len({id(cell) for cell in (*rule, *title) if cell == "─"}) == 1
    assert len({id(cell) for cell in (*rule, *title) if cell == "✦"}) == 1

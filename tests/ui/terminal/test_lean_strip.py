"""A line without caches does what Textual's does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from pmtui.ui.terminal.lean_strip import LeanStrip, line_maker

_STYLES = (Style(bold=True), Style(color="red", bgcolor="black"), Style())
_segments = st.lists(
    st.tuples(st.text("ab 一", max_size=5), st.sampled_from(_STYLES)).map(lambda x: Segment(*x)),
    max_size=5,
)


@given(_segments, st.integers(0, 12), st.integers(0, 12))
def test_it_can_be_cut_and_dressed_like_any_other(
    segments: list[Segment], start: int, end: int
) -> None:
    lean, stock = LeanStrip(segments), Strip(segments)
    for _ in range(2):
        assert lean.crop(start, end) == stock.crop(start, end)
        assert lean.adjust_cell_length(end, _STYLES[0]) == stock.adjust_cell_length(end, _STYLES[0])
        assert lean.apply_style(_STYLES[0]) == stock.apply_style(_STYLES[0])
        assert lean.divide([start, start + end]) == stock.divide([start, start + end])
        assert lean.crop_extend(start, end, None) == stock.crop_extend(start, end, None)
    assert (lean, lean.text, lean.cell_length) == (stock, stock.text, stock.cell_length)


def test_it_keeps_nothing_of_what_was_made_of_it() -> None:
    first, second = LeanStrip([Segment("abc")]), LeanStrip([Segment("xyz")])
    assert first.crop(0, 1).text == "a"
    assert second.crop(0, 1).text == "x"
    assert first._crop_cache is second._crop_cache
    assert not first._crop_cache


def test_another_release_keeps_its_own_line(monkeypatch: pytest.MonkeyPatch) -> None:
    assert line_maker() is LeanStrip
    monkeypatch.setattr(Strip, "__slots__", (*Strip.__slots__, "_newer_cache"))
    assert line_maker() is Strip

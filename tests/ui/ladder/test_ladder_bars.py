from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.markets.market import Side
from pmtui.ui.ladder.ladder_bars import bar_scale, side_bar

sizes = st.lists(st.integers(1, 10**13), min_size=1, max_size=60)


@given(sizes, st.integers(1, 10**14))
def test_a_wall_does_not_flatten_the_others(ordinary: list[int], wall: int) -> None:
    usual = sorted(ordinary)[len(ordinary) // 2]
    assert bar_scale([*ordinary, 10**20], 1) <= 2 * 8 * max(ordinary)
    assert bar_scale([usual] * 20 + [wall], 1) <= 2 * max(usual, 1)


@given(sizes, st.lists(sizes, max_size=6))
def test_the_scale_stays_until_it_fits_no_more(first: list[int], later: list[list[int]]) -> None:
    scale = bar_scale(first, 1)
    assert scale & (scale - 1) == 0
    for each in later:
        new = bar_scale(each, scale)
        # It never hops back and forth between neighbours: it falls by far or not at all.
        assert new == scale or new > scale or new <= scale // 8
        assert bar_scale(each, new) == new
        scale = new
    assert bar_scale([], scale) == scale


@given(
    st.integers(0, 10**13), st.integers(1, 10**13), st.integers(2, 18),
    st.sampled_from(Side),
)  # fmt: skip
def test_a_bar_fills_its_width_and_only_what_is_cut_says_so(
    size: int, scale: int, width: int, side: Side
) -> None:
    bar = side_bar(size, scale, width, side=side)
    assert len(bar) == width
    assert any(mark in bar for mark in "«»") == (size > scale)
    assert bool(bar.strip()) == (size > 0)


def test_bars_grow_away_from_the_price() -> None:
    assert side_bar(50, 100, 4, side=Side.BUY) == "  ██"
    assert side_bar(50, 100, 4, side=Side.SELL) == "██  "
    assert side_bar(500, 100, 4, side=Side.BUY) == "«███"
    assert side_bar(500, 100, 4, side=Side.SELL) == "███»"
    assert side_bar(1, 100, 4, side=Side.SELL) == "▏   "

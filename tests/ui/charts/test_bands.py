from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.money import ONE, Micros
from pmtui.ui.charts.bands import MIN_ROWS, bands_of

ranges = st.tuples(st.integers(0, ONE), st.integers(0, ONE)).map(
    lambda pair: (Micros(min(pair)), Micros(max(pair)))
)


@given(st.lists(ranges, min_size=1, max_size=6), st.integers(1, 60))
def test_bands_fill_their_rows_and_hold_every_curve(
    curves: list[tuple[Micros, Micros]], rows: int
) -> None:
    bands = bands_of(curves, rows)
    assert bands[0].top == 0
    assert bands[-1].top + bands[-1].rows == rows
    for above, below in pairwise(bands):
        assert below.top == above.top + above.rows + 1
        assert below.high < above.low
    assert len(bands) == 1 or all(band.rows >= MIN_ROWS for band in bands)
    for low, high in curves:
        assert sum(band.low <= low and high <= band.high for band in bands) == 1


def cents(*pairs: tuple[int, int]) -> list[tuple[Micros, Micros]]:
    return [(Micros(low * 10_000), Micros(high * 10_000)) for low, high in pairs]


def test_curves_that_lie_near_each_other_share_one_axis() -> None:
    assert len(bands_of(cents((10, 20), (25, 30), (28, 40)), 30)) == 1
    assert len(bands_of(cents((8, 12), (9, 11), (37, 42)), 30)) == 2
    assert len(bands_of(cents((1, 2), (48, 52), (98, 99)), 30)) == 3
    # Too few rows for two.
    assert len(bands_of(cents((8, 12), (37, 42)), 6)) == 1

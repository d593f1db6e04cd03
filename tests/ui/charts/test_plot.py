from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.money import ONE, Micros
from pmtui.ui.charts.plot import MIN_ROWS, bands_of, price_labels, row_of_price

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


@given(st.integers(0, ONE - 10_000), st.integers(10_000, ONE), st.integers(1, 60))
def test_price_labels_are_round_and_fit(low: int, span: int, rows: int) -> None:
    high = min(low + span, ONE)
    labels = price_labels(Micros(low), Micros(high), rows)
    assert all(low <= label <= high for label in labels)
    assert len(labels) <= max(2, rows // 2 + 1)


def test_an_axis_with_room_never_has_one_price_alone() -> None:
    assert price_labels(Micros(412_000), Micros(462_000), 8) == (420_000, 440_000, 460_000)
    assert price_labels(Micros(240_000), Micros(314_000), 8) == (240_000, 260_000, 280_000, 300_000)
    for low in range(1, 900, 7):
        for span in range(5, 90, 3):
            labels = price_labels(Micros(low * 1_000), Micros((low + span) * 1_000), 9)
            assert len(labels) >= 2, (low, span)


@given(st.integers(0, ONE - 10_000), st.integers(10_000, ONE), st.integers(2, 60))
def test_price_labels_are_equally_far_apart(low: int, span: int, rows: int) -> None:
    prices = Micros(low), Micros(min(low + span, ONE))
    at = [row_of_price(label, prices, rows) for label in price_labels(*prices, rows)]
    places = [row for row in at if row is not None]
    assert len({below - above for below, above in pairwise(places)}) <= 1

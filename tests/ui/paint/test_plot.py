from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.history import PricePoint
from pmtui.domain.money import ONE, Micros
from pmtui.ui.paint.plot import price_labels, price_range, thin
from tests.ui.paint.test_chart import series


@given(series, st.integers(1, 60))
def test_thinning_keeps_ends_and_extremes(points: tuple[PricePoint, ...], columns: int) -> None:
    kept = thin(points, columns)
    assert len(kept) <= max(2 * columns + 2, 2)
    assert (kept[0], kept[-1]) == (points[0], points[-1])
    assert price_range(kept) == price_range(points)
    assert list(kept) == sorted(kept, key=lambda p: p.at)


@given(st.integers(0, ONE - 10_000), st.integers(10_000, ONE), st.integers(1, 60))
def test_price_labels_are_round_and_fit(low: int, span: int, rows: int) -> None:
    high = min(low + span, ONE)
    labels = price_labels(Micros(low), Micros(high), rows)
    assert all(low <= label <= high for label in labels)
    assert len(labels) <= max(2, rows // 3 + 1)

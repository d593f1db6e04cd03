from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.money import ONE, Micros
from pmtui.ui.charts.plot import price_labels


@given(st.integers(0, ONE - 10_000), st.integers(10_000, ONE), st.integers(1, 60))
def test_price_labels_are_round_and_fit(low: int, span: int, rows: int) -> None:
    high = min(low + span, ONE)
    labels = price_labels(Micros(low), Micros(high), rows)
    assert all(low <= label <= high for label in labels)
    assert len(labels) <= max(2, rows // 2 + 1)


def test_an_axis_with_room_never_has_one_price_alone() -> None:
    assert price_labels(Micros(412_000), Micros(462_000), 8) == (420_000, 440_000, 460_000)
    assert price_labels(Micros(240_000), Micros(314_000), 8) == (250_000, 300_000)
    for low in range(1, 900, 7):
        for span in range(5, 90, 3):
            labels = price_labels(Micros(low * 1_000), Micros((low + span) * 1_000), 9)
            assert len(labels) >= 2, (low, span)

from hypothesis import given
from hypothesis import strategies as st

from pmtui.ui.charts.overlay import place_labels

ends = st.integers(1, 30).flatmap(
    lambda rows: st.tuples(
        st.just(rows), st.dictionaries(st.integers(1, 6), st.integers(0, rows - 1))
    )
)


@given(ends)
def test_each_label_has_a_row_of_its_own_in_the_order_of_the_curves(
    wanted: tuple[int, dict[int, int]],
) -> None:
    rows, curves = wanted
    placed = place_labels(curves, rows)
    assert len(placed) == min(len(curves), rows)
    assert len(set(placed.values())) == len(placed)
    assert all(0 <= row < rows for row in placed.values())
    for one, at in placed.items():
        for other, place in placed.items():
            assert curves[one] >= curves[other] or at < place


def test_labels_that_have_room_stay_where_their_curves_end() -> None:
    assert place_labels({1: 2, 2: 5, 3: 9}, 10) == {1: 2, 2: 5, 3: 9}
    assert place_labels({1: 9, 2: 9, 3: 9}, 10) == {1: 7, 2: 8, 3: 9}

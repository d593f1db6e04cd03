"""The one rule for where a card stands, as regions."""

from hypothesis import given
from hypothesis import strategies as st
from textual.geometry import Region, Size

from pmtui.ui.modal import card_area

SMALL, BODY, LADDER = Size(80, 24), Region(0, 1, 80, 21), Region(0, 3, 41, 19)


def test_beside_the_ladder_that_is_traded_and_below_the_header() -> None:
    area = card_area(SMALL, BODY, ladder=LADDER, form=None, rows=12)
    assert area == Region(41, 3, 39, 19)


def test_it_ends_with_the_ladder_where_its_rows_fit_and_goes_lower_where_not() -> None:
    ladder = Region(0, 3, 41, 16)
    assert card_area(SMALL, BODY, ladder=ladder, form=None, rows=16).bottom == 19
    assert card_area(SMALL, BODY, ladder=ladder, form=None, rows=17).bottom == 20
    assert card_area(SMALL, BODY, ladder=ladder, form=None, rows=40).bottom == 22


def test_on_a_desk_it_stands_at_the_wider_side_of_the_traded_ladder() -> None:
    for left, expected in ((0, (40, 40)), (40, (0, 40))):
        ladder = Region(left, 2, 40, 18)
        area = card_area(SMALL, BODY, ladder=ladder, form=None, rows=12)
        assert (area.x, area.width) == expected
    size, body = Size(200, 50), Region(0, 1, 200, 47)
    third = card_area(size, body, ladder=Region(100, 2, 50, 40), form=None, rows=12)
    assert (third.x, third.width) == (0, 100)


def test_in_the_place_of_a_form_it_has_its_columns_and_last_row() -> None:
    ladder, form = Region(0, 3, 54, 29), Region(86, 15, 34, 17)
    area = card_area(Size(120, 36), Region(0, 1, 120, 33), ladder=ladder, form=form, rows=12)
    assert (area.x, area.width, area.y, area.bottom) == (86, 34, 3, 32)


def test_without_a_ladder_it_has_the_body() -> None:
    assert card_area(SMALL, BODY, ladder=None, form=None, rows=12) == BODY


def test_on_a_screen_that_is_too_low_it_takes_every_row() -> None:
    area = card_area(
        Size(40, 6), Region(0, 1, 40, 3), ladder=Region(0, 2, 40, 2), form=None, rows=9
    )
    assert (area.y, area.height) == (0, 6)


@given(
    columns=st.integers(10, 240), rows=st.integers(4, 70), needed=st.integers(4, 60),
    left=st.integers(0, 200), width=st.integers(1, 90),
)  # fmt: skip
def test_it_is_on_the_screen_and_beside_the_ladder_wherever_there_is_room(
    columns: int, rows: int, needed: int, left: int, width: int
) -> None:
    size, body = Size(columns, rows), Region(0, 1, columns, max(rows - 3, 0))
    left = min(left, columns - 1)
    ladder = Region(left, 2, min(width, columns - left), max(rows - 6, 0))
    area = card_area(size, body, ladder=ladder, form=None, rows=needed)
    assert size.region.contains_region(area)
    if max(ladder.x, columns - ladder.right) >= 34:
        assert not area.overlaps(ladder)

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.book_view import BookView, DepthCurve, Reach, depth_curve, span_around
from pmtui.domain.money import Micros
from pmtui.ui.cells import line_width
from pmtui.ui.charts.depth import depth_scale, largest_depth, paint_depth, paint_depth_title
from tests.domain.books.test_book_view import books
from tests.ui.look import words
from tests.ui.moving_market import YES, MovingMarket


@given(
    books(), st.sampled_from(Reach), st.integers(20, 130), st.integers(3, 40),
    st.none() | st.integers(0, 1_000_000).map(Micros),
)  # fmt: skip
def test_a_depth_chart_fills_its_place_exactly(
    book: BookView, reach: Reach, width: int, height: int, cursor: Micros | None
) -> None:
    curve, span = depth_curve(book), span_around(book, reach)
    scale = depth_scale(largest_depth(curve, span), 1)
    lines = paint_depth(
        curve, span, width, height, scale=scale, cursor=cursor
    )  # fmt: skip
    assert len(lines) == height
    assert {line_width(line) for line in lines} == {width}
    name, value = paint_depth_title(book, curve, reach, cursor, width)
    assert line_width(name) + line_width(value) <= width


@given(st.integers(0, 10**15), st.integers(0, 10**15))
def test_the_scale_holds_what_there_is_and_stays_while_it_fits(largest: int, current: int) -> None:
    scale = depth_scale(largest, current)
    assert scale >= largest
    assert depth_scale(largest, scale) == scale
    # Never less than a share to the top.
    assert scale >= 1_000_000
    assert depth_scale(-(-scale * 2 // 3), scale) == scale
    # A chart of which half is empty tells half as much.
    assert depth_scale(largest, 0) <= max(largest * 3 // 2, 1_000_000)


def _title(book: BookView, curve: DepthCurve, cursor: Micros | None, width: int) -> str:
    name, value = paint_depth_title(book, curve, Reach.TEN, cursor, width)
    return f"{words(name)} {words(value)}"


def test_what_rests_up_to_the_cursor_is_named_and_marked() -> None:
    book = MovingMarket().service.books[YES]
    curve, span = depth_curve(book), span_around(book, Reach.TEN)
    lines = [words(line) for line in paint_depth(curve, span, 67, 9, scale=10**10,
                                                 cursor=Micros(490_000))]  # fmt: skip
    column = lines[-1].index("↑49¢")
    assert lines[0][column] == "│"
    assert lines[-1].split() == ["45¢", "↑49¢", "55¢", "65¢"]
    assert lines[0].startswith("   10k ")
    title = _title(book, curve, Micros(580_000), 60)
    asked = sum(a.size for a in book.asks if a.price <= 580_000)
    assert f"{asked // 10**6:,}"[:3] in title
    assert "asked up to 58¢" in title
    near = _title(book, curve, None, 60)
    assert near.startswith("DEPTH 10¢ within 1¢")
    narrow = _title(book, curve, Micros(580_000), 20)
    assert narrow.strip() == "DEPTH 10¢"

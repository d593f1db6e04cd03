from hypothesis import given
from hypothesis import strategies as st

from pmtui.ui.ticket.confirm import (
    CARD_WIDTH,
    LADDER,
    WIDE,
    CardRegion,
    is_above,
    place_card,
    rows_for_card,
)


def _rows(width: int) -> int:
    """A card gets longer as it gets narrower."""
    return 20 + max(CARD_WIDTH - width, 0) // 2


def _meet(one: CardRegion, other: CardRegion) -> bool:
    return (
        one.x < other.right
        and other.x < one.right
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )


def _holds(one: CardRegion, other: CardRegion) -> bool:
    return (
        one.x <= other.x and one.right >= other.right
        and one.y <= other.y and one.bottom >= other.bottom
    )  # fmt: skip


@given(
    columns=st.integers(40, 240),
    rows=st.integers(12, 70),
    left=st.integers(0, 200),
    width=st.integers(20, 44),
)
def test_a_card_is_on_the_screen_and_hides_the_whole_form_it_repeats(
    columns: int, rows: int, left: int, width: int
) -> None:
    left = min(left, columns - width) if columns > width else 0
    form = CardRegion(left, 4, min(width, columns), max(rows - 6, 1))
    card = place_card((columns, rows), form, _rows)
    assert card.x >= 0
    assert card.right <= columns
    assert card.y >= 0
    assert card.bottom <= rows
    if not is_above((columns, rows), form):
        assert _holds(card, form)


def test_the_three_layouts_of_the_trading_screen() -> None:
    # Over the ticket, never over the ladder at the left.
    assert place_card((80, 24), CardRegion(42, 8, 38, 12), _rows) == CardRegion(42, 1, 38, 22)
    assert place_card((120, 36), CardRegion(86, 15, 34, 18), _rows) == CardRegion(78, 13, 42, 20)
    assert place_card((200, 50), CardRegion(156, 20, 44, 22), _rows) == CardRegion(156, 20, 44, 22)


def test_it_ends_where_the_ticket_does_so_that_sizes_and_notices_below_are_seen() -> None:
    card = place_card((200, 50), CardRegion(158, 20, 42, 22), lambda _: 16)
    assert (card.y, card.bottom) == (20, 42)
    # One too tall for the rows above takes those below before it covers the header.
    assert place_card((120, 36), CardRegion(78, 20, 40, 9), lambda _: 29).y == 3


def test_above_a_ticket_on_a_line_its_title_stays_visible() -> None:
    card = place_card((120, 36), CardRegion(0, 29, 120, 3), lambda _: 16)
    assert card.y + card.height == 28


def test_without_a_ticket_it_stands_in_the_corner() -> None:
    assert place_card((80, 24), None, _rows).right == 80
    assert place_card((30, 24), None, _rows)[:1] == (0,)


LINE = CardRegion(0, 19, 80, 3)


def test_above_a_ticket_on_one_line_it_leaves_the_ladder_to_be_seen() -> None:
    card = place_card((80, 24), LINE, lambda _: 16)
    assert card == CardRegion(LADDER, 3, 80 - LADDER, 16)
    wide = place_card((109, 31), LINE._replace(width=109, y=26), lambda _: 16)
    assert (wide.width, wide.right) == (CARD_WIDTH, 109)


def test_above_a_ticket_on_one_line_nothing_is_left_out_to_stand_beside_the_ladder() -> None:
    def needed(width: int) -> int:
        return 25 if width < WIDE else 14

    card = place_card((80, 24), LINE, lambda width: min(needed(width), 19), needed)
    assert card == CardRegion(4, 4, WIDE, 14)
    assert not _meet(card, LINE)


@given(rows=st.integers(8, 31), columns=st.integers(79, 109), needed=st.integers(5, 40))
def test_a_card_and_a_ticket_on_one_line_both_are_read(
    rows: int, columns: int, needed: int
) -> None:
    ticket = CardRegion(0, rows - 5, columns, 3)
    height = rows_for_card((columns, rows), ticket)
    card = place_card((columns, rows), ticket, lambda _: min(needed, height), lambda _: needed)
    assert card.y >= 0
    assert card.right <= columns
    if is_above((columns, rows), ticket):
        assert not _meet(card, ticket)


def test_a_card_that_a_small_screen_would_cut_off_is_made_wide() -> None:
    assert place_card((80, 24), None, _rows).width == 80 - LADDER
    assert place_card((80, 24), None, lambda width: 26 if width < WIDE else 18).width == WIDE
    assert place_card((60, 24), None, lambda _: 30).width == 60


def test_without_a_form_it_ends_with_the_ladder_where_that_leaves_room() -> None:
    card = place_card((120, 36), None, lambda _: 16, bottom=32)
    assert (card.right, card.y, card.bottom) == (120, 16, 32)
    # One too tall takes the rows below before it covers the header.
    assert place_card((120, 36), None, lambda _: 31, bottom=32).bottom == 34

from hypothesis import given
from hypothesis import strategies as st

from pmtui.ui.card_place import CARD_WIDTH, NARROWEST, Place, place_card


def _rows(width: int) -> int:
    """A card gets longer as it gets narrower."""
    return 20 + max(CARD_WIDTH - width, 0) // 2


def _meet(one: Place, other: Place) -> bool:
    return (
        one.x < other.right
        and other.x < one.right
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )


@given(
    columns=st.integers(40, 240),
    rows=st.integers(12, 70),
    left=st.integers(0, 200),
    width=st.integers(20, 44),
)
def test_a_card_is_on_the_screen_and_beside_the_ticket_where_there_is_room(
    columns: int, rows: int, left: int, width: int
) -> None:
    left = min(left, columns - width) if columns > width else 0
    ticket = Place(left, 4, min(width, columns), max(rows - 6, 1))
    card = place_card((columns, rows), ticket, _rows)
    assert card.x >= 0
    assert card.right <= columns
    assert card.y >= 0
    assert card.y + card.height <= rows
    space = columns - ticket.right
    has_room = ticket.x >= CARD_WIDTH or (space >= NARROWEST and _rows(min(42, space)) <= rows)
    if has_room:
        assert not _meet(card, ticket)


def test_the_three_layouts_of_the_trading_screen() -> None:
    # 80x24: over the ladder, whose touch the ticket repeats. 120x36: over the trades, narrower.
    assert place_card((80, 24), Place(42, 8, 38, 12), _rows)[:3] == (0, 3, 42)
    assert place_card((120, 36), Place(52, 15, 38, 20), _rows)[:3] == (90, 9, 30)
    assert place_card((200, 50), Place(156, 20, 44, 22), _rows)[:3] == (112, 29, 42)


def test_without_a_ticket_it_stands_in_the_corner() -> None:
    assert place_card((80, 24), None, _rows).right == 80
    assert place_card((30, 24), None, _rows)[:1] == (0,)


def test_over_a_ticket_it_leaves_the_last_lines_to_be_read() -> None:
    card = place_card((60, 30), Place(0, 20, 60, 9), _rows)
    assert card.y == 0
    assert card.height < 29

import json

import pytest

from pmtui.domain.books.book import OrderBook
from pmtui.domain.books.market_events import BookSnapshot, TextLevel
from pmtui.domain.ids import ConditionId, TokenId
from tests.check.tops import NOT_SENT, agrees, tops_of


def book(bids: tuple[str, ...], asks: tuple[str, ...]) -> OrderBook:
    made = OrderBook(TokenId("7"))
    held, offered = (tuple(TextLevel(price, "1") for price in side) for side in (bids, asks))
    made.apply_snapshot(BookSnapshot(TokenId("7"), ConditionId("0xaa"), held, offered, "1", ""))
    return made


@pytest.mark.parametrize(
    ("tops", "expected"),
    [
        (("0.41", "1"), True),
        (NOT_SENT, True),
        (("0.42", "1"), False),
        (("0.41", "0.5"), False),
        (("some", "1"), False),
    ],
)
def test_the_told_top_is_compared_with_ours(tops: tuple[str, str], expected: bool) -> None:
    assert agrees(book(("0.41",), ()), tops) is expected


def test_an_empty_side_is_told_as_a_price_at_which_nothing_rests() -> None:
    assert agrees(book((), ("0.01",)), ("0", "0.01"))


def test_tops_are_read_by_message_and_change() -> None:
    entries = [{"best_bid": "0.4", "best_ask": "0.5"}, {"best_bid": "0.5"}]
    frame = json.dumps([{"price_changes": entries}, {"best_ask": "0.9"}, 7]).encode()
    assert tops_of(frame) == [[("0.4", "0.5"), ("0.5", "")], [("", "0.9")], []]
    assert tops_of(b"PONG") == [[]]

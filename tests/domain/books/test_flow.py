from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.books.flow import WINDOW_MS, Flow, level_changes
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros

sizes = st.dictionaries(st.integers(1, 20), st.integers(1, 50), max_size=8)


def book(bids: Mapping[int, int], asks: Mapping[int, int]) -> BookView:
    def levels(found: Mapping[int, int]) -> tuple[Level, ...]:
        return tuple(Level(Micros(p), Micros(s)) for p, s in sorted(found.items()))

    return BookView(TokenId("1"), BookState.LIVE, levels(bids), levels(asks))


def sizes_of(view: BookView) -> dict[tuple[Side, Micros], int]:
    found: dict[tuple[Side, Micros], int] = {
        (Side.BUY, level.price): level.size for level in view.bids
    }
    return found | {(Side.SELL, level.price): level.size for level in view.asks}


@given(sizes, sizes, sizes, sizes)
def test_changes_lead_from_one_book_to_the_next(
    bids: dict[int, int], asks: dict[int, int], new_bids: dict[int, int], new_asks: dict[int, int]
) -> None:
    before, after = book(bids, asks), book(new_bids, new_asks)
    changes = level_changes(before, after)
    assert all(changes.values())
    was, now = sizes_of(before), sizes_of(after)
    for place in was.keys() | now.keys():
        assert was.get(place, 0) + changes.get(place, 0) == now.get(place, 0)
    assert level_changes(before, before) == {}


@given(st.lists(st.tuples(st.integers(0, 3_000), sizes, sizes), min_size=1, max_size=12))
def test_net_is_the_difference_to_the_book_at_the_beginning_of_the_window(
    steps: list[tuple[int, dict[int, int], dict[int, int]]],
) -> None:
    flow, now_ms, shown = Flow(), 0, book({}, {})
    history = [(-WINDOW_MS * 2, shown)]
    for wait_ms, bids, asks in steps:
        now_ms += wait_ms
        new = book(bids, asks)
        flow.note(level_changes(shown, new), now_ms)
        shown = new
        history.append((now_ms, shown))
    then = next(view for at_ms, view in reversed(history) if at_ms <= now_ms - WINDOW_MS)
    assert dict(flow.net) == dict(level_changes(then, shown))
    flow.expire(now_ms + WINDOW_MS)
    assert dict(flow.net) == {}


def test_a_flow_that_is_forgotten_is_empty() -> None:
    flow = Flow()
    flow.note({(Side.BUY, Micros(1)): Micros(5)}, 1)
    flow.forget()
    assert dict(flow.net) == {}

"""Long lists: what a row shows stays the same when its event is kept in short."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import EventId
from pmtui.domain.markets.market import Event, Outcome
from pmtui.domain.markets.watchlist import key_of_event, leading_market, open_markets
from pmtui.domain.money import Micros
from pmtui.service.markets.event_list_cache import MOST_EVENTS
from pmtui.service.markets.metadata import WHOLE, merge_events, shorten_event
from tests.service.market_kit import event, market

prices = st.none() | st.integers(0, 1_000_000).map(Micros)
facts = st.lists(st.tuples(prices, st.booleans(), st.booleans()), max_size=4)


def event_of(facts: list[tuple[Micros | None, bool, bool]]) -> Event:
    markets = tuple(
        replace(
            market((1, n)), outcomes=(Outcome("Yes", None, price),), closed=closed, active=active,
            description="Long rules.",
        )
        for n, (price, closed, active) in enumerate(facts)
    )  # fmt: skip
    return replace(event(1), markets=markets, description="Long rules.")


@given(facts)
def test_a_row_shows_the_same_of_an_event_in_short(
    facts: list[tuple[Micros | None, bool, bool]],
) -> None:
    whole = event_of(facts)
    short = shorten_event(whole)
    leading, before = leading_market(short), leading_market(whole)
    assert leading == (before and replace(before, description=""))
    assert len(open_markets(short)) == len(open_markets(whole))
    assert key_of_event(short) == key_of_event(whole)
    ids = [sorted(m.condition_id or "" for m in each.markets) for each in (whole, short)]
    assert ids[0] == ids[1]
    assert shorten_event(short) is short


def test_a_long_list_is_whole_at_its_start_only() -> None:
    listed: tuple[Event, ...] = ()
    for first in range(0, 2 * WHOLE, 50):
        page = tuple(
            replace(event(n % 50), event_id=EventId(f"e{n}")) for n in range(first, first + 50)
        )
        listed = merge_events(listed, page, from_start=False)
    assert [e.event_id for e in listed] == [f"e{n}" for n in range(2 * WHOLE)]
    assert all(m.question for e in listed[:WHOLE] for m in e.markets)
    assert [sum(bool(m.question) for m in e.markets) for e in listed[WHOLE:]] == [1] * WHOLE


def test_what_the_next_session_begins_with_is_whole() -> None:
    assert WHOLE >= MOST_EVENTS

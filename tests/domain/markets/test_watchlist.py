"""What is starred has one name, and what was seen last is what is shown."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import ConditionId, EventId, MarketId
from pmtui.domain.markets.market import Event, Market, Outcome
from pmtui.domain.markets.watchlist import (
    MOST_WATCHED,
    StarKey,
    StarKind,
    StarSnapshot,
    choose_watched,
    key_of_event,
    key_of_market,
    leading_market,
    newest,
    open_markets,
    snapshot_event,
    snapshot_market,
    without_long_texts,
)
from pmtui.domain.money import Micros

AT = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def market(
    number: int, price: int | None = 500_000, *, closed: bool = False, named: bool = True
) -> Market:
    return Market(
        market_id=MarketId(str(number)),
        condition_id=ConditionId(f"0x{number:02x}") if named else None,
        slug=f"m{number}",
        question=f"Question {number}?",
        outcomes=(Outcome("Yes", None, None if price is None else Micros(price)),),
        description="long prose",
        resolution_source="somewhere",
        event_title="An event",
        volume=Micros(7),
        closed=closed,
    )


def event(*markets: Market) -> Event:
    return Event(EventId("9"), "slug", "The event", markets, volume=Micros(11))


markets = st.builds(
    market, st.integers(0, 99), st.none() | st.integers(0, 1_000_000), closed=st.booleans()
)


def test_an_event_with_one_market_is_that_market() -> None:
    assert key_of_event(event(market(1))) == key_of_market(ConditionId("0x01"))
    both = event(market(1), market(2))
    assert key_of_event(both) == StarKey(StarKind.EVENT, "9")
    assert key_of_event(event(market(1, named=False))) == StarKey(StarKind.EVENT, "9")
    assert key_of_event(event()) == StarKey(StarKind.EVENT, "9")


def test_a_key_names_one_thing() -> None:
    of_market = key_of_market(ConditionId("0x01"))
    assert (of_market.condition_id, of_market.event_id) == ("0x01", None)
    of_event = StarKey(StarKind.EVENT, "9")
    assert (of_event.condition_id, of_event.event_id) == (None, "9")


@given(st.lists(markets, max_size=8))
def test_the_leading_market_is_an_open_one_where_there_is_one(listed: list[Market]) -> None:
    subject = event(*listed)
    leading = leading_market(subject)
    running = open_markets(subject)
    assert (leading is None) == (not listed)
    if leading is not None:
        among = running or subject.markets
        assert leading in among
        assert all((m.outcomes[0].price or 0) <= (leading.outcomes[0].price or 0) for m in among)


def test_a_market_without_outcomes_can_lead() -> None:
    bare = replace(market(1), outcomes=())
    assert leading_market(event(bare)) == bare


def test_what_is_kept_has_no_prose() -> None:
    seen = snapshot_market(market(1), AT)
    assert (seen.title, seen.event_title, seen.volume) == ("Question 1?", "An event", 7)
    kept = without_long_texts(seen)
    assert kept.market is not None
    assert (kept.market.description, kept.market.resolution_source) == ("", "")
    empty = StarSnapshot("x", None, AT)
    assert without_long_texts(empty) is empty


def test_an_event_is_seen_by_its_leading_market() -> None:
    seen = snapshot_event(event(market(1, 200_000), market(2, 700_000), market(3, closed=True)), AT)
    assert seen.market == market(2, 700_000)
    assert (seen.title, seen.open_markets, seen.volume) == ("The event", 2, 11)


@given(st.none() | st.integers(0, 9), st.none() | st.integers(0, 9))
def test_the_newest_of_what_was_seen_counts(first: int | None, second: int | None) -> None:
    def seen(age: int | None) -> StarSnapshot | None:
        return None if age is None else StarSnapshot("t", None, AT + timedelta(seconds=age))

    known = [age for age in (first, second) if age is not None]
    assert newest(seen(first), seen(second)) == seen(max(known) if known else None)


ids = st.integers(0, 60).map(lambda number: ConditionId(f"0x{number:02x}"))


@given(st.lists(ids, max_size=120), st.integers(0, 50))
def test_the_first_markets_are_heard_and_the_others_counted(
    wanted: list[ConditionId], most: int
) -> None:
    chosen, left_out = choose_watched(wanted, most=most)
    distinct = list(dict.fromkeys(wanted))
    assert chosen == set(distinct[:most])
    assert len(chosen) + left_out == len(distinct)
    assert len(choose_watched(wanted)[0]) <= MOST_WATCHED

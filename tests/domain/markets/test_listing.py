from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import EventId, MarketId, SeriesId, TagId
from pmtui.domain.markets.listing import (
    NO_FILTER,
    Arrangement,
    ListFilter,
    ListSort,
    SeriesFold,
    arrange,
    is_wide,
    quoted_spread,
    rolling_series,
    window_beside,
)
from pmtui.domain.markets.market import Event, Market, MarketSort, Outcome, Series, Tag
from pmtui.domain.money import Micros

NOW = datetime(2026, 6, 14, 12, tzinfo=UTC)
CENT = 10_000
CRYPTO = Tag(TagId("1"), "crypto", "Crypto")


@dataclass(frozen=True)
class Row:
    event: Event
    leading: Market | None = None
    has_position: bool = False
    is_starred: bool = False


def market(*, bid: int | None = 40, ask: int | None = 41, change: int | None = 0) -> Market:
    def cents(price: int | None) -> Micros | None:
        return None if price is None else Micros(price * CENT)

    return Market(
        MarketId("1"), None, "slug", "Question?", (Outcome("Yes", None, None),),
        best_bid=cents(bid), best_ask=cents(ask), day_change=cents(change),
    )  # fmt: skip


def row(
    number: int, *, series: str = "", recurrence: str = "5m", volume: int = 0,
    ends_in: timedelta | None = None, leading: Market | None = None, **facts: bool,
) -> Row:  # fmt: skip
    event = Event(
        EventId(f"{number}"), f"event-{number}", f"Event {number}", (),
        tags=(CRYPTO,) if series else (),
        series=(Series(SeriesId("1"), series, f"{series} windows", recurrence),) if series else (),
        volume_24h=Micros(volume * 10**6),
        end_at=None if ends_in is None else NOW + ends_in,
    )  # fmt: skip
    return Row(event, leading, **facts)


def numbers(rows: tuple[Row | SeriesFold[Row], ...]) -> list[str]:
    return [each.key if isinstance(each, SeriesFold) else each.event.event_id for each in rows]


rows_of = st.lists(
    st.builds(
        lambda series, change, bid, held: (series, change, bid, held),
        st.sampled_from(["", "", "ether", "bitcoin"]),
        st.none() | st.integers(-20, 20),
        st.none() | st.integers(1, 40),
        st.booleans(),
    ),
    max_size=30,
).map(
    lambda facts: [
        row(
            n, series=series, ends_in=timedelta(minutes=n),
            leading=market(bid=bid, change=change), has_position=held,
        )
        for n, (series, change, bid, held) in enumerate(facts)
    ]
)  # fmt: skip


@given(rows_of, st.sampled_from(ListSort), st.booleans(), st.booleans())
def test_no_event_is_lost_or_shown_twice(
    rows: list[Row], sort: ListSort, is_reversed: bool, is_unfolded: bool
) -> None:
    unfolded = frozenset({"5m"}) if is_unfolded else frozenset()
    shown = arrange(rows, Arrangement(sort, is_reversed, NO_FILTER, unfolded), NOW)
    folded = [each for fold in shown if isinstance(fold, SeriesFold) for each in fold.rows]
    plain = [each for each in shown if isinstance(each, Row)]
    events = {each.event.event_id for each in (*plain, *folded)}
    assert events == {each.event.event_id for each in rows}
    assert len(plain) + (0 if is_unfolded else len(folded)) == len(rows)
    assert len({*numbers(shown)}) == len(shown)


@given(rows_of, st.booleans())
def test_movers_are_ordered_by_how_far_they_came_whichever_way(
    rows: list[Row], is_reversed: bool
) -> None:
    alone = [each for each in rows if not each.event.series]
    shown = arrange(alone, Arrangement(ListSort.MOVERS, is_reversed), NOW)
    changes = [each.leading.day_change for each in shown if isinstance(each, Row) and each.leading]
    known = [abs(change) for change in changes if change is not None]
    assert known == sorted(known, reverse=not is_reversed)
    assert all(change is None for change in changes[len(known) :])


def test_the_tightest_spread_comes_first() -> None:
    rows = [
        row(1, leading=market(ask=49)),
        row(2, leading=market(bid=None)),
        row(3, leading=market()),
    ]
    by_spread = Arrangement(ListSort.SPREAD)
    assert numbers(arrange(rows, by_spread, NOW)) == ["3", "1", "2"]
    reversed_ = Arrangement(ListSort.SPREAD, is_reversed=True)
    assert numbers(arrange(rows, reversed_, NOW)) == ["1", "3", "2"]


def test_an_order_that_the_venue_knows_is_left_to_it() -> None:
    rows = [row(1, volume=1), row(2, volume=5)]
    assert numbers(arrange(rows, Arrangement(), NOW)) == ["1", "2"]
    assert {sort.fetched for sort in ListSort} == set(MarketSort)
    assert {sort for sort in ListSort if sort.is_local} == {ListSort.MOVERS, ListSort.SPREAD}


def test_windows_of_several_series_fold_into_one_row_with_the_next_one_first() -> None:
    rows = [
        row(1, volume=9),
        row(2, series="ether", ends_in=timedelta(minutes=10)),
        row(3, series="bitcoin", ends_in=timedelta(minutes=5)),
        row(4),
        row(5, series="ether", ends_in=timedelta(minutes=-5)),
    ]
    shown = arrange(rows, Arrangement(), NOW)
    assert numbers(shown) == ["1", "series 5m", "4"]
    fold = shown[1]
    assert isinstance(fold, SeriesFold)
    assert fold.title == "Crypto"
    assert [each.event.event_id for each in fold.rows] == ["3", "2", "5"]
    assert fold.next_window.event.event_id == "3"
    opened = arrange(rows, Arrangement(unfolded=frozenset({"5m"})), NOW)
    assert numbers(opened) == ["1", "series 5m", "3", "2", "5", "4"]


def test_a_fold_stands_where_the_sum_that_it_shows_belongs() -> None:
    windows = [row(n, volume=4, series="ether") for n in (5, 6, 7)]
    rows = [row(1, volume=20), row(2, volume=10), row(3, volume=5), *windows]
    assert numbers(arrange(rows, Arrangement(), NOW)) == ["1", "series 5m", "2", "3"]
    unfolded = Arrangement(unfolded=frozenset({"5m"}))
    assert numbers(arrange(rows, unfolded, NOW)) == ["1", "series 5m", "5", "6", "7", "2", "3"]
    rising = [*windows, *reversed(rows[:3])]
    backwards = Arrangement(is_reversed=True)
    assert numbers(arrange(rising, backwards, NOW)) == ["3", "2", "series 5m", "1"]
    newest = Arrangement(ListSort.NEWEST)
    assert numbers(arrange(rising, newest, NOW)) == ["series 5m", "3", "2", "1"]


def test_one_series_is_named_by_itself_and_a_single_window_stays_as_it_is() -> None:
    two = [row(1, series="ether"), row(2, series="ether")]
    fold = arrange(two, Arrangement(), NOW)[0]
    assert isinstance(fold, SeriesFold)
    assert fold.title == "ether windows"
    assert numbers(arrange(two[:1], Arrangement(), NOW)) == ["1"]


@pytest.mark.parametrize(
    ("recurrence", "is_rolling"),
    [("5m", True), ("15m", True), ("1h", True), ("hourly", True), ("daily", False), ("", False),
     ("monthly", False)],
)  # fmt: skip
def test_only_windows_within_a_day_roll(recurrence: str, is_rolling: bool) -> None:
    event = row(1, series="ether", recurrence=recurrence).event
    assert (rolling_series(event) is not None) == is_rolling


@pytest.mark.parametrize(
    ("wanted", "left"),
    [
        (NO_FILTER, ["1", "2", "3", "4"]),
        (ListFilter(min_volume_24h=Micros(1_000 * 10**6)), ["1"]),
        (ListFilter(max_spread=Micros(CENT)), ["1", "2"]),
        (ListFilter(ends_within=timedelta(days=1)), ["2"]),
        (ListFilter(is_mine=True), ["3"]),
        (ListFilter(is_starred=True), ["1", "4"]),
        (ListFilter(is_starred=True, max_spread=Micros(CENT)), ["1"]),
    ],
)
def test_a_filter_keeps_what_fits_all_of_it(wanted: ListFilter, left: list[str]) -> None:
    rows = [
        row(1, volume=5_000, leading=market(), is_starred=True),
        row(2, ends_in=timedelta(hours=3), leading=market()),
        row(3, ends_in=timedelta(hours=-3), leading=market(ask=60), has_position=True),
        row(4, ends_in=timedelta(days=9), leading=market(bid=None), is_starred=True),
    ]
    assert numbers(arrange(rows, Arrangement(filter=wanted), NOW)) == left
    assert wanted.is_empty == (wanted == ListFilter())


def test_a_spread_of_five_cents_is_wide() -> None:
    assert quoted_spread(market(bid=40, ask=45)) == 5 * CENT
    assert quoted_spread(None) is None
    assert is_wide(Micros(5 * CENT))
    assert not is_wide(Micros(5 * CENT - 100))
    assert not is_wide(None)


@given(
    st.lists(st.tuples(st.integers(0, 40), st.sampled_from(("ether", "bitcoin", ""))), max_size=20)
)
def test_the_window_beside_is_the_nearest_of_its_own_series(found: list[tuple[int, str]]) -> None:
    here = row(999, series="ether", ends_in=timedelta(minutes=100)).event
    others = [
        row(n, series=series, ends_in=timedelta(minutes=5 * place)).event
        for n, (place, series) in enumerate(found)
    ]
    ends = {place * 5 for place, series in found if series == "ether"}
    later = window_beside(here, others, is_later=True)
    earlier = window_beside(here, others, is_later=False)
    after, before = [end for end in ends if end > 100], [end for end in ends if end < 100]
    assert (later is None) is (not after)
    assert (earlier is None) is (not before)
    if later is not None:
        assert later.end_at == NOW + timedelta(minutes=min(after))
    if earlier is not None:
        assert earlier.end_at == NOW + timedelta(minutes=max(before))


def test_an_event_without_a_series_has_no_window_beside_it() -> None:
    one, other = row(1, ends_in=timedelta(hours=1)).event, row(2, series="ether").event
    assert window_beside(one, [other], is_later=True) is None
    assert window_beside(other, [one], is_later=True) is None


def test_a_window_of_minutes_is_no_mover_of_the_day() -> None:
    quiet = row(1, leading=market(change=1))
    window = row(2, series="ether", leading=market(change=-26))
    shown = arrange([window, quiet], Arrangement(ListSort.MOVERS), NOW)
    assert numbers(shown) == ["1", "2"]

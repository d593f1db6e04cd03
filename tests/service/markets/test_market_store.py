"""What is kept of markets: each once, all that is needed, and of the rest no more than a bound."""

from dataclasses import replace
from datetime import UTC, timedelta

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import EventId, MarketId
from pmtui.domain.markets.market import (
    NO_FEE,
    Comment,
    Holder,
    Market,
    MarketTerms,
    Outcome,
    RewardTerms,
)
from pmtui.domain.money import Micros
from pmtui.service.markets.market_store import MOST_COMMENTED, MOST_HELD, MarketStore, Needed
from pmtui.service.markets.search_index import EventName, pack, unpack
from pmtui.service.views import Load
from tests.service.market_kit import EVENTS, MARKETS, NOW, condition, event, market, token

BOUND = 12

numbers = st.integers(0, EVENTS - 1)
places = st.tuples(numbers, st.integers(0, MARKETS - 1))


def nothing() -> Needed:
    return Needed(events=set(), markets=set(), tokens=set(), owned=set())


def store_of(needed: Needed, *, most_idle: int = BOUND) -> MarketStore:
    return MarketStore(lambda: NOW, lambda: needed, most_idle=most_idle)


def test_a_market_is_kept_once_for_lists_events_and_itself() -> None:
    store = store_of(nothing())
    (kept,) = store.remember([event(1)])
    (again,) = store.remember([event(1)])
    assert again is kept
    assert store.events[EventId("1")].event is kept
    assert all(store.markets[condition((1, n))].market is m for n, m in enumerate(kept.markets))


def test_what_did_not_change_stays_the_same_object() -> None:
    store = store_of(nothing())
    (kept,) = store.remember([event(1)])
    changed = replace(event(1).markets[2], best_bid=Micros(500_000))
    fresh = replace(event(1), markets=(*event(1).markets[:2], changed, event(1).markets[3]))
    (now,) = store.remember([fresh])
    assert now == fresh
    same = [a is b for a, b in zip(kept.markets, now.markets, strict=True)]
    assert same == [True, True, False, True]
    assert store.markets[condition((1, 2))].market == changed


def test_markets_get_the_names_of_their_event_once() -> None:
    store = store_of(nothing())
    bare = replace(market((1, 0)), event_id=None, event_title="", event_slug="")
    (kept,) = store.remember([replace(event(1), markets=(bare,))])
    assert kept.markets == (market((1, 0)),)
    # An answer about the market alone comes without them.
    store.learn_market(replace(bare, volume=Micros(1)), condition((1, 0)))
    known = store.markets[condition((1, 0))].market
    assert known is not None
    assert (known.event_title, known.volume) == ("River levels", Micros(1))


@given(
    st.lists(numbers, max_size=40),
    st.frozensets(numbers, max_size=2),
    st.frozensets(places, max_size=3),
    st.frozensets(places, max_size=3),
    st.frozensets(places, max_size=3),
)
def test_nothing_that_is_needed_is_forgotten_and_the_bound_holds(
    met: list[int],
    events: frozenset[int],
    markets: frozenset[tuple[int, int]],
    tokens: frozenset[tuple[int, int]],
    owned: frozenset[tuple[int, int]],
) -> None:
    needed = Needed(
        events={EventId(str(number)) for number in events},
        markets=set(map(condition, markets)),
        tokens=set(map(token, tokens)),
        owned=set(map(condition, owned)),
    )
    store = store_of(needed)
    for number in met:
        store.remember([event(number)])
        terms = MarketTerms(
            condition((number, 0)), (token((number, 0)), token((number, 0), 1)),
            ("Yes", "No"), Micros(10_000), Micros(5), neg_risk=False, fee=NO_FEE,
        )  # fmt: skip
        store.learn_terms(terms, terms.condition_id)
    whole = (events | {place[0] for place in markets | tokens}) & set(met)
    for number in whole:
        state = store.events[EventId(str(number))]
        assert state.event == event(number)
        assert all(store.markets[condition((number, n))].market for n in range(MARKETS))
    for place in owned | markets | tokens:
        if place[0] in met:
            assert store.markets[condition(place)].market == market(place)
            assert store.market_of_token[token(place)] == condition(place)
    spared = {condition((n, i)) for n in whole for i in range(MARKETS)} | set(map(condition, owned))
    assert len(store.markets.keys() - spared) <= BOUND
    assert len(store.events) <= BOUND + len(whole)
    assert set(store.market_of_token.values()) <= store.markets.keys()
    # The last one met is there, whatever else is.
    if met:
        assert store.events[EventId(str(met[-1]))].event == event(met[-1])
        assert len(store.index) == len(set(met)) * MARKETS


def test_what_a_list_still_holds_is_taken_up_again_with_its_age() -> None:
    store, before = store_of(nothing(), most_idle=MARKETS), NOW - timedelta(minutes=9)
    held = event(1)
    store.remember([held])
    store.remember([event(2)])
    assert EventId("1") not in store.events
    newer = replace(held.markets[2], volume=Micros(7))
    store.learn_market(newer, condition((1, 2)))
    store.recall(held, before)
    state = store.events[EventId("1")]
    assert (state.event, state.as_of, state.load) == (held, before, Load.READY)
    known = [store.markets[condition((1, n))] for n in range(MARKETS)]
    assert [each.as_of for each in known] == [before, before, NOW, before]
    assert known[2].market == newer
    assert store.market_of_token[token((1, 0))] == condition((1, 0))


def test_what_was_found_opens_with_the_age_it_was_seen_at() -> None:
    store, seen = store_of(nothing()), NOW
    store.index_events([event(3)])
    (first, *_) = store.index.find("river")
    assert first.condition_id is not None
    state = store.market(first.condition_id)
    assert (state.market, state.as_of, state.load) == (first, seen, Load.EMPTY)


def test_states_without_an_answer_do_not_pile_up() -> None:
    store = store_of(nothing())
    for number in range(100):
        _ = store.event(EventId(f"missing-{number}"))
        _ = store.market(condition((number, 0)))
    store.remember([event(1)])
    assert len(store.events) <= BOUND
    assert len(store.markets) <= BOUND


@given(
    st.builds(
        Market,
        market_id=st.just(MarketId("1")),
        condition_id=st.none() | st.just(condition((1, 1))),
        slug=st.text(max_size=5),
        question=st.text(max_size=20),
        outcomes=st.tuples()
        | st.tuples(st.builds(Outcome, st.text(max_size=3), st.none(), st.none())),
        volume=st.none() | st.integers(-(10**30), 10**30).map(Micros),
        end_at=st.none() | st.datetimes(timezones=st.just(UTC)),
        closed=st.booleans(),
        fee=st.none() | st.just(NO_FEE),
        rewards=st.none() | st.just(RewardTerms(Micros(1), Micros(2))),
        description=st.just(""),
        resolution_source=st.just(""),
        event_id=st.just(EventId("5")),
        event_title=st.just("Title"),
        event_slug=st.just("slug"),
    )
)
def test_a_market_in_short_is_the_same_market(kept: Market) -> None:
    assert unpack(pack(kept), EventName(EventId("5"), "Title", "slug")) == kept


def test_comments_and_holders_are_kept_of_what_was_read_last() -> None:
    store = MarketStore(lambda: NOW, nothing, most_idle=1_000)
    comment = Comment("c1", "ann", "It rains.", NOW)
    holder = Holder("0xaa", "ann", token((0, 0)), Micros(1), 0)
    for number in range(MOST_HELD + 1):
        store.learn_comments(EventId(str(number)), (comment,))
        store.learn_holders(condition((number, 0)), (holder,))
    store.learn_comments(EventId(str(MOST_HELD)), (comment,))
    commented = [event_id for event_id, state in store.events.items() if state.comments]
    held = [condition_id for condition_id, state in store.markets.items() if state.holders]
    assert commented == [EventId(str(n)) for n in range(MOST_HELD + 1)][-MOST_COMMENTED:]
    assert held == [condition((number, 0)) for number in range(1, MOST_HELD + 1)]


def test_markets_opened_one_by_one_are_bounded_too() -> None:
    store = MarketStore(lambda: NOW, nothing, most_idle=BOUND)
    for number in range(99):
        store.learn_market(market((number, 0)), condition((number, 0)))
    assert len(store.markets) == BOUND
    assert len(store.market_of_token) == 2 * BOUND

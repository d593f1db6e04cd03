from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import ConditionId, EventId
from pmtui.domain.markets.market import Event
from pmtui.domain.money import ONE, Micros
from pmtui.ui.cells import line_width
from pmtui.ui.event.outcome_order import by_price, order_of
from pmtui.ui.format import read_price
from pmtui.ui.market.siblings import Siblings, known_prices, paint_siblings, siblings_of
from tests.scenes.world import make_world
from tests.ui.look import words


def event_of(event_id: EventId) -> Event:
    event = make_world().service.events[event_id].event
    assert event is not None
    return event


EVENT = event_of(EventId("41000"))
MARKETS = EVENT.markets


def mids() -> dict[ConditionId, Micros]:
    return {m.condition_id: Micros(n * 10_000) for n, m in enumerate(MARKETS) if m.condition_id}


@given(st.integers(0, len(MARKETS) - 1), st.integers(30, 220), st.booleans())
def test_the_strip_fills_the_line_and_always_names_the_outcome_on_show(
    index: int, width: int, has_prices: bool
) -> None:
    siblings = Siblings(MARKETS, index)
    strip = paint_siblings(
        siblings, mids() if has_prices else {}, width
    )  # fmt: skip
    text = words(strip.line)
    assert line_width(strip.line) == width
    assert len(strip.places) <= width
    # The narrowest may cut the name, but never show another one as the present.
    assert f"[{MARKETS[index].title}"[: max(0, width - 25)] in text
    for x, place in enumerate(strip.places):
        assert place < 0 or 0 <= place < len(MARKETS)
        if text[x] == "[":
            assert place == index


def test_prices_that_are_not_live_are_marked() -> None:
    old = known_prices(MARKETS, 0)
    line = words(paint_siblings(Siblings(MARKETS, 1), old, 200, is_rough=True).line)
    assert line.startswith(f" Outcome 2 of {len(MARKETS)} ")
    assert line.count("~") >= 4
    for market in MARKETS[:2]:
        assert market.condition_id is not None
        assert f"~{read_price(old[market.condition_id])}" in line
    other = known_prices(MARKETS, 1)
    assert {old[each] + other[each] for each in old} == {ONE}


def test_a_click_on_the_ends_leads_to_the_nearest_that_is_not_shown() -> None:
    strip = paint_siblings(Siblings(MARKETS, 4), mids(), 60)
    text = words(strip.line)
    shown = {place for place in strip.places if place >= 0}
    less, more = strip.places[text.index("‹")], strip.places[text.index("›")]
    assert less >= 0
    assert f" {MARKETS[less].title} " not in text
    assert f" {MARKETS[more].title} " not in text
    assert shown == set(range(less, more + 1))


def test_the_order_is_that_of_the_event_and_closed_ones_are_left_out() -> None:
    world = make_world()
    event = world.service.events[world.election].event
    assert event is not None
    first = event.markets[0].condition_id
    assert first is not None
    siblings = siblings_of(event, first)
    assert siblings is not None
    assert siblings.markets == tuple(m for m in event.markets if not m.closed)
    assert [m.title for m in siblings.after(2)] == ["Ada Lindqvist", "Tomas Oyelaran"]
    assert len(siblings.after(99)) == len(siblings.markets) - 1
    assert siblings_of(event, ConditionId("0x0")) is None
    assert siblings_of(None, first) is None


@given(
    st.permutations(range(len(MARKETS))),
    st.sets(st.integers(0, len(MARKETS) - 1)),
    st.lists(st.integers(0, 1_000_000), min_size=len(MARKETS), max_size=len(MARKETS)),
)
def test_the_order_stays_whatever_prices_and_the_next_reading_say(
    now: list[int], met: set[int], prices: list[int]
) -> None:
    before = tuple(m.condition_id for n, m in enumerate(MARKETS) if n in met and m.condition_id)
    read = tuple(
        replace(MARKETS[n], outcomes=(replace(MARKETS[n].outcomes[0], price=Micros(prices[n])),))
        for n in now
    )
    after = order_of(replace(EVENT, markets=read), before)
    assert tuple(each for each in after if each in before) == before
    assert sorted(after) == sorted(m.condition_id for m in MARKETS if m.condition_id)
    assert order_of(EVENT, after) == after
    if not before:
        assert after == tuple(m.condition_id for m in sorted(read, key=by_price))


def test_a_new_strike_stands_where_the_event_has_it_and_one_that_is_back_where_it_was() -> None:
    ids = [m.condition_id for m in MARKETS if m.condition_id is not None]
    known = (*ids[:3], *ids[4:])
    assert order_of(EVENT, known) == tuple(ids)
    fewer = replace(EVENT, markets=MARKETS[::-1][2:])
    assert order_of(fewer, tuple(ids)) == tuple(ids)
    siblings = siblings_of(fewer, ids[0], tuple(ids))
    assert siblings is not None
    assert siblings.markets == MARKETS[:-2]

"""What the service keeps is bounded: whoever hops on for a day keeps no more than after an hour."""

import gc
from collections import Counter
from functools import reduce
from operator import and_
from pathlib import Path

import pytest

from pmtui.domain.ids import TokenId
from pmtui.domain.markets.history import Interval
from pmtui.service.books.stream_faults import MOST_KINDS_TOLD
from pmtui.service.hub import Hub
from pmtui.service.log import CAPACITY, Log
from pmtui.service.markets.prices import MOST_CHARTS
from pmtui.service.topics import HistoryTopic
from pmtui.service.views import Level, Load
from tests.manual_clock import ManualClock, settle
from tests.service import fakes
from tests.service.fakes import World, running_world
from tests.service.hopping import Catalogue, Hopper, WideAnalytics, WideMetadata, WideTrading

HOPS = 55
"""Past every bound, and longer than a book stays subscribed that nobody watches."""
MORE_HOPS = 30
COUNTED_HOPS = 6
"""The least of so many counts is taken: which of the tokens left last keep a full tape varies."""
INDEXED = {"_Entry", "EventName"}
"""Rows of the search index, whose own bound is twenty thousand markets: see its own test."""


def kept() -> Counter[str]:
    """Count the objects of every class of ours that are kept now."""
    _ = gc.collect()
    classes = (type(each) for each in gc.get_objects())
    ours = ("pmtui.service", "pmtui.domain")
    # Some classes of other libraries keep no text there.
    return Counter(each.__qualname__ for each in classes if str(each.__module__).startswith(ours))


async def least_kept(hopper: Hopper, numbers: range) -> Counter[str]:
    """Hop on, and return the least that was kept of every class after each of the last hops."""
    for number in numbers[:-COUNTED_HOPS]:
        await hopper.hop(number)
    counts = []
    for number in numbers[-COUNTED_HOPS:]:
        await hopper.hop(number)
        counts.append(kept())
    return reduce(and_, counts)


@pytest.mark.slow
async def test_hopping_on_keeps_no_more_objects_of_any_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogue = Catalogue(200, markets=16)
    monkeypatch.setattr(
        fakes, "FakeMetadata", lambda: WideMetadata(catalogue=catalogue, page_size=20)
    )
    monkeypatch.setattr(fakes, "FakeTrading", WideTrading)
    monkeypatch.setattr(fakes, "FakeAnalytics", WideAnalytics)
    async with running_world(tmp_path) as world:
        hopper = Hopper(world, catalogue)
        before = await least_kept(hopper, range(HOPS))
        after = await least_kept(hopper, range(HOPS, HOPS + MORE_HOPS))
    grown = {n: (before[n], after[n]) for n in after if after[n] > before[n] * 1.2 + 20}
    assert {n: each for n, each in grown.items() if n not in INDEXED} == {}


def test_the_log_keeps_its_newest_entries() -> None:
    clock = ManualClock()
    log = Log(Hub(clock), clock)
    for number in range(CAPACITY + 10):
        log.add(Level.WARNING, "notice", str(number))
    view = log.view()
    assert (len(view.entries), view.dropped) == (CAPACITY, 10)
    assert view.entries[-1].text == str(CAPACITY + 9)


async def test_a_host_that_invents_messages_without_end_does_not_fill_the_log(world: World) -> None:
    world.stream.counts = {f"invented {number}": 1 for number in range(2 * MOST_KINDS_TOLD)}
    await world.pass_time(12)
    entries = world.service.queries.log().entries
    assert sum("invented" in entry.text for entry in entries) == MOST_KINDS_TOLD


async def test_the_charts_opened_last_are_kept_and_the_one_on_screen(world: World) -> None:
    tokens = [TokenId(str(number)) for number in range(MOST_CHARTS + 3)]
    for number, token_id in enumerate(tokens):
        topic = HistoryTopic(token_id, Interval.DAY)
        chart = world.service.hub.subscribe([topic], lambda _: None)
        await settle()
        if number:
            chart.close()
    kept = [world.service.queries.history(each, Interval.DAY).load for each in tokens]
    assert kept[0] is Load.READY
    assert kept[1:4] == [Load.EMPTY] * 3
    assert set(kept[4:]) == {Load.READY}
    # One that was forgotten is fetched at once when it is looked at again, not when its poll wakes.
    again = HistoryTopic(tokens[1], Interval.DAY)
    _ = world.service.hub.subscribe([again], lambda _: None)
    await settle()
    assert world.service.queries.history(tokens[1], Interval.DAY).load is Load.READY

"""What the service keeps is bounded: whoever hops on for a day keeps no more than after an hour."""

import gc
from collections import Counter
from pathlib import Path

import pytest

from tests.service import fakes
from tests.service.fakes import running_world
from tests.service.hopping import Catalogue, Hopper, WideAnalytics, WideMetadata, WideTrading

HOPS = 55
"""Past every bound, and longer than a book stays subscribed that nobody watches."""
MORE_HOPS = 30
INDEXED = {"_Entry", "EventName"}
"""Rows of the search index, whose own bound is ten thousand markets: see its own test."""


def kept() -> Counter[str]:
    """Count the objects of every class of ours that are kept now."""
    _ = gc.collect()
    classes = (type(each) for each in gc.get_objects())
    ours = ("pmtui.service", "pmtui.domain")
    # Some classes of other libraries keep no text there.
    return Counter(each.__qualname__ for each in classes if str(each.__module__).startswith(ours))


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
        for number in range(HOPS):
            await hopper.hop(number)
        before = kept()
        for number in range(HOPS, HOPS + MORE_HOPS):
            await hopper.hop(number)
        after = kept()
    grown = {n: (before[n], after[n]) for n in after if after[n] > before[n] * 1.2 + 20}
    assert {n: each for n, each in grown.items() if n not in INDEXED} == {}

"""What a terminal asks its service for before its screens are loaded."""

from dataclasses import replace
from pathlib import Path

import pytest

from pmtui.cli.attach import first_topics
from pmtui.config.workplace import KeptList, LastScreen, Memory
from pmtui.domain.ids import ConditionId, EventId
from pmtui.service.topics import EventTopic, MarketListTopic, MarketTopic, Topic


@pytest.mark.parametrize(
    ("place", "listing", "expected"),
    [
        (LastScreen(), KeptList(), (MarketListTopic(),)),
        (LastScreen("paper", "markets"), KeptList(), (MarketListTopic(),)),
        (LastScreen(), KeptList(tags=("nba",)), ()),
        (LastScreen("paper", "market", "0x01"), KeptList(), (MarketTopic(ConditionId("0x01")),)),
        (LastScreen("paper", "event", "17"), KeptList(), (EventTopic(EventId("17")),)),
        (LastScreen("live", "event", "17"), KeptList(), (MarketListTopic(),)),
        (LastScreen("paper", "portfolio"), KeptList(), ()),
    ],
)
def test_the_place_that_was_left_says_what_is_shown_first(
    tmp_path: Path, place: LastScreen, listing: KeptList, expected: tuple[Topic, ...]
) -> None:
    path = tmp_path / "workplace.json"
    memory = Memory(path, profile="paper")
    memory.keep(lambda now: replace(now, theme="nord", place=place, listing=listing))
    assert first_topics(path, "paper") == expected

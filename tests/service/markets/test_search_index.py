import random
import string
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import EventId, MarketId
from pmtui.domain.markets.market import Event, Market
from pmtui.domain.money import Micros
from pmtui.service.markets.search_index import (
    MOST_HITS,
    SearchIndex,
    fold_text,
    initials,
    rank_hits,
)

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def event(number: int, title: str, *questions: str, volume: int = 0) -> Event:
    markets = tuple(
        Market(
            market_id=MarketId(f"{number}-{i}"),
            condition_id=None,
            slug="",
            question=question,
            outcomes=(),
            volume_24h=Micros(volume + i),
        )
        for i, question in enumerate(questions)
    )
    return Event(EventId(str(number)), "", title, markets)


def questions(index: SearchIndex, text: str) -> list[str]:
    return [market.question for market in index.find(text)]


def test_every_word_must_be_found_in_title_or_event() -> None:
    index = SearchIndex()
    index.add(event(1, "River levels", "Over four metres?", "Over five metres?"), NOW)
    index.add(event(2, "Mountain snow", "Over two metres?"), NOW)
    assert questions(index, "river FOUR") == ["Over four metres?"]
    assert len(questions(index, "over metres")) == 3
    assert questions(index, "river snow") == []
    assert questions(index, "   ") == []


def test_accents_and_curly_quotes_do_not_hide_a_market() -> None:
    index = SearchIndex()
    index.add(event(1, "São Paulo’s mayor", "Who wins?"), NOW)
    assert questions(index, "sao paulo's") == ["Who wins?"]


@pytest.mark.parametrize("typed", ["touch 4000", "touch 4,000", "$4000", "4000 touch"])
@pytest.mark.parametrize("written", ["$4,000", "$4000", "$4\u202f000"])
def test_thousands_are_found_however_they_are_written(written: str, typed: str) -> None:
    index = SearchIndex()
    index.add(event(1, "Ether", f"Will Ether touch {written} before 2028?"), NOW)
    index.add(event(2, "Ether", "Will Ether touch $40 on July 4, 2026?"), NOW)
    assert questions(index, typed) == [f"Will Ether touch {written} before 2028?"]


def test_numbers_side_by_side_are_not_made_one() -> None:
    index = SearchIndex()
    index.add(event(1, "Snow", "Over 5, 100 or 12,5 on May 5, 2026?"), NOW)
    for typed in ("5100", "125", "52026"):
        assert questions(index, typed) == []


def test_bigger_markets_come_first_and_a_newer_copy_replaces_the_older() -> None:
    index = SearchIndex()
    index.add(event(1, "Rain", "small", volume=10), NOW)
    index.add(event(2, "Rain", "big", volume=1_000), NOW)
    assert questions(index, "rain") == ["big", "small"]
    index.add(event(1, "Rain", "small, renamed", volume=5_000), NOW)
    assert questions(index, "rain") == ["small, renamed", "big"]
    assert len(index) == 2


def test_a_line_break_in_a_title_does_not_glue_two_markets_together() -> None:
    index = SearchIndex()
    index.add(event(1, "First\nline", "one"), NOW)
    index.add(event(2, "Second", "two"), NOW)
    assert questions(index, "first line") == ["one"]


def test_no_more_hits_than_a_list_can_use() -> None:
    index = SearchIndex()
    for number in range(MOST_HITS * 2):
        index.add(event(number, "Common word", f"q{number}"), NOW)
    assert len(index.find("common")) == MOST_HITS


def test_of_too_many_markets_those_met_last_are_kept() -> None:
    index = SearchIndex(most=3)
    for number in range(5):
        index.add(event(number, "Rain", f"q{number}"), NOW)
    assert questions(index, "rain") == ["q2", "q3", "q4"]
    index.add(event(2, "Rain", "q2 again"), NOW)
    index.add(event(5, "Rain", "q5"), NOW)
    assert questions(index, "rain") == ["q4", "q2 again", "q5"]
    assert index.markets([MarketId("3-0")]) == ()
    assert len(index) == 3


@given(
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["snow", "rain", "hail"])), max_size=30)
)
def test_searches_and_short_forms_in_between_change_nothing(met: list[tuple[int, str]]) -> None:
    asked, unasked = SearchIndex(most=5), SearchIndex(most=5)
    for number, title in met:
        asked.add(event(number, title, f"q{number}"), NOW)
        unasked.add(event(number, title, f"q{number}"), NOW)
        asked.shorten(event(number // 2, title, f"q{number // 2}").markets)
        _ = asked.find(title)
    for text in ("snow", "rain", "hail", "a"):
        assert set(questions(asked, text)) == set(questions(unasked, text))


@given(st.integers(0, 2**32), st.text(string.ascii_lowercase + " ", min_size=1, max_size=6))
def test_it_finds_what_a_plain_scan_finds(seed: int, text: str) -> None:
    rng = random.Random(seed)
    index = SearchIndex()
    lines = {}
    for number in range(30):
        title = "".join(rng.choices("abc xyz", k=12))
        question = "".join(rng.choices("abc xyz", k=12))
        index.add(event(number, title, question), NOW)
        lines[f"{number}-0"] = fold_text(f"{title} {question}")
    words = text.split()
    expected = {m for m, line in lines.items() if words and all(w in line for w in words)}
    assert {market.market_id for market in index.find(text)} == expected


def test_long_names_are_found_by_what_they_are_called_in_short() -> None:
    assert initials("European Central Bank decision in December 2026") == " ECB"
    assert initials("Will the Bank of Japan follow the European Central Bank?") == " BoJ ECB"
    assert initials("Will it rain in Lisbon?") == ""


def test_windows_of_a_series_stand_in_the_order_in_which_they_end() -> None:
    names = (
        "Up or down, 12:10–12:15",
        "River",
        "Up or down, 12:00–12:05",
        "Up or down, 12:05–12:10",
    )
    minutes = (15, 1, 5, 10)
    found = [
        replace(market, end_at=NOW + timedelta(minutes=ends))
        for market, ends in zip(event(1, "", *names).markets, minutes, strict=True)
    ]
    ordered = rank_hits(found, NOW)
    assert [market.question for market in ordered] == [names[2], "River", names[3], names[0]]
    # What is over stands behind all others, whether the clock alone knows it or the host says so.
    later = rank_hits(found, NOW + timedelta(minutes=5))
    assert [market.question for market in later] == [names[3], names[0], "River", names[2]]
    found[2] = replace(found[2], closed=True)
    ordered = rank_hits(found, NOW)
    assert [market.question for market in ordered] == [names[3], "River", names[0], names[2]]

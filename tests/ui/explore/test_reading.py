from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.service.views import EventView, Load
from pmtui.ui.explore.paint_reading import MOST_LETTERS, paint_comments, paint_rules, wrap_text
from pmtui.ui.plain import cell_width
from tests.ui import believable
from tests.ui.fake_surface import NOW


@given(st.text(max_size=400), st.integers(2, 60))
def test_no_line_is_wider_than_asked_or_can_harm(text: str, width: int) -> None:
    for line in wrap_text(text, width):
        assert cell_width(line) <= width
        assert not any(ord(c) < 32 for c in line)


def test_words_and_paragraphs_stay_whole() -> None:
    assert wrap_text("one two three\n\n\n\nfour", 8) == ("one two", "three", "", "four")
    assert wrap_text("abcdefghij", 4) == ("abcd", "efgh", "ij")


def test_a_text_without_end_is_cut_and_says_so() -> None:
    lines = wrap_text("word " * MOST_LETTERS, 80)
    assert lines[-1] == f"{4 * MOST_LETTERS:,} more letters not shown."


def test_the_rules_at_the_cursor_come_first() -> None:
    election = believable.election()
    texts = [cell.text for cell in paint_rules(election, election.markets[0], 70)]
    assert texts.index("Will Ilse Maro win the Harbour City mayoral election?") < texts.index(
        "Harbour City mayoral election winner"
    )
    assert "https://example.org/results" in texts
    assert [c.text for c in paint_rules(None, None, 70)] == []


@pytest.mark.parametrize(
    ("of_market", "of_event", "said"),
    [
        ("", "", "none named besides the rules above"),
        ("the roll call", "", "the roll call"),
        ("", "the roll call", "the roll call"),
        ("the roll call", "the roll call", "the roll call"),
        ("the roll call", "the count", "the roll call|the count"),
    ],
)
def test_who_decides_is_said_once(of_market: str, of_event: str, said: str) -> None:
    election = replace(believable.election(), resolution_source=of_event)
    market = replace(election.markets[0], resolution_source=of_market)
    texts = [cell.text for cell in paint_rules(election, market, 70)]
    assert texts.count("Resolution source") == 1
    assert "|".join(texts[texts.index("Resolution source") + 1 :]) == said


def test_missing_comments_say_what_is_going_on() -> None:
    said = {
        load: paint_comments(EventView(None, load, None, "no route"), NOW, 70)[0].text
        for load in Load
    }
    assert said[Load.LOADING] == "Loading comments…"
    assert said[Load.FAILED] == "Could not load the comments: no route"
    assert said[Load.READY].startswith("No comments yet")

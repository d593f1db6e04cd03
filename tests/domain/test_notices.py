from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.notices import (
    LONGEST,
    MOST,
    WITHIN_S,
    NoticeBudget,
    command_line,
    to_plain_notice,
)


@given(st.lists(st.floats(0, 20), max_size=60))
def test_never_more_leave_within_a_minute_than_may(gaps: list[float]) -> None:
    budget, now, left = NoticeBudget(), 0.0, []
    for gap in gaps:
        now += gap
        after = budget.spend(now)
        if after is not None:
            budget = after
            left.append(now)
    for start in left:
        assert sum(start <= at < start + WITHIN_S for at in left) <= MOST
    assert all(earlier <= later for earlier, later in pairwise(left))
    assert len(left) >= min(len(gaps), MOST)


@given(st.text(max_size=400))
def test_a_notice_leaves_as_one_short_printable_line(text: str) -> None:
    line = to_plain_notice(text)
    assert len(line) <= LONGEST
    assert line.isprintable()


def test_the_notice_stands_where_its_place_is_and_else_at_the_end() -> None:
    assert command_line(("notify-send", "pmtui"), "a; rm b") == ("notify-send", "pmtui", "a; rm b")
    assert command_line(("say", "-m", "pmtui: {text}!"), "x") == ("say", "-m", "pmtui: x!")
    # The program itself is never chosen by a notice.
    assert command_line(("{text}",), "x") == ("{text}", "x")

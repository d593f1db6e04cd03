from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.sim.catalogue import dates
from tests.catalogue.drafts import mark

_NOW = st.integers(0, 4 * 365 * dates.DAY_S).map(
    lambda seconds: dates.ANCHOR + timedelta(seconds=seconds)
)
_PERIODS = st.sampled_from([dates.DAY_S, dates.WEEK_S, dates.PERIOD_S])


@given(now=_NOW, period_s=_PERIODS)
def test_the_anchor_moves_by_whole_periods_to_just_before_now(now: datetime, period_s: int) -> None:
    anchor = dates.moved_anchor(now, period_s)
    assert anchor <= now < anchor + timedelta(seconds=period_s)
    assert (anchor - dates.ANCHOR) % timedelta(seconds=period_s) == timedelta()


@given(now=_NOW)
def test_weekly_and_longer_moves_keep_the_weekday(now: datetime) -> None:
    for period_s in (dates.WEEK_S, dates.PERIOD_S):
        assert dates.moved_anchor(now, period_s).weekday() == dates.ANCHOR.weekday()


@pytest.mark.parametrize(
    ("form", "written"),
    [
        ("iso", "2026-11-04T01:00:00Z"),
        ("space", "2026-11-04 01:00:00+00"),
        ("day", "2026-11-04"),
        ("long", "November 4, 2026"),
        ("short", "November 4"),
        ("month", "November 2026"),
        ("monthname", "November"),
        ("year", "2026"),
        ("slug", "november-4-2026"),
        ("monthslug", "november-2026"),
    ],
)
def test_each_form_of_a_mark_is_written_out(form: str, written: str) -> None:
    marked = f"x{mark(2 * dates.DAY_S + 3600, form)}y"
    assert dates.fill(marked.encode(), dates.ANCHOR).decode() == f"x{written}y"


@pytest.mark.parametrize("form", ["stamp", "spacems"])
def test_stamps_can_be_read_back(form: str) -> None:
    text = dates.fill(mark(-77, form).encode(), dates.ANCHOR).decode()
    moment = datetime.fromisoformat(text)
    assert abs(moment - dates.ANCHOR + timedelta(seconds=77)) < timedelta(seconds=1)


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(KeyError):
        dates.fill(mark(0, "fortnight").encode(), dates.ANCHOR)


def test_text_that_only_looks_like_a_mark_stays() -> None:
    assert dates.fill(b"{{soon}} {{1|", dates.ANCHOR) == b"{{soon}} {{1|"

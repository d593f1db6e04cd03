from dataclasses import replace
from datetime import timedelta

import pytest

from pmtui.domain.markets.venue_state import Evidence, VenueFact, VenueState
from pmtui.ui.cells import Line, line_width
from pmtui.ui.paint_status import paint_status, paint_venue
from pmtui.ui.theme.theme import Role
from tests.ui.fake_surface import NOW, PAPER_STATUS

RESTARTING = VenueFact(VenueState.RESTARTING, Evidence.ANSWER, NOW)
POST_ONLY = VenueFact(VenueState.POST_ONLY, Evidence.ANSWER, NOW, until=NOW + timedelta(seconds=79))


def _text(line: Line) -> str:
    return "".join(cell.text for cell in line)


def test_a_venue_that_trades_as_usual_says_nothing() -> None:
    assert paint_venue((), NOW) == ()
    assert "restarting" not in _text(paint_status(PAPER_STATUS, 120))


def test_the_worst_comes_in_words_and_the_others_as_a_number() -> None:
    line = paint_venue((RESTARTING, POST_ONLY), NOW)
    assert _text(line).strip() == "restarting +1"
    assert line[0].role is Role.NOTICE_BAD


def test_a_stated_end_is_counted_down_and_never_below_nothing() -> None:
    assert _text(paint_venue((POST_ONLY,), NOW + timedelta(seconds=9))).strip() == (
        "post-only mode 70s"
    )
    assert "0s" in _text(paint_venue((POST_ONLY,), NOW + timedelta(seconds=500)))
    assert paint_venue((POST_ONLY,), NOW)[0].role is Role.NOTICE_WARN


@pytest.mark.parametrize("width", [80, 120, 200])
@pytest.mark.parametrize("state", list(VenueState))
def test_it_is_on_the_status_line_at_every_width(width: int, state: VenueState) -> None:
    fact = VenueFact(state, Evidence.ANSWER, NOW)
    line = paint_status(replace(PAPER_STATUS, venue=(fact,)), width)
    assert state.value in _text(line)
    assert line_width(line) <= width

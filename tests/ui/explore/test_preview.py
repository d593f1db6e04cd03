import pytest

from pmtui.domain.account.position import Position
from pmtui.domain.money import Micros
from pmtui.ui.cells import line_width
from pmtui.ui.explore.preview import event_subject, market_subject, paint_preview
from tests.ui import believable
from tests.ui.look import words

ELECTION = believable.election()
ROW = event_subject(ELECTION, ELECTION.markets[0])
FIRST = ELECTION.markets[0]
TOKEN = FIRST.outcomes[0].token_id


@pytest.mark.parametrize(("width", "height"), [(52, 40), (20, 6), (10, 2), (52, 1)])
def test_a_preview_fits_its_place(width: int, height: int) -> None:
    lines = paint_preview(ROW, {}, width, height)
    assert len(lines) <= height
    assert {line_width(line) for line in lines} == {width}


def test_outcomes_stand_by_their_chance_with_a_bar() -> None:
    lines = [words(line) for line in paint_preview(ROW, {}, 52, 40)]
    bars = [line.count("█") for line in lines if "▄" in line]
    assert bars == sorted(bars, reverse=True)
    assert any(FIRST.title in line for line in lines)
    assert not any("Your position" in line for line in lines)


def test_own_shares_are_named_with_their_average() -> None:
    assert TOKEN is not None
    assert FIRST.condition_id is not None
    held = Position(
        TOKEN, FIRST.condition_id, FIRST.title, "Yes", Micros(40 * 10**6), Micros(445_000), None,
        Micros(0),
    )  # fmt: skip
    lines = [words(line).strip() for line in paint_preview(ROW, {TOKEN: held}, 52, 40)]
    assert lines[lines.index("Your position") + 1] == "40 Yes at 44.5¢"


def test_of_a_market_alone_the_outcome_is_named_and_its_own_question() -> None:
    lines = [words(line).rstrip() for line in paint_preview(market_subject(FIRST), {}, 60, 40)]
    assert lines[0] == FIRST.distinct_name
    bar = next(line for line in lines if "▄" in line)
    assert bar.startswith(FIRST.outcomes[0].label)
    # Alone it has nothing to be compared with but its whole.
    track = bar[bar.index("▕") + 1 : bar.index("▏")]
    assert len(track) == 60 // 3 - 2
    assert 0 < len(track.rstrip()) < len(track)


def test_the_leading_outcome_has_the_price_of_the_row_beside() -> None:
    live = event_subject(ELECTION, FIRST, Micros(123_000))
    (line,) = (
        line
        for line in map(words, paint_preview(live, {}, 52, 40))
        if line.startswith(FIRST.title) and "▄" in line
    )
    assert line.rstrip().endswith("12.3¢")
    others = [market.first_price for market in ELECTION.markets[1:]]
    assert [live.price_of(market) for market in ELECTION.markets[1:]] == others
    assert ROW.price_of(FIRST) == FIRST.first_price

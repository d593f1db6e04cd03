import pytest

from pmtui.domain.ticket.command_line import complete, parse_command
from pmtui.ui.cells import line_width
from pmtui.ui.command_line.paint_command import paint_candidates, paint_preview
from tests.ui.screens.look import words

OUTCOMES = ("Yes", "No")


@pytest.mark.parametrize("width", [10, 40, 80])
@pytest.mark.parametrize(
    "text", ["buy 100 yes 39.7 gtd 15m", "buy 100 maybe 39", "buy", "cancel all"]
)
def test_the_lines_fit(text: str, width: int) -> None:
    found = parse_command(text, OUTCOMES)
    assert line_width(paint_preview(found, OUTCOMES, width, indent=2)) == width
    assert line_width(paint_candidates(complete(text, OUTCOMES), width, indent=2)) == width


def test_what_is_wrong_is_pointed_at() -> None:
    text = "buy 100 maybe 39"
    line = words(paint_preview(parse_command(text, OUTCOMES), OUTCOMES, 80, indent=2))
    assert line.index("▲") == 2 + text.index("maybe")
    assert line.count("▲") == len("maybe")
    assert "Not understood: maybe" in line


def test_the_first_candidate_is_explained() -> None:
    line = words(paint_candidates(complete("buy 5 40 gt", OUTCOMES), 80, indent=2))
    assert line.split() == ["gtc", "until", "cancelled", "gtd"]

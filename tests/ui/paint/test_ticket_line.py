"""What stands below a ticket on one line."""

import pytest

from pmtui.domain.market import Side
from pmtui.domain.ticket_draft import Problem, TicketDraft, TicketField
from pmtui.ui.cells import Cell, Line, line_width
from pmtui.ui.paint.ticket import paint_problem
from pmtui.ui.paint.ticket_line import MOST_BELOW, name_problem, pack_notes, paint_below
from tests.ui.screens.look import words

DRAFT = TicketDraft(Side.BUY, 0)


def _line(text: str) -> Line:
    return (Cell(text),)


def _note(text: str, width: int = 78) -> tuple[Line, ...]:
    return paint_problem(Problem(TicketField.SIZE, text), DRAFT, width)


def test_a_problem_says_its_field_unless_the_field_is_only_empty() -> None:
    problem = Problem(TicketField.PRICE, "Not on a tick")
    assert name_problem(problem).text == "Price: Not on a tick"
    assert name_problem(problem, is_quiet=True) == problem


def test_short_notes_share_a_line_and_long_ones_have_their_own() -> None:
    packed = pack_notes([_note("one"), _note("two")], 78)
    assert [words(line) for line in packed] == ["x one  x two"]
    long = _note("word " * 14)
    assert len(pack_notes([long, _note("word " * 14)], 78)) == 2
    wrapped = pack_notes([_note("word " * 30), _note("two")], 78)
    assert all(line_width(line) <= 78 for line in wrapped)
    assert "x two" in words(wrapped[-1])


def test_what_was_said_of_an_order_comes_last_and_goes_before_figures() -> None:
    notes, figures = [_line("n1"), _line("n2")], [_line("cost")]
    shown = paint_below(notes, figures, (), ascii_only=False)
    assert [words(line) for line in shown] == ["n1", "n2", "cost"]
    shown = paint_below(notes, figures, [_line("sent")], ascii_only=False)
    assert [words(line) for line in shown] == ["n1", "n2", "sent"]
    shown = paint_below((), figures, [_line("sent")], ascii_only=False)
    assert [words(line) for line in shown] == ["cost", "sent"]


@pytest.mark.parametrize(("ascii_only", "mark"), [(False, "…"), (True, "...")])
def test_what_is_left_out_is_marked(ascii_only: bool, mark: str) -> None:
    notes = [_line(f"n{n}") for n in range(MOST_BELOW + 2)]
    shown = paint_below(notes, [_line("cost")], (), ascii_only=ascii_only)
    assert len(shown) == MOST_BELOW
    assert words(shown[-1]).endswith(mark)
    assert "cost" not in " ".join(map(words, shown))

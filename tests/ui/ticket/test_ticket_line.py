"""What stands below a ticket on one line."""

from pmtui.domain.markets.market import Side
from pmtui.domain.ticket.draft import Problem, TicketDraft, TicketField
from pmtui.ui.cells import Cell, Line, line_width
from pmtui.ui.ticket.paint_ticket import BELOW, name_problem, pack_notes, paint_below, paint_problem
from tests.ui.look import words

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


def _below(
    notes: list[Line], figures: list[Line], state: list[Line], *, width: int = 78,
    is_forbidden: bool = False,
) -> list[str]:  # fmt: skip
    shown = paint_below(
        notes, figures, state, width=width, more=_line(" f2 shows all"),
        is_forbidden=is_forbidden,
    )  # fmt: skip
    assert len(shown) <= BELOW
    assert all(line_width(line) <= width for line in shown)
    return [words(line) for line in shown]


def test_what_was_said_of_an_order_comes_last_and_goes_before_problems_and_figures() -> None:
    note, cost, sent = _line("n1"), _line("cost"), _line("sent")
    assert _below([note], [cost], []) == ["n1", "cost"]
    assert _below([note], [cost], [sent]) == ["n1", "sent"]
    assert _below([], [cost], [sent]) == ["cost", "sent"]
    assert _below([note], [cost], [sent, sent]) == ["sent", "sent"]


def test_figures_go_before_more_warnings_and_not_before_what_forbids_the_order() -> None:
    notes, cost = [_line("n1"), _line("n2")], _line("cost")
    assert _below(notes, [cost], []) == ["n1 … f2 shows all", "cost"]
    assert _below(notes, [cost], [], is_forbidden=True) == ["n1", "n2"]
    assert _below(notes, [], []) == ["n1", "n2"]


def test_what_is_left_out_is_marked_with_the_key_that_shows_it() -> None:
    notes = [_line(f"n{n}") for n in range(BELOW + 1)]
    shown = _below(notes, [_line("cost")], [], is_forbidden=True)
    assert shown == ["n0", "n1 … f2 shows all"]


def test_a_line_that_is_full_gives_way_to_the_mark() -> None:
    notes = [_line("w" * 40), _line("w" * 40), _line("w")]
    shown = _below(notes, [], [], width=40)
    assert shown[1] == "w" * 26 + "… f2 shows all"

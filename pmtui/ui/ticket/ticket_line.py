"""The ticket on one line: what stands below its fields, and what is left out first.

A problem says which field it is about, as it stands below all of them. What was said of an order
goes before problems, problems that forbid it before figures, figures before more than one line of
warnings. There are as many lines whatever is said, so that nothing above them ever moves; what has
no room is marked, with the key that shows it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from pmtui.domain.ticket.draft import Problem
from pmtui.ui.cells import Cell, Line, fit_line, line_width
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.paint_ticket import FIELD_NAMES

BELOW = 2
"""Lines below the fields, always."""
_GAP = 2


def name_problem(problem: Problem, *, is_quiet: bool = False) -> Problem:
    """Say in words which field a problem is about; a field still to be filled in says so itself."""
    if is_quiet:
        return problem
    return replace(problem, text=f"{FIELD_NAMES[problem.field]}: {problem.text}")


def pack_notes(notes: Iterable[tuple[Line, ...]], width: int) -> tuple[Line, ...]:
    """Put notes of a line each side by side where they fit."""
    lines: list[Line] = []
    for note in notes:
        used = line_width(lines[-1]) + _GAP if lines else width
        if len(note) == 1 and used + line_width(note[0]) <= width:
            lines[-1] = (*lines[-1], Cell(" " * _GAP), *note[0])
        else:
            lines += note
    return tuple(lines)


def paint_below(
    notes: Sequence[Line],
    figures: Sequence[Line],
    state: Sequence[Line],
    *,
    width: int,
    more: Line,
    is_forbidden: bool = False,
    ascii_only: bool = False,
) -> tuple[Line, ...]:
    """Return what stands below the fields, from the top down, in at most `BELOW` lines.

    Args:
        notes: the problems, packed.
        figures: what the order would do.
        state: what was said of it, or what comes next.
        width: cells there are.
        more: says at the end of a line where the rest is.
        is_forbidden: whether a problem keeps it from being sent.
        ascii_only: whether the terminal shows plain ASCII only.
    """
    cut = partial(_cut, width=width, more=more, ascii_only=ascii_only)
    said = cut(state, BELOW)
    room = BELOW - len(said)
    kept = 1 if figures and room > 1 and not is_forbidden else 0
    problems = cut(notes, room - kept)
    return (*problems, *figures[: room - len(problems)], *said)


def _cut(
    lines: Sequence[Line], most: int, *, width: int, more: Line, ascii_only: bool
) -> Sequence[Line]:
    """Keep so many lines and say at the end of the last that there was more."""
    if len(lines) <= most or most <= 0:
        return lines[: max(most, 0)]
    last, room = lines[most - 1], width - line_width(more)
    dots = Cell(" ..." if ascii_only else " …", last[-1].role if last else Role.DIM)
    if line_width((*last, dots)) <= room:
        last = (*last, dots)
    else:
        last = fit_line(last, max(room, 0), ascii_only=ascii_only)
    return (*lines[: most - 1], (*last, *more))

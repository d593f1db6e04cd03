"""The ticket on one line: what stands below its fields, and what is left out first.

A problem says which field it is about, as it stands below all of them. What was said of an order
goes before problems, problems before figures: no half sentences, no half numbers.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pmtui.domain.ticket_draft import Problem
from pmtui.ui.cells import Cell, Line, line_width
from pmtui.ui.paint.ticket import FIELD_NAMES

LEAST_BELOW = 2
"""Lines that are always kept below the fields, so that nothing moves as one types."""
MOST_BELOW = 3
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
    notes: Sequence[Line], figures: Sequence[Line], state: Sequence[Line], *, ascii_only: bool
) -> tuple[Line, ...]:
    """Return what stands below the fields, from the top down, in at most `MOST_BELOW` lines."""
    said = _cut(state, MOST_BELOW, ascii_only=ascii_only)
    problems = _cut(notes, MOST_BELOW - len(said), ascii_only=ascii_only)
    room = MOST_BELOW - len(said) - len(problems)
    return (*problems, *figures[:room], *said)


def _cut(lines: Sequence[Line], most: int, *, ascii_only: bool) -> Sequence[Line]:
    """Keep so many lines and say at the end of the last that there was more."""
    if len(lines) <= most or most <= 0:
        return lines[: max(most, 0)]
    last = lines[most - 1]
    more = last[-1]._replace(text=" ..." if ascii_only else " …")
    return (*lines[: most - 1], (*last, more))

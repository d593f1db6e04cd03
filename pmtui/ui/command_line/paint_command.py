"""What stands below a command as it is typed: what it would do or what is wrong, and what may follow."""

from collections.abc import Sequence

from pmtui.domain.ticket.command_line import (
    Candidate,
    Command,
    CommandProblem,
    describe_command,
)
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line
from pmtui.ui.plain import plain
from pmtui.ui.theme.theme import Role


def paint_preview(
    found: Command | CommandProblem, outcomes: Sequence[str], width: int, *, indent: int
) -> Line:
    """Say what a command would do, or point at what is wrong with it."""
    if not isinstance(found, CommandProblem):
        said = plain(describe_command(found, outcomes), max(width - indent, 0))
        return fit_line((Cell(" " * indent), Cell(said, Role.NOTICE_GOOD)), width)
    words = plain(found.text)
    mark = "▲" * max(found.end - found.start, 1)
    start = indent + found.start
    if start + len(mark) + 1 + len(words) > width:
        return fit_line((Cell(" " * indent), Cell(words, Role.NOTICE_WARN)), width)
    line = (Cell(" " * start), Cell(mark, Role.NOTICE_BAD), Cell(f" {words}", Role.NOTICE_WARN))
    return fit_line(line, width)


def paint_candidates(candidates: Sequence[Candidate], width: int, *, indent: int) -> Line:
    """List the words that may come next; the first one is what the key takes."""
    line = [Cell(" " * indent)]
    used = indent
    for number, candidate in enumerate(candidates):
        meaning = f" {plain(candidate.meaning)}" if candidate.meaning and not number else ""
        if used + len(candidate.word) + len(meaning) + 2 > width:
            break
        emphasis = Emphasis.NONE if number else Emphasis.BOLD
        line.append(Cell(candidate.word, Role.DIM if number else Role.KEY, emphasis))
        line.append(Cell(f"{meaning}  ", Role.DIM))
        used += len(candidate.word) + len(meaning) + 2
    return fit_line(tuple(line), width)

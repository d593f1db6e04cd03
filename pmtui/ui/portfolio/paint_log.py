"""Log entries as lines: when, what kind, and the words, made harmless."""

from pmtui.service.views import Level, LogEntry
from pmtui.ui.cells import Cell, Line, line_width
from pmtui.ui.ellipsize import cut_notice
from pmtui.ui.format import write_clock
from pmtui.ui.plain import plain
from pmtui.ui.theme.theme import Role

LEVEL_ROLES = {
    Level.INFO: Role.TEXT,
    Level.GOOD: Role.NOTICE_GOOD,
    Level.WARNING: Role.NOTICE_WARN,
    Level.BAD: Role.NOTICE_BAD,
}
_SIGNS = {Level.INFO: " ", Level.GOOD: "+", Level.WARNING: "!", Level.BAD: "x"}


def paint_entry(entry: LogEntry) -> Line:
    """Show an entry; its level is said by a sign too, never by colour alone."""
    return (
        Cell(write_clock(entry.at), Role.DIM),
        Cell(f" {_SIGNS[entry.level]} ", LEVEL_ROLES[entry.level]),
        Cell(f"{entry.kind:<8}", Role.DIM),
        Cell(plain(entry.text), LEVEL_ROLES[entry.level]),
    )


def paint_notice(entry: LogEntry, width: int) -> Line:
    """Show a notice on the line kept for it, the reason before what else it tells."""
    role = LEVEL_ROLES[entry.level]
    begin = (Cell(f" {_SIGNS[entry.level]} ", role), Cell(f"{write_clock(entry.at)} ", Role.DIM))
    return (*begin, Cell(cut_notice(entry.text, width - line_width(begin)), role))

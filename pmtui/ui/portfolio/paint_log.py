"""Log entries as lines: when, what kind, and the words, made harmless."""

from pmtui.service.views import Level, LogEntry, RequestEntry
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


def paint_request(entry: RequestEntry) -> Line:
    """Show a request: its route, how it ended, and how long it took."""
    level = Level.INFO if not entry.text else Level.WARNING
    return (
        Cell(write_clock(entry.at), Role.DIM),
        Cell(f" {_SIGNS[level]} ", LEVEL_ROLES[level]),
        Cell(f"{'request':<8}", Role.DIM),
        Cell(plain(request_words(entry)), LEVEL_ROLES[level]),
    )


def request_words(entry: RequestEntry) -> str:
    """Say a request in a line: `GET /book 200 in 45 ms`."""
    status = "no answer" if entry.status is None else str(entry.status)
    reason = f": {entry.text}" if entry.text else ""
    return f"{entry.route} {status} in {entry.elapsed_ms} ms{reason}"


def paint_notice(entry: LogEntry, width: int) -> Line:
    """Show a notice on the line kept for it, the reason before what else it tells."""
    role = LEVEL_ROLES[entry.level]
    begin = (Cell(f" {_SIGNS[entry.level]} ", role), Cell(f"{write_clock(entry.at)} ", Role.DIM))
    return (*begin, Cell(cut_notice(entry.text, width - line_width(begin)), role))

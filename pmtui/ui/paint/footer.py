"""The footer: the keys that work right here, as many as there is room for."""

from pmtui.ui.actions import FooterEntry
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line, line_width
from pmtui.ui.theme import Role


def paint_footer(entries: tuple[FooterEntry, ...], width: int, *, ascii_only: bool = False) -> Line:
    """Show keys and what they do; the last that fits is always the way to the rest."""
    help_key = next((e for e in entries if e.id == "global.help"), None)
    shown = [e for e in entries if e is not help_key]
    tail = _entry(help_key) if help_key is not None else ()
    room = width - line_width(tail) - 1
    cells: list[Cell] = [Cell(" ")]
    used = 1
    for entry in shown:
        piece = _entry(entry)
        if used + line_width(piece) > room:
            break
        cells += piece
        used += line_width(piece)
    return fit_line((*cells, *tail), width, ascii_only=ascii_only)


def _entry(entry: FooterEntry) -> Line:
    return (
        Cell(entry.key, Role.KEY, Emphasis.BOLD),
        Cell(f" {entry.label}  ", Role.TEXT if entry.is_dangerous else Role.DIM),
    )

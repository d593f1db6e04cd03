"""The footer: the keys that work right here, as many as there is room for."""

from pmtui.ui.cells import Cell, Emphasis, Line, fit_line, line_width
from pmtui.ui.keys.actions import FooterEntry
from pmtui.ui.theme.theme import Role

_ALWAYS = frozenset({"global.help", "global.quit"})


def paint_footer(entries: tuple[FooterEntry, ...], width: int, *, ascii_only: bool = False) -> Line:
    """Show keys and what they do; the last are always the way to the rest and the way out."""
    always = tuple(e for e in entries if e.id in _ALWAYS)
    shown = [e for e in entries if e not in always]
    tail = tuple(cell for e in always for cell in _entry(e))
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

"""Hostile texts, and what must be true of everything that is painted from them."""

import unicodedata
from collections.abc import Iterator
from random import Random

from pmtui.ui.cells import Cell, Line, fit_line, line_width
from pmtui.ui.plain import Align, cell_width, ellipsize_words, fit, plain

_SEQUENCES = (
    "\x1b[31m", "\x1b[2J", "\x1b]52;c;aGk=\x07", "\x1b]8;;http://x\x1b\\", "\x1b]0;t", "\x1bP+q",
    "\x1b(0", "\x1b", "\x9b6n", "\x9d0;x\x9c", "\x90", "\r\n", "\x00", "\x7f", "\u202e", "\u2067",
    "\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u061c", "\ud800", "\udfff", "\ue000",
    "\ufe0f", "\U000e0041", "\U000e0101", "\u3164", "\u115f", "\u0301", "\u20e3", "\u0e33",
    "👩\u200d👩\u200d👧", "🇬🇧", "👍🏽", "市", "ｱ", "ﷺ", "𝒳", "\U0001f3fb", "\uffff", "[b]", "[/]",
    "[$x @click=app.quit]", "%s", "{0}", "\\", "16:15–16:30 UTC", "…", "   ", "\u2028", "\t",
)  # fmt: skip
_FORBIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def hostile_texts(random: Random) -> Iterator[str]:
    """Yield texts without end: escapes, overrides, wide and zero-width letters, and any other."""
    while True:
        yield "".join(_piece(random) for _ in range(random.randrange(24)))


def _piece(random: Random) -> str:
    match random.randrange(6):
        case 0 | 1:
            return random.choice(_SEQUENCES)
        case 2:
            return chr(random.randrange(0x110000))
        case 3:
            return chr(random.randrange(0x3000))
        case _:
            return "".join(random.choices("abc defgh 0123456789", k=random.randrange(1, 9)))


def faults_of(text: str, random: Random) -> Iterator[str]:
    """Yield what is wrong with the ways in which a text is painted."""
    width = random.randrange(1, 40)
    yield from _faults("plain", plain(text), None)
    yield from _faults("plain", plain(text, width), range(width + 1))
    align = random.choice(list(Align))
    fitted = fit(text, width, align)
    yield from _faults("fit", fitted, range(width, width + 1))
    yield from _faults("ellipsize_words", ellipsize_words(text, width), range(width + 1))
    line: Line = (Cell("a "), Cell(plain(text)), Cell(" z"))
    painted = fit_line(line, width)
    if line_width(painted) != width:
        yield f"fit_line: {line_width(painted)} cells instead of {width}"
    yield from _faults("fit_line", "".join(cell.text for cell in painted), None)


def _faults(name: str, painted: str, widths: range | None) -> Iterator[str]:
    found = {unicodedata.category(character) for character in painted} & _FORBIDDEN
    if found:
        yield f"{name}: {', '.join(sorted(found))} in {painted!r}"
    if widths is not None and cell_width(painted) not in widths:
        yield f"{name}: {cell_width(painted)} cells, not {widths}: {painted!r}"

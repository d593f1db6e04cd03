"""How much an answer to a program may hold: rows, levels, characters, bytes. What is left out is said."""

import json

from pmtui.reads.records import Json

MOST_ROWS = 100
USUAL_ROWS = 20
MOST_LEVELS = 50
"""Of each side of a book."""
LONGEST_TEXT = 600
"""Characters of one text of somebody else."""
MOST_BYTES = 200_000
"""Of a whole answer, as JSON."""
LONGEST_REQUEST = 100_000
"""Bytes of one request."""
CALL_S = 10.0
"""Seconds that a call may take."""
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_CUT = "…"


def plain_text(text: str) -> str:
    """Return a text in one line, cut, and without characters that steer, hide or reorder."""
    shown = text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + _CUT
    if shown.isprintable():
        return shown
    return "".join(c if c.isprintable() else " " if c.isspace() else _REPLACEMENT for c in shown)


def bounded_json(value: Json) -> Json:
    """Return a value with every text in it made plain."""
    match value:
        case str():
            return plain_text(value)
        case list():
            return [bounded_json(item) for item in value]
        case dict():
            return {name: bounded_json(item) for name, item in value.items()}
        case _:
            return value


def fitting(items: list[Json], room: int = MOST_BYTES) -> list[Json]:
    """Return as many items as fit into so many bytes, the first ones."""
    kept: list[Json] = []
    for item in items:
        room -= len(json.dumps(item).encode()) + 2
        if room < 0:
            break
        kept.append(item)
    return kept

"""Long words on a short line: cut where a reader can stop, and what tells least is cut first.

A line that ends in a sentence that had just begun reads as if that were the reason.
"""

import re

from pmtui.ui.plain import cell_width, plain

_MARK = "…"
_SENTENCE_END = re.compile(r"[.;!?](?= )")
_BEGUN = 24
"""So much of a sentence, or less, tells nothing that the one before it did not."""
_LEAST_TITLE = 8
_REASONED = re.compile(r"^(?P<what>.+?) · (?P<title>.+?) \((?P<reason>.+)\)$")
"""How an order's end is told: `Rejected: Buy 5 Yes at 50¢ · its market (why)`."""


def cut_words(text: str, width: int) -> str:
    """Return the text in at most `width` cells, cut after a sentence or else after a word."""
    text = plain(text)
    if cell_width(text) <= width:
        return text
    cropped = plain(text, width)
    if not cropped.endswith(_MARK):
        return cropped  # with the time that tells one market of a series from the next
    head = cropped.removesuffix(_MARK)
    # The mark after a sentence stands by itself, and takes a cell more.
    ends = [
        found.end()
        for found in _SENTENCE_END.finditer(f"{head} ")
        if cell_width(head[: found.end()]) + 2 <= width
    ]
    if ends and ends[-1] > width // 2 and len(head) - ends[-1] <= _BEGUN:
        return f"{head[: ends[-1]]} {_MARK}"
    last = len(head) if text.startswith(f"{head} ") else head.rfind(" ")
    # One long word is cut like any text.
    return f"{head[:last] if last >= width // 2 else head}{_MARK}"


def cut_notice(text: str, width: int) -> str:
    """Return a notice in at most `width` cells; a market's title gives way to the reason."""
    text = plain(text)
    found = _REASONED.match(text)
    if found is None or cell_width(text) <= width:
        return cut_words(text, width)
    what, title, reason = found.group("what", "title", "reason")
    room = width - cell_width(f"{what} ·  ({reason})")
    if room >= _LEAST_TITLE:
        return f"{what} · {plain(title, room)} ({reason})"
    return cut_words(f"{what} ({reason})", width)

"""Untrusted text for the screen: sanitized, measured in cells, and ellipsized."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import Enum, auto
from functools import lru_cache
from itertools import takewhile

from rich.cells import cell_len, set_cell_size

_ESCAPES = re.compile(
    r"""
      (?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?              # control sequences: colours, cursor, modes
    | (?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])           # strings: titles, links, device control
      [^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?
    | \x1b[ -/]*[0-~]?                               # the remaining two- and three-byte ones
    """,
    re.VERBOSE,
)
_RUNS = re.compile(" {2,}")
_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0")
"""Hangul fillers: letters by category, blank on the screen."""
_SELECTORS = re.compile("[\u034f\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Variation selectors and the grapheme joiner: terminals disagree on the width they cause."""
_CLOCK = re.compile(
    r"""
      \b (?P<start> \d{1,2} (?: :\d{2} (?:\ ?[AP]M)? | \ ?[AP]M ) )  # 16:15, 3PM, 3:45PM
      (?: \ ?[-\u2013]\ ? \d{1,2} (?: :\d{2} )? (?:\ ?[AP]M)? )?  # until when
      (?: \ [A-Z]{2,4} )? \?? $                                    # in which zone
    """,
    re.VERBOSE,
)
"""A time of day, or two of them, at the end of a title."""
_LEAST_HEAD = 8
"""What must remain of a title for its end to be kept."""
_MARKS_PER_LETTER = 2
"""Enough for written languages; more would stack over the neighbouring rows."""


class Align(Enum):
    """The alignment of short text in a wide column."""

    LEFT = auto()
    RIGHT = auto()
    CENTER = auto()


def plain(text: str, width: int | None = None) -> str:
    """Return the text sanitized on one line, cropped to `width` cells if given."""
    clean = _clean(text)
    return clean if width is None else _crop(clean, width)


def fit(text: str, width: int, align: Align = Align.LEFT) -> str:
    """Return the text in exactly `width` cells, cropped with an ellipsis or padded."""
    # Spaces at the ends are layout here and must stay, which plain() would strip.
    clean = text if text.isascii() and text.isprintable() else _clean(text, keep_spaces=True)
    clean = _crop(clean, width)
    free = width - cell_len(clean)
    match align:
        case Align.LEFT:
            return clean + " " * free
        case Align.RIGHT:
            return " " * free + clean
        case Align.CENTER:
            return " " * (free // 2) + clean + " " * (free - free // 2)


def ellipsize_distinctly(texts: Iterable[str], width: int) -> Mapping[str, str]:
    """Return distinct short forms of texts that are too long and start alike.

    Each keeps its beginning, and after an ellipsis the part that differs: `Cut of 50 bps…European
    Central Bank`. Texts not in the result are cropped at the end.
    """
    alike: dict[str, dict[str, None]] = {}
    for text in texts:
        if cell_width(text) > width:
            alike.setdefault(set_cell_size(text, width // 2), {})[text] = None
    found: dict[str, str] = {}
    for group in alike.values():
        if len(group) > 1:
            found |= _cut_common(tuple(group), width)
    return found


def _cut_common(texts: tuple[str, ...], width: int) -> dict[str, str]:
    """Leave out the common part of texts, except for its beginning.

    Each is cut in one place, and an end that does not fit loses its last words without a second
    mark; unless the ends differ only there, as a price and a date do: then their middle is left out.
    """
    if len({_begun_words(text, width - 1) for text in texts}) == len(texts):
        # Cropped at the end they differ in whole words.
        return {}
    common = _common_words(texts)
    ends = {text: text[len(common) :] for text in texts}
    longest = max(cell_width(end) for end in ends.values())
    # Short ends leave most of the line to the beginning.
    most = max(width // 3, width - 1 - longest)
    if len(common) <= most + 1:
        return {}
    head = set_cell_size(common, most)
    words = head if common[len(head) :].startswith(" ") else head.rpartition(" ")[0]
    head = words if cell_width(words) > most // 2 else head.rstrip()
    room = width - cell_width(head) - 1
    begun, both = (
        {t: f"{head}…{cut(e, room)}" for t, e in ends.items()}
        for cut in (_begun_words, _outer_words)
    )
    return both if len(set(both.values())) > len(set(begun.values())) else begun


def _outer_words(text: str, width: int) -> str:
    """Return whole words at the beginning and at the end that fit, the latter in at most half of the room."""
    if cell_width(text) <= width:
        return text
    tail = ""
    for word in reversed(text.split(" ")):
        longer = f"{word} {tail}".rstrip()
        if cell_width(longer) > width // 2:
            break
        tail = longer
    return (
        f"{_begun_words(text, width - 1 - cell_width(tail))}…{tail}"
        if tail
        else _begun_words(text, width)
    )


def _begun_words(text: str, width: int) -> str:
    """Return the whole words at the beginning that fit; a single long word is cut anywhere."""
    if cell_width(text) <= width:
        return text
    begun = set_cell_size(text, max(width, 0))
    words = begun if text[len(begun) :].startswith(" ") else begun.rpartition(" ")[0]
    return (words or begun).rstrip(" ,:")


def fit_names(names: Sequence[str], room: int, *, least: int) -> list[str]:
    """Return names beside each other in at most `room` cells, all cut to the same width if at all.

    Cut names that begin alike keep what tells them apart. No name is cut to fewer than `least`
    cells, so that many names may take more than the room.
    """
    clean = [plain(name) for name in names]
    sizes = [cell_width(name) for name in clean]
    widths = range(max(sizes, default=0), least, -1)
    most = next((w for w in widths if sum(min(size, w) for size in sizes) <= room), least)
    short = ellipsize_distinctly(clean, most)
    return [short.get(name) or plain(name, most) for name in clean]


@lru_cache(maxsize=256)
def fit_apart(names: tuple[str, ...], width: int) -> Mapping[str, str]:
    """Return names that fit, and short forms of those that their first words tell from the others."""
    clean = {name: plain(name) for name in names}
    heads = {name: _begun_words(text, width - 1) for name, text in clean.items()}
    times = Counter(heads.values())
    found: dict[str, str] = {}
    for name, head in heads.items():
        if cell_width(clean[name]) <= width:
            found[name] = clean[name]
        elif times[head] == 1 and cell_width(head) >= _LEAST_HEAD:
            found[name] = f"{head}…"
    return found


def shorten_groups(groups: Iterable[Collection[str]]) -> Mapping[str, str]:
    """Return short forms of texts: what differs within a group, after what its group differs in.

    Of `Solana: up or down, 9:00`, `Solana: up or down, 9:05` and the same for Ether, the first is
    `Solana: 9:00`. A text that is alone in its group stays whole.
    """
    heads = [(group, _common_words(group)) for group in groups if len(set(group)) > 1]
    words = [head.split() for _, head in heads]
    alike = takewhile(
        lambda each: len(set(each)) == 1, zip(*(w[::-1] for w in words), strict=False)
    )
    shared = sum(1 for _ in alike)
    return {
        text: " ".join((*own[: len(own) - shared], text[len(head) :]))
        for (group, head), own in zip(heads, words, strict=True)
        for text in group
    }


def _common_words(texts: Collection[str]) -> str:
    """Return the whole words that all texts begin with, and the blank after them."""
    first, last = min(texts), max(texts)
    pairs = zip(first, last, strict=False)
    common = first[: sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))]
    # Start at the word that differs.
    return common[: common.rfind(" ") + 1]


def cell_width(text: str) -> int:
    """Return the width of the text in cells."""
    return len(text) if text.isascii() and text.isprintable() else cell_len(text)


@lru_cache(maxsize=8192)
def _clean(text: str, *, keep_spaces: bool = False) -> str:
    if not (text.isascii() and text.isprintable()):
        text = "".join(_harmless(_SELECTORS.sub("", _ESCAPES.sub("", text))))
    return text if keep_spaces else _RUNS.sub(" ", text).strip(" ")


def _harmless(text: str) -> list[str]:
    kept: list[str] = []
    # A mark without a letter before it would land on the neighbouring cell.
    marks = _MARKS_PER_LETTER
    for character in text:
        category = unicodedata.category(character)
        if (
            category in ("Zs", "Zl", "Zp")
            or character in "\t\n\r\v\f"
            or character in _BLANK_LETTERS
        ):
            kept.append(" ")
            marks = _MARKS_PER_LETTER
        elif category == "Cs":
            kept.append("\N{REPLACEMENT CHARACTER}")
            marks = 0
        elif category in ("Cc", "Cf"):
            continue
        elif cell_len(character) > 0:
            kept.append(character)
            marks = 0
        elif marks < _MARKS_PER_LETTER:
            kept.append(character)
            marks += 1
    return kept


def _crop(text: str, width: int) -> str:
    if width <= 0:
        return ""
    if cell_len(text) <= width:
        return text
    clock = _CLOCK.search(text)
    # Markets of an hourly series differ only in the time: without it their rows look the same.
    ends = (clock.group(), clock.group("start")) if clock is not None else ()
    tail = next((end for end in ends if cell_len(end) + 1 + _LEAST_HEAD <= width), "")
    if clock is not None and tail != clock.group():
        begun = text[: clock.end("start")]
        if cell_len(begun) < width:
            return f"{begun}…"
    return set_cell_size(text, width - 1 - cell_len(tail)) + "…" + tail


_MARK = "…"
_SENTENCE_END = re.compile(r"[.;!?](?= )")
_BEGUN = 24
"""A started sentence of at most so many letters is left out."""
_LEAST_TITLE = 8
_REASONED = re.compile(r"^(?P<what>.+?) · (?P<title>.+?) \((?P<reason>.+)\)$")
"""An order's end in the log: `Rejected: Buy 5 Yes at 50¢ · its market (why)`."""


def ellipsize_words(text: str, width: int) -> str:
    """Return the text in at most `width` cells, cut after a sentence or else after a word."""
    text = plain(text)
    if cell_width(text) <= width:
        return text
    cropped = plain(text, width)
    if not cropped.endswith(_MARK):
        return cropped  # with the time that distinguishes the markets of a series
    head = cropped.removesuffix(_MARK)
    # The ellipsis after a sentence stands apart and takes one more cell.
    ends = [
        found.end()
        for found in _SENTENCE_END.finditer(f"{head} ")
        if cell_width(head[: found.end()]) + 2 <= width
    ]
    if ends and ends[-1] > width // 2 and len(head) - ends[-1] <= _BEGUN:
        return f"{head[: ends[-1]]} {_MARK}"
    last = len(head) if text.startswith(f"{head} ") else head.rfind(" ")
    # A single long word is cut anywhere.
    return f"{head[:last] if last >= width // 2 else head}{_MARK}"


def ellipsize_notice(text: str, width: int) -> str:
    """Return a notice in at most `width` cells; the market's title is cropped before the reason."""
    text = plain(text)
    found = _REASONED.match(text)
    if found is None or cell_width(text) <= width:
        return ellipsize_words(text, width)
    what, title, reason = found.group("what", "title", "reason")
    room = width - cell_width(f"{what} ·  ({reason})")
    if room >= _LEAST_TITLE:
        return f"{what} · {plain(title, room)} ({reason})"
    return ellipsize_words(f"{what} ({reason})", width)

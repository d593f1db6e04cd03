"""Paints log entries: the time, the kind, and the text, sanitized."""

from pmtui.domain.markets.market import Side
from pmtui.service.views import Level, LogEntry, RequestEntry
from pmtui.ui.cells import Cell, Column, Line, line_width
from pmtui.ui.facts import PRICE_WIDTH
from pmtui.ui.format import TENTH_OF_CENT, format_price, format_size_compact, write_clock
from pmtui.ui.plain import Align, ellipsize_notice, plain
from pmtui.ui.theme.theme import Role

LEVEL_ROLES = {
    Level.INFO: Role.TEXT,
    Level.GOOD: Role.NOTICE_GOOD,
    Level.WARNING: Role.NOTICE_WARN,
    Level.BAD: Role.NOTICE_BAD,
}
_SIGNS = {Level.INFO: " ", Level.GOOD: "+", Level.WARNING: "!", Level.BAD: "x"}


BLOTTER_FROM = 76
"""The screen width from which side, size and price have their own columns."""
_WIDE_FROM = 100
"""The width from which all texts stand in one column; on narrower ones those of no order are
longer."""
_SIZE_WIDTH = 8
LOG_COLUMNS = (
    Column("time", "Time", 8),
    Column("level", "", 3),
    Column("kind", "What", 9),
    Column("side", "Side", 4, priority=3),
    Column("size", "Size", _SIZE_WIDTH, priority=3, align=Align.RIGHT),
    Column("price", "Price", PRICE_WIDTH, priority=3, align=Align.RIGHT),
    Column("text", "Market, or what happened", 24, grow=1),
)
_NOTHING = (Cell(""),) * 3
_SIDE = 3


def span_of(entry: LogEntry | RequestEntry, width: int) -> int | None:
    """Return the column from which an entry's text stands; None for its own."""
    has_facts = isinstance(entry, LogEntry) and entry.facts is not None
    return None if has_facts or width >= _WIDE_FROM else _SIDE


def paint_entry(entry: LogEntry, width: int) -> Line:
    """Paint an entry; that of an order in columns if they fit.

    Its level has a sign, too, never just a colour.
    """
    role, facts = LEVEL_ROLES[entry.level], entry.facts
    begin = (Cell(write_clock(entry.at), Role.DIM), Cell(f" {_SIGNS[entry.level]} ", role))
    if facts is None or width < BLOTTER_FROM:
        return (*begin, Cell(entry.kind, Role.DIM), *_NOTHING, Cell(plain(entry.text), role))
    # The reason comes first, because names are long and get cropped.
    parts = (facts.reason, facts.outcome, facts.market)
    text = " · ".join(plain(part) for part in parts if part)
    return (
        *begin,
        Cell(plain(facts.verb), role),
        Cell(facts.side.value, Role.BID if facts.side is Side.BUY else Role.ASK),
        Cell(format_size_compact(facts.size, width=_SIZE_WIDTH).strip()),
        Cell(format_price(facts.price, tick=TENTH_OF_CENT)),
        Cell(text, role if facts.reason else Role.TEXT),
    )


def paint_request(entry: RequestEntry) -> Line:
    """Paint a request: its route, its result, and its duration."""
    level = Level.INFO if not entry.text else Level.WARNING
    return (
        Cell(write_clock(entry.at), Role.DIM),
        Cell(f" {_SIGNS[level]} ", LEVEL_ROLES[level]),
        Cell("request", Role.DIM),
        *_NOTHING,
        Cell(plain(request_words(entry)), LEVEL_ROLES[level]),
    )


def request_words(entry: RequestEntry) -> str:
    """Return a request in words: `GET /book 200 in 45 ms`."""
    status = "no answer" if entry.status is None else str(entry.status)
    reason = f": {entry.text}" if entry.text else ""
    return f"{entry.route} {status} in {entry.elapsed_ms} ms{reason}"


def paint_notice(entry: LogEntry, width: int) -> Line:
    """Paint a notice for the notice line, with the reason before the rest."""
    role = LEVEL_ROLES[entry.level]
    begin = (Cell(f" {_SIGNS[entry.level]} ", role), Cell(f"{write_clock(entry.at)} ", Role.DIM))
    return (*begin, Cell(ellipsize_notice(entry.text, width - line_width(begin)), role))

"""Paints rules, comments and holders: the venue's texts, sanitized and wrapped to a width."""

from collections.abc import Sequence
from datetime import datetime

from pmtui.domain.formats import count
from pmtui.domain.markets.market import Comment, Event, Holder, Market
from pmtui.domain.money import SCALE
from pmtui.service.views import EventView, MarketView
from pmtui.ui.cells import Cell, Column, Emphasis, Row, bar_text
from pmtui.ui.facts import explain_load, unique_keys
from pmtui.ui.format import format_age
from pmtui.ui.plain import Align, cell_width, plain
from pmtui.ui.theme.theme import Role

MOST_LETTERS = 20_000
"""Longer than any rules seen; the last line states how many letters are left out."""

_BAR_WIDTH = 16
HOLDER_COLUMNS = (
    Column("outcome", "Outcome", 12),
    Column("size", "Shares", 12, align=Align.RIGHT),
    Column("bar", "", _BAR_WIDTH, priority=1),
    Column("name", "Holder", 20, grow=1),
    Column("address", "Wallet", 42, priority=2),
)


def wrap_text(text: str, width: int) -> tuple[str, ...]:
    """Sanitize a text of the venue and wrap it into lines of at most `width` cells.

    Keeps line breaks; several empty lines become one.
    """
    lines: list[str] = []
    for paragraph in text[:MOST_LETTERS].splitlines():
        clean = plain(paragraph)
        if clean:
            lines += _wrap_paragraph(clean, max(1, width))
        elif lines and lines[-1]:
            lines.append("")
    if len(text) > MOST_LETTERS:
        left_out = len(text) - MOST_LETTERS
        lines += ["", f"{count(left_out, 'more letter')} not shown."]
    return tuple(lines)


def paint_rules(event: Event | None, market: Market | None, width: int) -> tuple[Cell, ...]:
    """Paint the rules of the selected market, then the event's, then the resolution source.

    One cell for each line.
    """
    lines: list[Cell] = []
    if market is not None:
        lines += _section(market.question or market.title, market.description, width)
    if event is not None and (market is None or event.description != market.description):
        lines += _section(event.title, event.description, width)
    stated = [of.resolution_source for of in (market, event) if of is not None]
    return (*lines, *_sources(stated, width)) if stated else ()


def paint_comments(view: EventView, now: datetime, width: int) -> tuple[Cell, ...]:
    """Paint comments in the venue's order, with replies indented; one cell for each line."""
    lines: list[Cell] = []
    for comment in view.comments:
        lines += _paint_comment(comment, now, width)
    failed = f"Could not load the comments: {plain(view.problem)}"
    empty = explain_load(
        view.load, none="No comments yet.", failed=failed, loading="Loading comments…"
    )
    return tuple(lines) or (Cell(empty, Role.DIM),)


def paint_holder_rows(view: MarketView) -> tuple[Row, ...]:
    """Return a row for each of the largest holders, by outcome in the venue's order."""
    keys = unique_keys([f"{h.token_id}:{h.address}" for h in view.holders])
    most = max((holder.amount for holder in view.holders), default=0)
    return tuple(
        Row(key, _holder_cells(holder, view.market, most))
        for key, holder in zip(keys, view.holders, strict=True)
    )


def explain_no_holders(view: MarketView) -> str:
    """Return why no holders are listed."""
    failed = f" Could not load the holders: {plain(view.problem)}"
    return explain_load(
        view.load, none=" No holders listed.", failed=failed, loading=" Loading holders…"
    )


def _wrap_paragraph(clean: str, width: int) -> list[str]:
    lines: list[str] = []
    line = ""
    for word in clean.split(" "):
        if line and cell_width(line) + 1 + cell_width(word) <= width:
            line = f"{line} {word}"
            continue
        if line:
            lines.append(line)
        line = word
        while cell_width(line) > width:
            head = _take(line, width)
            lines.append(head)
            line = line[len(head) :]
    return [*lines, line] if line else lines


# Take at least one letter, or a letter wider than the line would loop for ever.
def _take(text: str, width: int) -> str:
    used = 0
    for index, letter in enumerate(text):
        used += cell_width(letter)
        if used > width and index:
            return text[:index]
    return text


def _section(title: str, text: str, width: int) -> list[Cell]:
    heads = [Cell(t, Role.HEADING, Emphasis.BOLD) for t in wrap_text(title, width)]
    body = wrap_text(text, width) or ("No rules are given.",)
    return [Cell(""), *heads, *(Cell(t) for t in body)]


def _sources(stated: Sequence[str], width: int) -> list[Cell]:
    # Market and event often state the same source, or only one of them states any.
    wrapped = dict.fromkeys(wrap_text(source, width) for source in stated)
    said = [line for lines in wrapped for line in lines] or ["none named besides the rules above"]
    return [Cell(""), Cell("Resolution source", Role.DIM), *(Cell(s, Role.KEY) for s in said)]


def _paint_comment(comment: Comment, now: datetime, width: int) -> list[Cell]:
    margin = "    " if comment.parent_id else ""
    head = margin + (plain(comment.author, 32) or "unnamed")
    if comment.created_at is not None:
        head += f"  {format_age((now - comment.created_at).total_seconds())} ago"
    if comment.reaction_count:
        head += f"  {count(comment.reaction_count, 'like')}"
    body = wrap_text(comment.body, width - len(margin))
    return [Cell(head, Role.KEY), *(Cell(margin + text) for text in body), Cell("")]


def _holder_cells(holder: Holder, market: Market | None, most: int) -> tuple[Cell, ...]:
    label = ""
    if market is not None and 0 <= holder.outcome_index < len(market.outcomes):
        label = market.outcomes[holder.outcome_index].label
    return (
        # Green and red are sides of a book; an outcome is neither.
        Cell(plain(label), emphasis=Emphasis.BOLD),
        Cell(f"{holder.amount // SCALE:,}" if holder.amount >= SCALE else "<1"),
        Cell(bar_text(holder.amount, most, _BAR_WIDTH).rstrip(), Role.DIM),
        Cell(plain(holder.name) or plain(holder.address)),
        Cell(plain(holder.address), Role.DIM),
    )

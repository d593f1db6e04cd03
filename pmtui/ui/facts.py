"""Small pieces shared by lists: optional prices, ages, and lines of facts."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from pmtui.domain.account.position import Stake
from pmtui.domain.markets.market import Market
from pmtui.domain.money import SCALE, Micros, counted_mid, is_one_sided, round_price
from pmtui.service.views import Load
from pmtui.ui.cells import Cell, Line, line_width
from pmtui.ui.format import (
    TENTH_OF_CENT,
    format_age,
    format_money_change,
    format_money_compact,
    format_paid,
    format_size_compact,
    format_time_left,
    read_average,
    read_change,
    read_distance,
    read_price,
)
from pmtui.ui.keys.actions import Keymap, key_label
from pmtui.ui.plain import plain
from pmtui.ui.theme.theme import Role, sign_role

ABSENT = "–"
STAR = "★"
PRICE_WIDTH = 6
CHANGE_WIDTH = 7
MONEY_WIDTH = 7
_IN_THOUSANDS = 10_000 * SCALE
LEFT_WIDTH = 6
LEAST_TAIL = 12
"""A shorter part of a sentence would say nothing."""
MINUTE_S = 60
_CENT = 10_000
FRESH_S = 35
"""Data no older than this counts as current: lists and the slowest polls update twice a minute."""


def paint_price(price: Micros | None, role: Role = Role.TEXT) -> Cell:
    """Paint a price, rounded to a tenth of a cent if the exact one does not fit.

    Whole cents get a decimal, too: the prices of a list line up on the point.
    """
    if price is None:
        return Cell(ABSENT, Role.DIM)
    text = read_price(price, tick=TENTH_OF_CENT)
    return Cell(text if len(text) <= PRICE_WIDTH else read_average(price), role)


def paint_spread(
    spread: Micros | None, role: Role = Role.TEXT, *, width: int = PRICE_WIDTH
) -> Cell:  # fmt: skip
    """Paint a spread, rounded to a tenth of a cent if the exact one does not fit."""
    if spread is None:
        return Cell(ABSENT, Role.DIM)
    text = read_distance(spread, tick=TENTH_OF_CENT)
    fits, rounded = len(text) <= width, round_price(spread, TENTH_OF_CENT)
    return Cell(text if fits else read_distance(rounded, tick=TENTH_OF_CENT), role)


def paint_mid(bid: Micros | None, ask: Micros | None, role: Role) -> Cell:
    """Paint the counted mid, with `~` if one side is empty, so that its price is assumed.

    A mid between two ticks keeps its last digit if that fits, as in the head of its market.
    """
    middle = counted_mid(bid, ask)
    if middle is None or not is_one_sided(bid, ask):
        return paint_price(middle, role)
    text = f"~{read_price(middle, tick=TENTH_OF_CENT)}"
    return Cell(text if len(text) <= PRICE_WIDTH else f"~{read_average(middle)}", role)


def paint_change(change: Micros | None) -> Cell:
    """Paint a day's change, to a tenth of a cent, with its sign."""
    if change is None:
        return Cell(ABSENT, Role.DIM)
    if not change:
        return Cell(read_change(Micros(0)), Role.DIM)
    size = Micros(abs(change))
    if 2 * size <= TENTH_OF_CENT:
        sign = "+" if change > 0 else "-"
        return Cell(f"{sign}<{read_distance(TENTH_OF_CENT)}", Role.DIM)
    rounded = Micros(round_price(size, TENTH_OF_CENT) * (1 if change > 0 else -1))
    return Cell(read_change(rounded), Role.UP if change > 0 else Role.DOWN)


def paint_money(amount: Micros | None, role: Role = Role.TEXT) -> Cell:
    """Paint cash for a narrow column."""
    if amount is None:
        return Cell(ABSENT, Role.DIM)
    # From 10,000 on in thousands, so that a column of amounts reads alike.
    width = MONEY_WIDTH - (_IN_THOUSANDS <= amount < 10 * _IN_THOUSANDS)
    return Cell(format_money_compact(amount, width=width).strip(), role)


def paint_gain(amount: Micros | None, width: int = 14) -> Cell:
    """Paint a gain or a loss, by its sign as well as by its colour."""
    if amount is None:
        return Cell(ABSENT, Role.DIM)
    role = sign_role(amount)
    text = format_money_change(amount)
    if len(text) > width:
        sign = "+" if amount > 0 else ""
        text = sign + format_money_compact(amount, width=width - len(sign)).strip()
    return Cell(text, role)


def paint_average(net: Stake) -> Cell:
    """Paint the average of a net position, with `~` where what pairs locked in is part of it."""
    if net.entry is None:
        return Cell(ABSENT, Role.DIM)
    return Cell(f"{mark_of(net)}{format_paid(net.entry)}")


def mark_of(net: Stake | None) -> str:
    """Return `~` where what pairs locked in is part of the figures of a net position."""
    return "~" if net is not None and net.is_estimate else ""


def paint_apart(net: Stake, *, is_counted: bool = True) -> Line:
    """Paint what pairs bring beside a net position; empty below a cent."""
    if abs(net.apart) < _CENT:
        return ()
    size = f"{format_size_compact(net.pairs).strip()} " if is_counted else ""
    return (Cell(f"{size}pairs ", Role.DIM), paint_gain(net.apart))


def paint_time_left(end_at: datetime | None, now: datetime, *, is_closed: bool = False) -> Cell:
    """Paint the time left."""
    if is_closed:
        return Cell("closed", Role.DIM)
    if end_at is None:
        return Cell(ABSENT, Role.DIM)
    seconds = (end_at - now).total_seconds()
    text = format_time_left(seconds, width=LEFT_WIDTH).strip()
    return Cell(text, Role.DIM if seconds > 0 else Role.STALE)


def describe_age(as_of: datetime | None, now: datetime) -> Cell:
    """Paint the age of a list; the text does not change while the list is fresh."""
    if as_of is None:
        return Cell("not loaded yet", Role.DIM)
    age_s = (now - as_of).total_seconds()
    if age_s <= FRESH_S:
        return Cell("updated now", Role.VERIFIED)
    return Cell(f"updated {format_age(age_s)} ago", Role.STALE)


def format_price_age(as_of: datetime | None, now: datetime) -> str:
    """Write the age of a stale price: `<1m`, `3m`, `2h`; it changes once a minute at most."""
    if as_of is None:
        return ABSENT
    age_s = (now - as_of).total_seconds()
    return "<1m" if age_s < MINUTE_S else format_age(age_s)


class LiveRows(NamedTuple):
    """How many rows of a list are live."""

    live: int
    """Rows with prices from a good streamed book."""
    priced: int
    """Rows whose price can move."""
    loading: int = 0
    """Rows that have just come into view: their books are asked for, not late."""


NO_ROWS = LiveRows(live=0, priced=0)


def describe_prices_age(as_of: datetime | None, now: datetime, rows: LiveRows) -> Cell:
    """Paint the age of a list and its prices: `updated now` only if every price is live or loading."""
    age = describe_age(as_of, now)
    if age.role is not Role.VERIFIED or rows.live + rows.loading >= rows.priced:
        return age
    return Cell(f"{rows.live} of {rows.priced} live", Role.STALE)


def key_of(keymap: Keymap, action_id: str) -> str:
    """Return the user's key for an action, to be named in a sentence."""
    keys = keymap.keys_of(action_id)
    return key_label(keys[0]) if keys else "the palette"


def join_facts(
    facts: Iterable[Cell | Line], width: int, *, separator: str = "  ", tail: str = ""
) -> Line:
    """Join facts in one line with a margin; facts that do not fit whole are left out.

    Args:
        facts: the most important first; a fact may consist of several cells.
        width: of the line.
        separator: between two facts.
        tail: a text for the end of the line, which may be cropped.
    """
    line: list[Cell] = [Cell(" ")]
    used = 1
    for fact in facts:
        cells = (fact,) if isinstance(fact, Cell) else fact
        gap = len(separator) if len(line) > 1 else 0
        if not cells or used + gap + line_width(cells) > width:
            continue
        if gap:
            line.append(Cell(separator, Role.DIM))
        line += cells
        used += gap + line_width(cells)
    if tail and width - used > LEAST_TAIL:
        line.append(Cell(separator + tail if len(line) > 1 else tail, Role.DIM))
    return tuple(line)


def explain_load(load: Load, *, none: str, failed: str, loading: str) -> str:
    """Return why a list is empty: nothing there, not loaded, or not yet."""
    return {Load.READY: none, Load.FAILED: failed}.get(load, loading)


def name_fact(name: str, cell: Cell) -> Line:
    """Return a number with its name before it."""
    return (Cell(f"{name} ", Role.DIM), cell)


def indent(line: Line) -> Line:
    """Return a line with a margin at its left."""
    return (Cell(" "), *line)


def with_star(title: str, *, is_starred: bool) -> str:
    """Return a title, with a star before it if it is starred."""
    return f"{STAR} {title}" if is_starred else title


def paint_star(*, is_starred: bool) -> Cell:
    """Paint the mark before a name, in a place of its own: names stay aligned."""
    return Cell(STAR if is_starred else "", Role.KEY)


def first_label(market: Market) -> str:
    """Return the first outcome's name, sanitized."""
    return plain(market.outcomes[0].label) if market.outcomes else ""


def unique_keys(bases: Sequence[str]) -> tuple[str, ...]:
    """Return distinct row keys; repeats are numbered from the oldest, which is listed last."""
    seen: dict[str, int] = {}
    keys: list[str] = []
    for base in reversed(bases):
        number = seen.get(base, 0)
        seen[base] = number + 1
        keys.append(f"{base}#{number}" if number else base)
    return tuple(reversed(keys))

"""The lines above and below the ladder: the book's state, and the facts of the cursor's row."""

from collections.abc import Iterable
from datetime import datetime
from itertools import product

from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.books.ladder import Ladder, Rung
from pmtui.domain.conditionals.conditional import Trigger
from pmtui.domain.formats import format_shares
from pmtui.domain.markets.market import Market, Side, Trading
from pmtui.domain.money import ONE, SCALE, Micros
from pmtui.domain.orders.flattening import Closing
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line, line_width
from pmtui.ui.facts import paint_apart
from pmtui.ui.format import (
    format_age,
    format_money_compact,
    format_paid,
    format_price,
    format_size_compact,
    write_clock,
    zone_at,
)
from pmtui.ui.ladder.ladder_viewport import Beyond
from pmtui.ui.ladder.paint_ladder import FIRST, estimate_text, profit_text
from pmtui.ui.plain import plain
from pmtui.ui.theme.theme import Role, sign_role
from pmtui.ui.widgets.panel import trim_line

_STATE_ROLES = {
    BookState.LOADING: Role.DIM,
    BookState.LIVE: Role.TEXT,
    BookState.VERIFIED: Role.VERIFIED,
    BookState.STALE: Role.STALE,
    BookState.OVERDUE: Role.STALE,
    BookState.CROSSED: Role.CROSSED,
    BookState.LOSSY: Role.CROSSED,
    BookState.TICK_CHANGED: Role.STALE,
    BookState.NO_BOOK: Role.DIM,
}
_MEANINGS = {
    BookState.LOADING: "waiting for a snapshot",
    BookState.LIVE: "",
    BookState.VERIFIED: "",
    BookState.STALE: "no updates from the stream",
    BookState.OVERDUE: "not sent by the stream yet: fetching",
    BookState.CROSSED: "bid at or above ask: refetching",
    BookState.LOSSY: "update missed: refetching",
    BookState.TICK_CHANGED: "the tick changed: waiting for new levels",
    BookState.NO_BOOK: "the venue has no book here",
}

_LONGEST_LABEL = 14
_WEIGHED = 10
"""The width of the bar that compares bids with asks."""
_NAMED: Line = (Cell("LADDER ", Role.HEADING),)
_IN_TICKET: tuple[Line, ...] = ((Cell("enter review ", Role.DIM),), ())


def paint_state(  # noqa: PLR0913 - each is another fact of the line
    book: BookView,
    now: datetime,
    width: int,
    *,
    group: Micros | None = None,
    cursor: tuple[Micros, Side] | None = None,
    release_key: str = "",
    away: tuple[str, str] | None = None,
    keys: Line = (),
    is_in_ticket: bool = False,
    is_covered: bool = False,
    trading: Trading = Trading.OPEN,
) -> tuple[Line, Line]:
    """Paint the state of the book, and what `enter` would do at the cursor.

    Returns the left and the right part of the title.

    Args:
        book: the book shown.
        now: for its age.
        width: the cells for both parts.
        group: the ladder's grouping.
        cursor: the cursor's price and the side that `enter` trades.
        release_key: the key that releases a held axis; empty while it follows.
        away: where the spread is when out of view, and the key that centres it.
        keys: the state of single keys, which is always shown.
        is_in_ticket: whether the ticket has the focus, so `enter` does nothing at the cursor.
        is_covered: whether a form or a question is open, which explains `enter` itself.
        trading: whether the market takes orders; without it `enter` is not explained.
    """
    left, short = _words_of(book, now, group=group, keys=keys, trading=trading)
    meaning = "" if trading is Trading.CLOSED else _MEANINGS[book.state]
    hints = _IN_TICKET if is_in_ticket else _hints(cursor, book.tick_size)
    # Warnings come before hints.
    is_quiet = (cursor is None or is_in_ticket) and (keys or meaning or release_key or away)
    if trading is not Trading.OPEN or is_covered or is_quiet or not _has_aim(book, cursor):
        hints = ((),)
    # What `enter` does at a price is worth more than the name, any other hint less.
    aims = (hints,) if cursor is None or is_in_ticket else (hints[:-1], hints[-1:])
    choices = (
        ((*name, *said, Cell(hold, Role.KEY), Cell(note, Role.DIM)), hint)
        for aim, name, said in product(aims, (_NAMED, ()), (left, short))
        for hold in _standing(release_key, away)
        for hint, note in product(aim, (f"{meaning} ", "") if meaning else ("",))
    )
    return _first_that_fits(choices, width) or (fit_line(left, width), ())


def _words_of(
    book: BookView, now: datetime, *, group: Micros | None, keys: Line, trading: Trading
) -> tuple[Line, Line]:
    """Return what a book is worth beside what gives way to nothing; and the same for where room is scarce."""
    word, kept = state_word(book, now, trading), keys
    if group is not None and group != book.tick_size:
        # A grouped ladder never looks like one of single ticks.
        kept = (*keys, Cell(f" group {format_price(group)} ", Role.KEY))
    whole = (*keys, word, *kept[len(keys) :])
    # That a book is good is the rule: of several words, this one makes way first.
    is_usual = kept and book.state.is_good and trading is Trading.OPEN
    return whole, kept if is_usual else whole


def _first_that_fits(choices: Iterable[tuple[Line, Line]], width: int) -> tuple[Line, Line] | None:
    for line, hint in choices:
        whole, value = trim_line(line), trim_line(hint)
        if line_width(whole) + line_width(value) <= width:
            return whole, value
    return None


def state_word(book: BookView, now: datetime, trading: Trading = Trading.OPEN) -> Cell:
    """Paint the state of a book in a word, with its age if it is old; or that trading has stopped.

    A good book is no basis for trading while the market takes no orders.
    """
    if trading is Trading.CLOSED or (trading is not Trading.OPEN and book.state.is_good):
        return Cell(f" {trading.value} ", Role.STALE, Emphasis.BOLD)
    word = book.state.words
    if book.state in (BookState.STALE, BookState.OVERDUE) and book.as_of is not None:
        word += f" {format_age((now - book.as_of).total_seconds())}"
    return Cell(f" {word} ", _STATE_ROLES[book.state], Emphasis.BOLD)


def _has_aim(book: BookView, cursor: tuple[Micros, Side] | None) -> bool:
    """Return whether `enter` has an effect to explain."""
    return bool(book.bids or (cursor is not None and (book.asks or book.state.is_good)))


def _standing(release_key: str, away: tuple[str, str] | None) -> tuple[str, ...]:
    """Return texts, longest first, that say where the spread is, else that the axis is held."""
    if away is not None:
        where, key = away
        sign = "↑" if where == "above" else "↓"
        return (f" spread {where}: {key} centres ", f" spread {where} ", f" spread {sign} ")
    return (f" axis held: {release_key} frees it ", " held ") if release_key else ("",)


def _hints(cursor: tuple[Micros, Side] | None, tick: Micros | None) -> tuple[Line, ...]:
    """Return texts for what `enter` does, longest first; the last is empty."""
    if cursor is None:
        return ((Cell("enter go to best bid ", Role.DIM),), ())
    price, side = cursor
    is_buy = side is Side.BUY
    said = (
        Cell("buy @ " if is_buy else "sell @ ", Role.BID if is_buy else Role.ASK),
        Cell(f"{format_price(price, tick=tick)} "),
    )
    return ((Cell("enter ", Role.DIM), *said), said, ())


def paint_facts(
    ladder: Ladder,
    cursor: Micros | None,
    width: int,
    *,
    in_view: tuple[Micros, Micros] = (Micros(0), Micros(0)),
    is_good: bool = True,
    closing: Closing | None = None,
) -> Line:
    """Paint the facts of the cursor's row, else of the position, for which there is no column.

    Facts that do not fit are left out whole. What closing would bring now is told
    of a good book only, and where no panel beside the ladder tells it.
    """
    if cursor is not None:
        facts = _row_facts(ladder, cursor)
    else:
        facts = [
            *_imbalance(*in_view, is_good=is_good),
            *_holding_facts(ladder, closing),
        ]
    line: list[Cell] = []
    used = 0
    for fact in facts:
        gap = "  " if line else " "
        more = len(gap) + line_width(fact)
        # The last cell stays free: a frame or another pane is next to it.
        if used + more < width:
            used += more
            line += [Cell(gap), *fact]
    return fit_line(tuple(line), width)


def paint_beyond(
    above: Beyond | None, below: Beyond | None, *, tick: Micros
) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """Say how much of ours is above the rows in view and below them, with the nearest price.

    In forms of which the longest comes first; no forms where nothing is there.
    """
    return _forms_of("↑", above, tick), _forms_of("↓", below, tick)


def _forms_of(sign: str, beyond: Beyond | None, tick: Micros) -> tuple[Line, ...]:
    if beyond is None:
        return ()
    price, number = format_price(beyond.price, tick=tick), str(beyond.number)
    forms = [(f" {number} {beyond.word}", f" {price}"), (number, f" {price}")]
    if beyond.number == 1:
        forms += [("", price)]
    forms += [(number, ""), ("", "")]
    return tuple(
        (Cell(sign, Role.KEY), Cell(ours, Role.OWN_ORDER, Emphasis.BOLD), Cell(at))
        for ours, at in forms
    )


def paint_ending(
    market: Market | None, *, held: str = "", last: tuple[Micros, datetime | None] | None = None,
    window_keys: tuple[str, str] | None = None,
) -> tuple[Line, ...]:  # fmt: skip
    """Say how a market has ended, in lines for the middle of its empty ladder; none while it has not.

    Args:
        market: its outcomes' names are untrusted.
        held: what was held of it and what became of that.
        last: the last trade's price, and when it was if that is known.
        window_keys: what leads to the earlier and the later window of its series; None without one.
    """
    if market is None or market.trading is not Trading.CLOSED:
        return ()
    won = next((outcome.label for outcome in market.outcomes if outcome.price == ONE), None)
    if won is None:
        lines: list[Line] = [(Cell("CLOSED", Role.STALE, Emphasis.BOLD),)]
    else:
        name = Cell(
            f" {plain(won, _LONGEST_LABEL)} ", Role.HEADING, Emphasis.BOLD | Emphasis.REVERSE
        )
        lines = [(Cell("RESOLVED ", Role.STALE, Emphasis.BOLD), name)]
    if held:
        lines.append((Cell(held, emphasis=Emphasis.BOLD),))
    facts = _ending_facts(market, last)
    lines += [(), *facts] if facts else []
    if window_keys is not None and all(window_keys):
        earlier, later = (Cell(key, Role.KEY, Emphasis.BOLD) for key in window_keys)
        lines += [(), (earlier, Cell(" earlier  ", Role.DIM), later, Cell(" later", Role.DIM))]
    return tuple(lines)


def _ending_facts(market: Market, last: tuple[Micros, datetime | None] | None) -> list[Line]:
    """Return the last trade, which is not the result, and what was traded in all."""
    lines: list[Line] = []
    if last is not None:
        price, at = last
        when = "" if at is None else f" at {write_clock(at)} {zone_at(at)}"
        lines.append(
            (Cell("last trade ", Role.DIM), Cell(format_price(price)), Cell(when, Role.DIM))
        )
    if market.volume is not None:
        lines.append((Cell("volume ", Role.DIM), Cell(format_money_compact(market.volume))))
    return lines


def _row_facts(ladder: Ladder, cursor: Micros) -> list[Line]:
    rung = ladder.rung_at(cursor)
    price = format_price(rung.price, tick=ladder.axis.tick)
    first, rest = _facts_of_row(rung)
    profit: list[Line] = []
    own = rung.resting_profit
    if (gain := rung.profit if own is None else own) is not None:
        text = profit_text(gain, 9).strip()
        profit = [(Cell("P&L ", Role.DIM), Cell(text, sign_role(gain)))]
    row = ladder.axis.price_at(ladder.index_of(cursor))
    facts: list[Line] = [(Cell(price),)]
    if row == cursor:
        facts += [*first, *profit, *rest]
    else:
        # The totals of a row are larger than the sizes at one of its prices.
        facts += profit
        if counted := (*first, *rest):
            at = format_price(row, tick=ladder.axis.tick)
            facts += [(Cell(f"row {at}: ", Role.DIM), *counted[0]), *counted[1:]]
    band = ladder.placed.band
    if rung.is_in_band and band is not None and not rung.is_scoring:
        least = format_size_compact(band.min_size, width=6).strip()
        own = Micros(rung.own_bid + rung.own_ask)
        is_small = own > 0 and not band.takes(rung.price, own)
        note = f"rewards need {least}" if is_small else f"rewards from {least}"
        facts.append((Cell(note, Role.NOTICE_WARN if is_small else Role.DIM),))
    return facts


def _facts_of_row(rung: Rung) -> tuple[list[Line], list[Line]]:
    """Return the facts of own orders on a row, and those of the book."""
    ours: list[Line] = []
    for mark in rung.stops:
        word = "stop" if mark.trigger is Trigger.STOP else "target"
        paused = "" if mark.is_active else " paused"
        shares = format_size_compact(mark.size, width=6).strip()
        ours.append((Cell(f"{word}{paused} ", Role.NOTICE_WARN), Cell(shares)))
    if rung.ahead is not None:
        far = rung.ahead_of_last
        if far is None and not rung.ahead:
            ours.append((Cell(FIRST),))
        else:
            last = () if far is None else (Cell(" to ", Role.DIM), Cell(estimate_text(far, 6)))
            ours.append((Cell(estimate_text(rung.ahead, 6)), *last, Cell(" ahead", Role.DIM)))
    if rung.is_scoring:
        ours.append((Cell("earns", Role.NOTICE_GOOD),))
    sizes: list[Line] = []
    for word, size in (("bid", rung.bid_size), ("ask", rung.ask_size)):
        # The row shows whole shares.
        if size % SCALE:
            sizes.append((Cell(f"{word} ", Role.DIM), Cell(format_shares(size))))
    for name, size in (("depth", rung.depth), ("traded", rung.traded)):
        if size:
            text = format_size_compact(size, width=6).strip()
            sizes.append((Cell(f"{name} ", Role.DIM), Cell(text)))
    return ours, sizes


def _imbalance(bid: Micros, ask: Micros, *, is_good: bool) -> list[Line]:
    """Weigh what is bid for in view against what is asked for; old sums look old."""
    if not bid and not ask:
        return []
    sizes = [format_size_compact(size, width=5).strip() for size in (bid, ask)]
    bids, asks = (Role.BID, Role.ASK) if is_good else (Role.STALE, Role.STALE)
    part = (2 * bid * _WEIGHED + bid + ask) // (2 * (bid + ask))
    return [
        (
            Cell("in view ", Role.DIM), Cell(sizes[0], bids), Cell(" "),
            Cell("█" * part, bids), Cell("░" * (_WEIGHED - part), asks),
            Cell(" "), Cell(sizes[1], asks),
        )
    ]  # fmt: skip


def _holding_facts(ladder: Ladder, closing: Closing | None) -> list[Line]:
    facts: list[Line] = []
    net = ladder.placed.marks.net
    mark = "~" if net is not None and net.is_estimate else ""
    if closing is not None:
        text = profit_text(closing.profit, 9).strip()
        part = f"{format_size_compact(closing.fills, width=6).strip()} " * closing.is_partial
        cell = Cell(mark + text, sign_role(closing.profit))
        facts.append((Cell("exit ", Role.DIM), Cell(part), cell))
    if net is not None and net.entry is not None:
        facts.append((Cell("avg ", Role.DIM), Cell(mark + format_paid(net.entry))))
    if (row := ladder.placed.even) is not None:
        text = format_price(ladder.axis.price_at(row), tick=ladder.axis.tick)
        facts.append((Cell("b/e ", Role.DIM), Cell(mark + text)))
    if net is not None and net.apart and (apart := paint_apart(net)):
        facts.append(apart)
    return facts

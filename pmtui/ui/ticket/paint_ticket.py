"""Paints the ticket: what an order would do, what is wrong with it, and how it ended.

On a ticket of one line, problems name their field, because they are shown below all of them.
Messages about an order come first, then blocking problems, then figures, then more than one line of
warnings. The number of lines is constant, so that nothing above them moves; if some do not fit, a
mark shows the key that shows them all.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import NamedTuple

from pmtui.domain.books.book_view import BookView
from pmtui.domain.formats import format_shares
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, complement, write_fee
from pmtui.domain.orders.amounts import size_ceil
from pmtui.domain.orders.order import Accepted, Order, OrderStatus, Rejected, Unknown, Verdict
from pmtui.domain.ticket.draft import (
    OrderKind,
    Problem,
    SizeUnit,
    TicketDraft,
    TicketField,
    unit_of,
)
from pmtui.domain.ticket.estimate import TicketNumbers
from pmtui.domain.ticket.ticket import RewardsOutlook, TicketAfter
from pmtui.service.surface import PreparedOrder
from pmtui.ui.cells import Cell, Emphasis, Line, choose_form, fit_line, line_width
from pmtui.ui.format import (
    format_average,
    format_cost,
    format_money,
    format_percent,
    format_price,
)
from pmtui.ui.plain import cell_width, plain
from pmtui.ui.portfolio.paint_orders import describe_fill_price
from pmtui.ui.theme.theme import Role

FIELD_NAMES = {
    TicketField.SIDE: "Side",
    TicketField.KIND: "Kind",
    TicketField.OUTCOME: "Outcome",
    TicketField.TIME_IN_FORCE: "Time in force",
    TicketField.PRICE: "Price",
    TicketField.SIZE: "Size",
    TicketField.POST_ONLY: "Post-only",
    TicketField.EXPIRY: "Expiry",
    TicketField.STOP: "Stop",
    TicketField.TARGET: "Target",
}
BELOW = 2
"""The constant number of lines below the fields of a ticket on one line."""
_GAP = 2
_LABEL = 13
_VALUE = 14
"""The width of a figure: farther from its label it would be hard to follow the line."""
_LATER = frozenset({"payout", "cash after", "takes", "b/e", "rewards"})
"""Figures that are dropped first when all share one line."""


class _Figure(NamedTuple):
    short: str
    label: str
    value: str


def side_role(side: Side) -> Role:
    """Return the colour of a side, whose word is always shown, too."""
    return Role.BID if side is Side.BUY else Role.ASK


def wrap_text(text: str, width: int) -> tuple[str, ...]:
    """Wrap a text between words, and within words wider than the line."""
    lines = [""]
    for word in text.split():
        rest = word
        while rest:
            room = width - cell_width(lines[-1]) - (1 if lines[-1] else 0)
            if cell_width(rest) <= room:
                lines[-1] += f" {rest}" if lines[-1] else rest
                break
            if lines[-1]:
                lines.append("")
                continue
            head = _head(rest, width)
            lines[-1], rest = head, rest[len(head) :]
    return tuple(lines)


def paint_text(
    text: str, width: int, role: Role = Role.TEXT, emphasis: Emphasis = Emphasis.NONE
) -> tuple[Line, ...]:
    """Paint a text in as many lines as it takes."""
    return tuple((Cell(part, role, emphasis),) for part in wrap_text(text, width))


def paint_outcome(outcome: str, title: str) -> Line:
    """Paint the outcome and the market of an order."""
    return (
        Cell(plain(outcome, 24), Role.HEADING),
        Cell("  "),
        Cell(plain(title), Role.DIM),
    )


def paint_market(book: BookView, tick: Micros | None, *, is_without_own: bool) -> Line:
    """Paint the best prices of both sides, and whether own orders are excluded."""
    prices = (
        "-" if price is None else format_price(price, tick=tick)[:-1]
        for price in (book.best_bid, book.best_ask)
    )
    cells = [Cell(" / ".join(prices), Role.TEXT if book.state.is_good else Role.STALE)]
    if is_without_own:
        cells.append(Cell(" without yours", Role.DIM))
    if not book.state.is_good:
        cells.append(Cell(f" {book.state.words}", Role.STALE))
    return tuple(cells)


def paint_touch(book: BookView | None, tick: Micros | None, *, width: int = 0) -> Line:
    """Paint the best prices beside the price field; the state of a doubtful book as a word.

    Args:
        book: the book; None while there is none.
        tick: sets the digits of the prices.
        width: the cells available, 0 for any number; words go before a price is cut.
    """
    sign = Cell("¢ ", Role.DIM)
    if book is None:
        return (sign,)
    role = Role.DIM if book.state.is_good else Role.STALE
    doubt = () if book.state.is_good else (Cell(f" {book.state.words}", Role.STALE),)
    bid, ask = (
        "-" if price is None else format_price(price, tick=tick)[:-1]
        for price in (book.best_bid, book.best_ask)
    )
    texts = (f" {bid} / {ask}", f"{bid}/{ask}")
    forms: list[Line] = [
        (sign, Cell(text, role), *words) for words in (doubt, ()) for text in texts
    ]
    return choose_form((*forms, (sign,)), width) if width else forms[0]


def paint_problem(
    problem: Problem, draft: TicketDraft, width: int, *, key: str = "", is_quiet: bool = False
) -> tuple[Line, ...]:
    """Paint a problem, and the key that fixes it.

    Args:
        problem: the problem.
        draft: the current fields, to describe the fix.
        width: the cells available.
        key: the key that applies the fix; empty if none does.
        is_quiet: whether the field is merely empty so far.
    """
    role = Role.NOTICE_WARN if problem.is_warning else Role.NOTICE_BAD
    sign = "!" if problem.is_warning else "x"
    if is_quiet:
        role, sign = Role.DIM, " "
    text = plain(problem.text)
    lines: list[Line] = [
        (Cell(f"{sign} " if n == 0 else "  ", role), Cell(part, role))
        for n, part in enumerate(wrap_text(text, max(8, width - 2)))
    ]
    if problem.fix is not None and key:
        fix = (Cell(f"{key} ", Role.KEY), Cell(describe_fix(draft, problem.fix), Role.TEXT))
        if line_width(lines[-1]) + _GAP + line_width(fix) <= width:
            lines[-1] = (*lines[-1], Cell(" " * _GAP), *fix)
        else:
            lines.append((Cell("  "), *fix))
    return tuple(lines)


def describe_fix(draft: TicketDraft, fix: TicketDraft) -> str:
    """Return what a fix would change."""
    changes: list[str] = []
    if fix.kind is not draft.kind:
        changes.append(fix.kind.value)
    if fix.time_in_force is not draft.time_in_force:
        changes.append(fix.time_in_force.value)
    if fix.is_post_only != draft.is_post_only:
        changes.append("post-only" if fix.is_post_only else "not post-only")
    if fix.price_text != draft.price_text and fix.price_text:
        changes.append(f"at {fix.price_text}¢")
    if fix.size_text != draft.size_text or fix.size_unit is not draft.size_unit:
        changes.append(_describe_size(fix))
    if fix.expiry_text != draft.expiry_text:
        changes.append(f"for {fix.expiry_text}")
    return " ".join(changes)


def paint_figures(
    draft: TicketDraft,
    numbers: TicketNumbers | None,
    *,
    width: int,
    height: int,
    ends: datetime | None = None,
    after: TicketAfter | None = None,
    is_mirrored: bool = False,
) -> tuple[Line, ...]:
    """Paint what the order would do, one figure to a line if they fit.

    On a small screen figures share lines; one that does not fit is left out whole, the least
    important first, because half a number is a wrong number.
    """
    if height <= 0:
        return ()
    figures: list[_Figure] = []
    if ends is not None:
        figures.append(_Figure("ends", "Ends", f"{ends:%d %b %H:%M %Z}"))
    if numbers is not None:
        figures += _figures(draft, numbers, _Axis(is_mirrored=is_mirrored))
    if not figures:
        return ()
    axis = _Axis(is_mirrored=is_mirrored)
    later = _later_figures(after, axis) if after is not None else []
    if height >= len(figures) and all(len(f.value) < width - _LABEL for f in figures):
        # Figures of the time after the fill take the remaining lines.
        figures += [f for f in later if len(f.value) < width - _LABEL][: height - len(figures)]
        # All end in one column, also beside one that is longer than usual.
        longest = max(_VALUE, *(len(f.value) for f in figures))
        return tuple(
            (
                Cell(f" {f.label:<{_LABEL}}", Role.DIM),
                Cell(f.value.rjust(min(width - _LABEL - 1, longest))),
            )
            for f in figures
        )
    return _pack_figures([*figures, *later], width, height)


def _pack_figures(figures: list[_Figure], width: int, height: int) -> tuple[Line, ...]:
    """Let figures share lines; one that does not fit is left out whole."""
    if height == 1:
        # What happens to the order comes before its later payout.
        figures.sort(key=lambda figure: figure.short in _LATER)
    lines: list[Line] = [()]
    for figure in figures:
        piece: Line = (Cell(f"{figure.short} ", Role.DIM), Cell(figure.value))
        size = line_width(piece)
        if lines[-1] and line_width(lines[-1]) + _GAP + size <= width:
            lines[-1] = (*lines[-1], Cell(" " * _GAP), *piece)
        elif size < width and not lines[-1]:
            lines[-1] = (Cell(" "), *piece)
        elif size < width and len(lines) < height:
            lines.append((Cell(" "), *piece))
    return tuple(line for line in lines if line)


def paint_verdict(verdict: Verdict, order: PreparedOrder | None) -> Line:
    """Paint how an order ended, or that this is unknown."""
    match verdict:
        case Accepted():
            size = order.size if order is not None else verdict.filled_size
            outcome = plain(order.outcome, 16) if order is not None else ""
            if verdict.status is OrderStatus.LIVE and order is not None:
                side = order.intent.side.value
                price = format_price(order.price)
                what = f"{side} {format_shares(size)} {outcome} @ {price}"
                return (Cell(f"+ Working: {what}", Role.NOTICE_GOOD),)
            words = _describe_end(verdict, size, outcome)
            return (Cell(f"+ Accepted: {words}", Role.NOTICE_GOOD),)
        case Rejected():
            reason = plain(verdict.reason)
            return (Cell(f"x Refused: {reason}", Role.NOTICE_BAD),)
        case Unknown():
            reason = plain(verdict.reason)
            return (
                Cell("! Unconfirmed, checking. ", Role.NOTICE_WARN, Emphasis.BOLD),
                Cell(f"It may be working. {reason}", Role.NOTICE_WARN),
            )


def paint_life(known: Order, order: PreparedOrder) -> Line:
    """Paint the later state of an accepted order."""
    outcome = plain(order.outcome, 16)
    whole = f"{format_shares(order.size)} {outcome}"
    filled = f"{format_shares(known.matched_size)} {outcome} filled, the rest"
    ended = filled if known.matched_size else whole
    match known.status:
        case OrderStatus.CANCELLED:
            words = f"{ended} cancelled"
        case OrderStatus.EXPIRED:
            words = f"{ended} expired"
        case OrderStatus.REJECTED:
            words = f"{whole} rejected after all"
        case _:
            verdict = Accepted(known.order_id, known.status, known.matched_size, "")
            words = _describe_end(verdict, order.size, outcome)
    if known.reason:
        words = f"{words}: {known.reason}"
    is_whole = known.status is OrderStatus.FILLED
    is_over = not known.status.is_open
    role = Role.NOTICE_WARN if is_over and not is_whole else Role.NOTICE_GOOD
    sign = "!" if is_over and not is_whole else "+"
    return (Cell(f"{sign} Order: {plain(words)}", role),)


def wrap_line(line: Line, width: int, *, most: int) -> tuple[Line, ...]:
    """Wrap a line of cells between words into at most `most` lines."""
    lines: list[list[Cell]] = [[]]
    for cell in line:
        for number, word in enumerate(cell.text.split(" ")):
            text = f" {word}" if number else word
            used = line_width(tuple(lines[-1]))
            if used and used + cell_width(text) > width and len(lines) < most:
                lines.append([])
                text = word
            if text and lines[-1] and lines[-1][-1]._replace(text="") == cell._replace(text=""):
                lines[-1][-1] = cell._replace(text=lines[-1][-1].text + text)
            elif text:
                lines[-1].append(cell._replace(text=text))
    return tuple(tuple(each) for each in lines)


class _Axis(NamedTuple):
    """Writes prices as the ladder shows them: those of a mirrored order as complements."""

    is_mirrored: bool

    def price(self, price: Micros) -> str:
        return format_price(complement(price) if self.is_mirrored else price)

    def average(self, price: Micros) -> str:
        return format_average(complement(price) if self.is_mirrored else price)

    def met(self, *, is_buy: bool) -> str:
        """Name the side of the ladder that the order takes."""
        return "asks" if is_buy is not self.is_mirrored else "bids"


def _figures(draft: TicketDraft, numbers: TicketNumbers, axis: _Axis) -> list[_Figure]:
    is_buy = draft.side is Side.BUY
    figures = _cash_figures(numbers, is_buy=is_buy)
    figures.append(_fee_figure(numbers))
    if is_buy and not numbers.does_nothing:
        figures.append(_Figure("payout", "Payout", format_money(numbers.payout)))
    filled = "nothing"
    if numbers.fills_now and numbers.fills_now_average is not None:
        average = axis.average(numbers.fills_now_average)
        filled = f"{format_shares(numbers.fills_now)} at {average}"
    figures.append(_Figure("now", "Fills now", filled))
    worst = axis.price(numbers.limit)
    if numbers.rests:
        figures.append(_Figure("rests", "Rests", f"{format_shares(numbers.rests)} at {worst}"))
    if draft.kind is OrderKind.MARKET:
        shares = f"min {format_shares(numbers.shares)}"
        figures.insert(0, _Figure("shares", "Shares", shares))
        figures.insert(1, _Figure("limit", "Limit price", worst))
    elif unit_of(draft) is not SizeUnit.SHARES:
        figures.insert(0, _Figure("shares", "Shares", format_shares(numbers.shares)))
    if draft.kind is OrderKind.LIMIT and numbers.most_shares > numbers.shares:
        most = format_shares(size_ceil(numbers.most_shares))
        figures.insert(0, _Figure("shares", "Shares", f"max {most}"))
    if numbers.cash_after is not None:
        figures.append(_Figure("cash after", "Cash after", format_money(numbers.cash_after)))
    if numbers.fills_now and numbers.depth_share is not None:
        share = format_percent(numbers.depth_share)
        # A small share is never shown as zero.
        share = f"{'<0.1%' if share == '0.0%' else share} of {axis.met(is_buy=is_buy)}"
        figures.append(_Figure("takes", "Takes", share))
    return figures


def _later_figures(after: TicketAfter, axis: _Axis) -> list[_Figure]:
    figures: list[_Figure] = []
    if after.even is not None:
        price = axis.price(after.even)
        figures.append(_Figure("b/e", "Break-even", price))
    if after.rewards is not None and after.outlook is not None:
        spread = format_price(after.rewards.max_spread)
        said = {
            RewardsOutlook.EARNS: "yes, at this mid",
            RewardsOutlook.TOO_SMALL: f"from {format_shares(after.rewards.min_size)}",
            RewardsOutlook.TOO_FAR: f"within {spread} of mid",
        }[after.outlook]
        figures.append(_Figure("rewards", "Rewards", said))
    return figures


def _fee_figure(numbers: TicketNumbers) -> _Figure:
    """Return the fee of what fills now, or the most it may be."""
    if not numbers.fills_now and numbers.most_fee:
        return _Figure("fee", "Fee", f"max {write_fee(numbers.most_fee)}")
    return _Figure("fee", "Fee", write_fee(numbers.fee))


def _cash_figures(numbers: TicketNumbers, *, is_buy: bool) -> list[_Figure]:
    """Return the expected amount, and the signed one if it differs."""
    say = format_cost if is_buy else format_money
    expected, bound = say(numbers.expected_cash), say(numbers.cash)
    figures: list[_Figure] = []
    if not numbers.does_nothing:
        name = "Cost" if is_buy else "Proceeds"
        figures.append(_Figure(name.lower(), name, expected))
    if numbers.does_nothing or expected != bound:
        name = "Cost max" if is_buy else "Proceeds min"
        figures.append(_Figure(name.lower(), name, bound))
    return figures


def _describe_end(verdict: Accepted, size: Micros, outcome: str) -> str:
    """Say what filled and what is left, of an outcome if it is known."""
    of = f" {outcome}" if outcome else ""
    filled = verdict.filled_size
    left = format_shares(Micros(max(size - filled, 0)))
    done = f"{format_shares(filled)}{of} filled{describe_fill_price(verdict)}"
    match verdict.status:
        case OrderStatus.FILLED:
            return done
        case OrderStatus.PARTIALLY_FILLED:
            return f"{done}, {left} working"
        case OrderStatus.LIVE:
            return f"{left}{of} working"
        case OrderStatus.CANCELLED:
            return f"{done}, the rest cancelled"
        case OrderStatus.DELAYED:
            return f"{format_shares(size)}{of} delayed by the venue"
        case _:
            return verdict.status.words


def _describe_size(draft: TicketDraft) -> str:
    match unit_of(draft):
        case SizeUnit.SHARES:
            return f"{draft.size_text} {'share' if draft.size_text == '1' else 'shares'}"
        case SizeUnit.DOLLARS:
            return f"${draft.size_text.removeprefix('$')}"
        case SizeUnit.PERCENT:
            return f"{draft.size_text.removesuffix('%')}%"


def _head(word: str, width: int) -> str:
    taken = ""
    for character in word:
        if taken and cell_width(taken + character) > width:
            break
        taken += character
    return taken


def name_problem(problem: Problem, *, is_quiet: bool = False) -> Problem:
    """Return the problem with its field named in the text, unless the field is merely empty.

    Problems of the side are about the whole order: approvals, the market, the lock.
    """
    if is_quiet or problem.field is TicketField.SIDE:
        return problem
    return replace(problem, text=f"{FIELD_NAMES[problem.field]}: {problem.text}")


def pack_notes(notes: Iterable[tuple[Line, ...]], width: int) -> tuple[Line, ...]:
    """Join one-line notes side by side if they fit."""
    lines: list[Line] = []
    for note in notes:
        used = line_width(lines[-1]) + _GAP if lines else width
        if len(note) == 1 and used + line_width(note[0]) <= width:
            lines[-1] = (*lines[-1], Cell(" " * _GAP), *note[0])
        else:
            lines += note
    return tuple(lines)


def paint_below(
    notes: Sequence[Line],
    figures: Sequence[Line],
    state: Sequence[Line],
    *,
    width: int,
    more: Line,
    is_forbidden: bool = False,
) -> tuple[Line, ...]:
    """Return the lines below the fields, from the top down, at most `BELOW`.

    Args:
        notes: the problems, packed.
        figures: what the order would do.
        state: the message about it, or the next step.
        width: the cells available.
        more: ends a cropped list; names the key that shows all.
        is_forbidden: whether a problem blocks the order.
    """
    cut = partial(_cut, width=width, more=more)
    said = cut(state, BELOW)
    room = BELOW - len(said)
    kept = 1 if figures and room > 1 and not is_forbidden else 0
    problems = cut(notes, room - kept)
    return (*problems, *figures[: room - len(problems)], *said)


def _cut(lines: Sequence[Line], most: int, *, width: int, more: Line) -> Sequence[Line]:
    """Keep so many lines, and mark the last if there were more."""
    if len(lines) <= most or most <= 0:
        return lines[: max(most, 0)]
    last, room = lines[most - 1], width - line_width(more)
    dots = Cell(" …", last[-1].role if last else Role.DIM)
    has_room = line_width((*last, dots)) <= room
    last = (*last, dots) if has_room else fit_line(last, max(room, 0))
    return (*lines[: most - 1], (*last, *more))

"""Conditional orders as lines and rows; always with the word that they live here only."""

from collections.abc import Sequence
from datetime import datetime

from pmtui.domain.books.ladder import StopMark
from pmtui.domain.conditionals.conditional import Conditional, ConditionalState, SaleEnd, Trigger
from pmtui.domain.formats import format_shares
from pmtui.domain.ids import TokenId
from pmtui.domain.money import Micros
from pmtui.service.views import AccountView
from pmtui.ui.cells import Cell, Column, Line, Row
from pmtui.ui.facts import ABSENT, PRICE_WIDTH
from pmtui.ui.format import (
    format_age,
    format_money,
    format_money_change,
    format_price,
    format_size_compact,
)
from pmtui.ui.plain import Align, plain
from pmtui.ui.surface import Options
from pmtui.ui.theme.theme import Role

_LIVES_HERE = "Held by pmtui, not by the venue: inactive while pmtui is closed."
_LIVES_ON = "Held by pmtui's service, not by the venue: active without this terminal, too."
IF_ALL_FILLS = "Assumes a full fill at that price."

CONDITIONAL_COLUMNS = (
    Column("state", "State", 9),
    Column("age", "Age", 4, align=Align.RIGHT),
    Column("size", "Size", 8, align=Align.RIGHT),
    Column("outcome", "Outcome", 8),
    Column("stop", "Stop", PRICE_WIDTH, align=Align.RIGHT),
    Column("worst", "Limit", PRICE_WIDTH, align=Align.RIGHT),
    Column("profit", "Target", PRICE_WIDTH, align=Align.RIGHT),
    Column("title", "Market", 16, grow=1),
)

_ROLES = {
    ConditionalState.WATCHING: Role.NOTICE_GOOD,
    ConditionalState.SELLING: Role.ARMED,
    ConditionalState.CHECKING: Role.NOTICE_WARN,
    ConditionalState.PAUSED: Role.NOTICE_WARN,
}


def paint_conditional_row(each: Conditional, account: AccountView, now: datetime) -> Row:
    """Show one conditional order as a row."""
    size = account.allotted(each)
    return Row(
        each.conditional_id,
        (
            _state_of(each, account),
            Cell(format_age((now - each.created_at).total_seconds()), Role.DIM),
            Cell(
                f"all {format_size_compact(size, width=4)}"
                if each.is_all
                else format_size_compact(size, width=8)
            ),
            Cell(plain(each.outcome), Role.DIM),
            _price(each.stop),
            _price(None if each.stop is None else Micros(max(each.stop - each.give_way, 0))),
            _price(each.take_profit),
            Cell(plain(each.title), Role.DIM),
        ),
    )


def paint_conditional_details(each: Conditional, account: AccountView, book: str) -> Line:
    """Show what the columns have no room for.

    Args:
        each: the conditional order.
        account: what is held, and which books are not good.
        book: what the state of its book is, in words.
    """
    if account.is_blind(each):
        text = f" Cannot trigger: book {book}"
        return (Cell(text, Role.NOTICE_BAD), Cell(f"  {plain(each.title)}", Role.HEADING))
    why = "paused: no shares held" if each in account.idle else plain(each.reason)
    if each.trail is not None:
        why = f"trails the best bid by {format_price(each.trail)}  {why}"
    return (Cell(f" {plain(each.title)}", Role.HEADING), Cell(f"  {why}" if why else "", Role.DIM))


def paint_protection(
    each: Conditional, account: AccountView | None = None, *, is_brief: bool = False
) -> Line:
    """Show one conditional order as a line beside the position it belongs to.

    Args:
        each: the conditional order.
        account: what is held, and which books are not good; None where only its state matters.
        is_brief: leave the state out where it is the usual one, so that the prices have room.
    """
    size = format_size_compact(account.allotted(each) if account is not None else each.size)
    if each.is_all:
        size = f"all {size}"
    state = _state_of(each, account)
    is_usual = state.text == ConditionalState.WATCHING.value
    line = [] if is_brief and is_usual else [state._replace(text=f"{state.text} ")]
    line.append(Cell(f"{size} {plain(each.outcome, 12)}"))
    for name, price in (("stop", each.stop), ("target", each.take_profit)):
        if price is not None:
            line += [Cell(f"  {name} ", Role.DIM), Cell(format_price(price))]
    if each.trail is not None:
        line += [Cell("  trail ", Role.DIM), Cell(format_price(each.trail))]
    return tuple(line)


def paint_unprotected(account: AccountView, token_id: TokenId) -> Line:
    """Say how many of the shares held no stop speaks for; nothing where all have one, or none."""
    bare, held = account.unprotected(token_id), account.held(token_id)
    if not bare:
        return ()
    text = f"{format_shares(bare)} of {format_shares(held)} unprotected"
    return (Cell(text, Role.NOTICE_WARN),)


def describe_stops(marks: Sequence[StopMark]) -> str:
    """Name stops and targets that share a row of the ladder: `stop 38¢ of 100 shares`."""
    if len(marks) > 1:
        return f"{len(marks)} stops and targets"
    (mark,) = marks
    word = "stop" if mark.trigger is Trigger.STOP else "target"
    named = f"{word} {format_price(mark.price)}"
    # One that waits for the fills of its order is for no share yet.
    return f"{named} of {format_shares(mark.size)}" if mark.size else named


def paint_end(end: SaleEnd, *, is_brief: bool = False) -> Line:
    """Say what a sale at one of its prices would bring, and what that makes of the position."""
    if is_brief:
        name = end.name.removeprefix("At ").removeprefix("the ").capitalize()
        line = [
            Cell(f"{name:<7}", Role.DIM), Cell(f"{format_price(end.price):>5}"),
            Cell(f" {format_money(end.cash):>9}", Role.DIM),
        ]  # fmt: skip
    else:
        line = [
            Cell(f" {end.name:<14}", Role.DIM), Cell(f"{format_price(end.price):>6}"),
            Cell("  brings ", Role.DIM), Cell(format_money(end.cash)),
        ]  # fmt: skip
    if end.profit is not None:
        role = Role.UP if end.profit >= 0 else Role.DOWN
        comma = "  " if is_brief else ", "
        line += [Cell(comma, Role.DIM), Cell(format_money_change(end.profit), role)]
    return (*line, Cell(" net", Role.DIM))


def _state_of(each: Conditional, account: AccountView | None) -> Cell:
    if account is not None and account.is_blind(each):
        return Cell("blind", Role.NOTICE_BAD)
    if account is not None and each in account.idle:
        return Cell("no shares", Role.DIM)
    if each.is_waiting and each.state.is_active:
        return Cell("waiting", Role.DIM)
    return Cell(each.state.value, _ROLES.get(each.state, Role.DIM))


def _price(price: Micros | None) -> Cell:
    return Cell(ABSENT, Role.DIM) if price is None else Cell(format_price(price))


def where_stops_live(options: Options) -> str:
    """Say who watches over stops and targets, and until when."""
    return _LIVES_ON if options.is_attached else _LIVES_HERE

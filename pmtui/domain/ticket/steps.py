"""Moves of the ticket that a key makes: the next choice of a field, one step up or down."""

from dataclasses import replace
from enum import IntEnum

from pmtui.domain.markets.market import Side
from pmtui.domain.money import SCALE, Micros, format_micros
from pmtui.domain.orders.amounts import nearest_price
from pmtui.domain.orders.order import TimeInForce
from pmtui.domain.ticket.draft import OrderKind, SizeUnit, TicketContext, TicketDraft
from pmtui.domain.ticket.reading import format_cents, parse_cents, parse_size, unit_of

_PERCENT_STEP = 5 * SCALE
DEFAULT_LIFE = "60m"
"""How long a timed order lives until the trader says otherwise."""


class Step(IntEnum):
    """Which way a field moves."""

    UP = 1
    DOWN = -1


def switch_side(draft: TicketDraft) -> TicketDraft:
    """Return the draft for the other side."""
    return replace(draft, side=draft.side.opposite)


def next_kind(draft: TicketDraft) -> TicketDraft:
    """Return the draft as the other kind of order, with what that kind needs."""
    if draft.kind is OrderKind.MARKET:
        return _back_to_limit(draft)
    # A sale stays in shares: it is refused, and the limit that is offered instead needs them.
    is_counted_in_shares = draft.side is Side.BUY and draft.size_unit is SizeUnit.SHARES
    unit = SizeUnit.DOLLARS if is_counted_in_shares else draft.size_unit
    # What was typed counted shares; as dollars it would be another order.
    text = "" if is_counted_in_shares else draft.size_text
    tif = TimeInForce.FOK if draft.time_in_force.rests else draft.time_in_force
    return replace(
        draft, kind=OrderKind.MARKET, time_in_force=tif, size_unit=unit, size_text=text,
        price_text="", is_post_only=False, limit=draft,
    )  # fmt: skip


def _back_to_limit(draft: TicketDraft) -> TicketDraft:
    """Return the limit order it was before: its price, and its size where that counted otherwise."""
    before = draft.limit or TicketDraft(draft.side, draft.outcome_index)
    is_same_unit = unit_of(draft) is before.size_unit
    size_text = draft.size_text if is_same_unit else before.size_text
    return replace(
        draft, kind=OrderKind.LIMIT, time_in_force=TimeInForce.GTC, limit=None,
        price_text=before.price_text, size_text=size_text, size_unit=before.size_unit,
    )  # fmt: skip


def after_sending(draft: TicketDraft) -> TicketDraft:
    """Return the draft once its order was taken: for the same again, of another size."""
    limit = replace(draft.limit, size_text="") if draft.limit is not None else None
    return replace(draft, size_text="", limit=limit)


def next_time_in_force(draft: TicketDraft, step: Step = Step.UP) -> TicketDraft:
    """Return the draft with the next time in force its kind allows."""
    choices = [t for t in TimeInForce if draft.kind is OrderKind.LIMIT or not t.rests]
    place = choices.index(draft.time_in_force) if draft.time_in_force in choices else -step
    chosen = choices[(place + step) % len(choices)]
    is_unsaid = chosen is TimeInForce.GTD and not draft.expiry_text.strip()
    life = DEFAULT_LIFE if is_unsaid else draft.expiry_text
    return replace(draft, time_in_force=chosen, expiry_text=life)


def next_unit(draft: TicketDraft, step: Step = Step.UP) -> TicketDraft:
    """Return the draft with the next unit; a sign typed with the number goes."""
    choices = [u for u in SizeUnit if draft.kind is OrderKind.LIMIT or u is not SizeUnit.SHARES]
    unit = unit_of(draft)
    place = choices.index(unit) if unit in choices else -step
    text = draft.size_text.strip().removeprefix("$").removesuffix("%")
    return replace(draft, size_unit=choices[(place + step) % len(choices)], size_text=text)


def toggle_post_only(draft: TicketDraft) -> TicketDraft:
    """Return the draft with post-only the other way."""
    return replace(draft, is_post_only=not draft.is_post_only)


def step_price(draft: TicketDraft, context: TicketContext, step: Step) -> TicketDraft:
    """Return the draft one tick further; an empty field starts at the own side's best price."""
    tick = context.terms.tick_size
    price = parse_cents(draft.price_text)
    if price is None:
        book = context.book
        own, other = (
            (book.best_bid, book.best_ask)
            if draft.side is Side.BUY and draft.kind is OrderKind.LIMIT
            else (book.best_ask, book.best_bid)
        )
        price = next((p for p in (own, other) if p is not None), Micros(SCALE // 2))
        return replace(draft, price_text=format_cents(nearest_price(price, tick)))
    return replace(draft, price_text=step_cents(draft.price_text, step, tick))


def step_cents(text: str, step: int, tick: Micros) -> str:
    """Return a price typed in cents one step further on the grid; what cannot be read stays."""
    price = parse_cents(text)
    if price is None:
        return text
    on_grid = price // tick * tick if step > 0 else -(-price // tick) * tick
    return format_cents(nearest_price(Micros(on_grid + step * tick), tick))


def step_size(draft: TicketDraft, context: TicketContext, step: Step) -> TicketDraft:
    """Return the draft with the size moved by one of its own leading digit, or five percent."""
    unit = unit_of(draft)
    least = context.terms.min_order_size if unit is SizeUnit.SHARES else Micros(SCALE)
    number = parse_size(draft.size_text)
    if unit is SizeUnit.PERCENT:
        moved = _snap(number or 0, _PERCENT_STEP, step)
        moved = min(max(moved, _PERCENT_STEP), 100 * SCALE)
    elif number is None or number <= 0:
        moved = least
    else:
        size = SCALE
        while size * 10 <= number and not (step is Step.DOWN and size * 10 == number):
            size *= 10
        moved = max(_snap(number, size, step), least)
    return replace(draft, size_text=format_micros(Micros(moved)), size_unit=unit)


def _snap(number: int, size: int, step: Step) -> int:
    """Return the next multiple of a step above or below."""
    return (number // size + 1) * size if step is Step.UP else (-(-number // size) - 1) * size

"""The order ticket: from what was typed to an intent, or to problems beside their fields.

Pure: it knows no clock, no network, no widget. What the venue would accept is warned about, never
blocked; what it would refuse is a problem, with the nearest valid value as a ready-made fix.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from pmtui.domain.amounts import AmountError, is_on_tick, nearest_price, size_floor
from pmtui.domain.book_view import BookView
from pmtui.domain.intent_amounts import order_amounts
from pmtui.domain.market import MarketTerms, Side
from pmtui.domain.money import (
    ONE,
    SCALE,
    Micros,
    MoneyError,
    format_micros,
    notional_floor,
    parse_micros,
    ratio_floor,
)
from pmtui.domain.order import LimitIntent, MarketBuyIntent, OrderIntent, TimeInForce
from pmtui.domain.ticket_numbers import TicketNumbers, estimate

MIN_MARKETABLE_BUY = Micros(1_000_000)
"""A purchase that takes must be worth a dollar (WIRE_CLOB §5.3)."""
MIN_LIFE = timedelta(seconds=120)
"""A GTD order must be stated 180 s ahead and goes 60 s before that (WIRE_CLOB §6.2)."""


class OrderKind(StrEnum):
    """What the ticket is for."""

    LIMIT = "limit"
    MARKET = "market"


class SizeUnit(StrEnum):
    """What the number in the size field counts."""

    SHARES = "shares"
    DOLLARS = "dollars"
    PERCENT = "percent"
    """Of free cash when buying, of free shares when selling."""


class TicketField(StrEnum):
    """Where a problem is shown."""

    SIDE = "side"
    KIND = "kind"
    OUTCOME = "outcome"
    TIME_IN_FORCE = "time_in_force"
    PRICE = "price"
    SIZE = "size"
    POST_ONLY = "post_only"
    EXPIRY = "expiry"


@dataclass(frozen=True, slots=True)
class TicketDraft:
    """What the fields hold, as typed."""

    side: Side
    outcome_index: int
    kind: OrderKind = OrderKind.LIMIT
    time_in_force: TimeInForce = TimeInForce.GTC
    price_text: str = ""
    """Cents: `51`, `51.5`. For a market purchase: the worst price; empty lets the book decide."""
    size_text: str = ""
    size_unit: SizeUnit = SizeUnit.SHARES
    is_post_only: bool = False
    expiry_text: str = ""
    """Minutes, or with a unit: `90s`, `30m`, `2h`, `1d`."""


@dataclass(frozen=True, slots=True)
class TicketContext:
    """What the rules need to know of the world."""

    terms: MarketTerms
    book: BookView
    """Of the outcome in the draft."""
    now: datetime
    available_cash: Micros | None
    available_shares: Micros
    """Shares of the outcome not spoken for by resting sales."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about one field. A warning does not stop the order."""

    field: TicketField
    text: str
    is_warning: bool = False
    fix: TicketDraft | None = None
    """The draft with the nearest valid value."""


@dataclass(frozen=True, slots=True)
class TicketCheck:
    """All that can be said of a draft. `intent` is there when nothing blocks it."""

    problems: tuple[Problem, ...]
    intent: OrderIntent | None
    numbers: TicketNumbers | None

    @property
    def blocking(self) -> tuple[Problem, ...]:
        """Problems that stop the order."""
        return tuple(p for p in self.problems if not p.is_warning)

    def of(self, field: TicketField) -> tuple[Problem, ...]:
        """Problems of one field."""
        return tuple(p for p in self.problems if p.field is field)


def check_ticket(draft: TicketDraft, context: TicketContext) -> TicketCheck:
    """Judge a draft."""
    problems = [*_check_market(context), *_check_kind(draft, context)]
    if draft.kind is OrderKind.MARKET and draft.side is Side.SELL:
        return TicketCheck(tuple(problems), None, None)
    price = _read_price(draft, context, problems)
    size = _read_size(draft, context, price, problems)
    expires_at = _read_expiry(draft, context, problems)
    if price is None or size is None:
        return TicketCheck(tuple(problems), None, None)
    intent = _intent(draft, context, price, size, expires_at)
    try:
        amounts = order_amounts(intent, context.terms.tick_size)
    except AmountError as error:
        problems.append(Problem(TicketField.SIZE, str(error)))
        return TicketCheck(tuple(problems), None, None)
    if amounts.is_empty:
        problems.append(Problem(TicketField.SIZE, "Nothing is left after rounding"))
        return TicketCheck(tuple(problems), None, None)
    is_buy = draft.side is Side.BUY
    cash, shares = (amounts.maker, amounts.taker) if is_buy else (amounts.taker, amounts.maker)
    numbers = estimate(
        intent,
        cash=cash,
        shares=shares,
        book=context.book,
        fee=context.terms.fee,
        available_cash=context.available_cash,
    )
    problems += _check_amounts(draft, context, intent, numbers)
    check = TicketCheck(tuple(problems), intent, numbers)
    return check if not check.blocking else replace(check, intent=None)


def format_cents(price: Micros) -> str:
    """Write a price as the ticket's price field takes it."""
    return format_micros(Micros(price * 100))


def _check_market(context: TicketContext) -> list[Problem]:
    problems = []
    if not context.terms.accepting_orders:
        problems.append(Problem(TicketField.OUTCOME, "The market takes no orders now"))
    if not context.book.state.is_good:
        text = f"The book is {context.book.state.value}: its prices may be wrong"
        problems.append(Problem(TicketField.PRICE, text, is_warning=True))
    return problems


def _check_kind(draft: TicketDraft, context: TicketContext) -> list[Problem]:
    if draft.kind is OrderKind.MARKET and draft.side is Side.SELL:
        best = context.book.best_bid
        fix = replace(
            draft,
            kind=OrderKind.LIMIT,
            time_in_force=TimeInForce.FAK,
            price_text=format_cents(best) if best is not None else "",
        )
        text = "The service takes no market orders to sell; a limit with FAK does the same"
        return [Problem(TicketField.KIND, text, fix=fix)]
    if draft.kind is OrderKind.MARKET and draft.time_in_force.rests:
        fix = replace(draft, time_in_force=TimeInForce.FOK)
        return [Problem(TicketField.TIME_IN_FORCE, "A market order is FOK or FAK", fix=fix)]
    if draft.is_post_only and not draft.time_in_force.rests:
        fix = replace(draft, is_post_only=False)
        text = "Post-only goes with GTC and GTD only"
        return [Problem(TicketField.POST_ONLY, text, fix=fix)]
    return []


def _read_price(
    draft: TicketDraft, context: TicketContext, problems: list[Problem]
) -> Micros | None:
    tick = context.terms.tick_size
    text = draft.price_text.strip().rstrip("¢c").strip()
    if not text and draft.kind is OrderKind.MARKET:
        # No bound of the trader's own: the grid's end, and the book decides.
        return Micros(ONE - tick)
    if not text:
        problems.append(Problem(TicketField.PRICE, "A price in cents is needed"))
        return None
    try:
        price = Micros(parse_micros(text) // 100) if parse_micros(text) % 100 == 0 else None
    except MoneyError:
        problems.append(Problem(TicketField.PRICE, "Not a price: cents, for example 51 or 51.5"))
        return None
    if price is not None and is_on_tick(price, tick):
        return price
    wanted = Micros(parse_micros(text) // 100)
    nearest = nearest_price(wanted, tick)
    fix = replace(draft, price_text=format_cents(nearest))
    low, high = format_cents(tick), format_cents(Micros(ONE - tick))
    text = (
        f"Off the grid of {low}¢; nearest is {format_cents(nearest)}¢"
        if tick <= wanted <= ONE - tick
        else f"Between {low}¢ and {high}¢"
    )
    problems.append(Problem(TicketField.PRICE, text, fix=fix))
    return None


def _read_size(
    draft: TicketDraft,
    context: TicketContext,
    price: Micros | None,
    problems: list[Problem],
) -> Micros | None:
    """Return shares for a limit order, dollars for a market purchase."""
    text = draft.size_text.strip().lstrip("$").rstrip("%").strip().replace(",", "")
    is_market = draft.kind is OrderKind.MARKET
    if not text:
        what = "dollars" if is_market else draft.size_unit.value
        problems.append(Problem(TicketField.SIZE, f"A size in {what} is needed"))
        return None
    try:
        number = parse_micros(text)
    except MoneyError:
        problems.append(Problem(TicketField.SIZE, "Not a number"))
        return None
    if number <= 0:
        problems.append(Problem(TicketField.SIZE, "Must be more than nothing"))
        return None
    if price is None:
        return None
    size = _to_quantity(draft, context, price, number)
    if size is None:
        problems.append(Problem(TicketField.SIZE, "The balance is not known yet"))
        return None
    rounded = size_floor(size)
    if rounded != size and draft.size_unit is SizeUnit.SHARES and not is_market:
        fix = replace(draft, size_text=format_micros(rounded))
        text = "Two decimals at most; the rest is cut"
        problems.append(Problem(TicketField.SIZE, text, is_warning=True, fix=fix))
    if rounded <= 0:
        problems.append(Problem(TicketField.SIZE, "Too small: less than 0.01"))
        return None
    return rounded


def _to_quantity(
    draft: TicketDraft, context: TicketContext, price: Micros, number: Micros
) -> Micros | None:
    is_market = draft.kind is OrderKind.MARKET
    match draft.size_unit:
        case SizeUnit.SHARES:
            return notional_floor(price, number) if is_market else number
        case SizeUnit.DOLLARS:
            return number if is_market else ratio_floor(number, price)
        case SizeUnit.PERCENT:
            if draft.side is Side.SELL:
                return Micros(context.available_shares * number // (100 * SCALE))
            if context.available_cash is None:
                return None
            cash = Micros(context.available_cash * number // (100 * SCALE))
            return cash if is_market else ratio_floor(cash, price)


def _read_expiry(
    draft: TicketDraft, context: TicketContext, problems: list[Problem]
) -> datetime | None:
    if draft.time_in_force is not TimeInForce.GTD:
        return None
    life = parse_life(draft.expiry_text)
    if life is None:
        text = "How long it lives: minutes, or 90s, 30m, 2h, 1d"
        problems.append(Problem(TicketField.EXPIRY, text))
        return None
    if life < MIN_LIFE:
        fix = replace(draft, expiry_text="2m")
        text = "The venue wants two minutes at least"
        problems.append(Problem(TicketField.EXPIRY, text, fix=fix))
        return None
    # A second of slack: the venue compares with its own clock when the order arrives.
    return context.now + life + timedelta(seconds=1)


_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def parse_life(text: str) -> timedelta | None:
    """Read `90s`, `30m`, `2h`, `1d`, or plain minutes; None where it is none, or over a year."""
    text = text.strip().lower()
    unit = text[-1:] if text[-1:] in _UNITS else ""
    digits = text.removesuffix(unit) if unit else text
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
        return None
    seconds = int(digits) * _UNITS[unit or "m"]
    return timedelta(seconds=seconds) if 0 < seconds <= 366 * 86_400 else None


def _intent(
    draft: TicketDraft,
    context: TicketContext,
    price: Micros,
    size: Micros,
    expires_at: datetime | None,
) -> OrderIntent:
    condition_id = context.terms.condition_id
    token_id = context.terms.token_ids[draft.outcome_index]
    if draft.kind is OrderKind.MARKET:
        return MarketBuyIntent(
            condition_id=condition_id,
            token_id=token_id,
            amount=size,
            worst_price=price,
            time_in_force=draft.time_in_force,
        )
    return LimitIntent(
        condition_id=condition_id,
        token_id=token_id,
        side=draft.side,
        price=price,
        size=size,
        time_in_force=draft.time_in_force,
        is_post_only=draft.is_post_only,
        expires_at=expires_at,
    )


def _check_amounts(
    draft: TicketDraft, context: TicketContext, intent: OrderIntent, numbers: TicketNumbers
) -> list[Problem]:
    problems = []
    minimum = context.terms.min_order_size
    rests = intent.time_in_force.rests
    if rests and numbers.shares < minimum:
        shares = replace(draft, size_text=format_micros(minimum), size_unit=SizeUnit.SHARES)
        text = f"At least {format_micros(minimum)} shares"
        problems.append(Problem(TicketField.SIZE, text, fix=shares))
    takes = numbers.fills_now > 0
    is_buy = draft.side is Side.BUY
    if is_buy and (takes or not rests) and numbers.cash < MIN_MARKETABLE_BUY:
        fix = replace(draft, size_text="1", size_unit=SizeUnit.DOLLARS)
        text = "A purchase that fills at once must be worth $1"
        problems.append(Problem(TicketField.SIZE, text, fix=fix))
    if takes and draft.is_post_only:
        text = "It would fill at once; post-only will be refused"
        problems.append(Problem(TicketField.POST_ONLY, text))
    problems += _check_balance(draft, context, numbers)
    if not rests and not takes and context.book.state.is_good:
        text = "Nothing in the book meets it at this price: it would be killed"
        problems.append(Problem(TicketField.PRICE, text, is_warning=True))
    elif intent.time_in_force is TimeInForce.FOK and numbers.is_short_of_depth:
        text = "The book is too thin to fill it whole: it would be killed"
        problems.append(Problem(TicketField.SIZE, text, is_warning=True))
    return problems


def _check_balance(
    draft: TicketDraft, context: TicketContext, numbers: TicketNumbers
) -> list[Problem]:
    if draft.side is Side.SELL:
        if numbers.shares <= context.available_shares:
            return []
        held = format_micros(context.available_shares)
        fix = replace(draft, size_text=held, size_unit=SizeUnit.SHARES)
        return [Problem(TicketField.SIZE, f"Only {held} shares are free to sell", fix=fix)]
    if context.available_cash is None:
        return []
    if numbers.cash + numbers.worst_fee > context.available_cash:
        text = f"Costs more than the ${format_micros(context.available_cash)} that are free"
        return [Problem(TicketField.SIZE, text)]
    return []

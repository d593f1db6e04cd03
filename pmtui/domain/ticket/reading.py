"""Reads the ticket's fields: cents, sizes with their unit, and how long an order is to live.

Every function returns the value, or None with a problem added beside the field. Refuses what could
be read in two ways: `1,5` is neither fifteen nor one and a half here.
"""

import re
from dataclasses import replace
from datetime import datetime, timedelta

from pmtui.domain.cents import cents_down, cents_up, write_dollars
from pmtui.domain.markets.fees import FEE_STEP, fit_buy_amount
from pmtui.domain.markets.market import NO_FEE, Side
from pmtui.domain.money import (
    ONE,
    SCALE,
    Micros,
    MoneyError,
    format_micros,
    parse_micros,
    ratio_floor,
)
from pmtui.domain.orders.amounts import (
    is_on_tick,
    market_price_walk,
    price_ceil,
    price_floor,
    size_floor,
)
from pmtui.domain.orders.order import TimeInForce
from pmtui.domain.ticket.draft import (
    OrderKind,
    Problem,
    SizeUnit,
    TicketContext,
    TicketDraft,
    TicketField,
)

MIN_LIFE = timedelta(seconds=120)
"""A GTD order must be stated 180 s ahead and goes 60 s before that (WIRE_CLOB §6.2)."""
TIME_TO_READ = timedelta(seconds=30)
"""Its time is fixed when the card is shown, and the venue counts from when the order arrives."""
_SLACK = timedelta(seconds=2)
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d*)?", re.ASCII)
_LIFE_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_LONGEST_LIFE_S = 366 * 86_400
_LIFE = re.compile(r"0*[1-9]\d*[smhdSMHD]?", re.ASCII)
_LIFE_FORMS = "minutes, or 90s, 30m, 2h, 1d"
_MOST_QUOTED = 16


def format_cents(price: Micros) -> str:
    """Write a price as the ticket's price field takes it."""
    return format_micros(Micros(price * 100))


def say_dollars(amount: Micros) -> str:
    """Write dollars that are there for a sentence: never more than there are."""
    return write_dollars(cents_down(amount))


def say_cost(amount: Micros) -> str:
    """Write dollars that are to be paid for a sentence: never less than they are."""
    return write_dollars(cents_up(amount))


def say_shares(size: Micros) -> str:
    """Write shares for a sentence: two decimals at most, with separators."""
    whole, hundredths = divmod(size // (SCALE // 100), 100)
    return f"{whole:,}.{hundredths:02d}".rstrip("0").rstrip(".")


def parse_cents(text: str) -> Micros | None:
    """Read a price typed in cents, with up to four decimals; None where it is none."""
    try:
        hundredfold = parse_micros(text.strip().rstrip("¢c").strip())
    except MoneyError:
        return None
    return Micros(hundredfold // 100) if hundredfold % 100 == 0 else None


def parse_size(text: str) -> Micros | None:
    """Read a number that may carry its unit's sign and thousands commas; None where it is none."""
    bare = text.strip().removeprefix("$").removesuffix("%").strip()
    if _THOUSANDS.fullmatch(bare):
        bare = bare.replace(",", "")
    try:
        return parse_micros(bare)
    except MoneyError:
        return None


def unit_of(draft: TicketDraft) -> SizeUnit:
    """Return what the size counts: a sign typed with the number outweighs the chosen unit."""
    text = draft.size_text.strip()
    if text.endswith("%"):
        return SizeUnit.PERCENT
    return SizeUnit.DOLLARS if text.startswith("$") else draft.size_unit


def read_limit_price(
    draft: TicketDraft, context: TicketContext, problems: list[Problem]
) -> Micros | None:
    """Return the price typed, where it lies on the market's grid."""
    text = draft.price_text.strip()
    if not text:
        problems.append(Problem(TicketField.PRICE, "Enter a price in cents"))
        return None
    price = parse_cents(text)
    tick = context.terms.tick_size
    if price is not None and is_on_tick(price, tick):
        return price
    wanted = price if price is not None else _rough_cents(text)
    if wanted is None:
        text = "Not a price: enter cents, for example 51 or 51.5"
        if "," in draft.price_text:
            text = "Ambiguous comma: write decimals with a point, 51.5"
        problems.append(Problem(TicketField.PRICE, text))
        return None
    # Never worse for the trader than what was typed; decimals that were cut count too.
    is_buy = draft.side is Side.BUY
    above = Micros(wanted + (price is None))
    nearest = price_floor(wanted, tick) if is_buy else price_ceil(above, tick)
    fix = replace(draft, price_text=format_cents(nearest))
    low, high = format_cents(tick), format_cents(Micros(ONE - tick))
    reason = (
        f"Tick {low}¢: next {'below' if is_buy else 'above'} is {format_cents(nearest)}¢"
        if tick <= wanted <= ONE - tick
        else f"Price must be {low}¢ to {high}¢"
    )
    problems.append(Problem(TicketField.PRICE, reason, fix=fix))
    return None


def read_worst_price(
    draft: TicketDraft, context: TicketContext, amount: Micros | None, problems: list[Problem]
) -> Micros | None:
    """Return the most a market purchase may pay: as typed, else where the book completes it."""
    if draft.price_text.strip():
        return read_limit_price(draft, context, problems)
    if amount is None:
        return None
    if not context.book.state.is_good:
        text = "Enter a limit: the book is not good enough to price it"
        problems.append(Problem(TicketField.PRICE, text))
        return None
    levels = [(level.price, level.size) for level in context.book.asks]
    worst = market_price_walk(levels, Side.BUY, amount, time_in_force=draft.time_in_force)
    if worst is None and levels:
        fix = replace(draft, time_in_force=TimeInForce.FAK)
        text = "Not enough liquidity to fill it whole; FAK takes what there is"
        problems.append(Problem(TicketField.SIZE, text, fix=fix))
    elif worst is None:
        problems.append(Problem(TicketField.PRICE, "No asks now"))
    return worst


def read_size(
    draft: TicketDraft, context: TicketContext, price: Micros | None, problems: list[Problem]
) -> Micros | None:
    """Return shares for a limit order, dollars for a market purchase, with two decimals."""
    is_market = draft.kind is OrderKind.MARKET
    unit = unit_of(draft)
    if is_market and unit is SizeUnit.SHARES:
        fix = replace(draft, size_unit=SizeUnit.DOLLARS)
        problems.append(Problem(TicketField.SIZE, "A market buy is sized in dollars", fix=fix))
        return None
    number = _read_number(draft, unit, problems)
    if number is None or (price is None and not is_market):
        return None
    size = _to_quantity(draft, context, price, number=number, problems=problems)
    if size is None:
        problems.append(Problem(TicketField.SIZE, "The balance is loading"))
        return None
    rounded = size_floor(size)
    if rounded <= 0:
        problems.append(Problem(TicketField.SIZE, "Too small: less than 0.01"))
        return None
    if rounded != size and unit is not SizeUnit.PERCENT and (unit is SizeUnit.SHARES or is_market):
        fix = replace(draft, size_text=format_micros(rounded))
        text = "Two decimals at most: the rest is cut"
        problems.append(Problem(TicketField.SIZE, text, is_warning=True, fix=fix))
    return rounded


def read_expiry(
    draft: TicketDraft, context: TicketContext, problems: list[Problem]
) -> datetime | None:
    """Return when a GTD order is to be gone."""
    if draft.time_in_force is not TimeInForce.GTD:
        return None
    life = parse_life(draft.expiry_text)
    if life is None:
        problems.append(Problem(TicketField.EXPIRY, _say_no_life(draft.expiry_text.strip())))
        return None
    if life < MIN_LIFE:
        fix = replace(draft, expiry_text="2m")
        text = "Minimum two minutes"
        problems.append(Problem(TicketField.EXPIRY, text, fix=fix))
        return None
    if life < MIN_LIFE + TIME_TO_READ:
        fix = replace(draft, expiry_text="3m")
        left = int((life - MIN_LIFE + _SLACK).total_seconds())
        text = f"Minimum two minutes: send it within {left} s"
        problems.append(Problem(TicketField.EXPIRY, text, is_warning=True, fix=fix))
    # By the venue's clock, which is what it compares with when the order arrives: a second of
    # slack for the way, another because that clock is known to the second only.
    return context.now + context.clock_skew + life + _SLACK


def parse_life(text: str) -> timedelta | None:
    """Read `90s`, `30m`, `2h`, `1d`, or plain minutes; None where it is none, or over a year."""
    text = text.strip().lower()
    unit = text[-1:] if text[-1:] in _LIFE_UNITS else ""
    digits = text.removesuffix(unit) if unit else text
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
        return None
    seconds = int(digits) * _LIFE_UNITS[unit or "m"]
    return timedelta(seconds=seconds) if 0 < seconds <= _LONGEST_LIFE_S else None


def _say_no_life(text: str) -> str:
    """Say why a text is no time to live; with the text, as its field may be shorter than it."""
    if not text:
        return f"Enter an expiry: {_LIFE_FORMS}"
    said = text if len(text) <= _MOST_QUOTED else f"{text[:_MOST_QUOTED]}..."
    if _LIFE.fullmatch(text):
        return f"{said} is over a year"
    return f"Not a time span: {said}; enter {_LIFE_FORMS}"


def affordable_cash(
    context: TicketContext, wanted: Micros, price: Micros, *, has_fee: bool
) -> Micros:
    """Return how many dollars a purchase may spend so that free cash covers the fee too."""
    available = context.available_cash or Micros(0)
    fee = context.terms.fee if has_fee else NO_FEE
    # Each level met rounds its cost and its fee by itself; so much is kept aside for it.
    aside = FEE_STEP * (1 + len(context.book.asks))
    fitted = fit_buy_amount(wanted, Micros(max(available - aside, 0)), price, fee=fee)
    return fitted if fitted < wanted else wanted


def _rough_cents(text: str) -> Micros | None:
    """Return a number of cents with more decimals than money has, cut."""
    whole, point, decimals = text.rstrip("¢c ").partition(".")
    return parse_cents(f"{whole}{point}{decimals[:4]}") if decimals.isdecimal() else None


def _read_number(draft: TicketDraft, unit: SizeUnit, problems: list[Problem]) -> Micros | None:
    if not draft.size_text.strip():
        problems.append(Problem(TicketField.SIZE, f"Enter a size in {unit.value}"))
        return None
    number = parse_size(draft.size_text)
    if number is None:
        problems.append(Problem(TicketField.SIZE, "Not a number, for example 100 or 12.5"))
    elif number <= 0:
        problems.append(Problem(TicketField.SIZE, "Must be more than 0"))
        return None
    return number


def _to_quantity(
    draft: TicketDraft,
    context: TicketContext,
    price: Micros | None,
    *,
    number: Micros,
    problems: list[Problem],
) -> Micros | None:
    unit = unit_of(draft)
    if unit is SizeUnit.SHARES:
        return number
    if unit is SizeUnit.PERCENT and draft.side is Side.SELL:
        return Micros(context.available_shares * number // (100 * SCALE))
    if unit is SizeUnit.PERCENT and context.available_cash is None:
        return None
    cash = number
    if unit is SizeUnit.PERCENT:
        wanted = Micros((context.available_cash or 0) * number // (100 * SCALE))
        at = price if price is not None else context.book.best_ask
        if at is not None and number <= 100 * SCALE:
            cash = affordable_cash(context, wanted, at, has_fee=not draft.is_post_only)
            if wanted - cash >= SCALE // 100:
                kept = say_dollars(Micros(wanted - cash))
                text = f"{kept} of it is kept back for the fee if it fills now"
                problems.append(Problem(TicketField.SIZE, text, is_warning=True))
            wanted = cash
        cash = wanted
    if draft.kind is OrderKind.MARKET or price is None:
        return cash
    return ratio_floor(cash, price)

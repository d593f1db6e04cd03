"""The ticket's draft: its fields as typed, their parsing, and the changes that keys make.

Every parsing function returns the value, or None after adding a problem for the field.
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import IntEnum, StrEnum

from pmtui.domain.books.book_view import BookView
from pmtui.domain.formats import format_cents, format_dollars_down, parse_cents, parse_size
from pmtui.domain.markets.fees import FEE_STEP, fit_buy_amount
from pmtui.domain.markets.market import NO_FEE, MarketTerms, Side
from pmtui.domain.markets.venue_state import VenueFact
from pmtui.domain.money import (
    ONE,
    SCALE,
    ZERO,
    Micros,
    format_micros,
    ratio_floor,
)
from pmtui.domain.orders.amounts import (
    is_on_tick,
    market_price_walk,
    nearest_price,
    price_ceil,
    price_floor,
    size_floor,
)
from pmtui.domain.orders.order import MIN_LIFE, Order, TimeInForce

_WARNED_FROM = Micros(1_000_000_000)


@dataclass(frozen=True, slots=True)
class TicketRules:
    """Thresholds of the ticket's warnings; none of them stops an order."""

    worst_price_percent: int = 10
    """How much worse than the midpoint a price may be, in percent of it; 0 for any."""
    notional_warning: Micros = _WARNED_FROM
    """Dollars from which an order is flagged as large; 0 for never."""
    duplicate_window: timedelta = timedelta(seconds=10)
    """Time after an order in which an identical one is flagged as a duplicate."""

    confirm_above: Micros = ZERO
    """Dollars up to which a ticket order needs no card; 0 for a card every time."""
    sells_short: bool = True
    """Whether a sale of shares that are not held buys the other outcome instead of being refused."""

    @property
    def warns_of_size(self) -> bool:
        """Whether there is a threshold for large orders."""
        return self.notional_warning > ZERO


DEFAULT_RULES = TicketRules()


DEFAULT_PRESETS = tuple(Micros(shares * SCALE) for shares in (5, 10, 50, 100, 500))
"""In shares; the venue's smallest order is 5 shares."""
DEFAULT_GIVE_WAY = 10
"""How far below the best bid the worst price of flattening may be, in percent of that bid."""


class OrderKind(StrEnum):
    """The type of order that the ticket creates."""

    LIMIT = "limit"
    MARKET = "market"


class SizeUnit(StrEnum):
    """The unit of the number in the size field."""

    SHARES = "shares"
    DOLLARS = "dollars"
    PERCENT = "percent"
    """Of free cash for a buy, of free shares for a sell."""


class TicketField(StrEnum):
    """The field that a problem is shown beside."""

    SIDE = "side"
    KIND = "kind"
    OUTCOME = "outcome"
    TIME_IN_FORCE = "time_in_force"
    PRICE = "price"
    SIZE = "size"
    POST_ONLY = "post_only"
    EXPIRY = "expiry"
    STOP = "stop"
    TARGET = "target"


@dataclass(frozen=True, slots=True)
class TicketDraft:
    """The contents of the fields, as typed."""

    side: Side
    outcome_index: int
    kind: OrderKind = OrderKind.LIMIT
    time_in_force: TimeInForce = TimeInForce.GTC
    price_text: str = ""
    """Cents: `51`, `51.5`. For a market purchase: the worst price; empty to derive it from the book."""
    size_text: str = ""
    size_unit: SizeUnit = SizeUnit.SHARES
    is_post_only: bool = False
    expiry_text: str = ""
    """Minutes, or with a unit: `150s`, `30m`, `2h`, `1d`; or `close`."""
    stop_text: str = ""
    """Cents at which a stop sells the purchased shares; empty for none."""
    target_text: str = ""
    """Cents at which a target sells them; empty for none."""
    limit: "TicketDraft | None" = None
    """The limit order that this market order was made from, and can change back to."""


@dataclass(frozen=True, slots=True)
class TicketContext:
    """The market and account data that the rules need."""

    terms: MarketTerms
    book: BookView
    """Of the draft's outcome."""
    now: datetime
    available_cash: Micros | None
    available_shares: Micros
    """Shares of the outcome not reserved by resting sales."""
    resting_shares: Micros = ZERO
    """Shares of the outcome in resting sell orders."""
    other_shares: Micros = ZERO
    """Shares of the market's other outcome not reserved by resting sales."""
    reserved_cash: Micros = ZERO
    """Dollars reserved by open buy orders."""
    venue: tuple[VenueFact, ...] = ()
    """Relevant states of the venue, the most severe first."""
    own: tuple[Order, ...] = ()
    """Own open orders in the market, in both outcomes."""
    recent: tuple[Order, ...] = ()
    """Orders of ours sent recently, however they ended."""
    rules: TicketRules = DEFAULT_RULES
    clock_skew: timedelta = timedelta()
    """The venue's clock minus ours."""
    closes_at: datetime | None = None
    """When trading in the market ends; None if the venue states no time."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem with one field. A warning does not stop the order."""

    field: TicketField
    text: str
    is_warning: bool = False
    fix: TicketDraft | None = None
    """The draft with the nearest valid value."""


TIME_TO_READ = timedelta(seconds=30)
"""Its time is fixed when the card is shown, and the venue counts from when the order arrives."""
_LEAST_LIFE = MIN_LIFE + TIME_TO_READ
_LEAST_TEXT = f"{_LEAST_LIFE.total_seconds():.0f}s"
_SLACK = timedelta(seconds=2)
_LIFE_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_LONGEST_LIFE_S = 366 * 86_400
_LIFE = re.compile(r"0*[1-9]\d*[smhdSMHD]?", re.ASCII)
UNTIL_CLOSE = "close"
"""In the place of a time to live: until the market closes."""
_LIFE_FORMS = "minutes, or 150s, 30m, 2h, 1d, close"
_MOST_QUOTED = 16


def unit_of(draft: TicketDraft) -> SizeUnit:
    """Return the unit of the size: a sign typed with the number overrides the chosen unit."""
    text = draft.size_text.strip()
    if text.endswith("%"):
        return SizeUnit.PERCENT
    return SizeUnit.DOLLARS if text.startswith("$") else draft.size_unit


def read_limit_price(
    draft: TicketDraft, context: TicketContext, problems: list[Problem]
) -> Micros | None:
    """Return the typed price if it is on the market's grid."""
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
    # Never worse for the trader than the typed price; truncated decimals count too.
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
    """Return the worst price of a market purchase: as typed, else the price at which the book fills it."""
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
    """Return shares for a limit order or dollars for a market purchase, with two decimals."""
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
    """Return the expiry of a GTD order."""
    if draft.time_in_force is not TimeInForce.GTD:
        return None
    if draft.expiry_text.strip().lower() == UNTIL_CLOSE:
        return _read_close(context, problems)
    life = parse_life(draft.expiry_text)
    if life is None:
        problems.append(Problem(TicketField.EXPIRY, _explain_no_life(draft.expiry_text.strip())))
        return None
    if life < _LEAST_LIFE:
        longer = replace(draft, expiry_text=_LEAST_TEXT)
        text = f"Minimum {_LEAST_TEXT}: two minutes must be left when it is sent"
        problems.append(Problem(TicketField.EXPIRY, text, fix=longer))
        return None
    # By the venue's clock, which is what it compares with when the order arrives: a second of
    # slack for the way, another because that clock is known to the second only.
    ends = context.now + context.clock_skew + life + _SLACK
    if text := describe_outliving(context, ends):
        until_close = replace(draft, expiry_text=UNTIL_CLOSE)
        fix = until_close if _read_close(context, []) is not None else None
        problems.append(Problem(TicketField.EXPIRY, text, is_warning=True, fix=fix))
    return ends


def describe_outliving(context: TicketContext, ends: datetime) -> str:
    """Say that an order would still rest when its market closes; empty where it would not."""
    if context.closes_at is None:
        return ""
    left = context.closes_at - (context.now + context.clock_skew)
    # One whose stated end is over and that still takes orders has no closing time that is known.
    if left <= timedelta() or ends <= context.closes_at:
        return ""
    seconds = int(left.total_seconds())
    span = f"{seconds // 60} min" if seconds >= 60 else f"{seconds} s"
    return f"The market closes in {span}, before this expires"


def _read_close(context: TicketContext, problems: list[Problem]) -> datetime | None:
    closes_at, now = context.closes_at, context.now + context.clock_skew
    reason = ""
    if closes_at is None:
        reason = "The market names no closing time"
    elif closes_at - now < _LEAST_LIFE:
        reason = f"Minimum {_LEAST_TEXT}: the market closes before that"
    elif (closes_at - now).total_seconds() > _LONGEST_LIFE_S:
        reason = "The market closes in over a year"
    if reason:
        problems.append(Problem(TicketField.EXPIRY, reason))
        return None
    return closes_at


def parse_life(text: str) -> timedelta | None:
    """Parse `90s`, `30m`, `2h`, `1d`, or plain minutes; None if invalid, or over a year."""
    text = text.strip().lower()
    unit = text[-1:] if text[-1:] in _LIFE_UNITS else ""
    digits = text.removesuffix(unit) if unit else text
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
        return None
    seconds = int(digits) * _LIFE_UNITS[unit or "m"]
    return timedelta(seconds=seconds) if 0 < seconds <= _LONGEST_LIFE_S else None


def _explain_no_life(text: str) -> str:
    """Return why a text is not a time to live, quoting it, as its field may be too narrow to show it."""
    if not text:
        return f"Enter an expiry: {_LIFE_FORMS}"
    quoted = text if len(text) <= _MOST_QUOTED else f"{text[:_MOST_QUOTED]}..."
    if _LIFE.fullmatch(text):
        return f"{quoted} is over a year"
    return f"Not a time span: {quoted}; enter {_LIFE_FORMS}"


def affordable_cash(
    context: TicketContext, wanted: Micros, price: Micros, *, has_fee: bool
) -> Micros:
    """Return the dollars that a purchase may spend so that free cash also covers the fee."""
    available = context.available_cash or Micros(0)
    fee = context.terms.fee if has_fee else NO_FEE
    # Each matched level rounds its cost and fee separately; this much is reserved for that.
    aside = FEE_STEP * (1 + len(context.book.asks))
    fitted = fit_buy_amount(wanted, Micros(max(available - aside, 0)), price, fee=fee)
    return fitted if fitted < wanted else wanted


def _rough_cents(text: str) -> Micros | None:
    """Return a number of cents with too many decimals, truncated."""
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
                kept = format_dollars_down(Micros(wanted - cash))
                text = f"{kept} of it is kept back for the fee if it fills now"
                problems.append(Problem(TicketField.SIZE, text, is_warning=True))
            wanted = cash
        cash = wanted
    if draft.kind is OrderKind.MARKET or price is None:
        return cash
    return ratio_floor(cash, price)


_PERCENT_STEP = 5 * SCALE
LIVES = ("5m", "15m", "60m", UNTIL_CLOSE)
"""Choices for the life of a timed order, in the order in which the key cycles through them."""


class Step(IntEnum):
    """The direction in which a field is stepped."""

    UP = 1
    DOWN = -1


def switch_side(draft: TicketDraft) -> TicketDraft:
    """Return the draft for the other side."""
    return replace(draft, side=draft.side.opposite)


def next_kind(draft: TicketDraft) -> TicketDraft:
    """Return the draft as the next order type, with the fields which that needs."""
    if draft.kind is OrderKind.MARKET:
        return _back_to_limit(draft)
    # A sale stays in shares: it is refused, and the limit that is offered instead needs them.
    is_counted_in_shares = draft.side is Side.BUY and draft.size_unit is SizeUnit.SHARES
    unit = SizeUnit.DOLLARS if is_counted_in_shares else draft.size_unit
    # The typed number was in shares; as dollars it would be a different order.
    text = "" if is_counted_in_shares else draft.size_text
    tif = TimeInForce.FOK if draft.time_in_force.rests else draft.time_in_force
    return replace(
        draft, kind=OrderKind.MARKET, time_in_force=tif, size_unit=unit, size_text=text,
        price_text="", is_post_only=False, limit=draft,
    )  # fmt: skip


def _back_to_limit(draft: TicketDraft) -> TicketDraft:
    """Return the previous limit order: its price, and its size if the unit changed."""
    before = draft.limit or TicketDraft(draft.side, draft.outcome_index)
    is_same_unit = unit_of(draft) is before.size_unit
    size_text = draft.size_text if is_same_unit else before.size_text
    return replace(
        draft, kind=OrderKind.LIMIT, time_in_force=TimeInForce.GTC, limit=None,
        price_text=before.price_text, size_text=size_text, size_unit=before.size_unit,
    )  # fmt: skip


def after_sending(draft: TicketDraft) -> TicketDraft:
    """Return the draft after its order was accepted, ready for the same order with another size.

    The stop and target are cleared, as they were for the shares of that order.
    """
    limit = None
    if draft.limit is not None:
        limit = replace(draft.limit, size_text="", stop_text="", target_text="")
    return replace(draft, size_text="", stop_text="", target_text="", limit=limit)


def next_time_in_force(
    draft: TicketDraft, step: Step = Step.UP, *, has_close: bool = True
) -> TicketDraft:
    """Return the draft with the next time in force that its order type allows.

    A timed order steps through the usual lives first; a typed life is sorted in by its length.
    "Until the close" is a choice if the market has a closing time (`has_close`).
    """
    lives = LIVES if has_close else tuple(life for life in LIVES if life != UNTIL_CLOSE)
    kinds = [t for t in TimeInForce if draft.kind is OrderKind.LIMIT or not t.rests]
    choices = [
        (kind, life) for kind in kinds for life in (lives if kind is TimeInForce.GTD else ("",))
    ]
    place = _place_among(choices, draft, step)
    kind, life = choices[(place + step) % len(choices)]
    return replace(draft, time_in_force=kind, expiry_text=life or draft.expiry_text)


def _length_of(life: str) -> timedelta | None:
    return timedelta.max if life.strip().lower() == UNTIL_CLOSE else parse_life(life)


def _place_among(choices: list[tuple[TimeInForce, str]], draft: TicketDraft, step: Step) -> int:
    """Return the index of a draft's choice; for a life between two of them, that of the next one."""
    same = [place for place, each in enumerate(choices) if each[0] is draft.time_in_force]
    if draft.time_in_force is not TimeInForce.GTD or not same:
        return same[0] if same else -step
    typed = _length_of(draft.expiry_text)
    lives = [_length_of(choices[place][1]) for place in same]
    if typed is None:
        return same[0] - step
    if typed in lives:
        return same[lives.index(typed)]
    shorter = sum(life is not None and life < typed for life in lives)
    return same[0] + shorter - (1 if step is Step.UP else 0)


def next_unit(draft: TicketDraft, step: Step = Step.UP) -> TicketDraft:
    """Return the draft with the next unit, and no number: it would mean something else in that unit."""
    choices = [u for u in SizeUnit if draft.kind is OrderKind.LIMIT or u is not SizeUnit.SHARES]
    unit = unit_of(draft)
    place = choices.index(unit) if unit in choices else -step
    return replace(draft, size_unit=choices[(place + step) % len(choices)], size_text="")


def toggle_post_only(draft: TicketDraft) -> TicketDraft:
    """Return the draft with post-only toggled."""
    return replace(draft, is_post_only=not draft.is_post_only)


def step_price(draft: TicketDraft, context: TicketContext, step: Step) -> TicketDraft:
    """Return the draft with its price one tick further; an empty field starts at its own side's best price."""
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
    """Return a price in cents stepped by one on the grid; an invalid text is unchanged."""
    price = parse_cents(text)
    if price is None:
        return text
    on_grid = price // tick * tick if step > 0 else -(-price // tick) * tick
    return format_cents(nearest_price(Micros(on_grid + step * tick), tick))


def step_size(draft: TicketDraft, context: TicketContext, step: Step) -> TicketDraft:
    """Return the draft with its size changed by one unit of its leading digit, or five percent."""
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

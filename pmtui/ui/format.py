"""Writes numbers, prices and times: `format_` exactly, `read_` and `write_` in the chosen units.

With a `width` the text fills it exactly, aligned to the right; a number that does not fit becomes a
row of `#`, because half a number is a wrong number. Sizes are written by
`domain.formats.format_shares`, and here for narrow columns; both truncate.

`UNITS` sets the price format and the clock for the whole terminal, like the time zone of a process.
Typed and sent prices stay in cents, and so does the ladder, whose rows are ticks of a cent. Local
time is that of the machine that runs pmtui, which over SSH need not be the trader's own. Therefore
the zone is named: beside a single time, and once on a screen with many.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from math import floor
from typing import TypeVar

from pmtui.config.terminal_settings import Times
from pmtui.domain.formats import PriceFormat, american_odds, decimal_odds
from pmtui.domain.money import (
    SCALE,
    Micros,
    cents_down,
    cents_near,
    cents_up,
    round_price,
    write_dollars,
)

_CENT = SCALE // 100
TENTH_OF_CENT = Micros(SCALE // 1_000)
_HUNDREDTH_OF_CENT = Micros(SCALE // 10_000)
_UNITS = (("k", 1_000), ("M", 1_000_000), ("B", 1_000_000_000), ("T", 1_000_000_000_000))
_HUNDREDTH = SCALE // 100
_WHOLE_BELOW = 100_000
"""From so many shares on, a figure meant for a glance is written in thousands."""
_COMPACT_WIDTH = 6
_CUT, _NEAREST = 0, 1
"""Added before truncation, in halves of the last digit."""


# Every row of every ladder needs it, and there are few prices within a dollar.
@lru_cache(maxsize=4096)
def format_price(
    price: Micros,
    *,
    tick: Micros | None = None,
    width: int | None = None,
) -> str:
    """Write a price in cents: `51¢`, `51.5¢`.

    The tick size sets the minimum of decimals, so that a column of prices lines up; digits beyond
    it are shown, never rounded away.
    """
    text = _cents(abs(price), tick) + "¢"
    return fit_right(("-" if price < 0 else "") + text, width)


def format_average(price: Micros) -> str:
    """Write an average price in cents, rounded at a tenth of a cent.

    One below 100¢ is never written as 100¢, and one above 0¢ never as 0¢.
    """
    rounded = round_price(price, TENTH_OF_CENT)
    return format_price(rounded, tick=TENTH_OF_CENT)


def format_paid(price: Micros) -> str:
    """Write what shares cost on average: `45.53¢`, a digit more than a price has, or `45.5¢` where that is all."""
    rounded = round_price(price, _HUNDREDTH_OF_CENT)
    return format_price(
        rounded, tick=_HUNDREDTH_OF_CENT if rounded % TENTH_OF_CENT else TENTH_OF_CENT
    )


def format_price_change(change: Micros, *, tick: Micros | None = None) -> str:
    """Write a change of price with its sign: `+1.5¢`, `-2¢`, `0¢`; the tick as in `format_price`."""
    return f"{_sign(change)}{_cents(abs(change), tick)}¢"


def format_size_compact(size: Micros, *, width: int | None = None) -> str:
    """Write a size for a narrow column: `167.96` where that fits, else `167.9`, `12,399` or `123.4k`.

    Truncated at the hundredth or to the width, as in sentences: no column shows more than there is,
    and something is never shown as nothing. The size alone decides the unit, so that a column does
    not mix units at random.
    """
    return fit_right(_compact(size, width, add=_CUT), width)


def format_whole_size(size: Micros, *, width: int) -> str:
    """Write a size to be read at a glance: whole shares, `123k` from 100,000 on.

    Truncated, never rounded up; something is never shown as nothing.
    """
    if 0 < size < SCALE:
        text = "<1"
    elif size < _WHOLE_BELOW * SCALE:
        text = _units(size, SCALE, add=_CUT)
    else:
        letter, unit = next(each for each in reversed(_UNITS) if size >= each[1] * SCALE)
        text = f"{_units(size, unit * SCALE, tenths=size < 100 * unit * SCALE, add=_CUT)}{letter}"
    if len(text) > width:
        text = _compact(size, width, add=_CUT)
    return fit_right(text, width)


def format_size_ceil(size: Micros, *, width: int) -> str:
    """Write a size that must not look too small, in at most `width` cells: `16.8k`.

    Rounded up to whole shares if they fit, as estimates have no hundredths; else to the finest step
    that fits.
    """
    whole = f"{-(-size // SCALE):,}"
    texts = [whole]
    for letter, unit in _UNITS:
        if 10 * size < 9 * unit * SCALE:
            # Rounding up to a larger unit would overstate it by far.
            break
        tenths, count = -(-size * 10 // (unit * SCALE)), -(-size // (unit * SCALE))
        texts += [f"{tenths // 10:,}.{tenths % 10}{letter}", f"{count:,}{letter}"]
    return next((text for text in texts if len(text) <= width), whole)


def format_axis_size(size: Micros, *, end: Micros, width: int | None = None) -> str:
    """Write an axis label in the unit of the axis's end: `50k` beside `100k`."""
    least_of_unit = 10
    units = (
        (letter, unit) for letter, unit in reversed(_UNITS) if end >= least_of_unit * unit * SCALE
    )
    letter, unit = next(units, ("", 1))
    tenths = size * 10 // (unit * SCALE)
    fraction = f".{tenths % 10}" if tenths % 10 else ""
    return fit_right(f"{tenths // 10:,}{fraction}{letter}", width)


def format_money(amount: Micros) -> str:
    """Write cash that is held or received, to the cent, rounded down: `$1,234.56`."""
    return write_dollars(cents_down(amount))


def format_cost(amount: Micros) -> str:
    """Write cash that is paid, including fees, to the cent, rounded up: `$1,234.57`."""
    return write_dollars(cents_up(amount))


def format_past_money(amount: Micros) -> str:
    """Write cash that has changed hands, rounded half away from zero to the cent: `$50.00`."""
    return write_dollars(cents_near(amount))


def format_money_change(amount: Micros) -> str:
    """Write a gain or a loss with its sign, to the nearest cent: `+$3.10`, `-$3.10`, `$0.00`."""
    cents = cents_near(amount)
    return ("+" if cents > 0 else "") + write_dollars(cents)


def format_worth_change(amount: Micros) -> str:
    """Write the change of an account's value, rounded down like the value itself."""
    cents = cents_down(amount)
    return ("+" if cents > 0 else "") + write_dollars(cents)


def format_money_compact(amount: Micros, *, width: int | None = None) -> str:
    """Write cash for a narrow column: `$950`, `$12.3k`, `$4.5M`, rounded to the nearest."""
    sign = "-" if amount < 0 else ""
    # A compact amount has no cents.
    whole = Micros(abs(amount) // SCALE * SCALE)
    if amount and not whole:
        return fit_right(f"{sign}<$1", width)
    room = None if width is None else max(1, width - 1 - len(sign))
    return fit_right(f"{sign}${_compact(whole, room, add=_NEAREST)}", width)


def format_percent(ratio: Micros, *, decimals: int = 1) -> str:
    """Write a fraction of one as percent, rounded half away from zero: `51.5%`."""
    text = _percent(ratio, decimals)
    negative = ratio < 0 and text.strip("0.")
    return f"{'-' if negative else ''}{text}%"


def format_age(age_s: float) -> str:
    """Write an age in its largest unit: `3s`, `2m`, `5h`, `4d`."""
    seconds = max(0, floor(age_s))
    for unit, length in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= length:
            return f"{seconds // length}{unit}"
    return f"{seconds}s"


def format_time_left(seconds_left: float, *, width: int | None = None) -> str:
    """Write the time left in its two largest units: `2d 4h`, `3m 20s`, `ended`.

    A narrow column gets only the largest unit.
    """
    seconds = floor(seconds_left)
    if seconds <= 0:
        return fit_right("ended" if width is None or width >= 5 else "-", width)
    units = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))
    for (unit, length), (smaller, step) in pairwise(units):
        if seconds >= length:
            large, small = f"{seconds // length}{unit}", f"{seconds % length // step}{smaller}"
            both = f"{large} {small}"
            return fit_right(both if width is None or len(both) <= width else large, width)
    return fit_right(f"{seconds}s", width)


def fit_right(text: str, width: int | None) -> str:
    """Align a number to the right in exactly `width` cells; without a width it is unchanged."""
    if width is None:
        return text
    return text.rjust(width) if len(text) <= width else "#" * width


def _sign(amount: int) -> str:
    return "+" if amount > 0 else "-" if amount < 0 else ""


def _cents(price: int, tick: Micros | None) -> str:
    decimals = 0 if tick is None else len(_fraction(tick % _CENT, 4))
    whole, rest = divmod(price, _CENT)
    fraction = _fraction(rest, 4).ljust(decimals, "0")
    return f"{whole}.{fraction}" if fraction else f"{whole}"


def _fraction(rest: int, digits: int) -> str:
    return f"{rest:0{digits}d}".rstrip("0")


def _exact(size: int) -> str:
    whole, rest = divmod(abs(size), SCALE)
    fraction = _fraction(rest, 6)
    return f"{'-' if size < 0 else ''}{whole:,}" + (f".{fraction}" if fraction else "")


def _compact(size: int, width: int | None, *, add: int) -> str:
    """Write a number in at most `width` cells, truncated (`_CUT`) or rounded (`_NEAREST`)."""
    room = _COMPACT_WIDTH if width is None else width
    sign, size = ("-" if size < 0 else ""), abs(size)
    hundredths = (2 * size + add * _HUNDREDTH) // (2 * _HUNDREDTH) * _HUNDREDTH
    if size and not hundredths and room >= len(sign) + len("<0.01"):
        return f"{sign}<0.01"
    exact = sign + _exact(hundredths or size)
    if len(exact) <= room:
        return exact
    if size < SCALE:
        return f"{sign}<1"
    texts = [] if size >= 1_000 * SCALE else [_units(size, SCALE, tenths=True, add=add)]
    texts.append(_units(size, SCALE, add=add))
    for letter, unit in reversed(_UNITS):
        # A number that rounds up to a unit is written in that unit.
        if 2 * size >= (2 * unit - add * unit // 1_000) * SCALE:
            texts += [
                f"{_units(size, unit * SCALE, tenths=t, add=add)}{letter}" for t in (True, False)
            ]
            break
    texts.append(texts[-1].replace(",", ""))
    fitting = [f"{sign}{text}" for text in texts if len(sign + text) <= room]
    return fitting[0] if fitting else exact


def _units(size: int, unit: int, *, tenths: bool = False, add: int) -> str:
    """Write a size in a unit, whole or with one decimal."""
    if not tenths:
        return f"{(2 * size + add * unit) // (2 * unit):,}"
    count = (20 * size + add * unit) // (2 * unit)
    return f"{count // 10:,}.{count % 10}"


def _percent(ratio: int, decimals: int) -> str:
    unit = SCALE // 100
    steps = (2 * abs(ratio) * 10**decimals + unit) // (2 * unit)
    whole, rest = divmod(steps, 10**decimals)
    return f"{whole:,}.{rest:0{decimals}d}" if decimals else f"{whole:,}"


_LONGEST = 6
"""The cells for a price without a given width: those of a price column."""
_E = TypeVar("_E", bound=StrEnum)


@dataclass(slots=True)
class Units:
    """The price format and the clock in use."""

    prices: PriceFormat = PriceFormat.CENTS
    times: Times = Times.LOCAL

    @property
    def key(self) -> Hashable:
        """A cache key: differs whenever the same value is written differently."""
        return self.prices, self.times


UNITS = Units()
"""The units of this terminal."""
PRICE_NAMES = {
    PriceFormat.CENTS: "Prices in cents.",
    PriceFormat.PERCENT: "Prices in percent; orders and ladders stay in cents.",
    PriceFormat.DECIMAL: "Prices as decimal odds; orders and ladders stay in cents.",
    PriceFormat.AMERICAN: "Prices as American odds; orders and ladders stay in cents.",
}
TIME_NAMES = {Times.LOCAL: "Times by the clock of this machine.", Times.UTC: "Times in UTC."}


def next_of(now: _E) -> _E:
    """Return the next member of an enumeration, the first after the last."""
    members = list(type(now))
    return members[(members.index(now) + 1) % len(members)]


def member_of(usual: _E, value: str) -> _E:
    """Return the member with a value, or the default if there is none."""
    return next((each for each in type(usual) if each.value == value), usual)


def shown_time(at: datetime) -> datetime:
    """Return a time in the chosen zone."""
    return at.astimezone(UTC if UNITS.times is Times.UTC else None)


def moment_of(local: datetime) -> datetime:
    """Return the instant at which the chosen clock shows this naive time."""
    return local.replace(tzinfo=UTC) if UNITS.times is Times.UTC else local.astimezone()


def read_price(price: Micros, *, tick: Micros | None = None, width: int | None = None) -> str:
    """Write a price in the chosen format: `39.7¢`, `39.7%`, `2.52` or `+152`.

    Args:
        price: in millionths of a dollar.
        tick: sets the minimum of decimals of cents and per cent.
        width: to fill exactly, to the right.
    """
    if UNITS.prices is PriceFormat.CENTS:
        return format_price(price, tick=tick, width=width)
    if UNITS.prices is PriceFormat.PERCENT:
        return fit_right(format_price(price, tick=tick).replace("¢", "%"), width)
    is_decimal = UNITS.prices is PriceFormat.DECIMAL
    text = decimal_odds(price) if is_decimal else american_odds(price)
    is_long = len(text) > (_LONGEST if width is None else width)
    return fit_right(text.replace(",", "") if is_long else text, width)


def read_average(price: Micros) -> str:
    """Write an average or a midpoint in the chosen format; cents and per cent to a tenth."""
    if UNITS.prices is PriceFormat.CENTS:
        return format_average(price)
    if UNITS.prices is PriceFormat.PERCENT:
        return format_average(price).replace("¢", "%")
    return read_price(round_price(price, TENTH_OF_CENT))


def read_paid(price: Micros) -> str:
    """Write what shares cost on average in the chosen format; cents and per cent to a hundredth."""
    if UNITS.prices is PriceFormat.CENTS:
        return format_paid(price)
    if UNITS.prices is PriceFormat.PERCENT:
        return format_paid(price).replace("¢", "%")
    return read_average(price)


def read_distance(distance: Micros, *, tick: Micros | None = None) -> str:
    """Write a spread: in percentage points or cents, because odds do not subtract."""
    text = format_price(distance, tick=tick)
    return text.replace("¢", "%") if UNITS.prices is PriceFormat.PERCENT else text


def read_change(change: Micros) -> str:
    """Write a price change: in percentage points or cents, because odds do not subtract."""
    text = format_price_change(change, tick=TENTH_OF_CENT)
    return text.replace("¢", "%") if UNITS.prices is PriceFormat.PERCENT else text


def write_clock(at: datetime) -> str:
    """Write the time of day; the caller shows the zone nearby."""
    return f"{shown_time(at):%H:%M:%S}"


def write_moment(at: datetime) -> str:
    """Write day and time with the zone: `05 Jan 2026 14:03:20 CET`."""
    local = shown_time(at)
    return f"{local:%d %b %Y %H:%M:%S} {_name(local)}"


def zone_at(at: datetime) -> str:
    """Return the name of the zone at a time: `UTC`, `CEST`, `UTC-03`."""
    return _name(shown_time(at))


def _name(local: datetime) -> str:
    # Zones without a name are named by their offset.
    name = local.tzname() or f"{local:%z}"
    return name if name.isalpha() else f"UTC{name}"

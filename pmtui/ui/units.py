"""In what prices are written for reading, and by which clock times: one way for the whole terminal.

Like the time zone of a process it is set in one place and is in force wherever something is painted. What
is typed and what is sent stays in cents, and so does the ladder, whose rows are ticks of a cent.

Times are those of the machine this runs on, which over SSH need not be the trader's own. So a zone is
named: beside a time that stands alone, once on a screen full of them.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from typing import TypeVar

from pmtui.config.terminal_settings import Times
from pmtui.domain.formats import PriceFormat, american_odds, decimal_odds
from pmtui.domain.money import Micros, round_price
from pmtui.ui.format import (
    TENTH_OF_CENT,
    fit_right,
    format_average,
    format_price,
    format_price_change,
)

_LONGEST = 6
"""Cells that a price may take where nothing else is said: those of a column of prices."""
_E = TypeVar("_E", bound=StrEnum)


@dataclass(slots=True)
class Units:
    """What is in force."""

    prices: PriceFormat = PriceFormat.CENTS
    times: Times = Times.LOCAL

    @property
    def key(self) -> Hashable:
        """Differs wherever the same value is written otherwise: pictures are kept by it."""
        return self.prices, self.times


UNITS = Units()
"""Of this terminal."""
PRICE_NAMES = {
    PriceFormat.CENTS: "Prices in cents.",
    PriceFormat.PERCENT: "Prices in per cent; orders and ladders stay in cents.",
    PriceFormat.DECIMAL: "Prices as decimal odds; orders and ladders stay in cents.",
    PriceFormat.AMERICAN: "Prices as American odds; orders and ladders stay in cents.",
}
TIME_NAMES = {Times.LOCAL: "Times by the clock of this machine.", Times.UTC: "Times in UTC."}


def next_of(now: _E) -> _E:
    """Return the member of an enumeration after this one; the first after the last."""
    members = list(type(now))
    return members[(members.index(now) + 1) % len(members)]


def member_of(usual: _E, value: str) -> _E:
    """Return the member with a value, or the usual one where there is none."""
    return next((each for each in type(usual) if each.value == value), usual)


def shown_time(at: datetime) -> datetime:
    """Return a moment by the clock in force."""
    return at.astimezone(shown_zone())


def shown_zone() -> tzinfo | None:
    """Return the zone of the clock in force; None for that of the machine."""
    return UTC if UNITS.times is Times.UTC else None


def moment_of(local: datetime) -> datetime:
    """Return the moment at which the clock in force shows a time without a zone."""
    return local.replace(tzinfo=UTC) if UNITS.times is Times.UTC else local.astimezone()


def read_price(price: Micros, *, tick: Micros | None = None, width: int | None = None) -> str:
    """Write a price for reading: `39.7¢`, `39.7%`, `2.52` or `+152`.

    Args:
        price: in millionths of a dollar.
        tick: fixes the least number of decimals of cents and per cent.
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
    """Write an average or a middle for reading: cents and per cent to a tenth."""
    if UNITS.prices is PriceFormat.CENTS:
        return format_average(price)
    if UNITS.prices is PriceFormat.PERCENT:
        return format_average(price).replace("¢", "%")
    return read_price(round_price(price, TENTH_OF_CENT))


def read_distance(distance: Micros, *, tick: Micros | None = None) -> str:
    """Write how far two prices are apart: in points of per cent, else in cents, as odds do not subtract."""
    text = format_price(distance, tick=tick)
    return text.replace("¢", "%") if UNITS.prices is PriceFormat.PERCENT else text


def read_change(change: Micros) -> str:
    """Write how far a price has come: in points of per cent, else in cents, as odds do not subtract."""
    text = format_price_change(change)
    return text.replace("¢", "%") if UNITS.prices is PriceFormat.PERCENT else text


def write_clock(at: datetime) -> str:
    """Write the time of day; whoever shows it names the zone nearby."""
    return f"{shown_time(at):%H:%M:%S}"


def write_moment(at: datetime) -> str:
    """Write day and time with the zone: `05 Jan 2026 14:03:20 CET`."""
    local = shown_time(at)
    return f"{local:%d %b %Y %H:%M:%S} {_name(local)}"


def zone_at(at: datetime) -> str:
    """Name the zone that such a moment is written in: `UTC`, `CEST`, `UTC-03`."""
    return _name(shown_time(at))


def _name(local: datetime) -> str:
    # Zones without a name of their own are called by their distance.
    name = local.tzname() or f"{local:%z}"
    return name if name.isalpha() else f"UTC{name}"

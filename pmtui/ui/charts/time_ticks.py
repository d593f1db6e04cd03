"""Round times for a chart's axis: full minutes, hours and days in the current time zone.

Times are found on the calendar, not by dividing the width, so that a change to summer time gives no
odd labels.
"""

from collections.abc import Iterator
from datetime import datetime, time, timedelta
from typing import NamedTuple

from pmtui.ui.format import moment_of, shown_time

_DAY = timedelta(days=1)
_CLOCK_STEPS = tuple(
    timedelta(seconds=seconds)
    for seconds in (
        1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200,
    )
)  # fmt: skip
_DAY_STEPS = (1, 2, 7, 14)
"""Days; steps of seven or more fall on Mondays."""
_MONTH_STEPS = (1, 3, 6, 12, 24, 60, 120, 600, 1_200, 6_000, 12_000)
_MINUTE = timedelta(minutes=1)
_MONTHS_A_YEAR = 12
_LAST_YEAR = 9_998


class Tick(NamedTuple):
    """A labelled time on the axis."""

    at: datetime
    label: str


def time_ticks(first: datetime, last: datetime, most: int) -> tuple[Tick, ...]:
    """Return the round times of a span, at most `most`."""
    span = last - first
    for step in _CLOCK_STEPS:
        if span // step <= most:
            ticks = _clock_ticks(first, last, step)
            if len(ticks) <= most:
                return ticks
    for days in _DAY_STEPS:
        if span // (days * _DAY) <= most:
            ticks = _day_ticks(first, last, days)
            if len(ticks) <= most:
                return ticks
    for months in _MONTH_STEPS:
        ticks = _month_ticks(first, last, months)
        if len(ticks) <= most:
            return ticks
    return ()


def _clock_ticks(first: datetime, last: datetime, step: timedelta) -> tuple[Tick, ...]:
    pattern = "%H:%M:%S" if step < _MINUTE else "%H:%M"
    return tuple(
        Tick(at, _day(local) if local.time() == time() else f"{local:{pattern}}")
        for local, at in _within(first, last, _clock_moments(first, step))
    )


def _clock_moments(first: datetime, step: timedelta) -> Iterator[datetime]:
    day = _midnight(first)
    while True:
        moment = day
        while moment < day + _DAY:
            yield moment
            moment += step
        day += _DAY


def _day_ticks(first: datetime, last: datetime, days: int) -> tuple[Tick, ...]:
    def moments() -> Iterator[datetime]:
        day = _midnight(first)
        # 1 January of the year 1 was a Monday.
        day -= timedelta(days=(day.toordinal() - 1) % days)
        while True:
            yield day
            day += days * _DAY

    return tuple(Tick(at, _day(local)) for local, at in _within(first, last, moments()))


def _month_ticks(first: datetime, last: datetime, months: int) -> tuple[Tick, ...]:
    def moments() -> Iterator[datetime]:
        start = shown_time(first)
        number = (start.year * _MONTHS_A_YEAR + start.month - 1) // months * months
        while True:
            year, month = divmod(number, _MONTHS_A_YEAR)
            if year > _LAST_YEAR:
                return
            if year > 0:
                yield datetime(year, month + 1, 1)  # noqa: DTZ001 - by the clock in force
            number += months

    return tuple(
        Tick(at, f"{local:%Y}" if local.month == 1 else f"{local:%b}")
        for local, at in _within(first, last, moments())
    )


def _within(
    first: datetime, last: datetime, moments: Iterator[datetime]
) -> Iterator[tuple[datetime, datetime]]:
    """Yield the times within a span, each in local time and with its zone."""
    for local in moments:
        at = moment_of(local)
        if at > last:
            return
        if at >= first:
            yield local, at


def _midnight(at: datetime) -> datetime:
    return shown_time(at).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)


def _day(local: datetime) -> str:
    return f"{local.day} {local:%b}"

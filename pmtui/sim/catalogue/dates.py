"""Dates of the packaged catalogue, stored relative to an anchor and filled in when it is loaded.

In the packed text a date is `{{seconds|form}}`: seconds after the anchor, and the format. A weekly
event moves by whole weeks, so a Saturday game stays on a Saturday.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

DAY_S = 86_400
WEEK_S = 7 * DAY_S
PERIOD_S = 28 * DAY_S
"""The step by which events without their own rhythm are moved: weekdays stay."""
ANCHOR = datetime(2026, 11, 2, tzinfo=UTC)
"""A Monday at midnight; the catalogue was written as if that were now."""

_MARK = re.compile(rb"\{\{(-?\d+)\|(\w+)\}\}")


def moved_anchor(now: datetime, period_s: int) -> datetime:
    """Return the anchor moved by whole periods to just before now."""
    passed = int((now - ANCHOR).total_seconds()) // period_s
    return ANCHOR + timedelta(seconds=passed * period_s)


def fill(text: bytes, anchor: datetime) -> bytes:
    """Replace every date mark in a text."""
    written: dict[tuple[bytes, bytes], bytes] = {}

    def date_of(match: re.Match[bytes]) -> bytes:
        key = (match[1], match[2])
        if key not in written:
            moment = anchor + timedelta(seconds=int(match[1]))
            written[key] = _FORMS[match[2]](moment).encode()
        return written[key]

    return _MARK.sub(date_of, text)


def _fraction_of(moment: datetime) -> str:
    # The public venue stamps rows to the microsecond and drops trailing zeros; ours are invented.
    seconds = int(moment.timestamp())
    return f"{seconds * 7_919 % 999_983:06d}"


def _stamp(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{_fraction_of(moment).rstrip('0') or '1'}Z"


_FORMS: dict[bytes, Callable[[datetime], str]] = {
    b"iso": lambda moment: f"{moment:%Y-%m-%dT%H:%M:%SZ}",
    b"stamp": _stamp,
    b"space": lambda moment: f"{moment:%Y-%m-%d %H:%M:%S}+00",
    b"spacems": lambda moment: f"{moment:%Y-%m-%d %H:%M:%S}.{_fraction_of(moment)[:3]}+00",
    b"day": lambda moment: f"{moment:%Y-%m-%d}",
    b"long": lambda moment: f"{moment:%B} {moment.day}, {moment.year}",
    b"short": lambda moment: f"{moment:%B} {moment.day}",
    b"month": lambda moment: f"{moment:%B %Y}",
    b"monthname": lambda moment: f"{moment:%B}",
    b"monthslug": lambda moment: f"{moment:%B}-{moment.year}".lower(),
    b"year": lambda moment: f"{moment.year}",
    b"slug": lambda moment: f"{moment:%B}-{moment.day}-{moment.year}".lower(),
}

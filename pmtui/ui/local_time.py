"""Times by the clock of the machine this runs on, which over SSH need not be the trader's own.

So a zone is named: beside a time that stands alone, once on a screen full of them.
"""

from datetime import datetime


def write_clock(at: datetime) -> str:
    """Write the time of day; whoever shows it names the zone nearby."""
    return f"{at.astimezone():%H:%M:%S}"


def write_moment(at: datetime) -> str:
    """Write day and time with the zone: `05 Jan 2026 14:03:20 CET`."""
    local = at.astimezone()
    return f"{local:%d %b %Y %H:%M:%S} {_name(local)}"


def zone_at(at: datetime) -> str:
    """Name the zone that such a moment is written in: `UTC`, `CEST`, `UTC-03`."""
    return _name(at.astimezone())


def _name(local: datetime) -> str:
    # Zones without a name of their own are called by their distance.
    name = local.tzname() or f"{local:%z}"
    return name if name.isalpha() else f"UTC{name}"

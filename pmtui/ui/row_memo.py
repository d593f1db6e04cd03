"""Painted rows kept as long as what they show stays the same, so that a list costs its changes."""

from collections.abc import Callable
from datetime import datetime, timedelta

from pmtui.ui.cells import Row
from pmtui.ui.units import UNITS


class RowMemo:
    """The last painted row for each key, and what it was painted from."""

    def __init__(self) -> None:
        self._rows: dict[str, tuple[tuple[object, ...], Row]] = {}

    def row(self, key: str, inputs: tuple[object, ...], paint: Callable[[], Row]) -> Row:
        """Return the row for these inputs, painted anew only when one of them differs."""
        inputs = (*inputs, UNITS.key)
        known = self._rows.get(key)
        if known is not None and known[0] == inputs:
            return known[1]
        row = paint()
        self._rows[key] = (inputs, row)
        return row

    def keep_only(self, keys: set[str]) -> None:
        """Forget rows that are no longer listed."""
        if len(self._rows) > 2 * len(keys) + 100:
            self._rows = {key: value for key, value in self._rows.items() if key in keys}

    def clear(self) -> None:
        """Forget everything."""
        self._rows.clear()


def tick_of(end_at: datetime | None, now: datetime) -> datetime:
    """Return what the time left is counted in: seconds in the last hour, else minutes."""
    is_near = end_at is not None and end_at - now < timedelta(hours=1, minutes=1)
    return now.replace(microsecond=0) if is_near else now.replace(second=0, microsecond=0)

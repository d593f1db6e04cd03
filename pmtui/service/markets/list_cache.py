"""The list of events as it was last seen, kept in the profile's state directory for the next start.

It is shown at once and says how old it is, until the venue answers. Kept for looking at only:
nothing of it is searched, opened or traded. A file that is damaged, foreign, from the future or
too old counts as none; one that cannot be written costs a line in the log. No secrets are in it.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from pmtui.config.paths import private_dir
from pmtui.domain.markets.market import Event

FILE = "seen_events.json"
FORMAT = 1
"""Raised when the meaning of what is kept changes; other numbers are ignored."""
MOST_EVENTS = 60
MOST_BYTES = 1_000_000
OLDEST = timedelta(days=7)
CLOCK_SLACK = timedelta(minutes=1)
"""By which a file may seem to be from the future: clocks are set back a little now and then."""


class SeenEvents(msgspec.Struct, frozen=True, kw_only=True):
    """What the file holds."""

    format: int
    seen_at: datetime
    events: tuple[Event, ...]


class _Head(msgspec.Struct, frozen=True):
    """Enough to tell whether the rest means what we think."""

    format: int


class CacheProblem(Exception):  # noqa: N818 - no error: the session goes on without
    """Why there is nothing to show, in a line; a missing file is no problem."""


class ListCache:
    """Reads the file once and writes it now and then. Both may take milliseconds."""

    def __init__(self, state_dir: Path) -> None:
        """Keep the file in a profile's own directory, so that profiles never see one another's."""
        self._path = state_dir / FILE

    def read(self, now: datetime) -> SeenEvents | None:
        """Return what was last seen, or None where there is no file.

        Raises:
            CacheProblem: there is one, and it is of no use.
        """
        try:
            with self._path.open("rb") as file:
                raw = file.read(2 * MOST_BYTES + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise CacheProblem(error.strerror or "cannot be read") from error
        if len(raw) > 2 * MOST_BYTES:
            raise CacheProblem("too large")
        try:
            if msgspec.json.decode(raw, type=_Head).format != FORMAT:
                raise CacheProblem("written by another version")
            seen = msgspec.json.decode(raw, type=SeenEvents)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise CacheProblem("damaged, or written by another version") from error
        if seen.seen_at.tzinfo is None or len({e.event_id for e in seen.events}) != len(
            seen.events
        ):
            raise CacheProblem("damaged")
        age = now - seen.seen_at
        if not -CLOCK_SLACK <= age <= OLDEST:
            raise CacheProblem("too old" if age > OLDEST else "from the future")
        return seen

    def write(self, events: Iterable[Event], seen_at: datetime) -> None:
        """Replace the file whole; the first events are kept, as many as fit.

        Raises:
            OSError: it cannot be written. The file from before is still there.
        """
        body = _encode(events, seen_at)
        private_dir(self._path.parent)
        draft = self._path.with_name(f"{FILE}.{os.getpid()}")
        try:
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(body)
            draft.replace(self._path)
        except OSError:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
            raise


def _encode(events: Iterable[Event], seen_at: datetime) -> bytes:
    rows: list[bytes] = []
    size = 0
    for event in events:
        row = msgspec.json.encode(_without_prose(event))
        size += len(row) + 1
        if len(rows) == MOST_EVENTS or size > MOST_BYTES:
            break
        rows.append(row)
    return msgspec.json.encode(
        {
            "format": FORMAT,
            "seen_at": seen_at,
            "events": [msgspec.Raw(row) for row in rows],
        }
    )


def _without_prose(event: Event) -> Event:
    """Leave out what no list shows; it is most of the bytes."""
    markets = tuple(replace(m, description="", resolution_source="") for m in event.markets)
    return replace(event, description="", resolution_source="", markets=markets)

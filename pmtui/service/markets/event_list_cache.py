"""The list of events of the last session: shown until the venue answers, saved for the next start.

The file lies in the profile's state directory. It is for looking at only: nothing in it is searched,
opened or traded, and the screen says how old it is. A file that is damaged, foreign, from the future
or too old counts as none; one that cannot be written costs a line in the log. It holds no secrets.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from pmtui.config.paths import replace_file
from pmtui.domain.markets.market import Event
from pmtui.service.kernel import Kernel
from pmtui.service.markets.metadata import MetadataFeed
from pmtui.service.topics import MarketListTopic
from pmtui.service.views import Level

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


class EventListFile:
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
        replace_file(self._path, _encode(events, seen_at))


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


FIRST_WRITE_S = 3.0
WRITE_PERIOD_S = 60.0
"""The file is written no more often, and only when the list has been fetched anew."""

TOPIC = MarketListTopic()
"""The list that every session begins with, and the only one that is kept."""


class EventListCache:
    """Between the lists of the metadata host and the file of the last session."""

    def __init__(self, kernel: Kernel, metadata: MetadataFeed, state_dir: Path | None) -> None:
        """Build it; without a directory nothing is kept."""
        self._kernel = kernel
        self._metadata = metadata
        self._cache = None if state_dir is None else EventListFile(state_dir)
        self._written_as_of: datetime | None = None
        self._problem = ""

    def restore(self) -> None:
        """Show what was last seen, before anybody asks."""
        if self._cache is None:
            return
        try:
            seen = self._cache.read(self._kernel.clock.now())
        except CacheProblem as problem:
            self._report(f"the list of the last session is left out: {problem}")
            return
        if seen is not None and seen.events:
            self._metadata.show_cached(TOPIC, seen.events, seen.seen_at)

    async def keep_writing(self) -> None:
        """Keep the file within a minute of what is on the screen."""
        await self._kernel.clock.sleep(FIRST_WRITE_S)
        while True:
            await self.write()
            await self._kernel.clock.sleep(WRITE_PERIOD_S)

    async def write(self) -> None:
        """Write the list if it is newer than the file."""
        state = self._metadata.lists.get(TOPIC)
        if self._cache is None or state is None or state.is_cached or state.as_of is None:
            return
        if state.as_of == self._written_as_of:
            return
        as_of = state.as_of
        try:
            await asyncio.to_thread(self._cache.write, state.events, as_of)
        except OSError as error:
            # Tried again at the next change; said once.
            self._report(f"the list cannot be kept for the next session: {error.strerror or error}")
        else:
            self._written_as_of, self._problem = as_of, ""

    def _report(self, problem: str) -> None:
        if problem != self._problem:
            self._problem = problem
            self._kernel.log.add(Level.INFO, "cache", problem)

"""Cache of the last session's event list: shown until the venue replies, saved for the next start.

The file is in the profile's state directory. It is for display only: nothing in it is searched,
opened or traded, and the screen shows its age. A file that is damaged, foreign, from the future or
too old is ignored; a failed write causes a log entry. It contains no secrets.
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
"""Incremented when the meaning of the contents changes; other numbers are ignored."""
MOST_EVENTS = 60
MOST_BYTES = 1_000_000
OLDEST = timedelta(days=7)
CLOCK_SLACK = timedelta(minutes=1)
"""How far in the future a file may seem to be: clocks are sometimes set back a little."""


class SeenEvents(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of the file."""

    format: int
    seen_at: datetime
    events: tuple[Event, ...]


class _Head(msgspec.Struct, frozen=True):
    """Enough to tell whether the rest has the expected meaning."""

    format: int


class CacheProblem(Exception):  # noqa: N818 - no error: the session goes on without
    """Why the cache cannot be shown, in one line; a missing file is no problem."""


class EventListFile:
    """Reads the file once and writes it periodically. Both may take milliseconds."""

    def __init__(self, state_dir: Path) -> None:
        """Use a file in a profile's own directory, so that profiles never see each other's."""
        self._path = state_dir / FILE

    def read(self, now: datetime) -> SeenEvents | None:
        """Return the cached events, or None if there is no file.

        Raises:
            CacheProblem: the file is unusable.
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
        """Replace the whole file; the first events are kept, as many as fit.

        Raises:
            OSError: the file cannot be written. The old one is still there.
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
    """Return an event without the texts that no list shows; they are most of its bytes."""
    markets = tuple(replace(m, description="", resolution_source="") for m in event.markets)
    return replace(event, description="", resolution_source="", markets=markets)


FIRST_WRITE_S = 3.0
WRITE_PERIOD_S = 60.0
"""The file is written at most this often, and only after the list has been fetched again."""

TOPIC = MarketListTopic()
"""The list that every session begins with, and the only one that is cached."""


class EventListCache:
    """Connects the lists of the metadata host with the cache file."""

    def __init__(self, kernel: Kernel, metadata: MetadataFeed, state_dir: Path | None) -> None:
        """Create the cache; without a directory nothing is saved."""
        self._kernel = kernel
        self._metadata = metadata
        self._cache = None if state_dir is None else EventListFile(state_dir)
        self._written_as_of: datetime | None = None
        self._problem = ""

    def restore(self) -> None:
        """Show the cached list before any host is asked."""
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
        """Keep the file at most a minute behind the screen."""
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
            # Retried at the next change; reported once.
            self._report(f"the list cannot be kept for the next session: {error.strerror or error}")
        else:
            self._written_as_of, self._problem = as_of, ""

    def _report(self, problem: str) -> None:
        if problem != self._problem:
            self._problem = problem
            self._kernel.log.add(Level.INFO, "cache", problem)

"""Shows the list of the last session until the venue answers, and keeps this session's."""

import asyncio
from datetime import datetime
from pathlib import Path

from pmtui.service.kernel import Kernel
from pmtui.service.markets.list_cache import CacheProblem, ListCache
from pmtui.service.markets.metadata import MetadataFeed
from pmtui.service.topics import MarketListTopic
from pmtui.service.views import Level

FIRST_WRITE_S = 3.0
WRITE_PERIOD_S = 60.0
"""The file is written no more often, and only when the list has been fetched anew."""

TOPIC = MarketListTopic()
"""The list that every session begins with, and the only one that is kept."""


class SeenFeed:
    """Between the lists of the metadata host and the file of the last session."""

    def __init__(self, kernel: Kernel, metadata: MetadataFeed, state_dir: Path | None) -> None:
        """Build it; without a directory nothing is kept."""
        self._kernel = kernel
        self._metadata = metadata
        self._cache = None if state_dir is None else ListCache(state_dir)
        self._written_as_of: datetime | None = None
        self._problem = ""

    def restore(self) -> None:
        """Show what was last seen, before anybody asks."""
        if self._cache is None:
            return
        try:
            seen = self._cache.read(self._kernel.clock.now())
        except CacheProblem as problem:
            self._say(f"the list of the last session is left out: {problem}")
            return
        if seen is not None and seen.events:
            self._metadata.show_seen(TOPIC, seen.events, seen.seen_at)

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
            self._say(f"the list cannot be kept for the next session: {error.strerror or error}")
        else:
            self._written_as_of, self._problem = as_of, ""

    def _say(self, problem: str) -> None:
        if problem != self._problem:
            self._problem = problem
            self._kernel.log.add(Level.INFO, "cache", problem)

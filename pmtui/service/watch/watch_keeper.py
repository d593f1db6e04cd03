"""Between the watchlist and its file: every change is written at once, in order, behind the screen.

Another terminal of the profile, one that only looks on, writes the same file: it is read again
whenever it is another one than before.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pmtui.service.kernel import Kernel
from pmtui.service.topics import WatchlistTopic
from pmtui.service.views import Level
from pmtui.service.watch.watch_store import Change, Kept, StoreProblem, WatchStore

LOOKS_EVERY_S = 5.0
"""How late what another terminal keeps is seen."""


class WatchKeeper:
    """Keeps stars and alerts for the next session, and says where it cannot."""

    def __init__(self, kernel: Kernel, state_dir: Path | None) -> None:
        """Build it; without a directory nothing is kept."""
        self._kernel = kernel
        self._store = None if state_dir is None else WatchStore(state_dir)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="watchlist")
        self._unwritten: deque[Change] = deque()
        self._is_stopped = False
        self._wishes = 0
        """Changes of this session so far."""
        self._read_at: tuple[int, ...] = ()
        """The file's mark when it was read last."""
        self.problem = ""
        """Why what is starred is not kept, or what is kept was not read."""

    def restore(self) -> Kept:
        """Return what an earlier session left; says it where that cannot be read."""
        if self._store is None:
            return Kept()
        try:
            self._read_at = self._store.mark()
            kept = self._store.read()
        except StoreProblem as problem:
            self._say(f"The watchlist cannot be read ({problem}); its file is left as it is")
            return Kept()
        if kept.unreadable:
            self._say(f"{kept.unreadable} of the watchlist cannot be read; its file keeps them")
        return kept

    async def follow(self, take: Callable[[Kept], None]) -> None:
        """Read what others have written from now on; `take` hears of all that is kept."""
        store, loop = self._store, asyncio.get_running_loop()
        while store is not None:
            await self._kernel.clock.sleep(LOOKS_EVERY_S)
            wishes, read_at = self._wishes, self._read_at
            mark = await loop.run_in_executor(self._thread, store.mark)
            if mark == read_at or not mark or self._unwritten:
                continue
            try:
                kept = await loop.run_in_executor(self._thread, store.read)
            except StoreProblem:
                # Said where it was read first or is written next.
                continue
            if self._wishes == wishes:
                # Else it is older than what is wished here; the next look reads it again.
                self._read_at = mark
                take(kept)

    def keep(self, change: Change) -> None:
        """Write a change without waiting for it."""
        self._wishes += 1
        if self._store is not None:
            self._unwritten.append(change)
        if self._unwritten and not self._is_stopped:
            self._kernel.start_unless_running("watchlist file", "watchlist", self._write)

    def stop(self) -> None:
        """Gather changes from now on; `close` writes them."""
        self._is_stopped = True

    async def close(self) -> None:
        """Write what is left."""
        self.stop()
        await self._write()
        self._thread.shutdown(wait=True)

    async def _write(self) -> None:
        store = self._store
        while store is not None and self._unwritten:
            changes = tuple(self._unwritten)
            loop = asyncio.get_running_loop()
            try:
                aside = await loop.run_in_executor(self._thread, store.write, changes)
            except StoreProblem as problem:
                # Tried again with the next change; said once.
                self._say(f"The watchlist cannot be kept for the next session: {problem}")
                return
            for _ in changes:
                self._unwritten.popleft()
            if aside is not None:
                self._say(f"The watchlist that could not be read is kept as {aside.name}")
            else:
                self.problem = ""

    def _say(self, problem: str) -> None:
        if problem != self.problem:
            self.problem = problem
            self._kernel.log.notice(Level.WARNING, problem)
            self._kernel.mark(WatchlistTopic())

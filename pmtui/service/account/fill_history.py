"""Own trades of before this session: at once where they are few, else the last days first.

What is older is read behind everything else, in stretches of time, newest first; a stretch that
fails is asked for again. Where reading ends for good, a notice says from when on trades are known.
"""

from collections.abc import Callable
from datetime import timedelta

from pmtui.domain.answers import Listing
from pmtui.domain.failure import Failure
from pmtui.domain.health import Source
from pmtui.domain.markets.history_windows import Window, first_window, next_window
from pmtui.domain.orders.order import Fill
from pmtui.service.kernel import Kernel
from pmtui.service.ports import Account
from pmtui.service.views import Level

FIRST_PAGES = 20
"""As many are read at once; nearly every account has fewer."""
OLDER_PAGES = 50
RECENT = timedelta(days=2)
"""Read first of a long history: the day's result needs no more."""
MOST_FILLS = 20_000
"""Kept in memory of a long history, and looked through on every look."""
PAUSE_S = 0.5
AFTER_FAILURE_S = 30.0
_MINUTE = "%Y-%m-%d %H:%M UTC"


class FillHistory:
    """Reads the history of an account once."""

    def __init__(self, kernel: Kernel, apply: Callable[[Listing[Fill]], None]) -> None:
        """Begin with nothing.

        Args:
            kernel: time, log, tasks.
            apply: takes in trades of before.
        """
        self._kernel = kernel
        self._apply = apply

    async def read(self, account: Account) -> Listing[Fill] | Failure:
        """Return the trades of before, or the last days of them; the rest is read by itself."""
        found = await account.host.fills(max_pages=FIRST_PAGES)
        if isinstance(found, Failure) or found.is_whole:
            return found
        since = self._kernel.venue_now() - RECENT
        recent = await account.host.fills(after=since)
        if not isinstance(recent, Failure):
            window = first_window(since)
            self._kernel.start_unless_running(
                "older trades", "older trades", lambda: self._read_older(account, window)
            )
            if not recent.is_whole:
                self._tell(f"Some trades since {since:{_MINUTE}} are not read: there are too many")
        return recent

    async def _read_older(self, account: Account, first: Window) -> None:
        window: Window | None = first
        count = 0
        while window is not None and count < MOST_FILLS:
            await self._kernel.clock.sleep(PAUSE_S)
            found = self._kernel.check(
                Source.TRADING,
                await account.host.fills(
                    after=window.after, before=window.before, max_pages=OLDER_PAGES
                ),
            )
            if isinstance(found, Failure):
                await self._kernel.clock.sleep(AFTER_FAILURE_S)
                continue
            if found.is_whole or window.is_narrowest:
                self._apply(found)
                count += len(found.items)
            if not found.is_whole and window.is_narrowest:
                self._tell(
                    f"Some trades of {window.begin:{_MINUTE}} are not read: too many at once"
                )
            window = next_window(window, is_whole=found.is_whole)
        if window is not None:
            self._tell(f"Trades before {window.end:{_MINUTE}} are not read: there are too many")

    def _tell(self, text: str) -> None:
        self._kernel.log.notice(Level.WARNING, text)

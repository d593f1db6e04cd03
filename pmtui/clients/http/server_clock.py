"""The trading host's time, for everything that is signed with a time in it."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import final

from pmtui.domain.answers import Failure

_ANSWER_STEP = timedelta(seconds=1)
"""The host tells whole seconds, so its answer is up to one second old."""


@final
class ServerClock:
    """Our clock plus what the host's is ahead of it; in step with ours until measured."""

    def __init__(
        self,
        now: Callable[[], datetime],
        read_server_time: Callable[[], Awaitable[datetime | Failure]],
    ) -> None:
        """Take our own clock and the way to ask for the host's."""
        self._now = now
        self._read = read_server_time
        self._offset = timedelta(0)

    @property
    def offset_s(self) -> float:
        """Seconds that the host's clock is ahead of ours."""
        return self._offset.total_seconds()

    def timestamp_s(self) -> int:
        """Return the host's time in whole seconds."""
        return int((self._now() + self._offset).timestamp())

    def timestamp_ms(self) -> int:
        """Return the host's time in milliseconds."""
        return int((self._now() + self._offset).timestamp() * 1000)

    async def measure(self) -> Failure | None:
        """Ask for the host's time; ours stands where both agree within what can be measured."""
        before = self._now()
        told = await self._read()
        if isinstance(told, Failure):
            return told
        after = self._now()
        earliest, latest = told - after, told + _ANSWER_STEP - before
        middle = (earliest + latest) / 2
        is_same = earliest <= timedelta(0) <= latest
        self._offset = timedelta(0) if is_same else middle
        return None

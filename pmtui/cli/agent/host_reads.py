"""Answers the agent's reads from the hosts of a profile. Without hosts every read is refused."""

from datetime import datetime

from pmtui.agent.port import Answered, Refusal, Refused
from pmtui.agent.tools import plain_text
from pmtui.clients.reads.asking import Extent, ask
from pmtui.clients.reads.hosts import ReadHosts
from pmtui.domain.answers import Failure, FailureKind
from pmtui.reads.read import Needs, Read, Values
from pmtui.service.clock import SystemClock

_REASONS = {
    FailureKind.NOT_FOUND: Refusal.UNKNOWN,
    FailureKind.CANCELLED: Refusal.UNCONFIGURED,
}


class HostReads:
    """Fulfils the agent's port."""

    def __init__(self, hosts: ReadHosts | None, *, why_none: str = "", has_account: bool = False):
        """Take whom to ask.

        Args:
            hosts: of the profile; None where there are none.
            why_none: in one line.
            has_account: whether the account's own reads may be asked.
        """
        self._hosts = hosts
        self._why_none = why_none
        self._has_account = has_account
        self._clock = SystemClock()

    def now(self) -> datetime:
        """Return the time."""
        return self._clock.now()

    async def ask(self, read: Read, values: Values, *, limit: int | None) -> Answered | Refused:
        """Ask the hosts; see the port."""
        if self._hosts is None:
            return Refused(Refusal.UNCONFIGURED, f"execution not configured: {self._why_none}")
        if read.needs is not Needs.NOTHING and not self._has_account:
            return Refused(Refusal.UNCONFIGURED, "execution not configured: start with --account")
        items: list[object] = []
        skipped, is_cut = 0, False
        # One row more than wanted tells whether there are more.
        extent = Extent() if limit is None else Extent(limit + 1)
        async for step in ask(self._hosts, read, values, extent=extent):
            if isinstance(step, Failure):
                reason = _REASONS.get(step.kind, Refusal.UNAVAILABLE)
                return Refused(reason, plain_text(str(step)))
            items.extend(step.items)
            skipped += step.skipped
            is_cut |= step.is_cut
        is_whole = not is_cut and (limit is None or len(items) <= limit)
        kept = tuple(items if limit is None else items[:limit])
        return Answered(kept, self.now(), read.host.value, is_whole, skipped)

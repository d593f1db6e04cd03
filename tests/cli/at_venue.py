"""The real service on the local venue: its time, its addresses, and a key to trade with."""

import asyncio
from datetime import datetime

from typing_extensions import override

from pmtui.cli.hosts import SessionHosts
from pmtui.config.endpoints import Dialect, Endpoints
from pmtui.domain.account.keys import SignatureType
from pmtui.service.account.account import POLL_PERIOD_S
from pmtui.service.clock import SystemClock
from pmtui.service.data_service import Connect
from pmtui.service.health import Health
from pmtui.service.ports import Hosts
from pmtui.signing.secret import Secret
from pmtui.sim.run import RunningVenue
from tests.sim.kit import KEYS


class VenueTime(SystemClock):
    """Dates things by the venue's clock, and counts seconds as the event loop does."""

    def __init__(self, running: RunningVenue) -> None:
        self._venue = running.venue

    @override
    def now(self) -> datetime:
        return self._venue.clock.now()

    @override
    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()


class TimeWithoutPolls(VenueTime):
    """Sleeps through every poll."""

    @override
    async def sleep(self, seconds: float) -> None:
        if seconds >= POLL_PERIOD_S:
            await asyncio.Event().wait()
        await super().sleep(seconds)


class PatientTime(TimeWithoutPolls):
    """Dates things by the venue's clock, and waits for answers in earnest."""

    @override
    def monotonic(self) -> float:
        return self.now().timestamp()


def urls_of(running: RunningVenue) -> Endpoints:
    """Return the addresses of a venue as a profile has them."""
    return Endpoints(**{name: running.urls[name] for name in Endpoints.__dataclass_fields__})


def on_first_key(urls: Endpoints, clock: VenueTime, *, dialect: Dialect = Dialect.SEED) -> Connect:
    """Return what makes the hosts of a session on the key of the first person."""

    async def connect(health: Health) -> Hosts | str:
        hosts = SessionHosts(urls, dialect, health=health, clock=clock)
        return hosts.hosts(Secret.from_hex(KEYS[0]), SignatureType.DEPOSIT_WALLET)

    return connect

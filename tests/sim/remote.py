"""A person who meets the venue as a process and knows nothing of its inside but the time."""

from dataclasses import dataclass

import httpx

from pmtui.sim.admin_token import operator_headers
from pmtui.sim.run import RunningVenue
from tests.sim.clock import ManualClock
from tests.sim.kit import Person
from tests.sim.process import VenueProcess


@dataclass
class _VenueTime:
    clock: ManualClock


async def remote_person(process: VenueProcess, http: httpx.AsyncClient, *, key: int = 0) -> Person:
    """Return a person whose clock was set by the venue's a moment ago."""
    headers = operator_headers(process.admin_token)
    answer = await http.get(process.urls["admin"] + "/clock", headers=headers)
    time = _VenueTime(ManualClock(answer.json()["now_ms"]))
    # A person reads nothing of a running venue but its addresses and its time.
    running = RunningVenue(time, None, process.urls, process.admin_token)  # type: ignore[arg-type]  # see above
    return Person(running, http, key=key)

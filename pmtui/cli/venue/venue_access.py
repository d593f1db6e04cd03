"""The hosts of a profile for a command that is no terminal.

The paper venue of a running terminal is used where there is one; else one is started for the moment, as
the terminal would.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from pmtui.cli.session_lock import is_session_running, session_lock
from pmtui.cli.venue.paper import VenueProblem, VenueUrls, running_venue, venue_command
from pmtui.clients.clob import ClobClient
from pmtui.clients.http.client import HttpHost
from pmtui.clients.routes import ROUTES
from pmtui.config.endpoints import LIVE, Endpoints
from pmtui.config.settings import Settings
from pmtui.config.toml_file import ConfigError
from pmtui.domain.answers import Failure


@dataclass(frozen=True, slots=True)
class Unreachable:
    """Why the venue could not be asked, in one line."""

    text: str


@asynccontextmanager
async def profile_endpoints(
    settings: Settings, state: Path
) -> AsyncIterator[Endpoints | Unreachable]:
    """Give the addresses of a profile's hosts; its paper venue runs for as long as the block lasts.

    Args:
        settings: of the profile.
        state: the state directory of all profiles.
    """
    if not settings.is_paper:
        yield settings.endpoints(LIVE)
        return
    running = await running_endpoints(settings, state)
    if running is not None:
        yield running
        return
    folder = state / settings.profile
    try:
        with session_lock(folder):
            async with running_venue(venue_command(folder / "venue"), state / "venue.log") as urls:
                if isinstance(urls, VenueProblem):
                    yield Unreachable(urls.text)
                else:
                    yield settings.endpoints(urls)
    except ConfigError as error:
        is_held = is_session_running(folder)
        held = "a terminal runs this profile, and its venue does not answer"
        yield Unreachable(held if is_held else str(error))


async def has_lasting_hosts(settings: Settings, state: Path) -> bool:
    """Whether a profile's hosts are there when the command has ended: a paper venue may not be.

    Args:
        settings: of the profile.
        state: the state directory of all profiles.
    """
    return not settings.is_paper or await running_endpoints(settings, state) is not None


async def running_endpoints(settings: Settings, state: Path) -> Endpoints | None:
    """Return the addresses of a running terminal's venue that answers."""
    try:
        published = (state / settings.profile / "venue.json").read_bytes()
        urls = msgspec.json.decode(published, type=VenueUrls)
    except (OSError, msgspec.MsgspecError):
        return None
    endpoints = settings.endpoints(urls)
    host = HttpHost(endpoints.clob)
    told = await ClobClient(host, ROUTES[settings.dialect]).server_time()
    await host.aclose()
    return None if isinstance(told, Failure) else endpoints

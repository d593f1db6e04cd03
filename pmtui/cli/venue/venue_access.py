"""The hosts of a profile for a command that is no terminal.

The paper venue of a running terminal is used where there is one; else one is started for the moment, as
the terminal would, and other commands use it meanwhile.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from pmtui.cli.session_process import is_session_running, session_lock
from pmtui.cli.venue.paper import (
    VenueProblem,
    VenueUrls,
    publish_urls,
    running_venue,
    venue_command,
)
from pmtui.clients.clob import ClobClient
from pmtui.clients.http.client import HttpHost
from pmtui.clients.routes import ROUTES
from pmtui.config.endpoints import LIVE, Endpoints
from pmtui.config.settings import Settings
from pmtui.config.toml_file import ConfigError
from pmtui.domain.answers import Failure

HELD_S = 10.0
"""For a venue that is being started or ended by somebody else."""
LOOK_AGAIN_S = 0.2
HELD = "a terminal or another command uses this profile, and its venue does not answer"


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
    async with AsyncExitStack() as stack:
        yield await _paper_endpoints(settings, state, stack)


async def _paper_endpoints(
    settings: Settings, state: Path, stack: AsyncExitStack
) -> Endpoints | Unreachable:
    """Return the venue that runs, or start one until the stack is closed; others may use it, too."""
    folder = state / settings.profile
    ends_at = asyncio.get_running_loop().time() + HELD_S
    while (running := await running_endpoints(settings, state)) is None:
        try:
            stack.enter_context(session_lock(folder))
            break
        except ConfigError as error:
            if not is_session_running(folder):
                return Unreachable(str(error))
        # Whoever holds it may be starting its venue, or ending.
        if asyncio.get_running_loop().time() > ends_at:
            return Unreachable(HELD)
        await asyncio.sleep(LOOK_AGAIN_S)
    if running is not None:
        return running
    urls = await stack.enter_async_context(
        running_venue(venue_command(folder / "venue"), state / "venue.log")
    )
    if isinstance(urls, VenueProblem):
        return Unreachable(urls.text)
    with suppress(OSError):
        stack.enter_context(publish_urls(urls, folder / "venue.json"))
    return settings.endpoints(urls)


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

"""The service that executes a wallet step: the running one, or one that ends with the command.

A command that uses a running service does not count as a terminal, and it gives up when the service stops.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from pmtui.cli.service.session_service import SessionService
from pmtui.config.settings import Settings
from pmtui.link.connection import ServiceConnection
from pmtui.link.messages import Refused, Welcome
from pmtui.link.mirror import Mirror, MirrorQueries, nothing_known
from pmtui.link.remote_commands import RemoteCommands
from pmtui.service.clock import SystemClock
from pmtui.service.surface import Commands, Queries, Subscriptions


class WalletService(NamedTuple):
    """The queries, commands and subscriptions of a service, wherever it runs."""

    queries: Queries
    commands: Commands
    subscriptions: Subscriptions


@asynccontextmanager
async def running_service(
    socket_path: Path, settings: Settings
) -> AsyncIterator[WalletService | Refused | None]:
    """Use the running service of a profile; yields None if none runs.

    Args:
        socket_path: where it listens.
        settings: of the profile.
    """
    clock = SystemClock()
    mirror = Mirror(nothing_known(settings.profile, is_paper=settings.is_paper, now=clock.now()))
    line = ServiceConnection(socket_path, mirror, clock, is_passing=True)
    answer = await line.connect()
    if not isinstance(answer, Welcome):
        yield answer
        return
    listening = asyncio.create_task(line.run())
    # The kill switch belongs to `pmtui kill`.
    commands = RemoteCommands(line, mirror, clock, lock=lambda: "not by this command")
    try:
        yield WalletService(MirrorQueries(mirror, clock), commands, mirror)
    finally:
        await line.close()
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)


@asynccontextmanager
async def own_service(session: SessionService) -> AsyncIterator[WalletService]:
    """Run the service of a profile inside the context."""
    async with session.venue, session.service.running() as service:
        yield WalletService(service.queries, service.commands, service.hub)

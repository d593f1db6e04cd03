"""Serves both channels on one socket: `/ws/market` and `/ws/user`, nothing else."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from pmtui.sim.access import WRONG_HOST, is_loopback_host
from pmtui.sim.streams.channels import MarketSession, UserHub, UserSession
from pmtui.sim.streams.outbox import PONG, TOO_SLOW, Outbox
from pmtui.sim.streams.publisher import MarketFeed
from pmtui.sim.venue import Venue

PATHS = ("/ws/market", "/ws/user")
MAX_FRAME_BYTES = 128 * 1_024
"""From a client: more than a thousand token ids, which the service does not take either."""
SILENCE_S = 60.0
"""Documentation says 10, but clients that ping every 50 s are known to stay connected."""
GOING_AWAY_S = 1.0
SEND_BUFFER_BYTES = 64 * 1_024


@asynccontextmanager
async def serve_streams(venue: Venue, feed: MarketFeed, sock: socket.socket) -> AsyncIterator[None]:
    """Serve both channels on a listening socket until the block ends."""
    hub = UserHub(venue)

    async def handle(connection: ServerConnection) -> None:
        request = connection.request
        path = request.path.partition("?")[0] if request else ""
        channel = path.rpartition("/")[2]
        outbox = Outbox(connection, controls=venue.controls, channel=channel)
        if path == "/ws/market":
            await _market(connection, outbox, MarketSession(venue, feed, outbox))
        else:
            await _user(connection, outbox, session=UserSession(venue, hub, outbox), hub=hub)

    try:
        async with serve(
            handle,
            sock=sock,
            process_request=_route,
            compression=None,
            max_size=MAX_FRAME_BYTES,
            write_limit=SEND_BUFFER_BYTES,
            # The channels have a heartbeat of their own, in text.
            ping_interval=None,
            close_timeout=GOING_AWAY_S,
        ):
            yield
    finally:
        hub.close()


def _route(connection: ServerConnection, request: Request) -> Response | None:
    if not is_loopback_host(request.headers.get_all("Host")):
        return connection.respond(HTTPStatus.MISDIRECTED_REQUEST, f"{WRONG_HOST}\n")
    if request.path.partition("?")[0] in PATHS:
        return None
    return connection.respond(HTTPStatus.NOT_FOUND, "404 page not found\n")


async def _market(connection: ServerConnection, outbox: Outbox, session: MarketSession) -> None:
    def receive(data: bytes) -> bool:
        session.receive(data)
        return True

    try:
        await _converse(connection, outbox, receive)
    finally:
        session.leave()


async def _user(
    connection: ServerConnection, outbox: Outbox, *, session: UserSession, hub: UserHub
) -> None:
    def receive(data: bytes) -> bool:
        return session.receive(data)

    try:
        await _converse(connection, outbox, receive)
    finally:
        hub.leave(session)


async def _converse(
    connection: ServerConnection, outbox: Outbox, receive: Callable[[bytes], bool]
) -> None:
    sending = asyncio.create_task(outbox.run())
    try:
        with suppress(ConnectionClosed, TimeoutError):
            while True:
                async with asyncio.timeout(SILENCE_S):
                    data = await connection.recv(decode=False)
                if data.strip() == b"PING":
                    outbox.put(PONG)
                elif not receive(data):
                    break
    finally:
        sending.cancel()
        with suppress(asyncio.CancelledError, ConnectionClosed):
            await sending
    await connection.close(TOO_SLOW if outbox.is_overrun else 1000)

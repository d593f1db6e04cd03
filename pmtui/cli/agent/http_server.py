"""Serves the agent's HTTP application on loopback, and nowhere else."""

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus

import h11
import uvicorn
from starlette.applications import Starlette
from typing_extensions import override
from uvicorn.protocols.http.h11_impl import H11Protocol

from pmtui.agent.http_app import PROBLEM, problem_body

LOOPBACK = "127.0.0.1"
KEEP_ALIVE_S = 30
MOST_CONNECTIONS = 512
"""With more connections, even a request is refused unread."""


def bind(port: int) -> socket.socket:
    """Return a socket that listens on loopback; port 0 chooses any free port.

    Raises:
        OSError: the port is taken.
    """
    # Specified as TCP, because otherwise asyncio leaves Nagle's algorithm on, and each reply waits
    # 40 ms.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
    except OSError:
        listening.close()
        raise
    return listening


async def serve(
    app: Starlette,
    listening: socket.socket,
    *,
    report_ready: Callable[[], None],
    stop: asyncio.Event,
) -> None:
    """Serve until stopped."""
    server = _Server(
        uvicorn.Config(
            app,
            http=_Protocol,
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=1,
        ),
        report_ready,
    )
    ending = asyncio.create_task(_end_with(server, stop))
    try:
        await server.serve(sockets=[listening])
    finally:
        ending.cancel()


async def _end_with(server: uvicorn.Server, stop: asyncio.Event) -> None:
    await stop.wait()
    server.should_exit = True


class _Protocol(H11Protocol):
    """uvicorn's HTTP/1.1 protocol; a malformed request also gets problem details."""

    @override
    def send_400_response(self, msg: str) -> None:
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            body = problem_body(HTTPStatus.BAD_REQUEST, msg)
            headers = [
                ("Content-Type", PROBLEM),
                ("Content-Length", str(len(body))),
                ("Connection", "close"),
            ]
            status = HTTPStatus.BAD_REQUEST
            for event in (
                h11.Response(status_code=status, headers=headers, reason=status.phrase),
                h11.Data(data=body),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        # Otherwise a reply is in progress, and another one behind it would be read as part of it.
        self.transport.close()


class _Server(uvicorn.Server):
    """uvicorn, stopped by us: its own signal handling would raise the signals again afterwards."""

    def __init__(self, config: uvicorn.Config, report_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._report_ready = report_ready

    @override
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._report_ready()

    @contextmanager
    @override
    def capture_signals(self) -> Iterator[None]:
        yield

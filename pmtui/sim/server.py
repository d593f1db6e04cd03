"""The venue's HTTP hosts and their access rules: one socket each, in one server on one event loop.

A request has to name this machine as its host and be of bounded size; the operator's requests also need
a token. A page in a browser on this machine can be made to send requests to a loopback address under
its own host name (DNS rebinding): naming a loopback host is therefore required everywhere. Other users
of the machine can also reach every port: only the owner of the venue can read the token.

The public venue's hosts have separate names, so they have separate ports here; the socket of a
connection determines the application that answers. Requests refused by `AccessRules` reach none; faults
set by the operator come next. A bug in a handler becomes a 500 and a line on stderr that gives the
place, never the values.
"""

import asyncio
import hmac
import ipaddress
import socket
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import MappingProxyType
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from typing_extensions import override
from uvicorn.protocols.http.h11_impl import H11Protocol

from pmtui.sim.admin import AdminRoutes, ControlRoutes
from pmtui.sim.admin_token import operator_headers
from pmtui.sim.auth import KeyRoutes
from pmtui.sim.chain.relayer import RelayerRoutes
from pmtui.sim.chain.rpc import RpcRoutes
from pmtui.sim.chain.sign_in import sign_in_routes
from pmtui.sim.clob.account import AccountRoutes
from pmtui.sim.clob.books import BookRoutes
from pmtui.sim.clob.builder_keys import AttributionRoutes, SideKeyRoutes
from pmtui.sim.clob.heartbeats import HeartbeatRoutes
from pmtui.sim.clob.markets import MarketRoutes
from pmtui.sim.clob.notifications import NotificationRoutes
from pmtui.sim.clob.orders import OrderRoutes
from pmtui.sim.clob.price_history import HistoryRoutes
from pmtui.sim.clob.reward_routes import RewardMarketRoutes, RewardUserRoutes, ScoringRoutes
from pmtui.sim.controls import Controls, Fault
from pmtui.sim.data.app import LiveActivityRoutes, analytics_routes
from pmtui.sim.gamma.app import metadata_routes
from pmtui.sim.gamma.rows import VenueNumbers
from pmtui.sim.http_json import JsonResponse, failure
from pmtui.sim.subsystems import Subsystems
from pmtui.sim.venue import Venue

MAX_BODY_BYTES = 1 << 20
"""Bytes of a request body. The largest allowed anywhere, 3,000 order ids, has a fifth of that."""
WRONG_HOST = "this address serves loopback host names only"
TOO_LARGE = f"a request body holds at most {MAX_BODY_BYTES} bytes"
KEEP_ALIVE_S = 75
"""Like the public venue's edge: clients keep their connections between bursts."""
GRACE_S = 1.0
"""Seconds that requests in progress may take when the venue stops."""


def is_loopback_host(values: Sequence[str]) -> bool:
    """Whether there is exactly one `Host` header, and it names this machine."""
    if len(values) != 1:
        return False
    stated = values[0].strip().lower()
    if stated.startswith("["):
        name, _, rest = stated[1:].partition("]")
        port = rest.removeprefix(":")
    else:
        name, _, port = stated.partition(":")
    if port and not (port.isascii() and port.isdecimal()):
        return False
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


class AccessRules:
    """The conditions for every HTTP request before a route handles it."""

    def __init__(self, admin_token: str) -> None:
        self._credential = operator_headers(admin_token)["Authorization"].encode()

    def why_refused(self, host: str, scope: Scope) -> Response | None:
        """Return the refusal of a request by its headers; None if it is accepted."""
        headers = Headers(scope=scope)
        if not is_loopback_host(headers.getlist("host")):
            return failure(421, WRONG_HOST)
        if host == "admin":
            if "origin" in headers:
                return failure(403, "not for web pages")
            shown = headers.get("authorization", "").encode()
            if not hmac.compare_digest(shown, self._credential):
                return failure(401, "the admin token is missing or wrong", _CHALLENGE)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > MAX_BODY_BYTES:
            return failure(413, TOO_LARGE)
        return None


_CHALLENGE = {"WWW-Authenticate": "Bearer"}


async def read_body(receive: Receive) -> bytes | None:
    """Read the body of a request; return None as soon as it exceeds the limit."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            # The client is gone; the request is incomplete.
            return b"".join(parts)
        part: bytes = message.get("body", b"")
        size += len(part)
        if size > MAX_BODY_BYTES:
            return None
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


def replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that first returns an already read body, then the following messages."""
    unread = [body]

    async def next_message() -> Message:
        if unread:
            return {"type": "http.request", "body": unread.pop(), "more_body": False}
        return await receive()

    return next_message


Ends = tuple[object, object]


class Connections:
    """Every open connection of one server."""

    def __init__(self) -> None:
        self._transports: dict[Ends, asyncio.Transport] = {}
        self._all_closed = asyncio.Event()
        self._all_closed.set()

    async def wait_closed(self) -> None:
        """Wait until all connections are closed."""
        await self._all_closed.wait()

    def abort(self, scope: Scope) -> None:
        """Reset the connection of a request; nothing more is sent."""
        transport = self._transports.get((scope["server"], scope["client"]))
        if transport is not None:
            transport.abort()

    def protocol(self) -> type[H11Protocol]:
        """Return uvicorn's protocol class, extended to register its connections here."""
        transports, all_closed = self._transports, self._all_closed

        class RegisteredProtocol(H11Protocol):
            @override
            def connection_made(self, transport: Any) -> None:
                super().connection_made(transport)
                transports[self.server, self.client] = transport
                all_closed.clear()

            @override
            def connection_lost(self, exc: Exception | None) -> None:
                transports.pop((self.server, self.client), None)
                if not transports:
                    all_closed.set()
                super().connection_lost(exc)

        return RegisteredProtocol


def geoblock_routes(venue: Venue) -> list[Route]:
    """Return the routes of the check, below `/api/geoblock` as on the public venue's site and at the root."""

    async def check(request: Request) -> Response:
        del request
        return JsonResponse(venue.controls.geo)

    return [Route("/api/geoblock", check), Route("/", check)]


HTTP_HOSTS = ("clob", "gamma", "data", "relayer", "rpc", "geoblock", "admin")

INTERNAL_ERROR = "Internal server error"


def applications(venue: Venue, subsystems: Subsystems) -> dict[str, ASGIApp]:
    """Return the application of every HTTP host."""
    routes: Mapping[str, list[Route]] = {
        "clob": _trading_routes(venue, subsystems),
        "gamma": [
            *sign_in_routes(subsystems.sign_ins),
            *metadata_routes(venue.catalogue, VenueNumbers(venue, subsystems.prices)),
        ],
        "data": analytics_routes(venue, subsystems.chain, subsystems.prices),
        "relayer": RelayerRoutes(
            venue, subsystems.relay, sign_ins=subsystems.sign_ins, keys=subsystems.keys
        ).routes(),
        "rpc": RpcRoutes(venue, subsystems.chain, subsystems.relay).routes(),
        "geoblock": geoblock_routes(venue),
        "admin": [*AdminRoutes(venue).routes(), *ControlRoutes(venue, subsystems).routes()],
    }
    return {host: _application(host, routes[host]) for host in HTTP_HOSTS}


def _trading_routes(venue: Venue, subsystems: Subsystems) -> list[Route]:
    paying = RewardMarketRoutes(venue, subsystems.rewards, subsystems.prices)
    return [
        *MarketRoutes(venue).routes(),
        *LiveActivityRoutes(venue).routes(),
        *BookRoutes(venue).routes(),
        *HistoryRoutes(venue, subsystems.prices).routes(),
        *KeyRoutes(venue).routes(),
        *SideKeyRoutes(venue, subsystems.keys).routes(),
        *OrderRoutes(venue, subsystems).routes(),
        *HeartbeatRoutes(venue, subsystems.heartbeats).routes(),
        *ScoringRoutes(venue, subsystems.rewards).routes(),
        *AccountRoutes(venue, subsystems.pending, subsystems.balances, subsystems.chain).routes(),
        *paying.routes(),
        *RewardUserRoutes(venue, subsystems.rewards, paying).routes(),
        *NotificationRoutes(venue, subsystems.notifications).routes(),
        *AttributionRoutes(venue, subsystems.attribution).routes(),
    ]


def _application(host: str, routes: list[Route]) -> ASGIApp:
    async def refuse(request: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException):
            return _route_error(host, error.status_code)
        _report(host, request, error)
        return failure(500, INTERNAL_ERROR)

    return Starlette(routes=routes, exception_handlers={HTTPException: refuse, Exception: refuse})


def _route_error(host: str, status: int) -> Response:
    if host == "data":
        return PlainTextResponse(f"{status} page not found\n", status_code=status)
    text = "not found" if status == 404 else "method not allowed"
    if host == "gamma":
        return JsonResponse({"type": "not found error", "error": text}, status_code=status)
    return failure(status, text)


class HostRouter:
    """Routes a request to the application of its port."""

    def __init__(
        self,
        hosts: Mapping[int, tuple[str, ASGIApp]],
        controls: Controls,
        access: AccessRules,
    ) -> None:
        self._hosts = MappingProxyType(dict(hosts))
        self._controls = controls
        self._access = access
        self.connections = Connections()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        host, application = self._hosts[scope["server"][1]]
        refusal = self._access.why_refused(host, scope)
        if refusal is None:
            # Read whole and with a limit before any route handles it, whether or not the route
            # reads it.
            body = await read_body(receive)
            if body is None:
                refusal = failure(413, TOO_LARGE)
            else:
                receive = replayed(body, receive)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        fault = None
        if host != "admin":
            fault = self._controls.take_fault(host, scope["path"], method=scope["method"])
        if fault is not None:
            await asyncio.sleep(fault.delay_ms / 1_000)
            if fault.is_answer_lost:
                send = self._breaking(scope)
            if fault.status:
                await _faulty(fault)(scope, receive, send)
                return
        await application(scope, receive, send)

    def _breaking(self, scope: Scope) -> Send:
        async def abort(message: Message) -> None:
            # The request was executed by now; only the reply is lost.
            del message
            self.connections.abort(scope)

        return abort


def _faulty(fault: Fault) -> Response:
    if fault.body:
        return Response(
            fault.body,
            status_code=fault.status,
            headers=fault.headers,
            media_type="application/json",
        )
    return failure(fault.status, INTERNAL_ERROR, fault.headers)


def _report(host: str, request: Request, error: Exception) -> None:
    # Neither the message nor locals: both may contain data from a client.
    frames = traceback.extract_tb(error.__traceback__)
    where = " < ".join(f"{frame.name}:{frame.lineno}" for frame in reversed(frames[-4:]))
    path = request.url.path[:80]
    line = f"bug: {host} {request.method} {path}: {type(error).__name__} in {where}"
    print(line, file=sys.stderr, flush=True)  # noqa: T201  the venue's log is its stderr


class HttpServer(uvicorn.Server):
    """uvicorn without its signal handlers and log; signals when it accepts requests."""

    def __init__(self, application: HostRouter) -> None:
        config = uvicorn.Config(
            application,
            http=application.connections.protocol(),
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_S,
        )
        super().__init__(config)
        self._connections = application.connections
        self.is_up = asyncio.Event()
        self._is_ending = asyncio.Event()

    @override
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_up.set()

    @override
    async def main_loop(self) -> None:
        # Once a second for the date header; a stop is noticed at once.
        while not await self.on_tick(0):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._is_ending.wait(), 1)

    @override
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # uvicorn's own version polls every tenth of a second, at least once, whether the
        # connections are closed.
        for listener in (*self.servers, *(sockets or ())):
            listener.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_S):
                await self._connections.wait_closed()
                if tasks := self.server_state.tasks:
                    _ = await asyncio.wait(set(tasks))
        for task in self.server_state.tasks:
            _ = task.cancel()

    def end(self) -> None:
        """Stop accepting requests, so that `serve` returns."""
        self.should_exit = True
        self._is_ending.set()

    @override
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

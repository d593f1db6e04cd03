"""The HTTP server's connections by their two ends, so that one can be broken on purpose."""

import asyncio
from typing import Any

from starlette.types import Scope
from typing_extensions import override
from uvicorn.protocols.http.h11_impl import H11Protocol

Ends = tuple[object, object]


class Connections:
    """Every open connection of one server."""

    def __init__(self) -> None:
        self._transports: dict[Ends, asyncio.Transport] = {}

    def abort(self, scope: Scope) -> None:
        """Reset the connection a request came in on; nothing more is sent."""
        transport = self._transports.get((scope["server"], scope["client"]))
        if transport is not None:
            transport.abort()

    def protocol(self) -> type[H11Protocol]:
        """Return uvicorn's protocol, which also registers here."""
        transports = self._transports

        class RegisteredProtocol(H11Protocol):
            @override
            def connection_made(self, transport: Any) -> None:
                super().connection_made(transport)
                transports[self.server, self.client] = transport

            @override
            def connection_lost(self, exc: Exception | None) -> None:
                transports.pop((self.server, self.client), None)
                super().connection_lost(exc)

        return RegisteredProtocol

"""Serves tools over lines: by the Model Context Protocol once a client begins it, else by bare JSON-RPC.

A client of the protocol begins with `initialize` or `server/discover`, or says its version in every request;
from then on the official package has the session. Anybody else may ask for `tools/list` at once. Whatever is
no request is answered here, so that a broken line never reaches the session.
"""

import asyncio
from collections.abc import AsyncIterator, Callable

from pmtui.agent.json_rpc import (
    FAILED,
    LineSplitter,
    Request,
    answer_request,
    error_line,
    read_request,
)
from pmtui.agent.tools import Toolbox

_BEGINNINGS = frozenset({"initialize", "server/discover"})
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
NO_PACKAGE = "the Model Context Protocol needs the package mcp: install pmtui[agent]"

Write = Callable[[bytes], None]
"""Takes a line without its end."""


async def serve_lines(
    toolbox: Toolbox, chunks: AsyncIterator[bytes], write: Write, *, version: str
) -> None:
    """Answer lines until there are no more.

    Args:
        toolbox: the tools.
        chunks: what arrives, cut anywhere.
        write: takes the answers.
        version: of this program.
    """
    splitter, server = LineSplitter(), _Server(toolbox, write, version)
    try:
        async for chunk in chunks:
            for line in splitter.feed(chunk):
                await server.take(line)
        for line in splitter.finish():
            await server.take(line)
    finally:
        await server.finish()


class _Server:
    """One client's session, whichever way it speaks."""

    def __init__(self, toolbox: Toolbox, write: Write, version: str) -> None:
        self._toolbox = toolbox
        self._write = write
        self._version = version
        self._session: asyncio.Task[None] | None = None
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue(maxsize=100)

    async def take(self, line: bytes | None) -> None:
        """Take one line; None stands for one that was too long."""
        if line is not None and not line.strip():
            return
        if self._session is not None and line is not None and b'"method"' not in line:
            # An answer of the client to the session.
            await self._lines.put(line)
            return
        request = read_request(line)
        if isinstance(request, bytes):
            self._write(request)
        elif line is not None and (self._session is not None or _begins(request)):
            await self._hand_over(request, line)
        else:
            answer = await answer_request(self._toolbox, request)
            if answer is not None:
                self._write(answer)

    async def finish(self) -> None:
        """Let the session answer what it was asked, and end it."""
        if self._session is not None:
            await self._lines.put(None)
            await self._session

    async def _hand_over(self, request: Request, line: bytes) -> None:
        if self._session is None:
            try:
                # Half a second, and an extra that not everybody installs.
                from pmtui.agent.mcp_session import serve_session  # noqa: PLC0415
            except ImportError:
                if not request.is_notification:
                    self._write(error_line(request.request_id, FAILED, NO_PACKAGE))
                return
            self._session = asyncio.create_task(
                serve_session(self._toolbox, self._lines, self._write, version=self._version)
            )
        await self._lines.put(line)


def _begins(request: Request) -> bool:
    meta = request.params.get("_meta")
    return request.method in _BEGINNINGS or (isinstance(meta, dict) and _VERSION_KEY in meta)

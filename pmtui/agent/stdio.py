"""Serves tools over lines: by the Model Context Protocol once a client begins it, else by bare JSON-RPC 2.0.

One object per line in, one answer per line out; a notification gets none. A line that is not a request gets
an error and the next one is read: no input ends the server.

A client of the protocol begins with `initialize` or `server/discover`, or states its version in every
request; from then on the official package runs the session. Any other client may request `tools/list` at
once. Lines that are not requests are answered here, so that a broken line never reaches the session.
"""

import asyncio
import json
import math
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import TypeAlias

from pmtui.agent.port import Refusal, Refused
from pmtui.agent.tools import LONGEST_REQUEST, Toolbox, to_text

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
UNKNOWN_METHOD = -32601
INVALID_PARAMS = -32602
FAILED = -32000
"""A tool failed, or its execution is not configured."""

RequestId: TypeAlias = str | int | float | None
_CODES = {
    Refusal.WRONG: INVALID_PARAMS,
    Refusal.UNCONFIGURED: FAILED,
    Refusal.UNKNOWN: FAILED,
    Refusal.UNAVAILABLE: FAILED,
}
_BEGINNINGS = frozenset({"initialize", "server/discover"})
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
NO_PACKAGE = "the Model Context Protocol needs the package mcp: install pmtui[agent]"


@dataclass(frozen=True, slots=True)
class Request:
    """A request, or a notification, which has no id and gets no answer."""

    method: str
    params: dict[str, object]
    request_id: RequestId
    is_notification: bool


class LineSplitter:
    """Splits a stream of bytes into lines; a line longer than any request is dropped with one error."""

    def __init__(self) -> None:
        self._rest = b""
        self._is_skipping = False

    def feed(self, data: bytes) -> list[bytes | None]:
        """Return the lines that are complete now, without line ends; None for one that was too long."""
        *whole, self._rest = (self._rest + data).split(b"\n")
        lines: list[bytes | None] = []
        for line in whole:
            if self._is_skipping:
                # The end of a line that was reported already.
                self._is_skipping = False
            else:
                lines.append(line if len(line) <= LONGEST_REQUEST else None)
        if len(self._rest) > LONGEST_REQUEST:
            if not self._is_skipping:
                lines.append(None)
            self._is_skipping = True
            self._rest = b""
        return lines

    def finish(self) -> list[bytes | None]:
        """Return what is left when the stream ends."""
        rest, self._rest = self._rest, b""
        return [] if self._is_skipping or not rest.strip() else [rest]


def _refuse_constant(name: str) -> object:
    # Python reads NaN and Infinity, which are not JSON.
    raise ValueError(name)


def read_request(line: bytes | None) -> Request | bytes:
    """Return the request in a line, or an error reply if it is not a request."""
    if line is None:
        return error_line(None, INVALID_REQUEST, f"longer than {LONGEST_REQUEST} bytes")
    try:
        message: object = json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return error_line(None, PARSE_ERROR, "not JSON")
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return error_line(None, INVALID_REQUEST, "not one JSON-RPC 2.0 object")
    request_id = message.get("id")
    is_notification = "id" not in message
    is_endless = isinstance(request_id, float) and not math.isfinite(request_id)
    if isinstance(request_id, bool | dict | list) or is_endless:
        return error_line(None, INVALID_REQUEST, "an id is a text or a number")
    method, params = message.get("method"), message.get("params", {})
    if not isinstance(method, str):
        return error_line(request_id, INVALID_REQUEST, "a method is a text")
    if not isinstance(params, dict):
        return error_line(request_id, INVALID_PARAMS, "params is an object")
    return Request(method, params, request_id, is_notification)


async def answer_request(toolbox: Toolbox, request: Request) -> bytes | None:
    """Return the reply to a request; None for a notification."""
    if request.is_notification:
        return None
    match request.method:
        case "tools/list":
            return result_line(request.request_id, {"tools": toolbox.manifest()})
        case "ping":
            return result_line(request.request_id, {})
        case "tools/call":
            return await _call(toolbox, request)
        case _:
            return error_line(request.request_id, UNKNOWN_METHOD, "no such method")


async def _call(toolbox: Toolbox, request: Request) -> bytes:
    name, given = request.params.get("name"), request.params.get("arguments", {})
    if not isinstance(name, str) or not isinstance(given, dict):
        text = "params hold `name`, a text, and `arguments`, an object"
        return error_line(request.request_id, INVALID_PARAMS, text)
    answer = await toolbox.call(name, given)
    if isinstance(answer, Refused):
        return error_line(request.request_id, _CODES[answer.reason], answer.text)
    return result_line(request.request_id, {"content": [{"type": "text", "text": to_text(answer)}]})


def result_line(request_id: RequestId, result: object) -> bytes:
    """Return an answer as a line without its end."""
    return _line({"jsonrpc": "2.0", "id": request_id, "result": result})


def error_line(request_id: RequestId, code: int, text: str) -> bytes:
    """Return an error as a line without its end."""
    return _line({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": text}})


def _line(message: dict[str, object]) -> bytes:
    # ASCII only: no reader can mistake a character in an untrusted text for a line end.
    return json.dumps(message).encode()


Write = Callable[[bytes], None]
"""Writes a line; the line has no line end."""


async def serve_lines(
    toolbox: Toolbox, chunks: AsyncIterator[bytes], write: Write, *, version: str
) -> None:
    """Reply to each line until the input ends.

    Args:
        toolbox: the tools.
        chunks: the input, split at any byte.
        write: takes the replies.
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
    """One client's session in either protocol."""

    def __init__(self, toolbox: Toolbox, write: Write, version: str) -> None:
        self._toolbox = toolbox
        self._write = write
        self._version = version
        self._session: asyncio.Task[None] | None = None
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue(maxsize=100)

    async def take(self, line: bytes | None) -> None:
        """Handle one line; None stands for a line that was too long."""
        if line is not None and not line.strip():
            return
        if self._session is not None and line is not None and b'"method"' not in line:
            # The client's reply to the session.
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
        """Finish the pending replies, then end the session."""
        if self._session is not None:
            await self._lines.put(None)
            await self._session

    async def _hand_over(self, request: Request, line: bytes) -> None:
        if self._session is None:
            try:
                # Importing it takes half a second, and it is an optional extra.
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

"""`python -m tests.hostile.front WAY URLS`: stands before a venue and turns hostile at a word.

Prints its own addresses as JSON. Every line on standard input that says `go` starts the way; the end of the
input ends it.
"""

import asyncio
import gzip
import json
import random
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from typing import Any

import httpx
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve

from tests import loopback_http
from tests.clients.raw_server import Call, frame, serving

HOSTILE_TEXTS = (
    "\x1b]52;c;ZXZpbA==\x07clipboard", "\x1b[2J\x1b[Hcleared", "\x9b31m\x90q\x9c c1", "\x1bc reset",
    "\u202etfel ot thgir\u202c", "\u2066isolated\u2069", "\x00nul\x7fdel", "line\r\nbreak\ttab\x0b",
    "\u200b\u200d\ufeff invisible", "[bold]markup[/] [@click=app.quit]x[/]", "[P=NP|Q]", "[BTC]",
    "e" + "\u0301" * 40, "\U000e0041\U000e0042 tags", "\u2028separators\u2029", "漢字🗳️👩‍👩‍👧‍👦",
    "a " * 400, "\x1b]0;title\x07", "\x1b[?1049l\x1b[?2004l", "\x1bP$q\x1b\\",
)  # fmt: skip
TEXT_KEYS = {
    "title", "question", "groupItemTitle", "description", "name", "pseudonym", "body", "label", "outcome",
    "resolutionSource", "error", "errorMsg",
}  # fmt: skip
MOST_UNSENT = 1024 * 1024
CHANGE = (
    '{"market":"0x%064x","price_changes":[{"asset_id":"%d","price":"0.41","size":"19","side":"BUY",'
    '"hash":"h","best_bid":"0.41","best_ask":"0.6"}],"timestamp":"1790000000001",'
    '"event_type":"price_change"}'
)


def deep_book(levels: int) -> bytes:
    """Return a book of a token that nobody watches."""
    row = ",".join(f'{{"price":"0.{n:06}","size":"1"}}' for n in range(1, levels))
    return (
        f'[{{"event_type":"book","market":"0x1","asset_id":"1","timestamp":"1","hash":"",'
        f'"bids":[{row}],"asks":[]}}]'
    ).encode()


FLOODS: dict[str, bytes] = {
    "calm": b"",
    "tiny": frame(b"{}") * 2_000,
    "prices": b"".join(frame((CHANGE % (n, n)).encode()) for n in range(500)),
    "pings": frame(b"p" * 125, first=0x89) * 2_000,
    "unread": frame(b"p" * 125, first=0x89) * 2_000,
    "giant": frame(b"[" + b"[]," * 2_600_000 + b"[]]"),
    "books": frame(deep_book(20_000)),
    "parts": frame(b"", first=0x01) + frame(b"", first=0x00) * 5_000,
    "levels": b"",
    "titles": b"",
    "bomb": b"",
}
"""What is written again and again to each stream, by way."""


class Front:
    """The hostile host."""

    def __init__(self, way: str, urls: dict[str, str]) -> None:
        self._way = way
        self._urls = urls
        self._is_on = asyncio.Event()
        self._random = random.Random(7)
        self._tokens: list[str] = []
        self._price = 0
        self._bomb = gzip.compress(gzip.compress(b"[" + b" " * 400_000_000))

    async def run(self) -> None:
        """Serve until standard input ends."""
        loop = asyncio.get_running_loop()
        async with (
            AsyncExitStack() as stack,
            loopback_http.async_client(timeout=60) as http,
        ):
            urls = dict(self._urls)
            for name in ("clob", "gamma", "data"):
                server = await stack.enter_async_context(serving(self._passing(http, urls[name])))
                urls[name] = server.url
            streams = await stack.enter_async_context(
                serve(self._relay, "127.0.0.1", 0, compression=None, ping_interval=None)
            )
            port = streams.sockets[0].getsockname()[1]
            urls["ws_market"] = f"ws://127.0.0.1:{port}/ws/market"
            print(json.dumps(urls), flush=True)
            while line := await loop.run_in_executor(None, sys.stdin.readline):
                if line.strip() == "go":
                    self._is_on.set()

    def _passing(self, http: httpx.AsyncClient, target: str) -> Callable[[Call], Awaitable[None]]:
        async def pass_on(call: Call) -> None:
            method, path, _ = call.line.split(" ")
            headers = {
                k: v for k, v in call.headers.items() if k not in ("host", "accept-encoding")
            }
            answer = await http.request(method, target + path, headers=headers, content=call.body)
            if self._way == "bomb" and self._is_on.is_set() and method == "GET":
                await call.answer(self._bomb, headers="Content-Encoding: gzip, gzip\r\n")
                return
            body = answer.content
            if self._way == "titles" and body[:1] in (b"{", b"["):
                body = json.dumps(self._spoil(json.loads(body))).encode()
            await call.answer(body, status=f"{answer.status_code} Said")

        return pass_on

    def _spoil(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._spoil(item) for item in value]
        if not isinstance(value, dict):
            return value
        return {
            key: f"{self._random.choice(HOSTILE_TEXTS)} {item}"
            if key in TEXT_KEYS and isinstance(item, str)
            else self._spoil(item)
            for key, item in value.items()
        }

    async def _relay(self, socket: ServerConnection) -> None:
        async with connect(
            self._urls["ws_market"], proxy=None, compression=None, max_size=None, ping_interval=None
        ) as venue:
            flood = asyncio.create_task(self._flood(socket))
            back = asyncio.create_task(self._pass_back(socket, venue))
            try:
                await _pump(venue, socket)
            finally:
                flood.cancel()
                back.cancel()
                await asyncio.gather(flood, back, return_exceptions=True)

    async def _pass_back(self, socket: ServerConnection, venue: Any) -> None:
        async for message in socket:
            with suppress(ValueError, AttributeError):
                self._tokens += json.loads(message).get("assets_ids", [])
            await venue.send(message)

    def _levels(self) -> bytes:
        """Return changes of watched books, each at a price where there was nothing."""
        changes = []
        for _ in range(500 if self._tokens else 0):
            self._price = self._price % 999_999 + 1
            change = CHANGE % (1, int(self._tokens[-1]))
            changes.append(frame(change.replace("0.41", f"0.{self._price:06}", 1).encode()))
        return b"".join(changes)

    async def _flood(self, socket: ServerConnection) -> None:
        await self._is_on.wait()
        piece = FLOODS[self._way]
        if self._way == "unread":
            socket.transport.pause_reading()
        while not socket.transport.is_closing():
            if socket.transport.get_write_buffer_size() < MOST_UNSENT:
                socket.transport.write(self._levels() if self._way == "levels" else piece)
            await asyncio.sleep(0.001)


async def _pump(source: Any, sink: Any) -> None:
    async for message in source:
        await sink.send(message)


if __name__ == "__main__":
    asyncio.run(Front(sys.argv[1], json.loads(sys.argv[2])).run())

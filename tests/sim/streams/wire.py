"""A plain client of the channels, and a book folded from frames by the published rules."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

DEADLINE_S = 60.0


class Client:
    """One connection."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.seen: list[Any] = []

    async def send(self, **frame: Any) -> None:
        """Send a JSON frame."""
        await self.socket.send(json.dumps(frame))

    async def text(self) -> str:
        """Receive the next frame as it is."""
        async with asyncio.timeout(DEADLINE_S):
            return str(await self.socket.recv())

    async def event(self) -> Any:
        """Receive the next frame as JSON."""
        event = json.loads(await self.text())
        self.seen.append(event)
        return event

    async def until(self, is_wanted: Callable[[Any], bool]) -> Any:
        """Receive frames until one is wanted."""
        while True:
            event = await self.event()
            if is_wanted(event):
                return event

    async def ping(self) -> list[Any]:
        """Return the events that came before the answer to a ping: all there were."""
        await self.socket.send("PING")
        events = []
        while (text := await self.text()) != "PONG":
            events.append(json.loads(text))
        return events


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[Client]:
    """Open a connection to a channel."""
    async with connect(url, proxy=None, max_size=None) as socket:
        yield Client(socket)


class Folded:
    """One token's book, by snapshot and absolute sizes, hashed over its canonical text."""

    def __init__(
        self, book: dict[str, Any], *, min_size: str = "5", neg_risk: bool = False
    ) -> None:
        self.min_size, self.neg_risk = min_size, neg_risk
        self.last = ""
        self.load(book)

    def load(self, book: dict[str, Any]) -> None:
        """Take a whole book."""
        self.market, self.token = book["market"], book["asset_id"]
        self.tick = book["tick_size"]
        self.last = book.get("last_trade_price", self.last)
        self.sides = {
            "BUY": {row["price"]: row["size"] for row in book["bids"]},
            "SELL": {row["price"]: row["size"] for row in book["asks"]},
        }

    def change(self, entry: dict[str, str]) -> None:
        """Take the new size of a level."""
        side = self.sides[entry["side"]]
        if entry["size"] == "0":
            side.pop(entry["price"], None)
        else:
            side[entry["price"]] = entry["size"]

    def rows(self, side: str) -> list[dict[str, str]]:
        """Return a side in the order of the wire."""
        prices = sorted(self.sides[side], key=float, reverse=side == "SELL")
        return [{"price": price, "size": self.sides[side][price]} for price in prices]

    def best(self, side: str) -> str:
        """Return the best price, or what stands for an empty side."""
        rows = self.rows(side)
        return rows[-1]["price"] if rows else {"BUY": "0", "SELL": "1"}[side]

    def hash(self, timestamp: str, last: str | None = None) -> str:
        """Return the hash at a moment."""
        canonical = {
            "market": self.market,
            "asset_id": self.token,
            "timestamp": timestamp,
            "hash": "",
            "bids": self.rows("BUY"),
            "asks": self.rows("SELL"),
            "min_order_size": self.min_size,
            "tick_size": self.tick,
            "neg_risk": self.neg_risk,
            "last_trade_price": self.last if last is None else last,
        }
        text = json.dumps(canonical, separators=(",", ":"))
        return hashlib.sha1(text.encode()).hexdigest()

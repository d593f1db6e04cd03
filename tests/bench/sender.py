"""`python -m tests.bench.sender FILE`: a venue that sends a prepared session at an even pace.

Prints its port; sends a first book for every token that is subscribed to; begins when a line
comes on standard input, and says at the end how many frames it sent, and when it had.
"""

import asyncio
import json
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

STEP_S = 0.001


@dataclass
class Sender:
    """Everybody who listens, and what they listen to."""

    books: dict[str, str]
    listeners: dict[ServerConnection, set[str]] = field(default_factory=dict)

    async def listen(self, socket: ServerConnection) -> None:
        """Take subscriptions and answer them with first books."""
        with suppress(ConnectionClosed):
            await self._answer(socket, self.listeners.setdefault(socket, set()))

    async def _answer(self, socket: ServerConnection, wanted: set[str]) -> None:
        async for message in socket:
            if message == "PING":
                await socket.send("PONG")
                continue
            request = json.loads(message)
            if request.get("operation") == "unsubscribe":
                wanted.difference_update(request["assets_ids"])
                continue
            added = request["assets_ids"]
            wanted.update(added)
            await socket.send(f"[{','.join(self.books[token] for token in added)}]")

    def assign_tokens(self, frames: list[str]) -> list[list[tuple[ServerConnection, str]]]:
        """Work out beforehand who gets what: changes of the tokens each has asked for."""
        shares = []
        for frame in frames:
            message = json.loads(frame)
            share = []
            for socket, wanted in self.listeners.items():
                mine = [c for c in message["price_changes"] if c["asset_id"] in wanted]
                if mine:
                    whole = message | {"price_changes": mine}
                    share.append((socket, json.dumps(whole, separators=(",", ":"))))
            shares.append(share)
        return shares


async def main(session: dict[str, Any]) -> None:
    """Serve one session."""
    sender = Sender(session["books"])
    async with serve(sender.listen, "127.0.0.1", 0, compression=None, ping_interval=None) as server:
        print(next(iter(server.sockets)).getsockname()[1], flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        shares = sender.assign_tokens(session["frames"])
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        start, sent = monotonic(), 0
        for due, share in enumerate(shares):
            while due > (monotonic() - start) * session["per_second"]:  # noqa: ASYNC110  paced by the clock
                await asyncio.sleep(STEP_S)
            for socket, frame in share:
                await socket.send(frame)
                sent += 1
        print(json.dumps({"sent": sent, "started": start, "finished": monotonic()}), flush=True)
        await asyncio.to_thread(sys.stdin.readline)


if __name__ == "__main__":
    asyncio.run(main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))

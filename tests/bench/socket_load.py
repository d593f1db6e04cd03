"""Ten seconds of a busy venue through real sockets, read by the service's own feed.

The sender is a process of its own. A subscriber reads every book it is told of, ten times a second.
"""

import asyncio
import json
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from time import monotonic, process_time
from typing import Any, NamedTuple

import msgspec

from pmtui.clients.streams.channels import MarketChannel
from pmtui.domain.books.book import OrderBook
from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.ids import TokenId
from pmtui.service.books.books import BooksFeed
from pmtui.service.topics import BookTopic, Topic
from tests.bench.books_rig import watched_books
from tests.bench.session import Session, make_session

MARKETS = 250
PER_SECOND = 5_000
SECONDS = 10
PACE_GOAL = 4_900
"""Else the sender was too slow for the figures to mean anything."""
CORE_GOAL = 0.5
LAG_GOAL_MS = 250.0
"""A little more than a frame of the screen and the pause between two reads of a socket."""
DEADLINE_S = 60.0
SETTLING_S = 3.0
"""Every book is checked within it: forty of them in a tenth of a second."""
_LOAD = f"{PER_SECOND:,} messages/s, {2 * MARKETS} tokens, real sockets"


class Measured(NamedTuple):
    """What ten seconds have shown."""

    core_share: float
    """Of our process, its subscriber included."""
    lag_ms: float
    """Between the last frame sent and the last frame applied."""
    per_second: float
    """Messages that the sender did manage."""
    equal_books: int
    """Books that equal the sender's and are verified by its hashes."""


async def socket_rows() -> list[dict[str, Any]]:
    """Return what the load cost, how far behind the feed was in the end, and what was lost."""
    session = make_session(Random(11), markets=MARKETS, messages=PER_SECOND * SECONDS)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "session.json"
        path.write_bytes(as_file(session))
        sender = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.bench.sender", str(path), stdin=PIPE, stdout=PIPE
        )
        try:
            found = await _listen(sender, session)
        finally:
            sender.kill()
            await sender.wait()
    rate, share = found.per_second, found.core_share
    lag_ms, equal = found.lag_ms, found.equal_books
    return [
        row(f"{_LOAD}: sent a second", rate, f"≥ {PACE_GOAL:,}", met=rate >= PACE_GOAL),
        row(f"{_LOAD}: share of a core", share, f"≤ {CORE_GOAL}", met=share <= CORE_GOAL),
        row(f"{_LOAD}: ms behind", lag_ms, f"≤ {LAG_GOAL_MS:.0f}", met=lag_ms <= LAG_GOAL_MS),
        row(f"{_LOAD}: books right", equal, f"= {2 * MARKETS}", met=equal == 2 * MARKETS),
    ]


async def _listen(sender: Process, session: Session) -> Measured:
    tokens = [TokenId(snapshot.token_id) for snapshot in session.snapshots]
    port = int(await _line(sender))
    channel = MarketChannel(f"ws://127.0.0.1:{port}/ws/market", random=Random(1))
    feed: list[BooksFeed] = []

    def read(topic: Topic) -> None:
        if feed and isinstance(topic, BookTopic):
            feed[0].book(topic.token_id)

    pairs = zip(tokens[::2], tokens[1::2], strict=True)
    async with (
        asyncio.timeout(DEADLINE_S),
        watched_books(channel, tokens, notify=read, pairs=pairs) as rig,
    ):
        feed.append(rig.feed)
        while any(rig.feed.book(token).state is BookState.LOADING for token in tokens):  # noqa: ASYNC110  asks from outside
            await asyncio.sleep(0.05)
        await _say(sender)
        await _line(sender)
        frames_before, cpu_before = _frames(channel), process_time()
        await _say(sender)
        told = json.loads(await _line(sender))
        while _frames(channel) - frames_before < told["sent"]:  # noqa: ASYNC110  counted, not told
            await asyncio.sleep(0.001)
        end, cpu_s = monotonic(), process_time() - cpu_before
        await asyncio.sleep(SETTLING_S)
        equal = sum(_is_equal(rig.feed.book(token), session.books[token]) for token in tokens)
        await _say(sender)
    return Measured(
        core_share=cpu_s / (end - told["started"]),
        lag_ms=(end - told["finished"]) * 1_000,
        per_second=len(session.frames) / (told["finished"] - told["started"]),
        equal_books=equal,
    )


def _is_equal(ours: BookView, theirs: OrderBook) -> bool:
    expected = theirs.view(datetime.fromtimestamp(0, tz=UTC))
    is_same = (ours.bids, ours.asks) == (expected.bids, expected.asks)
    return is_same and ours.state is BookState.VERIFIED


def _frames(channel: MarketChannel) -> int:
    return sum(connection.counts.frames for connection in channel.connections)


async def _line(sender: Process) -> str:
    assert sender.stdout is not None
    return (await sender.stdout.readline()).decode()


async def _say(sender: Process) -> None:
    assert sender.stdin is not None
    sender.stdin.write(b"\n")
    await sender.stdin.drain()


def as_file(session: Session) -> bytes:
    """Return a session as the sender takes it."""
    books = {
        snapshot.token_id: json.dumps(
            {
                "event_type": "book",
                "market": snapshot.condition_id,
                "asset_id": snapshot.token_id,
                "bids": [{"price": level.price, "size": level.size} for level in snapshot.bids],
                "asks": [{"price": level.price, "size": level.size} for level in snapshot.asks],
                "timestamp": snapshot.timestamp,
                "hash": snapshot.hash,
                "tick_size": snapshot.tick_size,
                "neg_risk": snapshot.neg_risk,
            }
        )
        for snapshot in session.snapshots
    }
    frames = [frame.decode() for frame in session.frames]
    return msgspec.json.encode({"books": books, "frames": frames, "per_second": PER_SECOND})


def row(name: str, figure: float, goal: str, *, met: bool | None) -> dict[str, Any]:
    """Return a line of the table that has no reference."""
    return {
        "name": name, "ours": figure, "reference": None, "ratio": None, "goal": goal, "met": met,
    }  # fmt: skip

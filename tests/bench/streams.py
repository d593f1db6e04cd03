"""Bytes to book: one price change with its two levels, decoded and applied.

Measured beside the same work with `json` and `Decimal` and beside decoding alone, in turns within
one process; the ratio is the median of the ratios of neighbouring turns. The messages are made
here, in the shape and with the mix of sizes of the recorded ones.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from decimal import Decimal
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

import msgspec

from pmtui.clients.streams.protocols import MarketProtocol
from pmtui.domain.books.book import MirroredBooks
from pmtui.domain.books.market_events import BookSnapshot
from pmtui.service.books.books import BooksFeed
from pmtui.service.topics import BookTopic, Topic
from pmtui.wire.stream import decode_price_changes
from tests.bench.books_rig import watched_books
from tests.bench.session import books_of, make_session
from tests.bench.socket_load import socket_rows
from tests.service.fakes import FakeMarketStream

MARKETS = 50
MESSAGES = 4_000
TURNS = 15
PLAIN_GOAL = 4.0
DECODE_GOAL = 2.5

Work = Callable[[bytes], object]
"""Takes one frame."""


class _Level(msgspec.Struct, gc=False):
    asset_id: str
    price: str
    size: str
    side: str


class _Frame(msgspec.Struct, gc=False):
    price_changes: list[_Level]


def rows() -> list[dict[str, Any]]:
    """Return a row for each reference; times in microseconds a message."""
    return asyncio.run(_rows())


async def _rows() -> list[dict[str, Any]]:
    books, frames, _ = make_session(Random(7), markets=MARKETS, messages=MESSAGES)
    decode = msgspec.json.Decoder(_Frame).decode
    async with served(books) as (feed, restart):
        plain = await _in_turns(feed, plain_python(books), frames, before=restart)
        floor = await _in_turns(feed, decode, frames, before=restart)
    halves = [half for frame in frames for half in _one_token_each(frame)]
    async with served(books) as (feed, restart):
        apart = await _in_turns(feed, plain_python(books), halves, before=restart)
    alone = await _in_turns(decode_and_apply(books), plain_python(books), frames)
    return [
        _faster("bytes to book, through the feed: json and Decimal over ours", plain),
        _faster("bytes to book, decode and apply: json and Decimal over ours", alone),
        _plain("bytes to book, through the feed, each token by itself: the same ratio", apart),
        {
            "name": "bytes to book, through the feed: ours over the decoder alone",
            "ours": floor[0],
            "reference": floor[1],
            "ratio": floor[2],
            "goal": f"≤ {DECODE_GOAL}",
            "met": floor[2] <= DECODE_GOAL,
        },
        *await socket_rows(),
    ]


def _one_token_each(frame: bytes) -> list[bytes]:
    """Return what would come if each token were heard on a socket of its own."""
    message = json.loads(frame)
    return [
        json.dumps(message | {"price_changes": [change]}, separators=(",", ":")).encode()
        for change in message["price_changes"]
    ]


def _plain(name: str, measured: tuple[float, float, float]) -> dict[str, Any]:
    return _faster(name, measured) | {"goal": "", "met": None}


def _faster(name: str, measured: tuple[float, float, float]) -> dict[str, Any]:
    ours, reference, ratio = measured
    return {
        "name": name,
        "ours": ours,
        "reference": reference,
        "ratio": 1 / ratio,
        "goal": f"≥ {PLAIN_GOAL:.0f}",
        "met": 1 / ratio >= PLAIN_GOAL,
    }


@asynccontextmanager
async def served(snapshots: list[BookSnapshot]) -> AsyncIterator[tuple[Work, Callable[[], None]]]:
    """Give our way of one message as the service runs it, from the frame to the marked topic.

    The second value starts the session anew. What takes place ten times a second (telling, checking, reading a view) goes on in between.
    """
    stream, protocol = FakeMarketStream(), MarketProtocol()
    tokens = [snapshot.token_id for snapshot in snapshots]
    feed: list[BooksFeed] = []

    def read(topic: Topic) -> None:
        if feed and isinstance(topic, BookTopic):
            feed[0].book(topic.token_id)

    async with watched_books(stream, tokens, notify=read) as rig:
        feed.append(rig.feed)
        while stream.tell is None:  # noqa: ASYNC110  a few turns of the loop
            await asyncio.sleep(0)
        on_event = stream.tell

        def restart() -> None:
            for snapshot in snapshots:
                on_event(snapshot)

        def apply(frame: bytes) -> None:
            protocol.received(frame, on_event)

        yield apply, restart


def decode_and_apply(snapshots: list[BookSnapshot]) -> Work:
    """Return our way of one message without the feed: the two books of a market held as one."""
    books = list(books_of(snapshots).values())
    twins_of = {
        yes.condition_id: MirroredBooks(yes, no)
        for yes, no in zip(books[::2], books[1::2], strict=True)
    }

    def apply(frame: bytes) -> None:
        event = decode_price_changes(frame)
        if not twins_of[event.condition_id].apply(event):
            raise AssertionError(frame)

    return apply


def plain_python(snapshots: list[BookSnapshot]) -> Work:
    """Return the same work as one would write it first: the best prices are kept too."""
    books = {
        snapshot.token_id: {
            "BUY": {Decimal(level.price): Decimal(level.size) for level in snapshot.bids},
            "SELL": {Decimal(level.price): Decimal(level.size) for level in snapshot.asks},
        }
        for snapshot in snapshots
    }
    best = {
        (token, side): (max if side == "BUY" else min)(levels)
        for token, sides in books.items()
        for side, levels in sides.items()
    }

    def apply(frame: bytes) -> None:
        message = json.loads(frame)
        if message["event_type"] != "price_change":
            return
        for change in message["price_changes"]:
            token, side = change["asset_id"], change["side"]
            price, size = Decimal(change["price"]), Decimal(change["size"])
            levels = books[token][side]
            key = (token, side)
            if size == 0:
                if levels.pop(price, None) is not None and best[key] == price:
                    best[key] = (max if side == "BUY" else min)(levels)
            else:
                levels[price] = size
                if (price > best[key]) if side == "BUY" else (price < best[key]):
                    best[key] = price

    return apply


async def _in_turns(
    ours: Work, reference: Work, frames: list[bytes], *, before: Callable[[], None] = lambda: None
) -> tuple[float, float, float]:
    """Return the medians of both, and of the ratios of neighbouring turns."""
    pairs: list[tuple[float, float]] = []
    for _ in range(TURNS):
        # What runs by the clock has its turn here, and not within a measurement.
        before()
        await asyncio.sleep(0)
        pairs.append((_time(ours, frames), _time(reference, frames)))
    return (
        median(mine for mine, _ in pairs),
        median(other for _, other in pairs),
        median(mine / other for mine, other in pairs),
    )


def _time(work: Work, frames: list[bytes]) -> float:
    start = perf_counter()
    for frame in frames:
        work(frame)
    return (perf_counter() - start) / len(frames) * 1e6

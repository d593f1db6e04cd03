"""Bytes to book: one price change with its two levels, decoded and applied.

Measured beside the same work with `json` and `Decimal` and beside decoding alone, in turns within
one process; the ratio is the median of the ratios of neighbouring turns. The messages are made
here, in the shape and with the mix of sizes of the recorded ones.
"""

import json
from collections.abc import Callable
from decimal import Decimal
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

import msgspec

from pmtui.domain.book import OrderBook
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.market_events import BookSnapshot, PriceChanges, TextLevel
from pmtui.wire.stream import decode_market_frame

MARKETS = 50
MESSAGES = 4_000
TURNS = 15
PLAIN_GOAL = 4.0
DECODE_GOAL = 2.5


class _Level(msgspec.Struct, gc=False):
    asset_id: str
    price: str
    size: str
    side: str


class _Frame(msgspec.Struct, gc=False):
    price_changes: list[_Level]


def rows() -> list[dict[str, Any]]:
    """Return a row for each reference; times in microseconds a message."""
    books, frames = make_session(Random(7))
    apply, plain = ours(books), plain_python(books)
    decode = msgspec.json.Decoder(_Frame).decode
    table: list[dict[str, Any]] = []
    us, reference, ratio = _in_turns(apply, plain, frames)
    table.append(
        {
            "name": "bytes to book: json and Decimal over ours",
            "ours": us,
            "reference": reference,
            "ratio": 1 / ratio,
            "goal": f"≥ {PLAIN_GOAL:.0f}",
            "met": 1 / ratio >= PLAIN_GOAL,
        }
    )
    us, reference, ratio = _in_turns(apply, decode, frames)
    table.append(
        {
            "name": "bytes to book: ours over the decoder alone",
            "ours": us,
            "reference": reference,
            "ratio": ratio,
            "goal": f"≤ {DECODE_GOAL}",
            "met": ratio <= DECODE_GOAL,
        }
    )
    return table


def make_session(random: Random) -> tuple[list[BookSnapshot], list[bytes]]:
    """Return first books of both tokens of some markets, and changes to them."""
    pairs = [
        (f"0x{random.getrandbits(256):064x}", *(str(random.getrandbits(256)) for _ in "yn"))
        for _ in range(MARKETS)
    ]
    books = [
        BookSnapshot(
            TokenId(token),
            ConditionId(market),
            tuple(TextLevel(f"0.{cents:02d}".rstrip("0"), "100") for cents in range(1, 50)),
            tuple(TextLevel(f"0.{cents:02d}".rstrip("0"), "100") for cents in range(99, 50, -1)),
            timestamp="1790000000000",
            hash="",
            tick_size="0.01",
            neg_risk=False,
        )
        for market, *tokens in pairs
        for token in tokens
    ]
    return books, [_frame(random, *random.choice(pairs)) for _ in range(MESSAGES)]


def _frame(random: Random, market: str, yes: str, no: str) -> bytes:
    tick = random.randint(1, 49)
    size = (
        "0"
        if random.random() < 0.1
        else f"{random.choice((5, 10, 25.5, 100, random.randint(1, 90_000) / 100)):g}"
    )
    entries = [
        {
            "asset_id": token,
            "price": f"{price / 100:g}",
            "size": size,
            "side": side,
            "hash": f"{random.getrandbits(160):040x}",
            "best_bid": "0.49",
            "best_ask": "0.51",
        }
        for token, price, side in ((yes, tick, "BUY"), (no, 100 - tick, "SELL"))
    ]
    message = {
        "market": market,
        "price_changes": entries,
        "timestamp": "1790000000123",
        "event_type": "price_change",
    }
    return json.dumps(message, separators=(",", ":")).encode()


def ours(snapshots: list[BookSnapshot]) -> Callable[[bytes], object]:
    """Return our way of one message."""
    books: dict[str, OrderBook] = {}
    for snapshot in snapshots:
        books[snapshot.token_id] = OrderBook(snapshot.token_id)
        books[snapshot.token_id].apply_snapshot(snapshot)

    def apply(frame: bytes) -> None:
        for event in decode_market_frame(frame):
            if isinstance(event, PriceChanges):
                for change in event.changes:
                    books[change.asset_id].apply_change(change)

    return apply


def plain_python(snapshots: list[BookSnapshot]) -> Callable[[bytes], object]:
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


def _in_turns(
    ours: Callable[[bytes], object], reference: Callable[[bytes], object], frames: list[bytes]
) -> tuple[float, float, float]:
    """Return the medians of both, and of the ratios of neighbouring turns."""
    pairs = [(_time(ours, frames), _time(reference, frames)) for _ in range(TURNS)]
    return (
        median(mine for mine, _ in pairs),
        median(other for _, other in pairs),
        median(mine / other for mine, other in pairs),
    )


def _time(work: Callable[[bytes], object], frames: list[bytes]) -> float:
    start = perf_counter()
    for frame in frames:
        work(frame)
    return (perf_counter() - start) / len(frames) * 1e6

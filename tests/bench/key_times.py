"""How long the answer to a key takes to arrive at the terminal, told afterwards from what was read."""

import re
import time
from collections.abc import Iterator, Sequence
from random import Random
from statistics import median
from typing import NamedTuple

import pyte

from tests.bench.smallest import FRAME_END, readable
from tests.journeys.terminal import Terminal

KEYS = 100
GAP_S = (0.08, 0.13)
"""Between two keys, at random, so that they fall anywhere in a frame."""
LEFT_OUT = 2
"""Keys at the beginning that only put the cursor on the ladder."""
SLOWEST_SHARE = 0.99
_CURSOR = re.compile(r"^.?▸.*?([0-9.]+)[¢•]")

Read = tuple[float, int]
"""A moment, and how many bytes had been read by then."""


class KeyTimes(NamedTuple):
    """Milliseconds from key to paint."""

    usual: float
    slowest: float
    """The 99th percentile."""


def measure_keys(
    terminal: Terminal, *, keys: int = KEYS, gap_s: tuple[float, float] = GAP_S, pause_s: float = 0
) -> KeyTimes:
    """Move the ladder's cursor to and fro, and return how long that took to be seen.

    Args:
        terminal: with a market in front.
        keys: how many.
        gap_s: the least and the most time between two.
        pause_s: between two reads, as on a slow line.
    """
    random, began = Random(3), terminal.byte_count
    pressed: list[float] = []
    read: list[Read] = []
    for number in range(keys + LEFT_OUT):
        terminal.press("up" if number % 2 else "down")
        pressed.append(time.perf_counter())
        until = pressed[-1] + random.uniform(*gap_s)
        while (left := until - time.perf_counter()) > 0:
            if terminal.pump(left):
                read.append((time.perf_counter(), terminal.byte_count))
            if pause_s:
                time.sleep(pause_s)
    end = time.perf_counter()
    frames = _frames(bytes(terminal.output), began, read)
    moves = list(_moves(terminal, bytes(terminal.output[:began]), frames))
    took = sorted(_delays_ms(pressed, moves, end))
    return KeyTimes(median(took), took[int(len(took) * SLOWEST_SHARE)])


def _frames(output: bytes, began: int, read: Sequence[Read]) -> Iterator[tuple[float, bytes]]:
    """Return every frame and when its last byte had been read."""
    start = began
    for at, count in read:
        while (end := output.find(FRAME_END, start, count)) >= 0:
            yield at, output[start : end + len(FRAME_END)]
            start = end + len(FRAME_END)


def _moves(
    terminal: Terminal, before: bytes, frames: Iterator[tuple[float, bytes]]
) -> Iterator[tuple[float, str]]:
    """Return when the cursor was first seen on another price, and on which."""
    screen = pyte.Screen(*terminal.size)
    stream = pyte.ByteStream(screen)
    stream.feed(readable(before))
    price = _price(screen)
    for at, frame in frames:
        stream.feed(readable(frame))
        if (now := _price(screen)) != price:
            price = now
            yield at, price


def _price(screen: pyte.Screen) -> str:
    found = (_CURSOR.match(line) for line in screen.display)
    return next((match.group(1) for match in found if match), "")


def _delays_ms(
    pressed: Sequence[float], moves: Sequence[tuple[float, str]], end: float
) -> Iterator[float]:
    """Return the time to each key's own move; of one that was not seen, the time it had."""
    places = [price for _, price in moves][:2]
    for number, key in enumerate(pressed[LEFT_OUT:], LEFT_OUT):
        wanted = places[number % 2 :][:1]
        seen = (at for at, price in moves if at > key and [price] == wanted)
        yield (next(seen, end) - key) * 1_000

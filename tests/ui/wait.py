"""Waiting for the terminal in tests: on a named condition, with a deadline, never for a time."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from textual.pilot import Pilot

_CHECK_PERIOD_S = 0.005


async def until(
    pilot: Pilot[Any], predicate: Callable[[], object], what: str, *, timeout_s: float = 60.0
) -> None:
    """Let the app run until the predicate holds, or fail naming what did not happen."""
    deadline = time.monotonic() + timeout_s
    while not predicate():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {timeout_s} s in vain: {what}")
        await asyncio.sleep(_CHECK_PERIOD_S)
        await pilot.pause()


async def settle(pilot: Pilot[Any]) -> None:
    """Let the app handle what is in its queues now; for asserting that nothing happened."""
    await pilot.pause()
    await pilot.pause()

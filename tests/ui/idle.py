"""Waiting until a terminal program has nothing left to do, told by its event loop.

Textual's own way sleeps 20 ms at a time until its process has used little of the processor: two
such naps for every key, and on a busy machine a process that was not let run looks idle. Importing
this puts the better one in its place.
"""

import asyncio

import textual.app
import textual.pilot

from tests.quiet_loop import has_threads_at_work, next_due_s, quiet

SOON_S = 0.02
"""What is due within this time is waited for: Textual paints on a timer of 8 ms."""

LONGEST_S = 0.1
"""How much of such time is waited for: a program that looks again all the time is never done."""

_MOST_LOOKS = 5_000
_CHECK_PERIOD_S = 0.001


async def wait_for_idle(min_sleep: float = 0, max_sleep: float = LONGEST_S) -> None:
    """Let the loop run until nothing is ready, in a thread, or due soon."""
    await _wait_for_work()
    waited = 0.0
    while (due := next_due_s()) is not None and due < SOON_S and waited < max_sleep:
        await asyncio.sleep(due)
        waited += max(due, _CHECK_PERIOD_S)
        await _wait_for_work()


async def _wait_for_work() -> None:
    await quiet()
    for _ in range(_MOST_LOOKS):
        if not has_threads_at_work():
            return
        await asyncio.sleep(_CHECK_PERIOD_S)
        await quiet()


textual.app.wait_for_idle = wait_for_idle  # type: ignore[attr-defined]
textual.pilot.wait_for_idle = wait_for_idle  # type: ignore[attr-defined]

"""Waiting until an event loop has nothing left to run: exact, and as short as the work is."""

import asyncio

_QUIET_TURNS = 3
"""Turns without anything to run: between two of them sockets and pipes hand in what they have."""

_MOST_TURNS = 2_000
"""A loop that never rests, such as one whose tasks call each other, is left running."""


async def quiet() -> None:
    """Let every task run until it waits for time, for a socket or for a thread."""
    ready = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]
    turns = 0
    for _ in range(_MOST_TURNS):
        await asyncio.sleep(0)
        # While this runs, what is ready is ready for the next turn.
        turns = 0 if ready else turns + 1
        if turns == _QUIET_TURNS:
            return


def next_due_s() -> float | None:
    """Return in how many seconds the loop's next timer is due, None where nothing is timed."""
    loop = asyncio.get_running_loop()
    timers = loop._scheduled  # type: ignore[attr-defined]
    due = min((timer.when() for timer in timers if not timer.cancelled()), default=None)
    return None if due is None else max(0.0, due - loop.time())


def has_threads_at_work() -> bool:
    """Tell whether something given to the loop's threads is not done yet."""
    executor = asyncio.get_running_loop()._default_executor  # type: ignore[attr-defined]
    if executor is None:
        return False
    return len(executor._threads) > executor._idle_semaphore._value or bool(
        executor._work_queue.qsize()
    )

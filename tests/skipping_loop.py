"""An event loop that does not sit through time in which nothing happens.

Where all that a test waits for happens on its own loop, such as a service and the local venue that it
talks to, an idle loop waits for its next timer only. This one waits a small part of that time and counts
the whole as passed. Time in which something runs counts as it is, so that a slow machine misses no
deadline that it would otherwise keep; and while a thread or another process is at work, which nobody can
hurry, no time is left out.
"""

import asyncio
import os
import selectors
import time
from collections.abc import Callable
from concurrent.futures import Executor
from typing import TypeVar, TypeVarTuple

from typing_extensions import override

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

Backend = str | tuple[str, dict[str, Callable[[], asyncio.AbstractEventLoop]]]
"""What a fixture named `anyio_backend` may be."""

SPEED = 20
"""How many times as fast idle time passes."""


class _Selector(selectors.DefaultSelector):
    """Waits a part of the time that it is told to, and keeps how much it left out."""

    def __init__(self) -> None:
        super().__init__()
        self.skipped_s = 0.0
        self.threads_at_work = 0

    @override
    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0 or self.threads_at_work or _has_children():
            return super().select(timeout)
        ready = super().select(timeout / SPEED)
        if not ready:
            self.skipped_s += timeout - timeout / SPEED
        return ready


class SkippingLoop(asyncio.SelectorEventLoop):
    """Everything that is timed by it, such as `asyncio.sleep` and `asyncio.timeout`, agrees."""

    def __init__(self) -> None:
        self._own_selector = _Selector()
        super().__init__(self._own_selector)

    @override
    def time(self) -> float:
        return time.monotonic() + self._own_selector.skipped_s

    @override
    def run_in_executor(
        self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts
    ) -> asyncio.Future[T]:
        future = super().run_in_executor(executor, func, *args)
        self._own_selector.threads_at_work += 1
        future.add_done_callback(self._end_of_work)
        return future

    def _end_of_work(self, _: object) -> None:
        self._own_selector.threads_at_work -= 1


SKIPPING: Backend = ("asyncio", {"loop_factory": SkippingLoop})


def _has_children() -> bool:
    try:
        _ = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True

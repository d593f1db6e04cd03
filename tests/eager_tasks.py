"""The event loop as Textual sets it up from Python 3.12 on: a task runs until it first waits."""

import asyncio
import sys
from collections.abc import Callable

Backend = str | tuple[str, dict[str, Callable[[], asyncio.AbstractEventLoop]]]
"""What a fixture named `anyio_backend` may be."""


def eager_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    if sys.version_info >= (3, 12):
        loop.set_task_factory(asyncio.eager_task_factory)
    return loop


HAS_EAGER_TASKS = sys.version_info >= (3, 12)
EAGER: Backend = ("asyncio", {"loop_factory": eager_loop})

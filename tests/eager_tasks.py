"""The event loop as Textual sets it up from Python 3.12 on: a task runs until it first waits."""

import asyncio
import sys

from tests.skipping_loop import Backend, SkippingLoop


def eager_loop() -> asyncio.AbstractEventLoop:
    loop = SkippingLoop()
    if sys.version_info >= (3, 12):
        loop.set_task_factory(asyncio.eager_task_factory)
    return loop


HAS_EAGER_TASKS = sys.version_info >= (3, 12)
EAGER: Backend = ("asyncio", {"loop_factory": eager_loop})

"""Asks about something of the account only while somebody looks at it."""

import asyncio
from collections.abc import Callable

from pmtui.service.kernel import Kernel
from pmtui.service.topics import Topic


async def ask_while_watched(
    kernel: Kernel, topic: Topic, ask: Callable[[], None], *, opened: asyncio.Event, period_s: float
) -> None:
    """Ask as soon as the account is open and every so often, if the topic is watched then.

    Args:
        kernel: time, and who watches what.
        topic: what has to be watched.
        ask: begins to ask; beginning twice is its own affair.
        opened: set once there is an account.
        period_s: between two looks.
    """

    def ask_if_watched() -> None:
        if kernel.hub.is_watched(topic):
            ask()

    async def ask_when_open() -> None:
        _ = await opened.wait()
        ask_if_watched()

    async with asyncio.TaskGroup() as group:
        _ = group.create_task(ask_when_open())
        while True:
            await kernel.clock.sleep(period_s)
            ask_if_watched()

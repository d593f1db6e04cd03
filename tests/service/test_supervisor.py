import asyncio
import gc
import itertools
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from pmtui.service.hub import Hub
from pmtui.service.log import Log
from pmtui.service.supervisor import Supervisor
from tests.manual_clock import ManualClock, settle


@asynccontextmanager
async def supervised() -> AsyncIterator[tuple[Supervisor, ManualClock, Log]]:
    clock = ManualClock()
    log = Log(Hub(clock), clock)
    supervisor = Supervisor(clock, log, random.Random(3))
    ready = asyncio.Event()
    task = asyncio.create_task(supervisor.run(ready.set))
    await ready.wait()
    yield supervisor, clock, log
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_a_feed_with_a_bug_is_told_of_and_started_again_with_growing_pauses() -> None:
    starts: list[float] = []
    async with supervised() as (supervisor, clock, log):

        async def broken() -> None:
            starts.append(clock.monotonic())
            raise KeyError("a secret that must not be quoted")

        supervisor.keep("books", broken)
        await clock.advance(20)
        pauses = [b - a for a, b in itertools.pairwise(starts)]
        assert len(pauses) >= 4
        assert pauses[-1] > pauses[0]
        texts = [e.text for e in log.view().entries]
        assert any("books failed (KeyError)" in t for t in texts)
        assert not any("secret" in t for t in texts)


async def test_one_broken_feed_does_not_stop_another() -> None:
    beats = 0
    async with supervised() as (supervisor, clock, _):

        async def broken() -> None:
            raise ValueError

        async def healthy() -> None:
            nonlocal beats
            while True:
                await clock.sleep(1)
                beats += 1

        supervisor.keep("broken", broken)
        supervisor.keep("healthy", healthy)
        await clock.advance(10)
    assert beats == 10


async def test_work_cannot_start_before_the_service_runs() -> None:
    clock = ManualClock()
    supervisor = Supervisor(clock, Log(Hub(clock), clock), random.Random(1))

    async def work() -> None:
        return

    with pytest.raises(RuntimeError, match="not running"):
        _ = supervisor.once("early", work)
    await settle()


async def test_work_that_comes_after_the_end_is_refused_and_not_left_open() -> None:
    async with supervised() as (supervisor, _, _):
        pass

    async def late() -> None:
        raise AssertionError("nobody runs this")

    with pytest.raises(RuntimeError):
        _ = supervisor.once("late", late)
    # A coroutine that nobody closed would warn here, and warnings are errors.
    gc.collect()

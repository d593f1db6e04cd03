"""The service's book feed on the machine's own clock, with a stream of the caller's choice.

Everything between a stream and a subscriber is the real thing; the other hosts are scripted.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from random import Random

from pmtui.domain.ids import TokenId
from pmtui.service.books.books import BooksFeed
from pmtui.service.clock import SystemClock
from pmtui.service.health import Health
from pmtui.service.hub import Hub
from pmtui.service.kernel import Kernel
from pmtui.service.log import Log
from pmtui.service.ports import Hosts, MarketStream
from pmtui.service.supervisor import Supervisor
from pmtui.service.topics import BookTopic, Topic
from tests.service.fakes import FakeAnalytics, FakeGeo, FakeMetadata, FakeTrading


@dataclass
class Rig:
    """A feed whose books are all watched by one subscriber, ten frames a second."""

    feed: BooksFeed
    hub: Hub
    log: Log


@asynccontextmanager
async def watched_books(
    stream: MarketStream,
    tokens: Sequence[TokenId],
    *,
    notify: Callable[[Topic], None],
    pairs: Iterable[tuple[TokenId, ...]] = (),
    trading: FakeTrading | None = None,
) -> AsyncIterator[Rig]:
    """Run the feed, its checks and the hub while the block lasts; `pairs` are tokens of a market."""
    pair_of = {token: pair for pair in pairs for token in pair}
    clock = SystemClock()
    hub = Hub(clock)
    log = Log(hub, clock)
    supervisor = Supervisor(clock, log, Random(1))
    kernel = Kernel(
        clock=clock, hub=hub, log=log, health=Health(hub, log, clock), supervisor=supervisor
    )
    kernel.connect(
        Hosts(
            metadata=FakeMetadata(),
            trading=trading or FakeTrading(),
            analytics=FakeAnalytics(),
            geo=FakeGeo(),
            market_stream=stream,
            open_account=None,
            close=_nothing,
        )
    )
    feed = BooksFeed(
        kernel,
        tokens_of_event=lambda _: (),
        pair_of=lambda token_id: pair_of.get(token_id, (token_id,)),
        title_of=lambda _: "",
        is_own=lambda _: False,
        on_tick_size=lambda _: None,
        on_resolved=lambda _: None,
    )
    ready = asyncio.Event()
    running = asyncio.create_task(supervisor.run(ready.set))
    await ready.wait()
    subscription = hub.subscribe([BookTopic(token_id) for token_id in tokens], notify)
    feed.retarget()
    for name, work in (("books", feed.run), ("checks", feed.keep_checking), ("hub", hub.pump)):
        supervisor.keep(name, work)
    try:
        yield Rig(feed, hub, log)
    finally:
        subscription.close()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def _nothing() -> None:
    pass

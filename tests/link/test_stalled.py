"""A terminal that is stopped for a minute, at a thousand changes a second: counted, not waited for."""

import os
import socket
from pathlib import Path

from pmtui.link.messages import Watch, pack
from pmtui.link.server import _BUFFER_BYTES
from pmtui.link.session import Session
from pmtui.service.codec import encode
from pmtui.service.topics import BookTopic, LogTopic, StatusTopic
from pmtui.service.views import Level
from tests.link.kit import House, running_house
from tests.link.test_link import hello
from tests.service.conditional_kit import book
from tests.service.fakes import YES
from tests.service.order_kit import until

FRAMES = 600
"""A minute at ten a second."""
CHANGES = 100
"""In each: a thousand a second."""
NOTICE_CHARACTERS = 5_000
MOST_NOTICES = 400
LARGEST_MESSAGE = 1 << 16


def stopped_terminal(house: House, stalled: socket.socket) -> None:
    """Attach one that watches a book, and reads nothing."""
    stalled.connect(os.fspath(house.path))
    topics = (LogTopic(), StatusTopic(), BookTopic(YES))
    stalled.sendall(b"".join([pack(hello()), *(pack(Watch(encode(t))) for t in topics)]))


def waiting_bytes(session: Session) -> int:
    return session._writer.transport.get_write_buffer_size()


async def until_full(house: House, session: Session) -> None:
    """Write notices until the system holds no more for it and our own buffer is full."""
    for _ in range(MOST_NOTICES):
        if waiting_bytes(session) > _BUFFER_BYTES:
            return
        house.world.service.log.notice(Level.INFO, "x" * NOTICE_CHARACTERS)
        await house.world.pass_time(0.2)
    raise AssertionError("it reads after all")


async def test_it_costs_a_bounded_amount_and_slows_nobody(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house, house.seat() as seat:
        _ = seat.mirror.subscribe([BookTopic(YES)], lambda _: None)
        known = set(house.server._sessions)
        with socket.socket(socket.AF_UNIX) as stalled:
            stopped_terminal(house, stalled)
            await until(house.world, lambda: house.server.terminals == 2, "both")
            (stopped,) = set(house.server._sessions) - known
            await until_full(house, stopped)
            sent, waiting = stopped._version, waiting_bytes(stopped)
            for number in range(FRAMES):
                for each in range(CHANGES):
                    cents = 10 + (number * CHANGES + each) % 80
                    house.world.stream.send(book(f"0.{cents}"))
                await house.world.clock.advance(0.1)
            # Nothing was made for it, nothing was kept for it but which topics it is owed.
            assert stopped._version == sent
            assert waiting_bytes(stopped) == waiting <= _BUFFER_BYTES + LARGEST_MESSAGE
            assert len(stopped._queue) + len(stopped._dirty) <= 4
            await until(
                house.world,
                lambda: (
                    seat.queries.book(YES).bids[:1]
                    == house.world.service.queries.book(YES).bids[:1]
                    != ()
                ),
                "the other one follows",
            )

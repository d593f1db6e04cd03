"""What changes places on the market channel, played through the terminal's own book."""

import random
from collections.abc import Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import override

from pmtui.domain.ids import ApiKey, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.recording.reader import Recorded
from pmtui.sim.engine.exchange import Exchange
from pmtui.sim.engine.terms import NewOrder
from pmtui.sim.streams.publisher import Frame, Publisher, Watcher, in_arrival_order
from tests.check.replay import Replay, Report
from tests.sim.clock import ManualClock
from tests.sim.kit import RAIN_YES
from tests.sim.streams.test_frames import CONDITION, WALLET, quiet_venue


class Listener(Watcher):
    def __init__(self) -> None:
        self.heard: list[Frame] = []

    @override
    def take(self, frames: Sequence[Frame]) -> None:
        self.heard += [frame for frame in frames if not frame.is_custom]


def an_order(number: int, rng: random.Random) -> NewOrder:
    # Bids below asks rest; some cross, and trade.
    is_purchase = rng.random() < 0.5
    cents = rng.randrange(2, 52) if is_purchase else rng.randrange(50, 99)
    price, size = Micros(cents * 10_000), Micros(rng.randrange(500, 5_000) * 10_000)
    dollars = Micros(price * size // 1_000_000)
    return NewOrder(
        order_id=OrderId(f"0x{number:064x}"),
        account=WALLET,
        owner=ApiKey(""),
        token_id=TokenId(RAIN_YES),
        side=Side.BUY if is_purchase else Side.SELL,
        maker_amount=dollars if is_purchase else size,
        taker_amount=size if is_purchase else dollars,
    )


async def played(folder: Path) -> tuple[Report, list[Frame]]:
    """Trade in bursts of one millisecond, and play what a listener gets."""
    venue, rng = quiet_venue(folder), random.Random(7)
    publisher, listener = Publisher(venue), Listener()
    ladder = publisher.watch(CONDITION, listener)
    assert ladder is not None
    books = [ladder.book_frame(index, with_last_price=True) for index in (0, 1)]
    clock = venue.clock
    assert isinstance(clock, ManualClock)
    number = 0
    for _burst in range(400):

        def act(exchange: Exchange, now_ms: int) -> None:
            nonlocal number
            for _ in range(rng.choice((1, 1, 2, 9))):
                exchange.place(an_order(number, rng), now_ms=now_ms)
                number += 1

        venue.act(act)
        clock.step(rng.choice((0, 1, 3, 200)))
    # Whoever comes gets a book: what is held back must be out by then.
    publisher.watch(CONDITION, listener)
    venue.close()
    recording = [Recorded(f"[{','.join(books)}]".encode())]
    recording += [Recorded(frame.data) for frame in listener.heard]
    return Replay().run(recording), listener.heard


async def test_every_hash_fits_once_those_hashed_with_it_are_in(tmp_path: Path) -> None:
    report, _ = await played(tmp_path)
    assert report.changes.after_later > 50
    assert (report.changes.never, report.books.never, report.gaps) == (0, 0, [])
    assert (report.tops_disagreed, report.without_book, report.failures) == (0, 0, [])


async def test_time_never_steps_back_in_a_market(tmp_path: Path) -> None:
    _, heard = await played(tmp_path)
    times = [frame.at_ms for frame in heard if frame.at_ms]
    assert times == sorted(times)


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 3)), max_size=40), st.integers())
def test_what_changed_places_has_the_hash_of_the_last_of_them(
    drawn: list[tuple[int, int]], seed: int
) -> None:
    frames = [
        Frame(
            f'"hash":"a{number}" "hash":"b{number}"'.encode(),
            level=(TokenId("1"), Micros(price)),
            at_ms=time,
            hashes=(f"a{number}", f"b{number}"),
        )
        for number, (price, time) in enumerate(drawn)
    ]
    arrived = in_arrival_order(frames, random.Random(seed))
    assert [frame.at_ms for frame in arrived] == [frame.at_ms for frame in frames]
    for place, frame in enumerate(arrived):
        assert frame.data == f'"hash":"{frame.hashes[0]}" "hash":"{frame.hashes[1]}"'.encode()
        assert int(frame.hashes[0][1:]) >= place

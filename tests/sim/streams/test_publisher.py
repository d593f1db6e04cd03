"""Books as text, and frames that change places."""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from typing_extensions import override

from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.recording.reader import Recorded
from pmtui.sim.catalogue.load import load_recorded
from pmtui.sim.clob.books import book_document
from pmtui.sim.engine.events import LevelChanged, TickSizeChanged, TradeMatched
from pmtui.sim.engine.exchange import Exchange
from pmtui.sim.engine.terms import NewOrder
from pmtui.sim.storage.persistence import Store
from pmtui.sim.streams.publisher import Frame, MarketLadder, Publisher, Watcher, in_arrival_order
from pmtui.sim.venue import Venue
from tests.check.replay import Replay, Report
from tests.sim.clock import ManualClock
from tests.sim.kit import RAIN, RAIN_NO, RAIN_YES, START_MS, write_catalogue

WALLET = Address("0x" + "11" * 20)
CONDITION = ConditionId(RAIN)
ORDERS = st.lists(
    st.tuples(st.booleans(), st.booleans(), st.integers(1, 99), st.integers(500, 5_000)),
    min_size=1,
    max_size=30,
)


def quiet_venue(folder: Path) -> Venue:
    catalogue = load_recorded([write_catalogue(folder)]).catalogue
    venue = Venue(catalogue, clock=ManualClock(START_MS), store=Store(None), seed=1)
    venue.act(lambda x, _: x.open_account(WALLET, simulated=True, unlimited=True))
    return venue


@settings(max_examples=15)
@given(orders=ORDERS)
def test_the_ladder_hashes_as_the_engines_book_after_every_change(
    orders: list[tuple[bool, bool, int, int]], tmp_path_factory: object
) -> None:
    folder = tmp_path_factory.mktemp("ladder")  # type: ignore[attr-defined]
    venue = quiet_venue(folder)
    reads = venue.exchange.reads
    view, book = reads.market(CONDITION), reads.book(TokenId(RAIN_YES))
    assert view is not None
    assert book is not None
    ladder = MarketLadder(view, book)

    def follow(events: tuple[object, ...]) -> None:
        for event in events:
            if isinstance(event, LevelChanged):
                ladder.apply(event)
            elif isinstance(event, TradeMatched):
                ladder.trade_at(event.trade.price)
            elif isinstance(event, TickSizeChanged):
                ladder.change_tick(event.new)

    venue.subscribe(follow)
    for number, (is_first, is_purchase, cents, hundredths) in enumerate(orders):
        price, size = Micros(cents * 10_000), Micros(hundredths * 10_000)
        dollars = Micros(price * size // 1_000_000)
        order = NewOrder(
            order_id=OrderId(f"0x{number:064x}"),
            account=WALLET,
            owner=ApiKey(""),
            token_id=TokenId(RAIN_YES if is_first else RAIN_NO),
            side=Side.BUY if is_purchase else Side.SELL,
            maker_amount=dollars if is_purchase else size,
            taker_amount=size if is_purchase else dollars,
        )
        venue.act(lambda x, now_ms, order=order: x.place(order, now_ms=now_ms))  # type: ignore[misc]
        view = reads.market(CONDITION)
        assert view is not None
        for index, token_id in enumerate(view.spec.tokens):
            book = reads.book(token_id)
            assert book is not None
            document = book_document(replace(book, changed_ms=START_MS), view)
            assert ladder.hash(index, START_MS) == document.hash
    venue.close()


def frame(number: int, price: int | None) -> Frame:
    level = None if price is None else (TokenId("1"), Micros(price))
    return Frame(str(number).encode(), level=level)


@given(st.lists(st.one_of(st.none(), st.integers(1, 5)), max_size=60), st.integers())
def test_no_frame_overtakes_one_of_its_own_level_or_one_of_the_top(
    prices: list[int | None], seed: int
) -> None:
    frames = [frame(number, price) for number, price in enumerate(prices)]
    arrived = in_arrival_order(frames, random.Random(seed))
    assert sorted(int(f.data) for f in arrived) == list(range(len(frames)))
    for level in {f.level for f in frames if f.level}:
        numbers = [int(f.data) for f in arrived if f.level == level]
        assert numbers == sorted(numbers)
    for place, arrival in enumerate(arrived):
        if arrival.level is None:
            assert int(arrival.data) == place


def test_about_one_frame_in_ten_is_out_of_its_place() -> None:
    frames = [frame(number, number) for number in range(10_000)]
    arrived = in_arrival_order(frames, random.Random(3))
    moved = sum(int(f.data) != place for place, f in enumerate(arrived))
    assert 800 < moved < 2_400


class Listener(Watcher):
    def __init__(self) -> None:
        self.heard: list[Frame] = []

    @override
    def receive_frames(self, frames: Sequence[Frame]) -> None:
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

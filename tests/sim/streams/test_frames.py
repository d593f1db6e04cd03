"""Books as text, and frames that change places."""

import random
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.sim.catalogue.load import load_recorded
from pmtui.sim.clob.books import book_document
from pmtui.sim.engine.events import LevelChanged, TickSizeChanged, TradeMatched
from pmtui.sim.engine.terms import NewOrder
from pmtui.sim.storage.persistence import Store
from pmtui.sim.streams.publisher import Frame, MarketLadder, in_arrival_order
from pmtui.sim.venue import Venue
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
            document = book_document(book, view, timestamp_ms=START_MS)
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

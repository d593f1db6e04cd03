"""The place in line and the rewards of own orders, through the running service."""

from collections.abc import Sequence
from dataclasses import replace

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.books.market_events import BookSnapshot, TextLevel, TradePrinted
from pmtui.domain.health import LinkState
from pmtui.domain.ids import OrderId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Accepted, Order, OrderChanged, OrderEventKind, OrderStatus
from pmtui.service.account.maker_stats import (
    MET_AGAIN_S,
    QUEUE_PERIOD_S,
    SCORING_PERIOD_S,
    SHOWN_AFTER_S,
    ScoringFeed,
)
from pmtui.service.books.tracked_books import TAPE_LENGTH
from pmtui.service.topics import AccountTopic, BookTopic
from tests.manual_clock import settle
from tests.service.book_kit import change, quoted, snapshot, watching
from tests.service.fakes import CONDITION, YES, World, resting
from tests.service.order_kit import BUY, prepared

MINE = OrderId("0x" + "1" * 64)
SHARE = 1_000_000


def ahead(world: World) -> float | None:
    estimate = dict(world.service.queries.account().queue_ahead).get(MINE)
    return None if estimate is None else estimate / SHARE


def trade(price: str, size: float, *, side: Side = Side.SELL) -> TradePrinted:
    return TradePrinted(
        token_id=YES, condition_id=CONDITION, side=side, price=Micros(round(float(price) * SHARE)),
        size=Micros(round(size * SHARE)), timestamp="1790000000600",
    )  # fmt: skip


def tell(world: World, order: Order) -> None:
    world.account.open[order.order_id] = order
    world.user_stream.send(OrderChanged(OrderEventKind.PLACEMENT, order, world.clock.now()))


async def joined(world: World) -> None:
    """Place an order of ours behind 7 shares at 41c, and let the stream tell of it."""
    await quoted(world)
    other = replace(resting(OrderId("0x" + "2" * 64)), price=Micros(400_000))
    tell(world, other)
    await world.pass_time(1)
    tell(world, resting(MINE, price=Micros(410_000)))
    await world.pass_time(0.2)
    world.stream.send(change("0.41", "17", ""))
    await world.pass_time(SHOWN_AFTER_S + 0.2)


async def test_nobody_looks_for_places_in_line_where_nothing_rests(world: World) -> None:
    await quoted(world)
    await world.pass_time(31)
    assert world.clock.wakes_within(QUEUE_PERIOD_S) == 0
    tell(world, resting(MINE))
    await settle()
    assert world.clock.wakes_within(QUEUE_PERIOD_S) == 1
    tell(world, replace(resting(MINE), status=OrderStatus.CANCELLED))
    await world.pass_time(1)
    assert world.clock.wakes_within(QUEUE_PERIOD_S) == 0


async def test_an_order_stands_behind_what_was_displayed_when_it_came(world: World) -> None:
    await joined(world)
    assert ahead(world) == 7
    world.stream.send(change("0.41", "117", ""))
    await world.pass_time(0.2)
    assert ahead(world) == 7


async def test_nobody_is_ahead_once_the_level_has_emptied_to_a_new_order(world: World) -> None:
    await quoted(world)
    await world.pass_time(1)
    tell(world, resting(MINE, price=Micros(410_000)))
    await world.pass_time(0.2)
    world.stream.send(change("0.41", "17", ""))
    await world.pass_time(0.2)
    assert ahead(world) == 7
    assert world.service.queries.account().displayed == {MINE}
    world.stream.send(change("0.41", "10", ""))
    await world.pass_time(0.2)
    assert ahead(world) == 0


async def test_trades_at_its_price_against_its_side_bring_it_forward(world: World) -> None:
    await joined(world)
    heard: list[object] = []
    world.service.hub.subscribe([BookTopic(YES)], heard.append)
    await settle()
    heard.clear()
    world.stream.send(trade("0.41", 3))
    world.stream.send(change("0.41", "14", ""))
    await world.pass_time(0.2)
    assert ahead(world) == 4
    assert heard
    # Neither a buyer at this price nor a seller at another one takes from this line.
    world.stream.send(trade("0.41", 2, side=Side.BUY))
    world.stream.send(trade("0.40", 2))
    await world.pass_time(0.2)
    assert ahead(world) == 4


async def test_volume_at_price_outlives_the_tape(world: World) -> None:
    await quoted(world)
    for _ in range(TAPE_LENGTH + 7):
        world.stream.send(trade("0.41", 1))
    world.stream.send(trade("0.43", 2, side=Side.BUY))
    view = world.service.queries.tape(YES)
    assert len(view.prints) == TAPE_LENGTH
    assert dict(view.volume) == {
        Micros(410_000): (TAPE_LENGTH + 7) * SHARE, Micros(430_000): 2 * SHARE,
    }  # fmt: skip
    assert world.service.queries.tape(YES) is view


async def test_without_a_good_book_there_is_no_estimate_and_after_it_no_credit(
    world: World,
) -> None:
    await joined(world)
    world.stream.change_link(LinkState.DOWN)
    await world.pass_time(0.2)
    assert ahead(world) is None
    # Two of the others left meanwhile, from wherever they stood, and five came.
    world.trading.books_by_token[YES] = with_bid("20")
    world.stream.change_link(LinkState.OPEN)
    await settle()
    world.stream.send(with_bid("20"))
    await world.pass_time(0.3)
    assert ahead(world) == 7
    world.stream.change_link(LinkState.DOWN)
    await world.pass_time(0.2)
    # So few are left that some of those in front must have gone.
    world.trading.books_by_token[YES] = with_bid("13")
    world.stream.change_link(LinkState.OPEN)
    await settle()
    world.stream.send(with_bid("13"))
    await world.pass_time(0.3)
    # If this book is whole, that is.
    assert ahead(world) == 7
    await world.pass_time(MET_AGAIN_S)
    assert ahead(world) == 3


def with_bid(size: str) -> BookSnapshot:
    before = snapshot()
    return replace(before, bids=(before.bids[0], TextLevel("0.41", size)), hash="")


async def test_an_order_met_again_stands_behind_all_that_is_not_ours(world: World) -> None:
    world.account.open[MINE] = resting(MINE, price=Micros(410_000), original_size=Micros(2_000_000))
    await world.pass_time(11)
    await watching(world)
    assert ahead(world) is None
    world.stream.send(snapshot())
    await world.pass_time(0.3)
    assert ahead(world) is None
    await world.pass_time(MET_AGAIN_S)
    assert ahead(world) == 5


async def test_what_a_book_just_met_shows_later_may_have_stood_in_front(world: World) -> None:
    world.account.open[MINE] = resting(MINE, price=Micros(410_000), original_size=Micros(2_000_000))
    await world.pass_time(11)
    await watching(world)
    heard: list[float | None] = []
    world.service.hub.subscribe([BookTopic(YES)], lambda _: heard.append(ahead(world)))
    world.stream.send(with_bid("2"))
    await world.pass_time(0.3)
    assert ahead(world) is None
    world.stream.send(change("0.41", "4772", ""))
    await world.pass_time(MET_AGAIN_S)
    # Known without another word of the book, and never told as less.
    assert ahead(world) == heard[-1] == 4770
    assert set(heard) == {None, 4770}
    world.stream.send(change("0.41", "5000", ""))
    await world.pass_time(0.3)
    assert ahead(world) == 4770


async def hidden(world: World) -> None:
    """Take the book out of sight and back, bare at first at our price but for ours."""
    world.stream.change_link(LinkState.DOWN)
    await world.pass_time(0.2)
    world.trading.books_by_token[YES] = with_bid("2")
    world.stream.change_link(LinkState.OPEN)
    await settle()
    world.stream.send(with_bid("2"))
    await world.pass_time(0.3)


async def test_after_a_gap_no_more_is_ahead_than_was_before_it(world: World) -> None:
    world.account.open[MINE] = resting(MINE, price=Micros(410_000), original_size=Micros(2_000_000))
    await world.pass_time(11)
    await watching(world)
    world.stream.send(with_bid("902"))
    await world.pass_time(MET_AGAIN_S + 0.3)
    assert ahead(world) == 900
    await hidden(world)
    # Those in front may come with the rest of the book; more than before are behind.
    world.stream.send(change("0.41", "502", ""))
    await world.pass_time(0.3)
    assert ahead(world) == 900
    world.stream.send(change("0.41", "5829", ""))
    await world.pass_time(0.3)
    assert ahead(world) == 900
    world.stream.send(trade("0.41", 100))
    world.stream.send(change("0.41", "5729", ""))
    await world.pass_time(0.2)
    world.stream.send(change("0.41", "5900", ""))
    await world.pass_time(0.2)
    assert ahead(world) == 800


async def test_an_order_that_the_book_told_of_first_does_not_stand_behind_itself(
    world: World,
) -> None:
    await joined(world)
    third, size = OrderId("0x" + "3" * 64), Micros(10_000_000)
    world.stream.send(change("0.39", "10", ""))
    tell(world, resting(third, price=Micros(390_000), original_size=size,
                        created_at=world.clock.now()))  # fmt: skip
    await world.pass_time(0.2)
    assert dict(world.service.queries.account().queue_ahead)[third] == 0


async def test_the_book_need_not_show_a_young_order_yet(world: World) -> None:
    await quoted(world)
    await world.pass_time(1)
    size, born = Micros(2_000_000), world.clock.now()
    tell(world, resting(MINE, price=Micros(410_000), original_size=size, created_at=born))
    await world.pass_time(0.2)
    # All 7 may be others: the stream has not told of ours.
    assert ahead(world) == 7
    world.stream.send(change("0.41", "9", ""))
    await world.pass_time(SHOWN_AFTER_S)
    assert ahead(world) == 7


async def test_the_first_order_in_a_book_does_not_stand_behind_itself(world: World) -> None:
    await watching(world)
    order = await prepared(world, replace(BUY, price=Micros(410_000)))
    world.stream.send(snapshot())
    await world.pass_time(0.2)
    command = world.service.commands.place(order.order_id)
    assert isinstance(await world.service.commands.verdict(command), Accepted)
    world.stream.send(change("0.41", "17", ""))
    await world.pass_time(0.2)
    estimates = dict(world.service.queries.account().queue_ahead)
    assert estimates[order.unsigned.order_id] == 7 * SHARE


async def test_who_comes_while_an_order_is_on_its_way_may_stand_in_front(world: World) -> None:
    await quoted(world)
    sent = resting(MINE, price=Micros(410_000), status=OrderStatus.SENT)
    tell(world, sent)
    await world.pass_time(0.2)
    world.stream.send(change("0.41", "27", ""))
    await world.pass_time(0.2)
    assert ahead(world) is None
    tell(world, replace(sent, status=OrderStatus.LIVE))
    await world.pass_time(0.2)
    assert ahead(world) == 27 - sent.remaining_size / SHARE


async def test_an_order_that_may_not_rest_has_no_place(world: World) -> None:
    await quoted(world)
    doubtful = resting(MINE, price=Micros(410_000), status=OrderStatus.UNKNOWN)
    tell(world, doubtful)
    await world.pass_time(0.3)
    assert ahead(world) is None


class FakeScoring:
    """Answers what it is told to, and writes down what it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[OrderId, ...]] = []
        self.earning: set[OrderId] = set()
        self.failure: Failure | None = None

    async def are_scoring(self, order_ids: Sequence[OrderId]) -> dict[OrderId, bool] | Failure:
        self.asked.append(tuple(order_ids))
        return self.failure or {o: o in self.earning for o in order_ids}


async def test_the_venue_is_asked_about_resting_orders_now_and_then(world: World) -> None:
    host = FakeScoring()
    host.earning = {MINE}
    feed = feed_of(world, host)
    tell(world, resting(MINE))
    tell(world, resting(OrderId("0x9"), status=OrderStatus.UNKNOWN))
    await settle()
    await feed.ask_if_due()
    await feed.ask_if_due()
    assert host.asked == [(MINE,)]
    assert feed.scoring == {MINE}
    # A further order is a reason to ask at once.
    tell(world, resting(OrderId("0x" + "3" * 64)))
    await settle()
    await feed.ask_if_due()
    assert len(host.asked) == 2
    host.failure = Failure(FailureKind.LOST, "POST /orders-scoring", "timed out")
    await world.pass_time(SCORING_PERIOD_S)
    await feed.ask_if_due()
    assert len(host.asked) == 3
    assert feed.scoring == {MINE}


async def test_nobody_is_asked_about_nothing(world: World) -> None:
    host = FakeScoring()
    feed = feed_of(world, host)
    await feed.ask_if_due()
    assert not host.asked
    assert not feed.scoring


def feed_of(world: World, host: FakeScoring) -> ScoringFeed:
    kernel, account = world.service.parts.kernel, world.service.parts.account.feed
    assert account.account is not None
    with_scoring = replace(account.account, scoring=host)
    world.service.hub.subscribe([AccountTopic()], lambda _: None)
    return ScoringFeed(kernel, account=lambda: with_scoring, open_orders=account.own.open_orders)

"""Charts keep what they have drawn of a fast market, and read a young one as closely as the venue can."""

from datetime import UTC, datetime, timedelta

from pmtui.domain.books.market_events import TradePrinted
from pmtui.domain.markets.history import Interval, PricePoint
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.service.books.tracked_books import TAPE_LENGTH
from pmtui.service.topics import BookTopic, HistoryTopic, TapeTopic
from tests.service.fakes import CONDITION, YES, World
from tests.service.order_kit import until

START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
CHART = HistoryTopic(YES, Interval.DAY)


def trade(world: World, number: int) -> None:
    """Print a trade, ten a second."""
    at_ms = round((START.timestamp() + number / 10) * 1_000)
    price = Micros((40 + number % 20) * 10_000)
    world.stream.send(TradePrinted(CONDITION, YES, Side.BUY, price, Micros(5_000_000), str(at_ms)))


async def test_a_chart_keeps_the_path_that_the_tape_has_dropped(world: World) -> None:
    world.trading.points = (PricePoint(START - timedelta(minutes=1), Micros(500_000)),)
    await world.watch(BookTopic(YES), TapeTopic(YES), CHART)
    for number in range(5 * TAPE_LENGTH):
        trade(world, number)
    later = PricePoint(START + timedelta(minutes=5), Micros(780_000))
    world.trading.points = (*world.trading.points, later)
    history = world.service.queries.history
    await until(world, lambda: later in history(YES, Interval.DAY).points, "the next point")
    points = history(YES, Interval.DAY).points
    drawn = [p for p in points if START <= p.at < later.at]
    assert len({p.at.second for p in drawn}) == 60
    assert {p.price for p in drawn} >= {Micros(400_000), Micros(590_000)}
    version = history(YES, Interval.DAY).version
    assert history(YES, Interval.DAY).points is points
    trade(world, 5 * TAPE_LENGTH)
    assert history(YES, Interval.DAY).version > version


async def test_a_young_market_is_read_over_the_hour_in_which_it_fits(world: World) -> None:
    begin = world.clock.now() - timedelta(minutes=3)
    world.trading.points = (PricePoint(begin, Micros(500_000)),)
    world.service.hub.subscribe([CHART], lambda _: None)
    history = world.service.queries.history
    await until(world, lambda: history(YES, Interval.DAY).points, "the history")
    assert world.trading.intervals == [Interval.DAY, Interval.HOUR]
    assert history(YES, Interval.DAY).interval is Interval.DAY
    await world.pass_time(40)
    assert world.trading.intervals[2:] == [Interval.HOUR]

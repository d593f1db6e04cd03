"""The first terminal that comes is told what happened, in order."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Accepted, Rejected
from pmtui.link.server import LEFT, MOST_TOLD, describe_absence, find_news, weight_of
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import MarketTopic
from pmtui.service.views import EntryFacts, Level, LogEntry
from tests.link.kit import House, running_house
from tests.service.fakes import CONDITION
from tests.service.order_kit import BUY, until

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def entry(
    sequence: int, kind: str, text: str, *, level: Level = Level.INFO, verb: str = ""
) -> LogEntry:
    facts = EntryFacts(verb, Side.BUY, Micros(1), Micros(1), "Yes", "A market") if verb else None
    return LogEntry(sequence, NOW, level, kind, text, facts=facts)


ENTRIES = (
    entry(1, "order", "before", verb="working"),
    entry(2, "order", "Working: BUY 40 Yes", verb="working"),
    entry(3, "request", "GET /book"),
    entry(4, "order", "Bought 40 Yes", level=Level.GOOD, verb="filled"),
    entry(5, "order", "Rejected: BUY 10 Yes", level=Level.BAD, verb="rejected"),
    entry(6, "order", "Stop fired", level=Level.WARNING),
    entry(7, "order", "Target placed"),
    entry(8, "notice", "Alert: Yes fell to 30", level=Level.WARNING),
    entry(9, "wallet", "Submitting: approve"),
    entry(10, "notice", "Armed"),
)


def test_all_that_a_trader_would_have_seen_is_news() -> None:
    assert [each.sequence for each in find_news(ENTRIES, 1)] == [2, 4, 5, 6, 7, 8, 9]
    assert find_news(ENTRIES, 9) == ()


def test_news_is_counted_by_kind_and_named_in_order() -> None:
    text = describe_absence(find_news(ENTRIES, 1))
    counts = "1 accepted, 1 filled, 1 rejected, 2 stops or targets, 1 notice, 1 transaction"
    assert counts in text
    places = [text.index(each.text) for each in find_news(ENTRIES, 1)]
    assert places == sorted(places)


def test_many_events_are_left_to_the_log() -> None:
    news = [entry(n, "order", f"order {n:03}", verb="working") for n in range(1, MOST_TOLD + 5)]
    text = describe_absence(news)
    assert f"{MOST_TOLD + 4} accepted" in text
    assert f"order {MOST_TOLD:03}" in text
    assert f"order {MOST_TOLD + 1:03}" not in text
    assert "4 more" in text


@pytest.mark.parametrize(("count", "level"), [(2, Level.GOOD), (5, Level.BAD)])
def test_the_notice_is_as_grave_as_the_worst_of_it(count: int, level: Level) -> None:
    assert weight_of(ENTRIES[:count]) is level


async def prepare(house: House) -> PreparedOrder:
    order = await house.world.service.commands.prepare(BUY)
    assert isinstance(order, PreparedOrder)
    return order


async def place(house: House, order: PreparedOrder) -> None:
    commands = house.world.service.commands
    verdict = await commands.verdict(commands.place(order.order_id))
    assert isinstance(verdict, Accepted | Rejected)


async def test_orders_and_a_kill_without_a_terminal_are_told_to_the_next(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house:
        async with house.seat() as seat:
            _ = seat.mirror.subscribe([MarketTopic(CONDITION)], lambda _: None)
            await until(house.world, lambda: seat.queries.market(CONDITION).terms, "the terms")
        await until(house.world, lambda: house.server.terminals == 0, "it has gone")
        orders = [await prepare(house) for _ in range(2)]
        await place(house, orders[0])
        _ = await house.world.service.commands.kill()
        await place(house, orders[1])
        async with house.seat() as seat:
            await until(house.world, lambda: seat.queries.log().entries, "the log")
            entries = seat.queries.log().entries
            (left,) = (each for each in entries if each.text == LEFT)
            told = entries[-1]
            assert told.until_read
            news = find_news(entries[:-1], left.sequence)
            assert [each.facts.verb for each in news if each.facts] == ["working", "rejected"]
            assert told.text == describe_absence(news)
        await until(house.world, lambda: house.server.terminals == 0, "it has gone, too")
        # It is told once.
        async with house.seat() as seat:
            await until(house.world, lambda: seat.queries.log().entries, "the log")
            assert seat.queries.log().entries[-1].text == LEFT

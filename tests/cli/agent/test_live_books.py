"""Books of a running service, told to programs."""

import asyncio
from pathlib import Path

from pmtui.agent.port import Answered
from pmtui.cli.agent.live_books import SERVICE, LiveBooks
from pmtui.domain.markets.market import NO_FEE, MarketTerms
from pmtui.domain.money import Micros
from pmtui.link.messages import Goodbye, pack
from pmtui.reads.answers import Book, TokenMarket
from pmtui.reads.arguments import Values
from pmtui.reads.registry import READS
from pmtui.service.topics import BookTopic
from tests.agent.ports import ANSWERS, FakePort
from tests.link.kit import House, running_house
from tests.service.conditional_kit import book
from tests.service.fakes import CONDITION, YES
from tests.service.order_kit import until

TERMS = MarketTerms(
    CONDITION,
    (YES,),
    ("Yes",),
    Micros(10_000),
    Micros(5_000_000),
    neg_risk=True,
    fee=NO_FEE,
)
MARKET = {"market-of-token": (TokenMarket(CONDITION, (YES,)),), "market-terms": (TERMS,)}


async def asked(books: LiveBooks) -> Answered:
    answer = await books.ask(READS["book"], Values({"token_id": (YES,)}), limit=None)
    assert isinstance(answer, Answered), answer
    return answer


async def with_book(house: House, books: LiveBooks) -> Answered:
    """Ask for the book while the stream tells it."""
    asking = asyncio.create_task(asked(books))
    service = house.world.service
    await until(house.world, lambda: service.hub.is_watched(BookTopic(YES)), "the book is watched")
    house.world.stream.send(book("0.41"))
    await until(house.world, asking.done, "the book is told")
    return await asking


async def test_a_book_comes_from_the_service_with_its_worth_and_age(tmp_path: Path) -> None:
    port = FakePort(MARKET)
    async with running_house(tmp_path) as house:
        books = LiveBooks(port, house.path)
        answer = await with_book(house, books)
        assert answer.source == SERVICE
        assert "book" not in port.asked
        (live,) = answer.items
        assert isinstance(live, Book)
        assert (live.worth, live.condition_id, live.neg_risk) == ("live", CONDITION, True)
        assert live.bids[0].price == 410_000
        assert live.at is not None
        await until(house.world, lambda: house.server.terminals == 0, "the connection is closed")
        service = house.world.service
        await until(
            house.world, lambda: not service.hub.is_watched(BookTopic(YES)), "the book is let go"
        )


async def test_without_a_service_the_hosts_are_asked(tmp_path: Path) -> None:
    port = FakePort(ANSWERS)
    answer = await asked(LiveBooks(port, tmp_path / "nobody.sock"))
    assert (answer.source, port.asked) == ("trading host", ["book"])


async def test_a_service_that_says_nothing_of_use_is_passed_over(tmp_path: Path) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(pack(Goodbye("no")))
        await writer.drain()
        writer.close()

    place = tmp_path / "s"
    server = await asyncio.start_unix_server(answer, path=place)
    async with server:
        port = FakePort(ANSWERS)
        assert (await asked(LiveBooks(port, place))).source == "trading host"

"""Books and searches of a running service, read by programs."""

import asyncio
from pathlib import Path

import pytest
from typing_extensions import override

from pmtui.agent.answers import FoundHit
from pmtui.agent.port import Answered, Refusal, Refused
from pmtui.agent.tools import Toolbox
from pmtui.cli.agent.live_books import SERVICE, LiveBooks
from pmtui.domain.health import LinkState
from pmtui.domain.markets.directory import HitKind, SearchHit
from pmtui.domain.markets.market import NO_FEE, MarketTerms
from pmtui.domain.money import Micros
from pmtui.link.messages import Goodbye, pack
from pmtui.reads.answers import Book, TokenMarket
from pmtui.reads.read import Read, Values
from pmtui.reads.registry import READS
from pmtui.service.topics import BookTopic, MarketListTopic, RowQuotesTopic, SearchTopic
from pmtui.service.views import Load
from tests.agent.ports import ANSWERS, FakePort
from tests.link.kit import House, running_house
from tests.service.conditional_kit import book
from tests.service.fakes import CONDITION, EVENT, MARKET, NO, YES
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
FACTS = {"market-of-token": (TokenMarket(CONDITION, (YES,)),), "market-terms": (TERMS,)}


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
    port = FakePort(FACTS)
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


async def test_an_unknown_token_is_refused_without_waiting_for_a_book(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pmtui.cli.agent.service_reader.BOOK_S", 600.0)
    async with running_house(tmp_path) as house:
        port = FakePort({})
        toolbox = Toolbox(LiveBooks(port, house.path), version="0")
        for tool in ("service.orderbook_book", "service.marketdata_snapshot"):
            told = await toolbox.call(tool, {"token_id": "77"})
            assert isinstance(told, Refused)
            assert told.reason is Refusal.UNKNOWN


async def test_a_token_without_a_book_is_left_to_the_hosts_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pmtui.cli.agent.service_reader.BOOK_S", 600.0)
    async with running_house(tmp_path) as house:
        books = LiveBooks(FakePort({**FACTS, **ANSWERS}), house.path)
        asking = asyncio.create_task(asked(books))
        await until(house.world, asking.done, "the hosts are asked")
        assert (await asking).source == "trading host"


async def test_a_service_that_says_nothing_of_use_is_passed_over(tmp_path: Path) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(pack(Goodbye("no")))
        await writer.drain()
        writer.close()

    socket_path = tmp_path / "s"
    server = await asyncio.start_unix_server(answer, path=socket_path)
    async with server:
        port = FakePort(ANSWERS)
        assert (await asked(LiveBooks(port, socket_path))).source == "trading host"


async def stale_book(house: House) -> None:
    """Let the service hear of a book, and then lose its stream."""
    service, stream = house.world.service, house.world.stream
    _ = service.hub.subscribe([BookTopic(YES)], lambda _: None)
    await until(house.world, lambda: YES in stream.watched, "the book is streamed")
    stream.send(book("0.41"))
    await until(house.world, lambda: service.queries.book(YES).bids, "the book")
    stream.change_link(LinkState.DOWN, "cut")
    await until(house.world, lambda: not service.queries.book(YES).state.is_good, "it is stale")
    await house.world.pass_time(40)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for a book that will not come no longer than a test should."""
    monkeypatch.setattr("pmtui.cli.agent.service_reader.BOOK_S", 0.2)
    monkeypatch.setattr("pmtui.cli.agent.service_reader.ROWS_S", 0.2)


async def test_a_stale_book_is_told_as_stale_with_its_age_and_its_levels(
    tmp_path: Path, soon: None
) -> None:
    async with running_house(tmp_path) as house:
        await stale_book(house)
        port = FakePort(FACTS)
        answer = await asked(LiveBooks(port, house.path))
        (live,) = answer.items
        assert isinstance(live, Book)
        assert (answer.source, live.worth) == (SERVICE, "stale")
        assert live.bids[0].price == 410_000
        assert live.at is not None
        assert (house.world.clock.now() - live.at).total_seconds() >= 40
        assert "book" not in port.asked


async def test_a_stale_snapshot_is_told_where_no_host_answers(tmp_path: Path, soon: None) -> None:
    async with running_house(tmp_path) as house:
        await stale_book(house)
        silent = dict.fromkeys(READS, Refused(Refusal.UNAVAILABLE, "no answer"))
        toolbox = Toolbox(LiveBooks(FakePort(silent), house.path), version="0")
        told = await toolbox.call("service.marketdata_snapshot", {"token_id": YES})
        assert not isinstance(told, Refused)
        item = told["item"]
        assert isinstance(item, dict)
        assert (item["worth"], item["best_bid"]) == ("stale", "0.41")
        assert (item["condition_id"], item["min_order_size"]) == (None, None)
        assert item["book_age_s"] is not None


async def found(books: LiveBooks, text: str = "river", **more: str) -> Answered | Refused:
    given = {"query": (text,)} | {name: (value,) for name, value in more.items()}
    return await books.ask(READS["search"], Values(given), limit=20)


async def listed(house: House) -> None:
    """Let the service meet the markets of its first list."""
    topic = MarketListTopic()
    service = house.world.service
    _ = service.hub.subscribe([topic], lambda _: None)
    await until(house.world, lambda: service.queries.view(topic).rows, "the list")


async def test_a_search_is_the_services_with_live_prices_then_what_only_the_hosts_found(
    tmp_path: Path,
) -> None:
    port = FakePort({"search": (SearchHit(HitKind.TAG, "Rivers", "rivers", "7"),)})
    async with running_house(tmp_path) as house:
        await listed(house)
        asking = asyncio.create_task(found(LiveBooks(port, house.path)))
        wanted = RowQuotesTopic((YES,))
        service = house.world.service
        await until(house.world, lambda: service.hub.is_watched(wanted), "its book is watched")
        house.world.stream.send(book("0.41"))
        await until(house.world, asking.done, "the hits are told")
        answer = await asking
        assert isinstance(answer, Answered)
        event, market, tag = answer.items
        assert isinstance(event, FoundHit)
        assert isinstance(market, FoundHit)
        assert isinstance(tag, FoundHit)
        assert (event.kind, event.identifier, event.worth) == (HitKind.EVENT, EVENT, None)
        assert (market.identifier, market.token_ids) == (MARKET.market_id, (YES, NO))
        assert (market.best_bid, market.worth) == (410_000, "live")
        assert market.at is not None
        assert (tag.kind, tag.worth) == (HitKind.TAG, None)
        assert answer.source.startswith(SERVICE)


async def test_prices_of_a_search_are_those_of_the_list_where_no_book_comes(
    tmp_path: Path, soon: None
) -> None:
    down = Refused(Refusal.UNAVAILABLE, "no answer")
    async with running_house(tmp_path) as house:
        await listed(house)
        answer = await found(LiveBooks(FakePort({"search": down}), house.path))
        assert isinstance(answer, Answered)
        assert (answer.source, answer.is_whole, answer.problem) == (SERVICE, False, "no answer")
        _, market = answer.items
        assert isinstance(market, FoundHit)
        assert (market.worth, market.best_bid) == ("listed", MARKET.best_bid)
        assert market.at is not None


async def test_a_search_that_the_service_cannot_answer_is_the_hosts(tmp_path: Path) -> None:
    down = Refused(Refusal.UNAVAILABLE, "no answer")
    async with running_house(tmp_path) as house:
        port = FakePort({"search": down})
        assert await found(LiveBooks(port, house.path)) == down
        assert port.asked == ["search"]
        port = FakePort({"search": (SearchHit(HitKind.EVENT, "River"),)})
        told = await found(LiveBooks(port, house.path), status="resolved")
        assert isinstance(told, Answered)
        assert told.source == "metadata host"


class HangingPort(FakePort):
    """A host that takes a question and never answers."""

    @override
    async def ask(self, read: Read, values: Values, *, limit: int | None) -> Answered | Refused:
        await asyncio.Event().wait()
        raise AssertionError("unreachable")


async def test_a_search_of_a_host_that_hangs_tells_the_services_markets_and_names_the_host(
    tmp_path: Path, soon: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pmtui.cli.agent.live_books.HOSTS_S", 0.2)
    async with running_house(tmp_path) as house:
        books = LiveBooks(HangingPort({}), house.path)
        refused = await found(books)
        assert isinstance(refused, Refused)
        assert READS["search"].host.value in refused.text
        await listed(house)
        answer = await found(books)
        assert isinstance(answer, Answered)
        assert READS["search"].host.value in answer.problem
        assert [hit.kind for hit in answer.items if isinstance(hit, FoundHit)] == [
            HitKind.EVENT,
            HitKind.MARKET,
        ]


async def test_a_search_leaves_the_traders_own_alone(tmp_path: Path, soon: None) -> None:
    async with running_house(tmp_path) as house:
        await listed(house)
        service, own = house.world.service, SearchTopic("my own")
        _ = service.hub.subscribe([own], lambda _: None)
        await house.world.pass_time(2)
        assert service.queries.view(own).load is Load.READY
        _ = await found(LiveBooks(FakePort({}), house.path))
        assert service.queries.view(own).load is Load.READY

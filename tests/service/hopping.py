"""A venue of any number of events, made up as it is asked, and a trader who hops from one to the next."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from typing_extensions import override

from pmtui.domain.answers import Failure, Page
from pmtui.domain.books.market_events import BookSnapshot, TextLevel, TradePrinted
from pmtui.domain.ids import ConditionId, EventId, MarketId, TokenId
from pmtui.domain.markets.history import Interval, PricePoint
from pmtui.domain.markets.market import (
    Comment,
    Event,
    Holder,
    Market,
    MarketSort,
    MarketTerms,
    Outcome,
    Side,
)
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import TradePrint
from pmtui.service.topics import (
    BookTopic,
    EventQuotesTopic,
    EventTopic,
    HistoryTopic,
    MarketListTopic,
    MarketTopic,
    RowQuotesTopic,
    SearchTopic,
    TapeTopic,
    Topic,
)
from tests.service.fakes import MARKET, TERMS, FakeAnalytics, FakeMetadata, FakeTrading, World

START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Catalogue:
    """Events by their numbers, each as it is asked for: nothing of it is kept."""

    events: int
    markets: int = 3
    """Of each event."""

    def event(self, number: int) -> Event:
        event_id = EventId(str(10_000 + number))
        title = f"Election in district {number} of the northern plains"
        markets = tuple(self.market(number * self.markets + at) for at in range(self.markets))
        return Event(event_id, f"election-{number}", title, markets, description="Rules. " * 40)

    def market(self, number: int) -> Market:
        yes, no = tokens_of(number)
        return replace(
            MARKET,
            market_id=MarketId(str(900_000 + number)),
            condition_id=condition_of(number),
            slug=f"will-candidate-{number}-win",
            question=f"Will candidate {number} win the election in the northern plains?",
            outcomes=(Outcome("Yes", yes, Micros(420_000)), Outcome("No", no, Micros(580_000))),
            event_id=EventId(str(10_000 + number // self.markets)),
            description="This market resolves to Yes if the candidate wins. " * 20,
        )


def condition_of(number: int) -> ConditionId:
    return ConditionId(f"0x{number + 1:064x}")


def tokens_of(number: int) -> tuple[TokenId, TokenId]:
    return TokenId(str(7 * 10**76 + 2 * number)), TokenId(str(7 * 10**76 + 2 * number + 1))


def number_of(token_id: TokenId) -> int:
    return (int(token_id) - 7 * 10**76) // 2


def book_of(token_id: TokenId, *, levels: int = 10) -> BookSnapshot:
    """Return a book that has no hash to be checked by."""
    return BookSnapshot(
        token_id=token_id,
        condition_id=condition_of(number_of(token_id)),
        bids=tuple(TextLevel(f"0.{at:03d}", f"{at + 0.5}") for at in range(450 - levels, 450)),
        asks=tuple(TextLevel(f"0.{at:03d}", f"{at + 0.5}") for at in range(550 + levels, 550, -1)),
        timestamp="1790000000000",
        hash="",
        tick_size="0.001",
    )


def trade_of(token_id: TokenId, at: int) -> TradePrinted:
    return TradePrinted(
        token_id=token_id,
        condition_id=condition_of(number_of(token_id)),
        side=Side.BUY,
        price=Micros(1_000 * (450 + at % 100)),
        size=Micros(1_000_000 + at),
        timestamp=str(1_795_176_000_000 + at),
        transaction_hash=f"0x{at:064x}",
    )


@dataclass
class WideMetadata(FakeMetadata):
    catalogue: Catalogue = Catalogue(0)

    @override
    async def list_events(
        self,
        *,
        sort: MarketSort,
        tag_slug: str,
        include_closed: bool,
        cursor: str | None,
        is_reversed: bool = False,
    ) -> Page[Event] | Failure:
        start, most = int(cursor or 0), self.catalogue.events
        end = min(start + self.page_size, most)
        items = tuple(self.catalogue.event(at) for at in range(start, end))
        return Page(items, str(end) if end < most else None)

    @override
    async def event(self, event_id: EventId) -> Event | Failure:
        return self.catalogue.event(int(event_id) - 10_000)

    @override
    async def market(self, condition_id: ConditionId) -> Market | Failure:
        return self.catalogue.market(int(condition_id, 16) - 1)

    @override
    async def search(self, text: str) -> Page[Event] | Failure:
        start = int(text.rsplit(maxsplit=1)[-1])
        return Page(tuple(self.catalogue.event(start + at) for at in range(10)), None)

    @override
    async def comments(self, event_id: EventId) -> Page[Comment] | Failure:
        body = f"A remark on {event_id}. " * 10
        return Page(
            tuple(Comment(f"{event_id}-{at}", "ann", body, START) for at in range(40)), None
        )


@dataclass
class WideTrading(FakeTrading):
    @override
    async def book(self, token_id: TokenId) -> BookSnapshot | Failure:
        return book_of(token_id)

    @override
    async def market_terms(self, condition_id: ConditionId) -> MarketTerms | Failure:
        tokens = tokens_of(int(condition_id, 16) - 1)
        return replace(TERMS, condition_id=condition_id, token_ids=tokens)

    @override
    async def prices_history(
        self, token_id: TokenId, interval: Interval
    ) -> tuple[PricePoint, ...] | Failure:
        return tuple(
            PricePoint(START - timedelta(minutes=at), Micros(400_000 + at)) for at in range(500)
        )


@dataclass
class WideAnalytics(FakeAnalytics):
    @override
    async def trades(self, condition_id: ConditionId) -> tuple[TradePrint, ...] | Failure:
        yes, _ = tokens_of(int(condition_id, 16) - 1)
        return tuple(
            TradePrint(
                yes, Side.BUY, Micros(420_000), Micros(1_000_000 + at),
                START - timedelta(seconds=at + 60), f"0x{condition_id[-8:]}{at:056x}",
            )
            for at in range(100)
        )  # fmt: skip

    @override
    async def holders(self, condition_id: ConditionId) -> tuple[Holder, ...] | Failure:
        yes, no = tokens_of(int(condition_id, 16) - 1)
        return tuple(
            Holder(f"0x{at:040x}", f"holder {at} of {yes[-4:]}", token, Micros(at), side)
            for side, token in enumerate((yes, no))
            for at in range(20)
        )


@dataclass
class Hopper:
    """Opens an event, one of its markets, a list and a search, and leaves them again."""

    world: World
    catalogue: Catalogue
    told: set[TokenId] = field(default_factory=set)
    """Tokens whose books the stream has sent since it began to send them."""

    async def hop(self, number: int) -> None:
        """Look at a list, a search, an event and a market of it for a moment, and leave them all."""
        event = self.catalogue.event(number)
        market = event.markets[number % len(event.markets)]
        assert market.condition_id is not None
        yes, no = market.token_ids
        rows = tuple(m.token_ids[0] for m in event.markets)
        topics: tuple[Topic, ...] = (
            MarketListTopic(tag_slug=f"tag-{number}"), RowQuotesTopic(rows),
            SearchTopic(f"district {number}"),
            EventTopic(event.event_id), EventQuotesTopic(event.event_id),
            MarketTopic(market.condition_id), BookTopic(yes), BookTopic(no), TapeTopic(yes),
            HistoryTopic(yes, Interval.DAY),
        )  # fmt: skip
        subscription = self.world.service.hub.subscribe(topics, lambda _: None)
        await self.world.clock.advance(0.5)
        for message in self._messages():
            self.world.stream.send(message)
        await self.world.clock.advance(0.5)
        subscription.close()

    def _messages(self) -> Iterator[BookSnapshot | TradePrinted]:
        """Return what the stream sends: a book for each new token, then trades."""
        watched = self.world.stream.watched
        new = watched - self.told
        self.told = set(watched)
        for token_id in sorted(new):
            yield book_of(token_id)
            for at in range(3):
                yield trade_of(token_id, at)

"""Messages of the market stream about one market, and watching its books."""

from dataclasses import replace

from pmtui.domain.books.book import OrderBook
from pmtui.domain.books.book_view import BookView
from pmtui.domain.books.market_events import (
    BookSnapshot,
    LevelText,
    LevelTexts,
    TextLevel,
)
from pmtui.domain.money import complement, format_micros, parse_micros
from pmtui.service.topics import (
    BookTopic,
    MarketTopic,
    TapeTopic,
    Topic,
)
from tests.manual_clock import settle
from tests.service.fakes import CONDITION, NO, YES, World


def snapshot(*, bid: str = "0.41", ask: str = "0.43", last: str = "0.420") -> BookSnapshot:
    plain = BookSnapshot(
        token_id=YES,
        condition_id=CONDITION,
        bids=(TextLevel("0.40", "12.5"), TextLevel(bid, "7")),
        asks=(TextLevel("0.44", "100"), TextLevel(ask, "9")),
        timestamp="1790000000000",
        hash="",
        min_order_size="5",
        tick_size="0.01",
        neg_risk=False,
        last_trade_price=last,
    )
    book = OrderBook(YES)
    book.apply_snapshot(plain)
    digest = book.state_hash(plain.timestamp, last) or ""
    return BookSnapshot(
        token_id=plain.token_id,
        condition_id=plain.condition_id,
        bids=plain.bids,
        asks=plain.asks,
        timestamp=plain.timestamp,
        hash=digest,
        min_order_size=plain.min_order_size,
        tick_size=plain.tick_size,
        neg_risk=plain.neg_risk,
        last_trade_price=plain.last_trade_price,
    )


def change(price: str, size: str, digest: str, *, side: str = "BUY") -> LevelTexts:
    level = LevelText(asset_id=YES, side=side, price=price, size=size, hash=digest)
    return LevelTexts(CONDITION, (level,), "1790000000500")


async def watching(world: World) -> list[Topic]:
    heard: list[Topic] = []
    topics: list[Topic] = [MarketTopic(CONDITION), BookTopic(YES), TapeTopic(YES)]
    world.service.hub.subscribe(topics, heard.append)
    await settle()
    return heard


async def quoted(world: World) -> None:
    await watching(world)
    world.stream.send(snapshot())


def book(world: World) -> BookView:
    return world.service.queries.book(YES)


def mirrored() -> BookSnapshot:
    """The other outcome's book of the same moment, with its own hash."""
    yes = snapshot()

    def levels(side: tuple[TextLevel, ...]) -> tuple[TextLevel, ...]:
        return tuple(
            TextLevel(format_micros(complement(parse_micros(level.price))), level.size)
            for level in side
        )

    plain = replace(yes, token_id=NO, bids=levels(yes.asks), asks=levels(yes.bids), hash="")
    no = OrderBook(NO)
    no.apply_snapshot(plain)
    return replace(plain, hash=no.state_hash(plain.timestamp, "0.420") or "")

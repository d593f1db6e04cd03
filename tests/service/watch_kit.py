"""A watchlist of a running service."""

from datetime import UTC, datetime

from pmtui.domain.books.market_events import BookSnapshot, TextLevel
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import Event
from pmtui.domain.markets.watchlist import (
    key_of_market,
)
from pmtui.domain.money import parse_micros
from pmtui.service.topics import MarketListTopic, WatchlistTopic
from pmtui.service.views import WatchlistView
from tests.service.fakes import CONDITION, YES, World

m = parse_micros


KEY = key_of_market(CONDITION)


START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def book(bid: str = "0.60", ask: str = "0.62", *, token_id: TokenId = YES) -> BookSnapshot:
    return BookSnapshot(
        token_id=token_id, condition_id=CONDITION, bids=(TextLevel(bid, "500"),),
        asks=(TextLevel(ask, "500"),), timestamp="1790000000000", hash="",
        min_order_size="5", tick_size="0.01", neg_risk=False, last_trade_price="0.5",
    )  # fmt: skip


def view(world: World) -> WatchlistView:
    return world.service.queries.watchlist()


def look(world: World) -> None:
    world.service.hub.subscribe([WatchlistTopic()], lambda _: None)


async def know(world: World, *events: Event) -> None:
    """Let the list of events be fetched, as every session begins."""
    if events:
        world.metadata.events = list(events)
    await world.watch(MarketListTopic())


async def starred(world: World) -> None:
    await know(world)
    assert await world.service.commands.star(KEY, "as listed") == ""

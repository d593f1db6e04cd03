"""Books that nobody hopes for: the trading screen shows each of them, whole and without a fault."""

from dataclasses import replace

import pytest

from pmtui.domain.books.book_view import BookState, Level
from pmtui.domain.money import Micros
from pmtui.service.topics import BookTopic
from tests.ui.market.market_kit import line, on_market
from tests.ui.moving_market import YES
from tests.ui.stage import shown_text
from tests.ui.wait import settle

HUGE = 10**18
"""A million million shares."""


def levels(*pairs: tuple[int, int]) -> tuple[Level, ...]:
    return tuple(Level(Micros(price), Micros(size)) for price, size in pairs)


BOOKS = {
    "bids alone": (levels((500_000, 10**6)), ()),
    "asks alone": ((), levels((500_000, 10**6))),
    "empty": ((), ()),
    "one order at each end": (levels((100, HUGE)), levels((999_900, HUGE))),
    "crossed": (levels((600_000, 10**8), (500_000, 10**8)), levels((400_000, 10**8))),
    "locked": (levels((500_000, 10**8)), levels((500_000, 10**8))),
    "ten thousand levels": (
        levels(*((price * 100, 10**6) for price in range(5_000, 0, -1))),
        levels(*((price * 100, HUGE) for price in range(5_001, 10_000))),
    ),
    "dust": (levels((500_000, 1)), levels((510_000, 1))),
}


@pytest.mark.parametrize("tick", [100, 100_000])
async def test_any_book_is_shown_whole(tick: int) -> None:
    async with on_market() as (app, pilot, screen):
        service = app.market.service
        for version, (name, (bids, asks)) in enumerate(BOOKS.items(), 1_000):
            state = BookState.CROSSED if name == "crossed" else BookState.LIVE
            service.books[YES] = replace(
                service.books[YES], bids=bids, asks=asks, state=state, tick_size=Micros(tick),
                version=version,
            )  # fmt: skip
            service.announce(BookTopic(YES))
            await settle(pilot)
            for act in (screen.ladder.action_move_to_top, screen.ladder.action_move_to_end):
                act()
                assert not any("#" in row for row in shown_text(screen.ladder)), name
            screen.ladder.next_grouping()
            screen.ladder.action_recentre()
            ladder, quote = screen.ladder.ladder, line(screen, "quote")
            assert ladder is not None
            assert sum(ladder.bids.values()) == sum(level.size for level in bids), name
            assert sum(ladder.asks.values()) == sum(level.size for level in asks), name
            assert ("bid none" in quote, "ask none" in quote) == (not bids, not asks), name
            assert state.words in line(screen, "book"), name

"""The screen that was left comes back, and a market that is gone leads to the list."""

from dataclasses import replace
from datetime import timedelta

import pytest

from pmtui.config.workplace import KeptList, LastScreen, Memory
from pmtui.domain.markets.listing import Arrangement, ListFilter, ListSort
from pmtui.domain.money import Micros
from pmtui.service.topics import MarketTopic
from pmtui.service.views import Load, MarketView
from pmtui.ui.app import PmtuiApp
from pmtui.ui.event.event import EventScreen
from pmtui.ui.explore.list_keys import kept_arrangement, kept_choice, to_kept
from pmtui.ui.explore.markets import MarketsScreen
from pmtui.ui.explore.tag_picker import TagChoice
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.portfolio.paint_portfolio import Tab
from pmtui.ui.portfolio.portfolio import PortfolioScreen
from pmtui.ui.theme.theme_files import load_themes
from tests.ui.demo import believable_service
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.look import shows
from tests.ui.moving_market import CONDITION, MovingMarket
from tests.ui.wait import settle, until

EVENT = "100"


def opened(service: FakeService, memory: Memory) -> PmtuiApp:
    return PmtuiApp(replace(service.surface(), memory=memory), themes=load_themes()[0])


@pytest.fixture
def service() -> FakeService:
    return believable_service()


async def test_the_market_that_was_left_comes_back(service: FakeService) -> None:
    memory, condition = Memory(), next(iter(service.markets))
    memory.keep_place(LastScreen(screen="market", item=condition, outcome=1))
    app = opened(service, memory)
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        assert isinstance(app.screen, MarketScreen)
        assert app.screen.reader.condition_id == condition
        assert app.screen.reader.outcome_index == 1
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, MarketsScreen), "the list")
        assert memory.place == LastScreen(screen="markets")


@pytest.mark.parametrize("is_known", [True, False])
async def test_a_market_that_is_gone_leads_to_the_list(
    service: FakeService, *, is_known: bool
) -> None:
    memory, (condition, view) = Memory(), next(iter(service.markets.items()))
    memory.keep_place(LastScreen(screen="market", item=condition))
    assert view.market is not None
    closed = replace(view.market, closed=True)
    gone = MarketView(None, None, Load.FAILED, NOW, problem="not found")
    service.markets[condition] = replace(view, market=closed) if is_known else gone
    app = opened(service, memory)
    async with app.run_test(size=(120, 36)) as pilot:
        service.announce(MarketTopic(condition))
        await until(pilot, lambda: isinstance(app.screen, MarketsScreen), "the list")
        words = "Closed since you left" if is_known else "could not be loaded"
        await until(pilot, lambda: shows(app, words), "why")


async def test_an_event_comes_back(service: FakeService) -> None:
    memory, event = Memory(), next(iter(service.events))
    memory.keep_place(LastScreen(screen="event", item=event))
    app = opened(service, memory)
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        assert isinstance(app.screen, EventScreen)


async def test_the_portfolio_comes_back_with_its_tab(service: FakeService) -> None:
    memory = Memory()
    app = opened(service, memory)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("p", "right_square_bracket")
        await settle(pilot)
        assert memory.place == LastScreen(screen="portfolio", tab=Tab.ORDERS.value)
    app = opened(service, memory)
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        assert isinstance(app.screen, PortfolioScreen)
        assert app.screen.place() == LastScreen(screen="portfolio", tab=Tab.ORDERS.value)


@pytest.mark.parametrize("screen", ["", "nowhere", "market", "event"])
async def test_a_place_that_nobody_knows_is_the_list(service: FakeService, screen: str) -> None:
    memory = Memory()
    memory.keep_place(LastScreen(screen=screen, tab="x", outcome=-3))
    app = opened(service, memory)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert isinstance(app.screen, MarketsScreen)


async def test_the_list_comes_back_as_it_was_arranged(service: FakeService) -> None:
    memory = Memory()
    app = opened(service, memory)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("S", "R")
        await settle(pilot)
        assert memory.now.listing == KeptList(sort=ListSort.MOVERS.value, is_reversed=True)
    app = opened(service, memory)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: shows(app, "movers 24h"), "the order")


def test_every_filter_is_kept() -> None:
    wanted = ListFilter(
        min_volume_24h=Micros(1_000_000_000), max_spread=Micros(20_000),
        ends_within=timedelta(hours=24), is_mine=True, is_starred=True,
    )  # fmt: skip
    arrangement = Arrangement(ListSort.SPREAD, True, wanted, frozenset({"5m"}))
    choice = TagChoice((("crypto", "Crypto"), ("eth", "Ether")), include_closed=True)
    kept = to_kept(arrangement, choice)
    assert kept_arrangement(kept) == arrangement
    assert kept_choice(kept) == choice


def test_a_filter_that_cannot_be_is_none() -> None:
    odd = KeptList(sort="sideways", min_volume_24h=-1, max_spread=-5, ends_within_s=10**18)
    assert kept_arrangement(odd) == Arrangement()


async def test_both_outcomes_on_the_ladder_come_back() -> None:
    memory, service = Memory(), MovingMarket().service
    memory.keep_both(has_both=True)
    memory.keep_place(LastScreen(screen="market", item=CONDITION))
    app = opened(service, memory)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: shows(app, "Bids Price   No"), "both outcomes")
        await pilot.press("O")
        await until(pilot, lambda: not memory.now.has_both, "one outcome")
        assert not shows(app, "Bids Price   No")

"""Runs one screen on the fake service, to be looked at: `python -m tests.ui.demo markets`.

A second word is a theme. Nothing is fetched, and commands are only written down.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

from textual.screen import Screen
from typing_extensions import override

from pmtui.domain.markets.market import Side
from pmtui.domain.orders.order import OrderStatus
from pmtui.service.topics import MarketListTopic
from pmtui.service.views import (
    ActivityView,
    EventView,
    Load,
    MarketListView,
    MarketView,
    SearchView,
    TagsView,
)
from pmtui.ui.event.event import EventScreen
from pmtui.ui.explore.markets import MarketsScreen
from pmtui.ui.frame import EventChosen, FrameScreen, MarketChosen, refresh_topics
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import bindings_for
from pmtui.ui.portfolio.portfolio import PortfolioScreen
from pmtui.ui.question import QuestionScreen
from pmtui.ui.surface import Surface
from pmtui.ui.terminal.terminal_app import TerminalApp
from pmtui.ui.theme.theme import DEFAULT_THEME
from tests.ui import believable
from tests.ui.fake_surface import KEYLESS_ACCOUNT, NOW, READ_ONLY_STATUS, FakeService
from tests.ui.stage import Themed


class ScreenApp(Themed, TerminalApp):
    """One screen at the bottom of the stack, with the global keys, going nowhere else."""

    BINDINGS = bindings_for(Context.GLOBAL)
    QUESTIONS = (QuestionScreen,)

    def __init__(self, screen: Screen[None], *, theme: str = DEFAULT_THEME) -> None:
        super().__init__(theme=theme)
        self._first = screen
        surface = getattr(screen, "surface", None)
        self.is_ascii = isinstance(surface, Surface) and surface.options.ascii_only
        self.chosen: list[EventChosen | MarketChosen] = []

    @override
    def get_default_screen(self) -> Screen[None]:
        return self._first

    @override
    def catch_up(self) -> None:
        if isinstance(self.screen, FrameScreen):
            self.screen.feed.catch_up()

    def on_event_chosen(self, message: EventChosen) -> None:
        self.chosen.append(message)

    def on_market_chosen(self, message: MarketChosen) -> None:
        self.chosen.append(message)

    def action_search(self) -> None:
        if isinstance(self.screen, MarketsScreen):
            self.screen.start_search()

    @override
    async def action_back(self) -> None:
        if len(self.screen_stack) > 1:
            _ = self.pop_screen()

    def action_refresh(self) -> None:
        if isinstance(self.screen, FrameScreen):
            refresh_topics(self.screen)


def believable_service() -> FakeService:
    """Return a service that knows a list, an event and an account."""
    service = FakeService()
    events = believable.event_list()
    hostile = tuple(
        believable.single(40 + i, title) for i, title in enumerate(believable.HOSTILE_TITLES)
    )
    more = tuple(
        believable.single(60 + i, f"Will the river gauge at Weir {i + 1} pass two metres in June?",
                          price=0.05 + i * 0.025, change=0.002 * i, volume=40_000 - 900 * i)
        for i in range(30)
    )  # fmt: skip
    rows = [
        believable.event_row(e, has_position=i in (0, 3))
        for i, e in enumerate((*events, *more, *hostile))
    ]
    service.lists[MarketListTopic()] = MarketListView(tuple(rows), Load.READY, True, NOW)
    found = believable.market_rows(*events, *more)
    service.searches = {
        "": SearchView("", (), Load.EMPTY, indexed=4_012),
        "w": SearchView("w", found, Load.LOADING, indexed=4_012),
        "wi": SearchView("wi", found[:9], Load.READY, indexed=4_012),
    }
    service.tags_view = TagsView(believable.TAGS, Load.READY)
    election = believable.election()
    service.events[election.event_id] = EventView(
        election, Load.READY, NOW, comments=believable.comments()
    )
    service.quotes[election.event_id] = believable.quotes(election, live=3)
    for event in (*events, *more):
        for market in event.markets:
            if market.condition_id is not None:
                service.markets[market.condition_id] = MarketView(
                    market, None, Load.READY, NOW, holders=believable.holders(market)
                )
    service.account_view = replace(
        service.account_view,
        reserved=believable.micros(231.4),
        positions=(
            believable.position(100, election.markets[0].question, size=120.5, realized=12.3),
            believable.position(101, election.markets[1].question, size=40, average=0.633,
                                current=0.688, outcome="No", is_mergeable=True),
            believable.position(8, "Did the May index rise?", size=2000, average=0.8123,
                                current=1.0, realized=-4.21, is_redeemable=True),
            believable.position(7, "Film of the year: The Long Tide?", size=15.25, current=None),
        ),
        open_orders=(
            believable.order(1, 100, matched=31.5, status=OrderStatus.PARTIALLY_FILLED),
            believable.order(2, 2, side=Side.SELL, price=0.765, size=1_250.25, age_s=90_000,
                             expires_at=NOW + timedelta(hours=5, minutes=12)),
            believable.order(3, 2, price=0.7, status=OrderStatus.UNKNOWN, age_s=4),
            believable.order(4, 999, price=0.05, size=12_500),
        ),
    )  # fmt: skip
    service.own_fills = tuple(believable.fill(n, 100 if n % 3 else 2) for n in range(1, 12))
    service.activity_view = ActivityView(
        closed=(
            believable.closed_position(3, "Will the ferry strike end in May?", realized=795.12),
            believable.closed_position(9, "Will Ade enter the race?", realized=-404.4),
        ),
        activity=(
            believable.activity(1, "TRADE", "Did the May index rise?"),
            believable.activity(5, "REDEEM", "Will the ferry strike end in May?"),
            believable.activity(30, "SOMETHING_NEW", "Will Ade enter the race?"),
        ),
    )  # fmt: skip
    return service


def read_only_service() -> FakeService:
    """Return a service without a key."""
    service = believable_service()
    service.account_view, service.status_view = KEYLESS_ACCOUNT, READ_ONLY_STATUS
    service.own_fills, service.activity_view = (), ActivityView()
    return service


SCREENS: dict[str, Callable[[], Screen[None]]] = {
    "markets": lambda: MarketsScreen(believable_service().surface()),
    "empty": lambda: MarketsScreen(FakeService().surface()),
    "event": lambda: EventScreen(
        believable_service().surface(), believable.election().event_id
    ),
    "portfolio": lambda: PortfolioScreen(believable_service().surface()),
    "read-only": lambda: PortfolioScreen(read_only_service().surface()),
}  # fmt: skip


def main(arguments: Sequence[str]) -> None:
    """Run the screen of this name."""
    name, *theme = arguments
    ScreenApp(SCREENS[name](), theme=theme[0] if theme else DEFAULT_THEME).run()


if __name__ == "__main__":
    main(sys.argv[1:])

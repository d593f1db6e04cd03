"""Leads the tour: watches what the trader does and says what comes next."""

from datetime import UTC, datetime, timedelta

from textual.app import App
from textual.screen import Screen
from textual.timer import Timer

from pmtui.ui.cells import Cell, Emphasis
from pmtui.ui.event.event import EventScreen
from pmtui.ui.explore.markets import MarketsScreen
from pmtui.ui.explore.watchlist import WatchlistScreen
from pmtui.ui.facts import key_of
from pmtui.ui.frame import FrameScreen, is_live
from pmtui.ui.keys.help import HelpScreen
from pmtui.ui.keys.tour import NO_PLACE, Tour, TourFacts
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.portfolio.log import LogScreen
from pmtui.ui.portfolio.portfolio import PortfolioScreen
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role

LOOKS_EVERY_S = 0.2
_WHOLE_SECONDS = timedelta(seconds=1)
"""The venue cuts the time of an order to these."""

_PLACES: tuple[tuple[type[FrameScreen], str], ...] = (
    (MarketsScreen, "markets"),
    (EventScreen, "event"),
    (MarketScreen, "market"),
    (PortfolioScreen, "portfolio"),
    (WatchlistScreen, "watchlist"),
    (LogScreen, "log"),
    (HelpScreen, "help"),
)


class TourGuide:
    """Runs one tour at a time; costs nothing while there is none."""

    def __init__(self, app: App[None], surface: Surface) -> None:
        self._app = app
        self._surface = surface
        self._tour: Tour | None = None
        self._timer: Timer | None = None
        self._began = datetime.max.replace(tzinfo=UTC)

    @property
    def is_on(self) -> bool:
        """Whether a tour is under way."""
        return self._tour is not None

    def greet(self) -> None:
        """Offer the tour on the screen in front."""
        frame, keymap = self._frame(), self._surface.options.keymap
        if frame is not None:
            tour, keys = key_of(keymap, "global.tour"), key_of(keymap, "global.help")
            words = f" New here? {tour}: tour, {keys}: keys"
            frame.lines.greet((Cell(words, Role.KEY),))

    def start(self) -> None:
        """Begin anew."""
        self._tour = Tour()
        self._forget_greeting()
        self._began = self._surface.queries.now()
        if self._timer is None:
            self._timer = self._app.set_interval(LOOKS_EVERY_S, self._check_progress)
        self._check_progress()

    def stop(self) -> None:
        """End it where it is."""
        self._tour = None
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        for screen in self._app.screen_stack:
            if isinstance(screen, FrameScreen):
                screen.lines.show_tour(())

    def _forget_greeting(self) -> None:
        for screen in self._app.screen_stack:
            if isinstance(screen, FrameScreen):
                screen.lines.greet(())

    def _check_progress(self) -> None:
        frame = self._frame()
        if self._tour is None or frame is None or not is_live(frame):
            return
        self._tour.learn(self._facts(frame))
        keymap = self._surface.options.keymap
        words = self._tour.line(lambda action_id: key_of(keymap, action_id), frame.size.width - 1)
        if words:
            frame.lines.show_tour((Cell(f" {words}", Role.KEY, Emphasis.BOLD),))
        else:
            self.stop()

    def _frame(self) -> FrameScreen | None:
        screens: list[Screen[object]] = list(self._app.screen_stack)
        return next((s for s in reversed(screens) if isinstance(s, FrameScreen)), None)

    def _facts(self, frame: FrameScreen) -> TourFacts:
        place = next((name for kind, name in _PLACES if isinstance(frame, kind)), NO_PLACE)
        market = frame if isinstance(frame, MarketScreen) else None
        return TourFacts(
            place=place,
            is_searching=isinstance(frame, MarketsScreen) and frame.is_searching,
            has_cursor=market is not None and market.ladder.cursor is not None,
            has_ticket=market is not None and market.ticket.is_open,
            placed=self._placed(),
        )

    def _placed(self) -> int:
        """Count by when they came to be: what is older may still be on its way to us."""
        account = self._surface.queries.account()
        orders = {order.order_id: order for order in (*account.recent, *account.open_orders)}
        since = self._began - _WHOLE_SECONDS
        return sum(order.created_at >= since for order in orders.values())

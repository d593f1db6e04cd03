"""The tour: steps on the real screens, each completed by the trader's own action."""

import re
from collections.abc import Callable
from dataclasses import dataclass
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
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.portfolio.log import LogScreen
from pmtui.ui.portfolio.portfolio import PortfolioScreen
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role

NO_PLACE = ""
_ACTION = re.compile(r"\{([a-z_]+\.[a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class TourFacts:
    """Where the trader is, and what the trader has done."""

    place: str = NO_PLACE
    """`markets`, `event`, `market`, `portfolio`, `watchlist`, `log` or `help`."""
    is_searching: bool = False
    has_cursor: bool = False
    """Whether a price of the ladder is under the cursor."""
    has_ticket: bool = False
    placed: int = 0
    """Orders placed since the tour began."""


@dataclass(frozen=True, slots=True)
class TourStep:
    """One line of the tour; `{action.id}` stands for the action's key."""

    text: str
    is_done: Callable[[TourFacts], bool]


STEPS: tuple[TourStep, ...] = (
    TourStep("Press {global.search} and type part of a title: results come at once.",
         lambda facts: facts.is_searching),
    TourStep("Move with {search.move_down} to a market and open it with {global.open}.",
         lambda facts: facts.place == "market"),
    TourStep("One price a row, bids left, asks right. {ladder.move_down} goes to the best bid.",
         lambda facts: facts.has_cursor),
    TourStep("{ladder.move_down} again: a buy below the best ask rests. {market.buy} opens the ticket.",
         lambda facts: facts.has_ticket),
    TourStep("Type a size, 5 or more. {ticket.review} shows the card, {confirm.accept} again sends.",
         lambda facts: facts.placed > 0),
    TourStep("{ticket.close} closes the ticket; {global.portfolio} shows positions and orders.",
         lambda facts: facts.place == "portfolio"),
    TourStep("{global.star} stars this market; {global.watchlist} lists what you starred, live.",
         lambda facts: facts.place == "watchlist"),
    TourStep("Everything that happened is in the log: {global.log}.",
         lambda facts: facts.place == "log"),
    TourStep("That is the tour. {global.help} lists the keys of any screen.",
         lambda facts: facts.place == "help"),
)  # fmt: skip


_IN_ANY_ORDER = 5
"""The first steps build on each other: a later one implies those before it."""


class Tour:
    """The progress of the tour. Steps that are already done are skipped."""

    def __init__(self) -> None:
        self._index = 0

    @property
    def is_over(self) -> bool:
        """Whether every step is done."""
        return self._index >= len(STEPS)

    def learn(self, facts: TourFacts) -> None:
        """Skip every step that these facts show as done, and the steps that it implies.

        Only the steps up to the ticket imply others; from there on each must be done in turn.
        """
        done = [i for i, step in enumerate(STEPS[:_IN_ANY_ORDER]) if step.is_done(facts)]
        self._index = max(self._index, done[-1] + 1 if done else 0)
        while not self.is_over and STEPS[self._index].is_done(facts):
            self._index += 1

    def line(self, key_of: Callable[[str], str], width: int) -> str:
        """Return the current step with the user's own keys; empty when the tour is over.

        The key that ends the tour is appended if it fits, as it always does in the first step.
        """
        if self.is_over:
            return ""
        text = _ACTION.sub(lambda found: key_of(found[1]), STEPS[self._index].text)
        line = f"Tour {self._index + 1}/{len(STEPS)}  {text}"
        leaving = f"  {key_of('global.tour')} ends it."
        return line + leaving if len(line + leaving) <= width else line


CHECK_PERIOD_S = 0.2
_WHOLE_SECONDS = timedelta(seconds=1)
"""The venue truncates an order's time to whole seconds."""

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

    def greet(self) -> None:
        """Offer the tour on the current screen."""
        frame, keymap = self._frame(), self._surface.options.keymap
        if frame is not None:
            tour, keys = key_of(keymap, "global.tour"), key_of(keymap, "global.help")
            words = f" New here? {tour}: tour, {keys}: keys"
            frame.lines.greet((Cell(words, Role.KEY),))

    def switch(self) -> None:
        """Start the tour from its first step, or end it."""
        if self._tour is not None:
            self._stop()
            return
        self._tour = Tour()
        for screen in self._app.screen_stack:
            if isinstance(screen, FrameScreen):
                screen.lines.greet(())
        self._began = self._surface.queries.now()
        if self._timer is None:
            self._timer = self._app.set_interval(CHECK_PERIOD_S, self._check_progress)
        self._check_progress()

    def _stop(self) -> None:
        self._tour = None
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        for screen in self._app.screen_stack:
            if isinstance(screen, FrameScreen):
                screen.lines.show_tour(())

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
            self._stop()

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
        """Count orders by their creation time: older ones may still arrive from the service."""
        account = self._surface.queries.account()
        orders = {order.order_id: order for order in (*account.recent, *account.open_orders)}
        since = self._began - _WHOLE_SECONDS
        return sum(order.created_at >= since for order in orders.values())

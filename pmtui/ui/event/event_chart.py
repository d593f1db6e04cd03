"""The chart of the event screen: the prices of the leading outcomes, below the table."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from textual.geometry import Size
from textual.widget import Widget

from pmtui.domain.ids import TokenId
from pmtui.domain.markets.history import PriceLine, price_line, result_of
from pmtui.domain.markets.market import Event, Market
from pmtui.domain.money import Micros
from pmtui.service.topics import HistoryTopic, Topic
from pmtui.service.views import HistoryView
from pmtui.ui.charts.overlay import MIN_HEIGHT, MOST_CURVES, Leader, OverlayPane
from pmtui.ui.format import member_of
from pmtui.ui.frame import TopicFeed, is_live
from pmtui.ui.surface import Surface
from pmtui.ui.widgets.panel import are_frames_wanted

CHART_PERIOD = timedelta(seconds=15)
"""How often a chart is refreshed when nothing else changes it."""
_FRAME_ROWS = 3
"""Status line, notice and keys."""
_BESIDE_ROWS = 2
"""The event's line, and the details of the selected row."""
_LEAST_TABLE_ROWS = 6
_LEAST_CHART = MIN_HEIGHT + 1
"""Rows of a chart with its frame."""
_TALL_ROWS = 24
"""From this height on, a chart takes half of the table's rows by default."""


class ChartedPage(Protocol):
    """What the chart needs of the event screen."""

    @property
    def size(self) -> Size:
        """The screen's columns and rows."""
        ...

    def set_class(self, add: bool, *class_names: str) -> object:  # noqa: FBT001 - Textual's signature
        """Switch the layout."""
        ...

    @property
    def feed(self) -> TopicFeed:
        """The screen's subscriptions."""
        ...


class Charted(NamedTuple):
    """An outcome in the chart."""

    market: Market
    token_id: TokenId
    number: int
    """Its number in the event's order, from 1."""
    place: int
    """Its place among those that lead."""


def _token_of(market: Market) -> TokenId | None:
    """Return the token whose history is drawn."""
    return market.outcomes[0].token_id if market.outcomes else None


class EventChart:
    """Chooses the outcomes, the interval and the height of the chart."""

    def __init__(
        self, page: ChartedPage, surface: Surface, pane: OverlayPane, *, frame: Widget,
        event: Callable[[], Event | None], picked: Callable[[], Market | None],
        say: Callable[[str], None],
    ) -> None:  # fmt: skip
        """Draw the event of a screen.

        Args:
            page: the event screen.
            surface: the service and the user's choices.
            pane: where the curves are drawn.
            frame: the widget around the pane, which is resized.
            event: returns the event on the screen.
            picked: returns the market at the table's cursor.
            say: shows why a key does nothing.
        """
        self._page = page
        self._surface = surface
        self._pane = pane
        self._frame = frame
        self._event = event
        self._picked = picked
        self._say = say
        self._interval = member_of(surface.options.chart_interval, surface.memory.now.interval)
        self._is_wanted: bool | None = None
        """The trader's choice; None shows the chart if it fits."""
        self._rows = 0
        self._charted_at: datetime | None = None
        self._charted_quotes: tuple[Micros | None, ...] = ()
        """The prices that the curves shown end with."""
        self._watched: tuple[HistoryTopic, ...] = ()

    def switch(self) -> None:
        """Show or hide the chart."""
        self._is_wanted = not self._rows
        self.show()
        if self._is_wanted and not self._rows:
            self._is_wanted = None
            self._say("No room for a chart, or no data.")

    def shorten(self) -> None:
        """Show a shorter interval."""
        self._shift_interval(-1)

    def lengthen(self) -> None:
        """Show a longer interval."""
        self._shift_interval(1)

    def topics(self) -> tuple[Topic, ...]:
        """Return the histories shown: hidden ones are not loaded."""
        return self._watched

    def show(self) -> None:
        """Lay out the chart, subscribe to its histories, and show them."""
        leaders = self._leaders() if is_live(self._pane) else ()
        self._lay_out(len(leaders))
        topics = tuple(
            HistoryTopic(each.token_id, self._interval) for each in leaders if self._rows
        )
        if topics != self._watched:
            self._watched = topics
            self._page.feed.renew()
        self.show_histories()

    def show_histories(self) -> None:
        """Show the histories as they are now."""
        self._charted_at = now = self._surface.queries.now()
        self._charted_quotes = self._quotes()
        shown, ends = list[Leader](), list[datetime]()
        for market, token_id, number, place in self._leaders() if self._rows else ():
            view, line = self._line(market, token_id, now)
            history = replace(view, points=line.points)
            shown.append(Leader(market.title, token_id, history, number, place))
            ends += [line.until] if line.until is not None else []
        self._pane.show(shown, self._interval, until=max(ends, default=None))
        self.show_picked()

    def show_picked(self) -> None:
        """Make the curve of the outcome at the cursor stand out."""
        market = self._picked()
        self._pane.pick(_token_of(market) if market is not None else None)

    def _line(
        self, market: Market, token_id: TokenId, now: datetime
    ) -> tuple[HistoryView, PriceLine]:
        queries = self._surface.queries
        view = queries.history(token_id, self._interval)
        return view, price_line(
            view.points, queries.tape(token_id).prints, self._interval, now=now,
            quote=self._quote(token_id), result=result_of(market, token_id, now),
        )  # fmt: skip

    def _quote(self, token_id: TokenId) -> Micros | None:
        book = self._surface.queries.book(token_id)
        return book.midpoint if book.state.is_good else None

    def _quotes(self) -> tuple[Micros | None, ...]:
        return tuple(self._quote(each.token_id) for each in self._leaders() if self._rows)

    def follow_quotes(self) -> None:
        """End the curves at the prices that the table shows."""
        if self._quotes() != self._charted_quotes:
            self.show_histories()

    def follow_clock(self) -> None:
        """Extend the histories up to now, every `CHART_PERIOD`."""
        at = self._charted_at
        if at is None or self._surface.queries.now() - at >= CHART_PERIOD:
            self.show_histories()

    def _leaders(self) -> tuple[Charted, ...]:
        event = self._event()
        if event is None:
            return ()
        outcomes = self._surface.outcomes
        charted = {
            market.market_id: Charted(market, token_id, number, 0)
            for number, market in enumerate(outcomes.markets(event), 1)
            if not market.closed and (token_id := _token_of(market)) is not None
        }
        places = outcomes.leading(event, [each.market for each in charted.values()], MOST_CURVES)
        found = ((place, charted[each]) for place, each in enumerate(places) if each is not None)
        by_number = sorted(
            (each._replace(place=place) for place, each in found), key=lambda each: each.number
        )
        return tuple(by_number)

    def _lay_out(self, leaders: int) -> None:
        event = self._event()
        lines = 1 + len(event.markets) if event is not None else 1
        above = _BESIDE_ROWS + (2 if are_frames_wanted(self._page.size) else 1)
        room = self._page.size.height - _FRAME_ROWS - above
        left = room - lines
        if self._is_wanted or (self._is_wanted is None and room >= _TALL_ROWS):
            left = max(left, min(room // 2, room - _LEAST_TABLE_ROWS))
        is_shown = bool(leaders) and left >= _LEAST_CHART and self._is_wanted is not False
        self._rows = left if is_shown else 0
        _ = self._page.set_class(is_shown, "-charted")
        self._frame.styles.height = max(self._rows, 1)

    def _shift_interval(self, steps: int) -> None:
        interval = self._interval.shifted(steps)
        if not self._rows:
            self._say("The chart is hidden.")
        elif interval is self._interval:
            which = "shorter" if steps < 0 else "longer"
            self._say(f"No {which} interval than {interval.value}.")
        else:
            self._interval = interval
            self._surface.memory.keep_interval(interval.value)
            self.show()

"""The part of the event screen that draws the leading outcomes' prices below the table."""

from dataclasses import replace
from datetime import datetime, timedelta

from textual.getters import query_one

from pmtui.domain.ids import TokenId
from pmtui.domain.markets.history import PriceLine, price_line
from pmtui.domain.markets.market import Event, Market
from pmtui.service.topics import HistoryTopic, Topic
from pmtui.service.views import HistoryView
from pmtui.ui.charts.overlay import Leader, OverlayPane
from pmtui.ui.charts.paint_overlay import MIN_HEIGHT, MOST_CURVES
from pmtui.ui.explore.paint_event import by_price
from pmtui.ui.frame import FrameScreen, is_live
from pmtui.ui.surface import Surface
from pmtui.ui.widgets.line_table import LineTable

CHART_PERIOD = timedelta(seconds=15)
"""How often a chart that nothing else changes is looked at again."""
_FRAME_ROWS = 3
"""Status, notice and keys."""
_LEAST_TABLE_ROWS = 6
_TALL_ROWS = 24
"""From so many on, a table of many outcomes leaves half to the chart without being asked."""


class EventChart(FrameScreen):
    """Which outcomes are drawn, over which time, and how much room they get."""

    table = query_one("#outcomes", LineTable)
    chart = query_one("#chart", OverlayPane)

    def __init__(self, surface: Surface) -> None:
        super().__init__(surface)
        self._interval = surface.options.chart_interval
        self._is_chart_wanted: bool | None = None
        """What the trader chose; None lets the room decide."""
        self._chart_rows = 0
        self._charted_at: datetime | None = None
        self._watched: tuple[HistoryTopic, ...] = ()

    def shown_event(self) -> Event | None:
        """Return the event on the screen, for subclasses to say."""
        return None

    def action_switch_chart(self) -> None:
        """Show the chart, or the table alone."""
        self._is_chart_wanted = not self._chart_rows
        self.show_chart()
        if self._is_chart_wanted and not self._chart_rows:
            self._is_chart_wanted = None
            self.say("No room for a chart, or no data.")

    def action_shorter_interval(self) -> None:
        """Show a shorter time."""
        self._shift_interval(-1)

    def action_longer_interval(self) -> None:
        """Show a longer time."""
        self._shift_interval(1)

    def chart_topics(self) -> tuple[Topic, ...]:
        """Return the histories on show: what nobody sees is not fetched."""
        return self._watched

    def show_chart(self) -> None:
        """Give the chart its room, watch what it shows, and show it."""
        leaders = self._leaders() if is_live(self) else ()
        self._lay_out(len(leaders))
        topics = tuple(
            HistoryTopic(market.outcomes[0].token_id, self._interval)
            for market in leaders
            if self._chart_rows and market.outcomes[0].token_id is not None
        )
        if topics != self._watched:
            self._watched = topics
            self.retopic()
        self.show_histories()

    def show_histories(self) -> None:
        """Show the histories as they are."""
        self._charted_at = now = self.surface.queries.now()
        lines = {
            token_id: (market.title, *self._line(token_id, now))
            for market in self._leaders()
            if self._chart_rows and (token_id := market.outcomes[0].token_id) is not None
        }
        named = [
            Leader(title, token_id, replace(view, points=line.points))
            for token_id, (title, view, line) in lines.items()
        ]
        ends = [line.until for _, _, line in lines.values() if line.until is not None]
        self.chart.show(named, self._interval, until=max(ends, default=None))

    def _line(self, token_id: TokenId, now: datetime) -> tuple[HistoryView, PriceLine]:
        queries = self.surface.queries
        view, book = queries.history(token_id, self._interval), queries.book(token_id)
        quote = book.midpoint if book.state.is_good else None
        prints = queries.tape(token_id).prints
        return view, price_line(view.points, prints, self._interval, now=now, quote=quote)

    def follow_clock(self) -> None:
        """Show the histories up to now, from time to time."""
        at = self._charted_at
        if at is None or self.surface.queries.now() - at >= CHART_PERIOD:
            self.show_histories()

    def say(self, text: str) -> None:
        """Say something that went otherwise than expected."""
        self.notify(text, markup=False, timeout=4)

    def _leaders(self) -> tuple[Market, ...]:
        event = self.shown_event()
        markets = sorted(event.markets, key=by_price) if event is not None else ()
        return tuple(
            market
            for market in markets
            if not market.closed and market.outcomes and market.outcomes[0].token_id is not None
        )[:MOST_CURVES]

    def _lay_out(self, leaders: int) -> None:
        event = self.shown_event()
        lines = 1 + len(event.markets) if event is not None else 1
        above = 4 if self.has_class("-has-meaning") else 3
        room = self.size.height - _FRAME_ROWS - above
        left = room - lines
        if self._is_chart_wanted or (self._is_chart_wanted is None and room >= _TALL_ROWS):
            left = max(left, min(room // 2, room - _LEAST_TABLE_ROWS))
        is_shown = bool(leaders) and left >= MIN_HEIGHT and self._is_chart_wanted is not False
        self._chart_rows = left if is_shown else 0
        self.set_class(is_shown, "-charted")
        self.chart.styles.height = max(self._chart_rows, 1)

    def _shift_interval(self, steps: int) -> None:
        interval = self._interval.shifted(steps)
        if not self._chart_rows:
            self.say("The chart is hidden.")
        elif interval is self._interval:
            which = "shorter" if steps < 0 else "longer"
            self.say(f"No {which} interval than {interval.value}.")
        else:
            self._interval = interval
            self.show_chart()

"""The table of an event's outcomes, with the lines above and below it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from textual.geometry import Size
from textual.timer import Timer

from pmtui.domain.ids import ConditionId, EventId, TokenId
from pmtui.domain.markets.market import Event, Market
from pmtui.domain.money import Micros
from pmtui.service.topics import Topic
from pmtui.service.views import QuoteRow
from pmtui.ui.event.paint_event import (
    CHANCE_WIDTH,
    OUTCOME_COLUMNS,
    explain_no_event,
    paint_event_head,
    paint_outcome_details,
    paint_outcome_row,
    paint_outcomes_title,
)
from pmtui.ui.explore.paint_markets import paint_day, price_a_day_ago
from pmtui.ui.frame import TopicFeed, is_live
from pmtui.ui.rows.row_stream import RowDays, RowMemo, RowStream
from pmtui.ui.surface import Surface
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.panel import Panel
from pmtui.ui.widgets.text_line import TextLine


@dataclass(frozen=True, slots=True)
class EventLines:
    """The lines around the table."""

    head: TextLine
    details: TextLine


class BoardPage(Protocol):
    """What the table needs of the event screen."""

    @property
    def size(self) -> Size:
        """The screen's columns and rows."""
        ...

    def set_timer(self, delay: float, callback: Callable[[], None]) -> Timer:
        """Call back once after a delay in seconds."""
        ...

    @property
    def feed(self) -> TopicFeed:
        """The screen's subscriptions."""
        ...


class EventBoard:
    """Keeps the rows and paints them at the latest prices."""

    def __init__(self, page: BoardPage, surface: Surface, event_id: EventId) -> None:
        self._surface = surface
        self._event_id = event_id
        self.table = LineTable(OUTCOME_COLUMNS, id="outcomes")
        self.frame = Panel(self.table, id="outcomes-panel", classes="-table")
        self.lines = EventLines(*(TextLine(id=n) for n in ("head", "details")))
        self._markets: dict[str, Market] = {}
        self._memo = RowMemo()
        self.stream = RowStream(
            in_view=self._tokens_in_view, queries=surface.queries, after=page.set_timer,
            is_live=lambda: is_live(self.table), on_change=page.feed.renew,
            shows_days=lambda: "day" in self.table.columns.in_view,
        )  # fmt: skip
        self._days = RowDays(self.stream, surface.queries)

    def topics(self) -> tuple[Topic, ...]:
        """Return the price histories of the rows in view, if their sparklines fit."""
        return self._days.topics()

    @property
    def event(self) -> Event | None:
        """The event; None while it is loading."""
        return self._surface.queries.event(self._event_id).event

    @property
    def market(self) -> Market | None:
        """The selected market."""
        return self.market_of(self.table.cursor_key)

    def market_of(self, key: str | None) -> Market | None:
        """Return the market of a row."""
        return self._markets.get(key or "")

    def show_rows(self) -> None:
        """Repaint every outcome."""
        queries = self._surface.queries
        view = queries.event(self._event_id)
        markets = self._surface.outcomes.markets(view.event) if view.event else ()
        self._markets = {m.market_id: m for m in markets}
        quotes, gains = self._quotes(), self._gains()
        now = queries.now()
        self.table.set_empty_text(f" {explain_no_event(view, self._surface.options.keymap)}")
        rows = []
        chance_width = self.table.columns.width_of("chance") or CHANCE_WIDTH
        for key, market in self._markets.items():
            quote = quotes.get(market.condition_id or "")
            # A live quote shows no age; another one shows its age in minutes.
            moment = now if quote is None or not quote.is_live else None
            second = moment.replace(microsecond=0) if moment else None
            is_starred, gain = key in view.starred, gains.get(market.condition_id)
            points = self._days.points(market.quoted_token)
            day, opened = paint_day(points, now), price_a_day_ago(points, now)
            paint = partial(
                paint_outcome_row,
                market,
                quote,
                now,
                is_starred=is_starred,
                day=day,
                opened=opened,
                gain=gain,
                chance_width=chance_width,
            )
            inputs = (market, quote, second, is_starred, day, opened, gain, chance_width)
            rows.append(self._memo.row(key, inputs, paint))
        self.table.set_rows(rows)
        self._memo.keep_only(set(self._markets))
        self.stream.check()

    def show_facts(self, width: int) -> None:
        """Show the event's facts and what its prices add up to."""
        queries, keymap = self._surface.queries, self._surface.options.keymap
        view = queries.event(self._event_id)
        quotes = queries.event_quotes(self._event_id)
        self.lines.head.show(
            paint_event_head(view, quotes, queries.now(), keymap=keymap, width=width)
        )
        self.frame.show_title_in_width(partial(paint_outcomes_title, view.event, quotes))

    def show_details(self, width: int) -> None:
        """Show the details of the selected outcome."""
        market = self.market
        quote = self._quotes().get(market.condition_id or "") if market else None
        self.lines.details.show(paint_outcome_details(market, quote, width))

    def _tokens_in_view(self) -> tuple[TokenId, ...]:
        markets = (self.market_of(key) for key in self.table.keys_in_view)
        tokens = (market.quoted_token for market in markets if market and not market.closed)
        return tuple(token for token in tokens if token is not None)

    def _gains(self) -> dict[ConditionId | None, Micros]:
        """Return the unrealised gain of each held market, where it is known."""
        gains: dict[ConditionId | None, Micros] = {}
        for position in self._surface.queries.account().positions:
            if position.unrealized is not None:
                so_far = gains.get(position.condition_id, Micros(0))
                gains[position.condition_id] = Micros(so_far + position.unrealized)
        return gains

    def _quotes(self) -> dict[str, QuoteRow]:
        rows = self._surface.queries.event_quotes(self._event_id).rows
        return {row.condition_id: row for row in rows}

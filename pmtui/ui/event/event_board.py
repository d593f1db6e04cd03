"""The table of an event's outcomes, with what stands above and below it."""

from dataclasses import dataclass
from functools import partial

from pmtui.domain.ids import EventId
from pmtui.domain.markets.market import Event, Market
from pmtui.service.views import QuoteRow
from pmtui.ui.event.paint_event import (
    OUTCOME_COLUMNS,
    by_price,
    paint_event_facts,
    paint_event_meaning,
    paint_event_title,
    paint_outcome_details,
    paint_outcome_row,
    say_no_event,
)
from pmtui.ui.row_memo import RowMemo
from pmtui.ui.surface import Surface
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.text_line import TextLine


@dataclass(frozen=True, slots=True)
class EventLines:
    """The lines around the table."""

    title: TextLine
    facts: TextLine
    meaning: TextLine
    details: TextLine


class EventBoard:
    """Knows which rows are on show, and paints them from the newest prices."""

    def __init__(self, surface: Surface, event_id: EventId) -> None:
        self._surface = surface
        self._event_id = event_id
        self.table = LineTable(OUTCOME_COLUMNS, id="outcomes")
        self.lines = EventLines(*(TextLine(id=n) for n in ("title", "facts", "meaning", "details")))
        self._markets: dict[str, Market] = {}
        self._memo = RowMemo()

    @property
    def event(self) -> Event | None:
        """The event; None until it has come."""
        return self._surface.queries.event(self._event_id).event

    @property
    def market(self) -> Market | None:
        """The market of the row at the cursor."""
        return self.market_of(self.table.cursor_key)

    def market_of(self, key: str | None) -> Market | None:
        """Return the market of a row."""
        return self._markets.get(key or "")

    def show_rows(self) -> None:
        """Show every outcome."""
        queries = self._surface.queries
        view = queries.event(self._event_id)
        markets = sorted(view.event.markets, key=by_price) if view.event else ()
        self._markets = {m.market_id: m for m in markets}
        quotes = self._quotes()
        now = queries.now()
        self.table.set_empty_text(f" {say_no_event(view, self._surface.options.keymap)}")
        rows = []
        for key, market in self._markets.items():
            quote = quotes.get(market.condition_id or "")
            # A live quote is no older for being looked at; another one says its age in minutes.
            moment = now if quote is None or not quote.is_live else None
            second = moment.replace(microsecond=0) if moment else None
            is_starred = key in view.starred
            paint = partial(paint_outcome_row, market, quote, now, is_starred=is_starred)
            rows.append(self._memo.row(key, (market, quote, second, is_starred), paint))
        self.table.set_rows(rows)
        self._memo.keep_only(set(self._markets))

    def show_facts(self, width: int) -> bool:
        """Show what the event is about; return whether its prices mean something together."""
        queries, keymap = self._surface.queries, self._surface.options.keymap
        view = queries.event(self._event_id)
        quotes = queries.event_quotes(self._event_id)
        meaning = paint_event_meaning(view.event, quotes, width)
        self.lines.title.show(paint_event_title(view))
        self.lines.facts.show(
            paint_event_facts(view, quotes, queries.now(), keymap=keymap, width=width)
        )
        self.lines.meaning.show(meaning)
        return bool(meaning)

    def show_details(self, width: int) -> None:
        """Show what the columns have no room for."""
        market = self.market
        quote = self._quotes().get(market.condition_id or "") if market else None
        self.lines.details.show(paint_outcome_details(market, quote, width))

    def _quotes(self) -> dict[str, QuoteRow]:
        rows = self._surface.queries.event_quotes(self._event_id).rows
        return {row.condition_id: row for row in rows}

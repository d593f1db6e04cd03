"""Switching to other outcomes of the event, and to other windows of a rolling series.

The screen stays and its market changes: no state of the previous market may remain.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from pmtui.domain.ids import ConditionId, EventId, TokenId
from pmtui.domain.markets.listing import rolling_series, window_beside
from pmtui.domain.markets.market import Event, MarketSort
from pmtui.domain.money import Micros, complement
from pmtui.service.topics import EventQuotesTopic, EventTopic, MarketListTopic, Topic
from pmtui.ui.market.controls.workspace import Part, Workspace
from pmtui.ui.market.market_model import MarketModel
from pmtui.ui.market.siblings import Siblings, known_prices, live_mids, siblings_of
from pmtui.ui.plain import plain

ENDING = MarketListTopic(sort=MarketSort.ENDING_SOON)
MOST_SEEN = 200
"""The most windows remembered: half a day has 144 windows of five minutes."""
_LONGEST_WINDOW_NAME = 60


class Windows:
    """Lists the windows of the series shown, and switches between them."""

    def __init__(
        self, workspace: Workspace, *, event: Callable[[], Event | None],
        hop_to: Callable[[ConditionId], None],
    ) -> None:  # fmt: skip
        """Start at the event shown.

        Args:
            workspace: the screen's workspace.
            event: returns the event of the market shown; None until it is known.
            hop_to: switches to another market.
        """
        self._workspace = workspace
        self._event = event
        self._hop_to = hop_to
        self._seen: dict[EventId, Event] = {}

    @property
    def is_in_series(self) -> bool:
        """Whether the market shown is a window of a rolling series."""
        event = self._event()
        return event is not None and rolling_series(event) is not None

    def topics(self) -> Iterable[Topic]:
        """Return the topic of the list that holds the next windows."""
        if self.is_in_series:
            yield ENDING

    def step(self, steps: int) -> None:
        """Switch to the window that ends next; with -1 to the one that ended before."""
        event, line, is_later = self._event(), self._workspace.line, steps > 0
        if event is None or rolling_series(event) is None:
            line.show("This market is no window of a series.")
            return
        self._remember(event)
        found = window_beside(event, self._seen.values(), is_later=is_later)
        market = next((m for m in found.markets if m.condition_id), None) if found else None
        if found is None or market is None or market.condition_id is None:
            line.show(f"No {'later' if is_later else 'earlier'} window is known yet.")
            return
        self._hop_to(market.condition_id)
        line.confirm(f"Window: {plain(found.title, _LONGEST_WINDOW_NAME)}.")

    def _remember(self, event: Event) -> None:
        queries = self._workspace.queries
        rows = (*queries.view(ENDING).rows, *queries.view(MarketListTopic()).rows)
        for each in (event, *(row.event for row in rows if rolling_series(row.event))):
            self._seen[each.event_id] = each
        for event_id in list(self._seen)[: max(len(self._seen) - MOST_SEEN, 0)]:
            del self._seen[event_id]


STRIP_FROM_HEIGHT = 32
"""Below this height the ladder needs the strip's line."""
_LONGEST_NAME = 40


class OutcomeStrip(Protocol):
    """The line of the event's outcomes."""

    def show_siblings(
        self, siblings: Siblings, mids: Mapping[ConditionId, Micros], width: int
    ) -> None:
        """Show these outcomes."""
        ...


class Outcomes:
    """Lists the event's other markets, and switches between them."""

    def __init__(
        self, workspace: Workspace, strip: OutcomeStrip, *,
        leave: Callable[[], None], arrive: Callable[[], None],
    ) -> None:  # fmt: skip
        """Start at the market shown.

        Args:
            workspace: the screen's workspace.
            strip: shows the outcomes.
            leave: drops the state of the current market, before the switch.
            arrive: called after the switch.
        """
        self._workspace = workspace
        self._reader = workspace.reader
        self._line = workspace.line
        self._page = workspace.page
        self._strip = strip
        self._leave = leave
        self._arrive = arrive
        self._event_before: EventId | None = None
        """The event of the previous market, to which the new one belongs, too."""
        self._event_now: tuple[ConditionId, EventId] | None = None
        """The market shown and its event, which never changes."""
        self._siblings_now: tuple[Event, ConditionId, Siblings | None] | None = None
        """The arguments and the result of the last search for siblings: every topic asks for it."""
        self.windows = Windows(workspace, event=lambda: self._event, hop_to=self.hop_to)

    @property
    def siblings(self) -> Siblings | None:
        """The event's markets; None if there is no other, or none is known yet."""
        event = self._event
        return None if event is None else self._siblings_in(event)

    def step(self, steps: int) -> None:
        """Switch to the next outcome of the event; with -1 to the previous one."""
        siblings = self.siblings
        if siblings is not None:
            market = siblings.markets[siblings.stepped(steps)]
            if market.condition_id is not None:
                self.hop_to(market.condition_id)
        elif self.event_id is not None and self._event is None:
            self._line.show("The event is loading.")
        elif self.windows.is_in_series:
            self.windows.step(steps)
        else:
            self._line.show("This event has no other open market.")

    def flip(self) -> None:
        """Switch to the other outcome; the cursor moves to the complementary price."""
        model = self._reader.read()
        count = len(model.market.market.outcomes) if model.market.market else 0
        if count < 2:
            self._line.show("No other outcome.")
            return
        ladder = self._workspace.ladder
        self._line.take_back_confirmation()
        self._reader.outcome_index = (model.outcome_index + 1) % count
        ladder.clear_cursor()
        self._page.show_parts(Part.TOPICS, Part.SIDES, Part.MARKET)
        if model.cursor is not None and ladder.ladder is not None:
            ladder.point_at(complement(model.cursor[0]))
        else:
            ladder.action_recentre()
        self._page.show_parts(Part.TICKET)

    def point_at(self, token_id: TokenId, price: Micros) -> None:
        """Move the cursor to a price of either outcome of the market shown."""
        if self._reader.token_id not in (token_id, None):
            self.flip()
        else:
            # Its rows may not have been built yet.
            self._page.show_parts(Part.MARKET)
        self._workspace.ladder.go_to(price)

    def show_both(self) -> None:
        """Show or hide the other outcome's prices and own orders on the same rows."""
        reader = self._reader
        reader.is_mirrored = not reader.is_mirrored
        inputs = reader.read().ladder
        if reader.is_mirrored and (inputs is None or not inputs.other_label):
            reader.is_mirrored = False
            self._line.show("No other outcome.")
            return
        self._workspace.surface.memory.keep_both(has_both=reader.is_mirrored)
        self._page.show_parts(Part.BOOK)
        label = plain(inputs.other_label, 16) if inputs is not None else ""
        self._line.confirm(
            f"Both outcomes on the ladder: {label} too."
            if reader.is_mirrored
            else "One outcome on the ladder."
        )

    def hop_to(self, condition_id: ConditionId) -> None:
        """Switch to another market of the event."""
        reader = self._reader
        if condition_id == reader.condition_id:
            return
        was_open, self._event_before = self._workspace.ticket.is_open, self.event_id
        self._leave()
        reader.condition_id = condition_id
        market = self._workspace.queries.market(condition_id).market
        if market is not None and reader.outcome_index >= len(market.outcomes):
            reader.outcome_index = 0
        self._page.show_parts(Part.TOPICS, Part.MARKET)
        self._workspace.ladder.action_recentre()
        siblings = self.siblings
        if siblings is not None:
            name = plain(siblings.markets[siblings.index].title, _LONGEST_NAME)
            where = f"Outcome {siblings.index + 1} of {len(siblings.markets)}: {name}."
            if was_open:
                self._line.show(f"{where} Its ticket is closed.")
            else:
                self._line.confirm(where)
        self._arrive()

    def topics(self) -> Iterable[Topic]:
        """Return the topics of the strip; without it the event is loaded once, for the keys."""
        yield from self.windows.topics()
        event_id = self.event_id
        if event_id is None:
            return
        event = self._event
        siblings = None if event is None else self._siblings_in(event)
        if event is None or (siblings is not None and self._has_strip):
            yield EventTopic(event_id)
        if siblings is not None and siblings.is_quoted and self._has_strip:
            yield EventQuotesTopic(event_id)

    def show(self, model: MarketModel) -> None:
        """Show the strip of outcomes if it fits."""
        siblings, event_id = self.siblings, self.event_id
        _ = self._page.set_class(siblings is not None and self._has_strip, "-siblings")
        if siblings is None or event_id is None or not self._has_strip:
            return
        queries, width = self._workspace.queries, self._page.size.width
        if siblings.is_quoted:
            mids = live_mids(queries.event_quotes(event_id).rows, model.outcome_index)
        else:
            mids = known_prices(siblings.markets, model.outcome_index)
        self._strip.show_siblings(siblings, mids, width)

    @property
    def event_id(self) -> EventId | None:
        """The event of the market shown; None until it is known."""
        known, condition_id = self._event_now, self._reader.condition_id
        if known is not None and known[0] == condition_id:
            return known[1]
        market = self._workspace.queries.market(condition_id).market
        if market is None:
            return self._event_before
        if market.event_id is not None:
            self._event_now = condition_id, market.event_id
        return market.event_id

    @property
    def _event(self) -> Event | None:
        event_id = self.event_id
        return None if event_id is None else self._workspace.queries.event(event_id).event

    @property
    def _has_strip(self) -> bool:
        return self._page.size.height >= STRIP_FROM_HEIGHT

    def _siblings_in(self, event: Event) -> Siblings | None:
        known, condition_id = self._siblings_now, self._reader.condition_id
        if known is None or known[0] is not event or known[1] != condition_id:
            order = self._workspace.surface.outcomes.of(event)
            found = siblings_of(event, condition_id, order)
            known = self._siblings_now = (event, condition_id, found)
        return known[2]

"""Going to the other outcomes of the event without leaving the trading screen.

The screen stays and its market changes: nothing that belongs to the one before may stay with it.
"""

from collections.abc import Iterable

from textual import on
from textual.getters import query_one

from pmtui.domain.ids import ConditionId, EventId
from pmtui.domain.markets.market import Event, Market
from pmtui.service.topics import EventQuotesTopic, EventTopic, Topic
from pmtui.ui.market.market_context import MarketParts
from pmtui.ui.market.paint_siblings import live_mids
from pmtui.ui.market.sibling_strip import SiblingStrip
from pmtui.ui.market.siblings import Siblings, order_of, siblings_of
from pmtui.ui.plain import plain

STRIP_FROM_HEIGHT = 32
"""Below this the ladder needs the line."""
_LONGEST_NAME = 40


class MarketSiblings(MarketParts):
    """The part of the trading screen that knows the markets beside its own."""

    strip = query_one("#siblings", SiblingStrip)
    _event_before: EventId | None = None
    """Of the market that one hopped from: its siblings are in the same event."""
    _event_now: tuple[ConditionId, EventId] | None = None
    """The market on show, and the event it will be in for ever."""
    _siblings_now: tuple[Event, ConditionId, Siblings | None] | None = None
    """What the siblings were found for last: that is asked at every turn."""
    _order: tuple[ConditionId, ...] = ()
    """Of the event's outcomes, as it was met here: fingers learn it, and no price changes it."""

    @property
    def hoppable(self) -> Siblings | None:
        """The markets to hop between; None where there is no other, or none is known yet."""
        event = self._event_of_market
        return None if event is None else self._siblings_in(event)

    def _siblings_in(self, event: Event) -> Siblings | None:
        known = self._siblings_now
        if known is None or known[0] is not event or known[1] != self.condition_id:
            self._order = order_of(event, self._order)
            found = siblings_of(event, self.condition_id, self._order)
            known = self._siblings_now = (event, self.condition_id, found)
        return known[2]

    def action_next_sibling(self) -> None:
        """Go to the next outcome of the event."""
        self._step(1)

    def action_previous_sibling(self) -> None:
        """Go to the outcome of the event before this one."""
        self._step(-1)

    def hop_to(self, condition_id: ConditionId) -> None:
        """Show another market of the event in the place of this one."""
        if condition_id == self.condition_id:
            return
        was_open, self._event_before = self.ticket.is_open, self._event_id
        self.forget_market()
        self.condition_id = condition_id
        market = self._market_view.market
        if market is not None and self._outcome_index >= len(market.outcomes):
            self._outcome_index = 0
        self.follow_topics()
        self.show_market()
        self.ladder.action_recentre()
        siblings = self.hoppable
        if siblings is not None:
            name = plain(siblings.markets[siblings.index].title, _LONGEST_NAME)
            where = f"Outcome {siblings.index + 1}/{len(siblings.markets)}: {name}."
            if was_open:
                self.message_line.say(f"{where} Its ticket is closed.")
            else:
                self.message_line.confirm(where)

    @on(SiblingStrip.Picked)
    def _hop_to_picked(self, message: SiblingStrip.Picked) -> None:
        self.hop_to(message.condition_id)

    @property
    def _event_id(self) -> EventId | None:
        known = self._event_now
        if known is not None and known[0] == self.condition_id:
            return known[1]
        market = self._market_view.market
        if market is None:
            return self._event_before
        if market.event_id is not None:
            self._event_now = self.condition_id, market.event_id
        return market.event_id

    @property
    def _has_strip(self) -> bool:
        return self.size.height >= STRIP_FROM_HEIGHT

    def _sibling_topics(self) -> Iterable[Topic]:
        """Return what the strip shows; without one the event is fetched once, for the keys."""
        event_id = self._event_id
        if event_id is None:
            return
        event = self._event_of_market
        siblings = None if event is None else self._siblings_in(event)
        if event is None or (siblings is not None and self._has_strip):
            yield EventTopic(event_id)
        if siblings is not None and siblings.is_quoted and self._has_strip:
            yield EventQuotesTopic(event_id)

    def _show_siblings(self) -> None:
        siblings, event_id = self.hoppable, self._event_id
        self.set_class(siblings is not None and self._has_strip, "-siblings")
        if siblings is None or event_id is None or not self._has_strip:
            return
        quotes = self.surface.queries.event_quotes(event_id).rows if siblings.is_quoted else ()
        self.strip.show_siblings(siblings, live_mids(quotes, self._outcome_index), self.size.width)

    def _step(self, steps: int) -> None:
        siblings = self.hoppable
        if siblings is not None:
            self._hop(siblings.markets[siblings.stepped(steps)])
        elif self._event_id is not None and self._event_of_market is None:
            self.message_line.say("The event is loading.")
        else:
            self.message_line.say("This event has no other open market.")

    @property
    def _event_of_market(self) -> Event | None:
        event_id = self._event_id
        return None if event_id is None else self.surface.queries.event(event_id).event

    def _hop(self, market: Market) -> None:
        if market.condition_id is not None:
            self.hop_to(market.condition_id)

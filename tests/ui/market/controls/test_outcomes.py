"""Hopping between the outcomes of an event, and which stand beside one, without a terminal."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta

from textual.geometry import Size

from pmtui.domain.ids import ConditionId, SeriesId
from pmtui.domain.markets.market import Series
from pmtui.domain.money import Micros
from pmtui.service.topics import EventQuotesTopic, EventTopic
from pmtui.service.views import EventView, Load, MarketListView, MarketView
from pmtui.ui.market.controls.outcomes import ENDING, STRIP_FROM_HEIGHT, Outcomes
from pmtui.ui.market.controls.side_ladders import markets_beside
from pmtui.ui.market.controls.workspace import Part
from pmtui.ui.market.siblings import Siblings, siblings_of
from tests.ui import believable
from tests.ui.fake_surface import NOW
from tests.ui.market.controls.desk import Desk, cents
from tests.ui.moving_market import NO, YES


@dataclass
class FakeStrip:
    """Implements `OutcomeStrip`."""

    shown: list[Siblings] = field(default_factory=list)

    def show_siblings(
        self, siblings: Siblings, mids: Mapping[ConditionId, Micros], width: int
    ) -> None:
        self.shown.append(siblings)


class EventDesk(Desk):
    """The first market of an event of several."""

    def __init__(self) -> None:
        super().__init__()
        self.event = believable.election()
        self.service.events[self.event.event_id] = EventView(self.event, Load.READY, NOW)
        self.ids = [m.condition_id for m in self.event.markets if m.condition_id and not m.closed]
        for market in self.event.markets:
            if market.condition_id is not None:
                known = replace(market, event_id=self.event.event_id)
                view = MarketView(known, None, Load.READY, NOW)
                self.service.markets[market.condition_id] = view
        self.reader.condition_id = self.ids[0]
        self.strip = FakeStrip()
        self.steps: list[str] = []
        self.outcomes = Outcomes(
            self.workspace, self.strip,
            leave=lambda: self.steps.append("left"), arrive=lambda: self.steps.append("arrived"),
        )  # fmt: skip


def test_hopping_goes_round_and_lets_go_of_the_market_before() -> None:
    desk = EventDesk()
    desk.outcomes.step(1)
    assert desk.reader.condition_id == desk.ids[1]
    assert desk.steps == ["left", "arrived"]
    assert desk.page.shown == [Part.TOPICS, Part.MARKET]
    assert desk.said.startswith(f"Outcome 2 of {len(desk.ids)}")
    desk.outcomes.step(-1)
    desk.outcomes.step(-1)
    assert desk.reader.condition_id == desk.ids[-1]


def test_an_open_ticket_is_said_to_be_closed() -> None:
    desk = EventDesk()
    desk.ticket.is_open = True
    desk.outcomes.step(1)
    assert desk.said.endswith("Its ticket is closed.")


def test_a_market_of_its_own_has_nowhere_to_go() -> None:
    desk = Desk()
    outcomes = Outcomes(desk.workspace, FakeStrip(), leave=lambda: None, arrive=lambda: None)
    outcomes.step(1)
    assert desk.said == "This event has no other open market."


def test_the_strip_is_watched_and_shown_only_where_there_is_room() -> None:
    desk = EventDesk()
    desk.page.size = Size(120, STRIP_FROM_HEIGHT - 1)
    assert list(desk.outcomes.topics()) == []
    desk.outcomes.show(desk.reader.read())
    assert not desk.strip.shown
    desk.page.size = Size(120, STRIP_FROM_HEIGHT)
    event_id = desk.event.event_id
    assert list(desk.outcomes.topics()) == [EventTopic(event_id), EventQuotesTopic(event_id)]
    desk.outcomes.show(desk.reader.read())
    assert desk.strip.shown[0].index == 0
    assert "-siblings" in desk.page.classes


def test_flipping_points_at_the_price_that_means_the_same() -> None:
    desk = Desk()
    outcomes = Outcomes(desk.workspace, FakeStrip(), leave=lambda: None, arrive=lambda: None)
    desk.ladder.point_at(cents(30))
    assert desk.reader.token_id == YES
    outcomes.flip()
    assert desk.reader.token_id == NO
    assert desk.ladder.cursor is not None
    assert desk.ladder.cursor[0] == cents(70)


def test_both_outcomes_are_shown_and_shown_no_more() -> None:
    desk = Desk()
    outcomes = Outcomes(desk.workspace, FakeStrip(), leave=lambda: None, arrive=lambda: None)
    outcomes.show_both()
    assert desk.reader.is_mirrored
    assert desk.said == "Both outcomes on the ladder: No too."
    outcomes.show_both()
    assert not desk.reader.is_mirrored


def test_the_ladder_with_the_keys_stays_where_it_is() -> None:
    event = believable.election()
    first = event.markets[0]
    assert first.condition_id is not None
    siblings = siblings_of(event, first.condition_id)
    assert siblings is not None
    usual = markets_beside(siblings, 2, aimed=None, place=0)
    assert usual == siblings.after(2)
    assert markets_beside(siblings, 2, aimed=usual[1], place=1) == usual
    gone = replace(usual[1], condition_id=ConditionId("0xgone"))
    assert markets_beside(siblings, 2, aimed=gone, place=1) == (usual[0], gone)
    assert markets_beside(None, 2, aimed=gone, place=0) == (gone,)


class SeriesDesk(Desk):
    """The second of three windows of a rolling series, each a market of its own."""

    def __init__(self) -> None:
        super().__init__()
        series = (Series(SeriesId("1"), "ether-5m", "Ether every five minutes", "5m"),)
        self.events = tuple(
            replace(
                believable.single(500 + n, f"Ether up or down, window {n}?"), series=series,
                end_at=NOW + timedelta(minutes=5 * n),
            )
            for n in (1, 2, 3)
        )  # fmt: skip
        rows = tuple(believable.event_row(event) for event in self.events)
        self.service.lists[ENDING] = MarketListView(rows, Load.READY, has_more=False, as_of=NOW)
        for event in self.events:
            self.service.events[event.event_id] = EventView(event, Load.READY, NOW)
            market = replace(event.markets[0], event_id=event.event_id)
            assert market.condition_id is not None
            self.service.markets[market.condition_id] = MarketView(market, None, Load.READY, NOW)
        self.ids = [event.markets[0].condition_id for event in self.events]
        assert self.ids[1] is not None
        self.reader.condition_id = self.ids[1]
        self.outcomes = Outcomes(
            self.workspace, FakeStrip(), leave=lambda: None, arrive=lambda: None
        )


def test_one_key_goes_to_the_next_window_of_a_series_and_back() -> None:
    desk = SeriesDesk()
    assert ENDING in list(desk.outcomes.topics())
    desk.outcomes.step(1)
    assert desk.reader.condition_id == desk.ids[2]
    assert desk.said == "Window: Ether up or down, window 3?."
    desk.outcomes.windows.step(1)
    assert desk.said == "No later window is known yet."
    # What has ended is in no list of the venue any more: it was seen here.
    desk.service.lists.clear()
    desk.outcomes.step(-1)
    assert desk.reader.condition_id == desk.ids[1]
    desk.outcomes.windows.step(-1)
    assert desk.reader.condition_id == desk.ids[0]


def test_a_market_without_a_series_has_no_windows() -> None:
    desk = EventDesk()
    assert ENDING not in list(desk.outcomes.topics())
    desk.outcomes.windows.step(1)
    assert desk.said == "This market is no window of a series."

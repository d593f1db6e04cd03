"""A venue with traders, and what can be seen of it."""

from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from pmtui.sim.catalogue.load import load_packaged
from pmtui.sim.catalogue.model import (
    Activity,
    Catalogue,
    CatalogueEvent,
    CatalogueMarket,
    DepthProfile,
)
from pmtui.sim.engine.events import Event
from pmtui.sim.engine.terms import BookView
from pmtui.sim.storage.persistence import Store
from pmtui.sim.streams.publisher import Frame, Publisher
from pmtui.sim.traders import Traders
from pmtui.sim.venue import Venue
from tests.sim.clock import ManualClock

START = datetime(2026, 9, 21, 12, 1, tzinfo=UTC)


class Eyes:
    """Watches and counts."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []

    def receive_frames(self, frames: object) -> None:
        self.frames += frames  # type: ignore[arg-type]


@cache
def _packaged() -> Catalogue:
    return load_packaged(START)


def _some_events() -> list[CatalogueEvent]:
    """Return the windows, an event with a market of every pace, and some more."""
    events = _packaged().events
    chosen = {event.event_id: event for event in events if event.markets[0].is_window}
    for activity in Activity:
        found = (e for e in events if any(_is_of(m, activity) for m in e.markets))
        first = next(found, None)
        if first is not None:
            chosen[first.event_id] = first
    chosen.update((event.event_id, event) for event in events[:60])
    return [event for event in events if event.event_id in chosen]


def _is_of(market: CatalogueMarket, activity: Activity, *, is_window: bool = False) -> bool:
    return (
        market.is_tradable
        and market.is_window == is_window
        and market.activity_at(START) is activity
        and market.depth in (DepthProfile.NORMAL, DepthProfile.DEEP)
    )


class Floor:
    """A venue of the packaged catalogue, or of a tenth of it, with its traders."""

    def __init__(
        self,
        *,
        speed: float = 1.0,
        seed: int = 5,
        state: Path | None = None,
        is_whole: bool = False,
    ) -> None:
        self.clock = ManualClock(int(START.timestamp() * 1_000))
        # A catalogue of its own, for windows come and go.
        events = _packaged().events if is_whole else _some_events()
        catalogue = Catalogue(events, extras=_packaged().extras)
        store = Store(state)
        self.venue = Venue(catalogue, clock=self.clock, store=store, seed=seed, speed=speed)
        self.publisher = Publisher(self.venue, is_disorderly=False)
        self.traders = Traders(self.venue, seed=seed, speed=speed, publisher=self.publisher)
        self.traders.fill_books()
        self.events: list[Event] = []
        self.venue.subscribe(self.events.extend)

    def find(self, activity: Activity, *, is_window: bool = False) -> CatalogueMarket:
        return next(
            market
            for market in self.venue.catalogue.markets
            if _is_of(market, activity, is_window=is_window)
        )

    def book(self, market: CatalogueMarket) -> BookView:
        book = self.venue.exchange.reads.book(market.token_ids[0])
        assert book is not None
        return book

    def pass_seconds(self, seconds: float) -> None:
        for _ in range(int(seconds * 20)):
            self.clock.step(50)
            self.traders.step()

"""A service whose markets can be traded, for screens whose rows are targets of the trading keys."""

from dataclasses import replace
from datetime import timedelta

from textual.pilot import Pilot

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.markets.market import NO_FEE, Event, Market, MarketTerms
from pmtui.service.views import EventView, Load, MarketView
from pmtui.ui.ticket.confirm import CardScreen
from tests.ui import believable
from tests.ui.demo import ScreenApp
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.wait import settle, until

ELECTION = believable.election()


def terms_of(market: Market) -> MarketTerms:
    assert market.condition_id is not None
    return MarketTerms(
        condition_id=market.condition_id, token_ids=market.token_ids, outcome_labels=("Yes", "No"),
        tick_size=believable.micros(0.01), min_order_size=believable.micros(5), neg_risk=True,
        fee=NO_FEE,
    )  # fmt: skip


def book_of(market: Market, index: int = 0, *, bid: float = 0.4, ask: float = 0.42) -> BookView:
    size = believable.micros(1_000)
    return BookView(
        market.token_ids[index], BookState.LIVE, (Level(believable.micros(bid), size),),
        (Level(believable.micros(ask), size),), as_of=NOW,
    )  # fmt: skip


def tradable_service(event: Event = ELECTION) -> FakeService:
    """Return a service that knows terms and books of every open market of an event."""
    service = FakeService()
    service.events[event.event_id] = EventView(event, Load.READY, NOW)
    service.quotes[event.event_id] = believable.quotes(event, live=3)
    for market in event.markets:
        if market.condition_id is not None and not market.closed:
            view = MarketView(market, terms_of(market), Load.READY, NOW)
            service.markets[market.condition_id] = view
            for index in (0, 1):
                service.books[market.token_ids[index]] = book_of(market, index)
    return service


def hold(service: FakeService, market: Market, *, size: float = 100, index: int = 0) -> None:
    """Let shares of an outcome be held."""
    assert market.condition_id is not None
    token_id = market.token_ids[index]
    base = believable.position(1, market.question, size=size)
    held = replace(
        base, token_id=token_id, condition_id=market.condition_id, outcome_index=index,
        outcome=market.outcomes[index].label,
    )  # fmt: skip
    view = service.account_view
    service.account_view = replace(
        view, positions=(*view.positions, held),
        balances=(*view.balances, (token_id, believable.micros(size))),
    )  # fmt: skip


async def agree(app: ScreenApp, pilot: Pilot[None], service: FakeService) -> None:
    """Read the card for long enough, then press the key that sends."""
    card = app.screen
    assert isinstance(card, CardScreen)
    await settle(pilot)
    service.at += timedelta(seconds=1)
    await pilot.press("enter")
    await until(pilot, lambda: app.screen is not card, "the card is answered")

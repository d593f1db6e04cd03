"""The confirm card over the trading screen: it stands in the ticket's place."""

from dataclasses import replace

import pytest
from textual.pilot import Pilot

from pmtui.domain.markets.venue_state import Evidence, VenueFact, VenueState
from pmtui.service.topics import MarketTopic
from pmtui.ui.ticket.confirm import ConfirmScreen
from pmtui.ui.widgets.text_line import TextLine
from tests.ui.demo_market import MarketDemo
from tests.ui.fake_surface import NOW
from tests.ui.market.market_kit import opened
from tests.ui.moving_market import CONDITION
from tests.ui.stage import shown_text
from tests.ui.wait import settle, until

STATES = (
    VenueFact(VenueState.RESTARTING, Evidence.ANSWER, NOW),
    VenueFact(VenueState.POST_ONLY, Evidence.ANSWER, NOW),
    VenueFact(VenueState.DELAYED, Evidence.TERMS, NOW, text="3 s", condition_id=CONDITION),
)


async def _card(pilot: Pilot[None], app: MarketDemo) -> ConfirmScreen:
    await until(pilot, lambda: isinstance(app.screen, ConfirmScreen), "the confirm card")
    screen = app.screen
    assert isinstance(screen, ConfirmScreen)
    await until(pilot, lambda: screen._shown_at_s is not None, "the card painted")
    return screen


@pytest.mark.parametrize("states", [(), STATES])
@pytest.mark.parametrize("size", [(80, 24), (110, 30), (120, 36), (200, 50)])
async def test_it_stands_over_the_ticket_and_beside_the_ladder_at_any_of_the_sizes(
    size: tuple[int, int], states: tuple[VenueFact, ...]
) -> None:
    app = MarketDemo(0)
    async with app.run_test(size=size) as pilot:
        screen = await opened(app, pilot)
        service = app.market.service
        service.markets[CONDITION] = replace(service.markets[CONDITION], venue=states)
        service.announce(MarketTopic(CONDITION))
        await pilot.press("b")
        await until(pilot, lambda: screen.ticket.is_open, "the ticket opens")
        await pilot.press(*"100")
        await settle(pilot)
        await pilot.press("enter")
        card = await _card(pilot, app)
        region = card.query_one("#card").region
        if screen.ticket.has_class("-line"):
            assert not region.overlaps(screen.ticket.region)
        else:
            # It repeats the fields, so none of the ticket looks out from behind it.
            assert region.contains_region(screen.ticket.region)
        if not (screen.ticket.has_class("-line") and states):
            # What it is about is still moving beside it.
            assert not region.overlaps(screen.ladder.region)
        assert region.y >= 0
        assert region.x >= 0
        assert region.right <= size[0]
        assert region.bottom <= size[1]
        lines = [shown_text(line)[0].rstrip() for line in card.query(TextLine)]
        words = " ".join(" ".join(lines).split())
        assert "? addresses and id" in words
        assert "Send" in lines[-1]
        assert ("is restarting" in words) is bool(states)

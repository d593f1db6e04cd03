"""What the venue is up to stands where one looks, and is no bar: the way round is one key away."""

from decimal import Decimal
from pathlib import Path

import pytest

from tests.journeys import trader
from tests.journeys.conftest import Start
from tests.journeys.venue import PaperVenue

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
def test_after_a_restart_the_ticket_offers_what_the_venue_takes(
    start: Start, home: Path, size: tuple[int, int]
) -> None:
    terminal = start(size=size)
    trader.wait_for_markets(terminal)
    venue = PaperVenue(home)
    trader.find_market(terminal, venue.busy_markets()[0])
    shown = trader.quote(terminal)
    assert shown is not None
    price = f"{(shown[0] - Decimal('0.1')) * 100:.0f}"
    trader.open_ticket(terminal)
    trader.fill_in(terminal, price=price, size="33")

    venue.post("/restart", {"seconds": 600, "post_only_s": 0})
    trader.review(terminal)
    trader.send(terminal)
    terminal.until(lambda: "restarting" in terminal.rows()[0], "the word on the status line")
    terminal.until_text("The venue is restarting")

    venue.post("/restart", {"seconds": 0, "post_only_s": 600})
    trader.review(terminal)
    # The card repeats the warning and holds nothing back.
    assert "The venue is restarting" in terminal.text()
    trader.send(terminal)
    terminal.until(lambda: "post-only mode" in terminal.rows()[0], "the next word")
    terminal.until_text("post-only orders")
    terminal.press("ctrl+n")
    terminal.until(lambda: terminal.row_with("limit", "[x] post"), "the offered way")
    trader.review(terminal)
    trader.send(terminal)
    terminal.until_text("1 working")
    terminal.until(lambda: terminal.row_with("Accepted", "33 rest"), "the verdict")
    assert len(venue.ledger().open_orders) == 1

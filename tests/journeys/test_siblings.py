"""From one outcome of an event to the next on the trading screen, and an order in the right one."""

import re
from decimal import Decimal
from pathlib import Path

import pytest

from tests.journeys import trader
from tests.journeys.conftest import Start
from tests.journeys.terminal import Terminal
from tests.journeys.venue import Market, PaperVenue

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]

_HEAD_ROW = 1


def shown(terminal: Terminal, markets: list[Market]) -> Market | None:
    """Return the market that the head of the screen names, by its title in the event or its question."""
    head = terminal.rows()[_HEAD_ROW]
    by_title = next((m for m in markets if f"{m.title}: " in head), None)
    return by_title or max(
        (m for m in markets if m.question in head), key=lambda m: len(m.question), default=None
    )


def hop(terminal: Terminal, key: str) -> None:
    """Go to the outcome beside this one."""
    before = terminal.rows()[_HEAD_ROW]
    terminal.press(key)
    terminal.until(lambda: terminal.rows()[_HEAD_ROW] != before, "another outcome at the head")


def test_hopping_shows_the_next_outcome_and_trades_in_it(start: Start, home: Path) -> None:
    terminal = start(size=(160, 45))
    trader.wait_for_markets(terminal)
    venue = PaperVenue(home)
    by_event: dict[str, list[Market]] = {}
    for market in venue.busy_markets():
        by_event.setdefault(market.event_title, []).append(market)
    markets = next(found for found in by_event.values() if len(found) > 1)
    first = markets[0]
    trader.find_market(terminal, first)
    terminal.until(
        lambda: re.search(rf"Outcome [0-9]+ of [0-9]+ .*\[{re.escape(first.title[:12])}",
                          terminal.text()),
        "the strip with live prices",
    )  # fmt: skip

    # Not every outcome takes orders: go on to one that does.
    steps = 0
    while shown(terminal, markets) in (None, first):
        steps += 1
        hop(terminal, "right")
    second = shown(terminal, markets)
    assert second is not None
    trader.wait_for_ladder(terminal, second)
    assert f"[{second.title[:12]}" in terminal.text()
    bid, ask = venue.best(second.tokens[0])
    quote = trader.quote(terminal)
    assert quote is not None
    assert abs(quote[0] - bid) <= 5 * second.tick
    assert abs(quote[1] - ask) <= 5 * second.tick

    trader.rest_an_order(terminal)
    (order,) = venue.ledger().open_orders
    assert order["market"] == second.condition_id
    assert Decimal(order["price"]) < ask

    trader.close_ticket(terminal)
    for _ in range(steps):
        hop(terminal, "left")
    trader.wait_for_ladder(terminal, first)
    assert shown(terminal, markets) == first
    # No pile of screens: one step back is where the first market was opened.
    terminal.press("escape")
    terminal.until(lambda: terminal.row_with("24h", "Spread"), "what was found")
    terminal.press("escape")
    terminal.until(lambda: terminal.row_with("MARKETS", "by volume"), "the list")
    terminal.press("q")
    terminal.until_text("Quit with working orders?")
    terminal.press("enter")
    assert terminal.exit_code() == 0

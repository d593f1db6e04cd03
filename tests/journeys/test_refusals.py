"""What cannot be done is refused where one looks, with the way round, and nothing typed is lost."""

from decimal import Decimal
from pathlib import Path

import pytest

from tests.journeys import trader
from tests.journeys.conftest import Start
from tests.journeys.terminal import Terminal
from tests.journeys.venue import PaperVenue
from tests.sim.process import hosts_in_env, venue_process

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]


def test_a_ticket_is_refused_with_the_way_round_and_keeps_what_was_typed(
    start: Start, home: Path
) -> None:
    terminal, venue = _at_a_market(start, home)
    _sell_at_market(terminal)
    trader.close_ticket(terminal)
    _buy_too_little(terminal)
    trader.close_ticket(terminal)
    _buy_where_only_closing_is_allowed(terminal, venue)


def _sell_at_market(terminal: Terminal) -> None:
    trader.open_ticket(terminal, "s")
    terminal.press("ctrl+g")
    terminal.until_text("No market sells")
    terminal.until_text("limit with FAK")
    terminal.press("ctrl+n")
    terminal.until(lambda: terminal.row_with("limit", "FAK"), "the order that does the same")


def _buy_too_little(terminal: Terminal) -> None:
    trader.open_ticket(terminal)
    trader.fill_in(terminal, price="20", size="2")
    terminal.press("enter")
    terminal.until_text("Minimum 5 shares")
    assert "Send this order?" not in terminal.text()
    terminal.press("ctrl+n")
    terminal.until(lambda: terminal.row_with("Size", " 5 "), "the nearest valid size")


def _buy_where_only_closing_is_allowed(terminal: Terminal, venue: PaperVenue) -> None:
    """A refusal of the venue keeps the ticket as it was."""
    before = venue.ledger()
    venue.post("/standing", {"address": venue.wallet, "standing": "closed only"})
    shown = trader.quote(terminal)
    assert shown is not None
    price = f"{(shown[0] - Decimal('0.1')) * 100:.0f}"
    trader.open_ticket(terminal)
    trader.fill_in(terminal, price=price, size="33")
    trader.review(terminal)
    trader.send(terminal)
    terminal.until(lambda: "efused" in terminal.text(), "the venue's refusal")
    assert trader.field_text(terminal, "Size") == "33"
    assert trader.field_text(terminal, "Price") == price
    terminal.until_text("0 working")
    after = venue.ledger()
    assert (after.collateral, after.reserved, after.open_orders) == (
        before.collateral,
        before.reserved,
        [],
    )


def test_the_live_profile_without_a_key_is_read_only_and_says_so(start: Start) -> None:
    with venue_process() as venue:
        terminal = start("--profile", "live", env=hosts_in_env(venue.urls))
        terminal.until_text("READ-ONLY")
        terminal.until(lambda: terminal.row_with("MARKETS", "by volume", "event"), "markets")
        assert "no key" in terminal.text()
        terminal.press("p")
        terminal.until_text("No key in this session")
        terminal.press("m")
        terminal.until(lambda: terminal.row_with("MARKETS", "by volume"), "the list")
        terminal.until_text("¢")
        trader.open_first_event(terminal)
        terminal.press("enter")
        terminal.until(lambda: terminal.row_with("Bids", "Price", "Asks"), "the ladder")
        # The ticket stays closed.
        terminal.press("b")
        terminal.until(lambda: "ead-only" in trader.notice(terminal), "the reason")
        assert not terminal.row_with("Size", "shares")
        terminal.press("q")
        assert terminal.exit_code() == 0


def _at_a_market(start: Start, home: Path) -> tuple[Terminal, PaperVenue]:
    terminal = start(size=(160, 45))
    trader.wait_for_markets(terminal)
    venue = PaperVenue(home)
    trader.find_market(terminal, venue.busy_markets()[0])
    return terminal, venue


def test_without_a_journal_nothing_is_sent(start: Start, home: Path) -> None:
    journal = home / "state" / "paper" / "journal.sqlite"
    journal.parent.mkdir(parents=True)
    journal.write_bytes(b"no database, but as long as one" * 200)
    terminal, venue = _at_a_market(start, home)
    trader.open_ticket(terminal)
    trader.fill_in(terminal, price="10", size="20")
    trader.review(terminal)
    trader.send(terminal)
    terminal.until(lambda: "journal" in terminal.text().lower(), "what is wrong with the journal")
    terminal.until_text("0 working")
    ledger = venue.ledger()
    assert (ledger.open_orders, ledger.reserved) == ([], Decimal(0))

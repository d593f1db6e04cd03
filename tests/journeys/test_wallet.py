"""From a bare key to the first fill, and from a win to cash, in a real terminal."""

import signal
from decimal import Decimal
from functools import partial
from pathlib import Path

import pytest

from tests.journeys import trader
from tests.journeys.conftest import Start
from tests.journeys.processes import processes_of
from tests.journeys.terminal import Terminal
from tests.journeys.venue import Ledger, Market, PaperVenue

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]

STARTING_CASH = Decimal(10_000)
_MOST_PAGES = 20
CHAIN_DEADLINE_S = 120.0


def differs(terminal: Terminal, before: str) -> bool:
    return terminal.text() != before


def sign(terminal: Terminal, title: str, *, badge: str = "PAPER") -> None:
    """Read a card to its end and agree."""

    def is_asking() -> bool:
        return bool(terminal.row_with("enter", "esc Back"))

    terminal.until(lambda: terminal.row_with(badge, title), f"the card {title!r}")
    terminal.until(is_asking, "its keys")
    for _ in range(_MOST_PAGES):
        before = terminal.text()
        terminal.press("enter")
        terminal.until(partial(differs, terminal, before), "the card taking the key")
        terminal.pump_for(0.3)
        if not is_asking():
            return
    raise AssertionError(f"the card {title!r} does not end")


def open_account(terminal: Terminal) -> None:
    terminal.press("a")
    terminal.until(lambda: terminal.row_with("Step", "What is known"), "the account")


def open_positions(terminal: Terminal) -> None:
    terminal.press("p")
    terminal.until(lambda: terminal.row_with("Market", "Outcome", "Value"), "the positions")


def buy(terminal: Terminal, venue: PaperVenue, market: Market, *, size: str = "20") -> None:
    """Take offers of the outcome on show, from the market's screen."""
    before = venue.ledger().shares
    shown = trader.quote(terminal)
    assert shown is not None
    trader.open_ticket(terminal)
    price = min(shown[1] + Decimal("0.03"), Decimal("0.97"))
    trader.fill_in(terminal, price=f"{price * 100:.0f}", size=size)
    trader.review(terminal)
    trader.send(terminal)
    terminal.until(lambda: venue.ledger().shares != before, "the fill")
    trader.close_ticket(terminal)


def started(start: Start, home: Path) -> tuple[Terminal, PaperVenue]:
    terminal = start(size=(120, 36))
    trader.wait_for_markets(terminal)
    return terminal, PaperVenue(home)


def hold(terminal: Terminal, venue: PaperVenue, *, size: str = "20") -> Market:
    """Buy Yes in a busy market and go to the positions."""
    market = venue.busy_markets()[0]
    trader.find_market(terminal, market)
    buy(terminal, venue, market, size=size)
    open_positions(terminal)
    # The notice of the purchase names the outcome and a price as well: the tab's count does not.
    terminal.until_text("Positions 1")
    return market


def held(ledger: Ledger, token: str) -> Decimal:
    return ledger.shares.get(token, Decimal(0))


def test_a_bare_key_becomes_an_account_that_trades(start: Start, home: Path) -> None:
    terminal = start("--fresh", size=(120, 36))
    terminal.until(lambda: terminal.row_with("MARKETS", "by volume"), "markets")
    terminal.until(lambda: PaperVenue.is_up(home), "the venue")
    venue = PaperVenue(home)
    open_account(terminal)
    for way, card in (
        ("n: log in", "Make the trading host's API key?"),
        ("n: make a key", "Make a relayer key?"),
        ("n: deploy", "Deploy the deposit wallet?"),
        ("n: approve all", "Approve 8 contracts?"),
    ):
        terminal.until(lambda way=way: terminal.row_with(way), way, deadline_s=CHAIN_DEADLINE_S)  # type: ignore[misc]
        terminal.press("n")
        sign(terminal, card)
    terminal.until_text("every step is done", deadline_s=CHAIN_DEADLINE_S)
    assert venue.ledger().collateral == STARTING_CASH
    market = venue.busy_markets()[0]
    trader.find_market(terminal, market)
    buy(terminal, venue, market)
    assert held(venue.ledger(), market.tokens[0]) == 20
    assert venue.audit() == []
    terminal.press("q")
    assert terminal.exit_code() == 0


def test_no_shares_are_converted_into_yes_of_the_others(start: Start, home: Path) -> None:
    terminal, venue = started(start, home)
    market = venue.negative_risk_market()
    trader.find_market(terminal, market)
    terminal.press("o")
    terminal.until(lambda: terminal.row_with(" No ", market.question), "the other outcome")
    terminal.until(
        lambda: trader.quote(terminal) == venue.best(market.tokens[1]), "the prices of No"
    )
    buy(terminal, venue, market)
    no_shares = held(venue.ledger(), market.tokens[1])
    assert no_shares == 20
    open_positions(terminal)
    terminal.until(lambda: terminal.row_with("No", "¢"), "the position")
    terminal.until_text("V converts", deadline_s=CHAIN_DEADLINE_S)
    terminal.press("V")
    terminal.until_text("Convert No shares into Yes of the others")
    terminal.press("enter")
    sign(terminal, "Convert No of")
    terminal.until_text("Confirmed: Convert", deadline_s=CHAIN_DEADLINE_S)
    after = venue.ledger()
    assert held(after, market.tokens[1]) == 0
    others = [size for token, size in after.shares.items() if token not in market.tokens and size]
    assert len(others) >= 2
    assert set(others) == {no_shares}
    assert venue.audit() == []
    terminal.press("q")
    assert terminal.exit_code() == 0


def test_cash_becomes_both_outcomes_and_a_win_becomes_cash(start: Start, home: Path) -> None:
    terminal, venue = started(start, home)
    market = venue.busy_markets()[0]
    trader.find_market(terminal, market)
    before = venue.ledger()
    _split_where_nothing_is_held(terminal, venue, market)
    assert before.collateral - venue.ledger().collateral == Decimal("7.5")
    open_positions(terminal)
    terminal.until(lambda: terminal.row_with("mergeable"), "both outcomes")
    terminal.press("M")
    terminal.until_text("Merge both outcomes into cash")
    terminal.press("enter")
    sign(terminal, "Merge ")
    terminal.until_text("Confirmed: Merge", deadline_s=CHAIN_DEADLINE_S)
    merged = venue.ledger()
    assert merged.collateral == before.collateral
    assert [held(merged, token) for token in market.tokens] == [0, 0]
    terminal.press("m")
    terminal.until(lambda: terminal.row_with("MARKETS", "by "), "the list")
    hold(terminal, venue)
    _cash_in_a_win(terminal, venue, market)
    assert venue.audit() == []
    terminal.press("q")
    assert terminal.exit_code() == 0


def _split_where_nothing_is_held(terminal: Terminal, venue: PaperVenue, market: Market) -> None:
    terminal.press(":")
    terminal.until_text("split")
    terminal.type("split 7.5")
    terminal.until_text("Split $7.50 into 7.5 shares of each outcome")
    terminal.press("enter")
    sign(terminal, "Split into")
    terminal.until_text("Confirmed: Split", deadline_s=CHAIN_DEADLINE_S)
    after = venue.ledger()
    assert [held(after, token) for token in market.tokens] == [Decimal("7.5")] * 2
    terminal.press("Y")
    terminal.until_text("Split cash into both outcomes")
    terminal.press("escape")
    terminal.until_gone("Split cash into both outcomes")


def _cash_in_a_win(terminal: Terminal, venue: PaperVenue, market: Market) -> None:
    before = venue.ledger()
    venue.post("/resolve", {"condition_id": market.condition_id, "winner": 0})
    terminal.press("r")
    terminal.until(lambda: terminal.row_with("won"), "the win", deadline_s=CHAIN_DEADLINE_S)
    terminal.press("R")
    terminal.until_text("+$20")
    sign(terminal, "Redeem")
    terminal.until_text("Confirmed: Redeem", deadline_s=CHAIN_DEADLINE_S)
    after = venue.ledger()
    assert after.collateral - before.collateral == 20
    assert held(after, market.tokens[0]) == 0
    terminal.press("[")
    terminal.until(lambda: terminal.row_with("+ confirmed", "Redeem"), "the transaction")
    terminal.press("enter")
    terminal.until_text("redeemPositions(")


def test_a_transaction_happens_once_through_a_lost_answer_and_a_kill(
    start: Start, home: Path
) -> None:
    terminal, venue = started(start, home)
    hold(terminal, venue)
    before = venue.ledger()
    lost = {"host": "relayer", "prefix": "/submit", "method": "POST", "is_answer_lost": True}
    venue.post("/faults", {**lost, "remaining": 1})
    _split(terminal, "7.5")
    terminal.until_text("Confirmed: Split", deadline_s=CHAIN_DEADLINE_S)
    assert before.collateral - venue.ledger().collateral == Decimal("7.5")
    assert venue.batches() == 1
    _split_and_kill(terminal, venue)

    again = start(size=(120, 36))
    trader.wait_for_markets(again)
    open_positions(again)
    again.press("[")
    again.until(lambda: again.row_with("pending", "Split"), "the same transaction")
    venue = PaperVenue(home)
    venue.post("/relayer", {"course": "normal", "count": 0})
    again.until(
        lambda: _count(again, "+ confirmed Split") == 2, "its end", deadline_s=CHAIN_DEADLINE_S
    )
    after = venue.ledger()
    assert before.collateral - after.collateral == Decimal("12.5")
    assert venue.batches() == 2
    again.press("q")
    assert again.exit_code() == 0
    assert processes_of(home) == {}


def _split_and_kill(terminal: Terminal, venue: PaperVenue) -> None:
    """Kill the terminal with a transaction on its way, and the one before it done once."""
    venue.post("/relayer", {"course": "stalled", "count": 1})
    _split(terminal, "5")
    terminal.press("[")
    terminal.until(lambda: terminal.row_with("pending", "Split"), "the transaction")
    assert _count(terminal, "+ confirmed Split") == 1
    terminal.send_signal(signal.SIGKILL)
    terminal.until(terminal.has_ended, "the end of the program")


def _split(terminal: Terminal, amount: str) -> None:
    terminal.press("S")
    terminal.until_text("Split cash into both outcomes")
    terminal.type(amount)
    terminal.press("enter")
    sign(terminal, "Split into")


def _count(terminal: Terminal, words: str) -> int:
    return sum(words in row for row in terminal.rows())

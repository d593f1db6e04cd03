"""The first session of somebody who has just installed the program, checked to the last unit."""

import re
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest

from tests.journeys import trader
from tests.journeys.conftest import BOTH_WAYS, Start
from tests.journeys.processes import processes_of, wait_until_gone
from tests.journeys.terminal import Terminal
from tests.journeys.trader import cents, money
from tests.journeys.venue import Ledger, Market, PaperVenue

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]

STARTING_CASH = Decimal(10_000)
FEE_STEP = Decimal("0.00001")
LADDER_DEADLINE_S = 60.0


@BOTH_WAYS
def test_a_first_session_trades_and_every_unit_adds_up(
    start: Start, home: Path, is_attached: bool
) -> None:
    env = {"PMTUI_SERVICE__IDLE_EXIT_S": "5"}
    terminal = start(size=(160, 45), is_attached=is_attached, env=env)
    trader.wait_for_markets(terminal)
    terminal.until_text(f"cash {money(STARTING_CASH)}")
    venue = PaperVenue(home)
    market = venue.busy_markets()[0]

    _search_and_look(terminal, market)
    trader.open_event(terminal, market)
    trader.open_market(terminal, market)
    _see_the_ladder_live(terminal)

    _rest_and_cancel(terminal, venue, market)
    _buy_across_the_spread(terminal, venue, market)

    terminal.press("q")
    assert terminal.exit_code() == 0
    _see_the_shell_as_it_was(terminal)
    if is_attached:
        # Nothing is left to watch over.
        assert wait_until_gone(home) == {}
    assert processes_of(home) == {}


def _search_and_look(terminal: Terminal, market: Market) -> None:
    """Find a market as one types, look at it, and go back to the list as it was."""
    trader.find_market(terminal, market, is_typed=True)
    terminal.press("escape")
    terminal.until(lambda: terminal.row_with("24h", "Spread"), "what was found")
    terminal.press("escape")
    terminal.until(lambda: terminal.row_with("MARKETS", "by volume"), "the list")


def _see_the_ladder_live(terminal: Terminal) -> None:
    """Without a key pressed, sizes in the ladder change."""
    before = trader.ladder_rows(terminal)
    terminal.until(
        lambda: trader.ladder_rows(terminal) != before,
        "the ladder changing by itself",
        deadline_s=LADDER_DEADLINE_S,
    )


def _rest_and_cancel(terminal: Terminal, venue: PaperVenue, market: Market) -> None:
    before = venue.ledger()
    bid, _ = venue.best(market.tokens[0])
    price, size = bid - 3 * market.tick, Decimal(40)
    _order(terminal, price=price, size=size)
    terminal.until_text("Working:")

    terminal.until(lambda: _own_at(terminal, price) == "40", "the order resting in the ladder")
    terminal.until_text("1 working")
    resting = venue.ledger()
    assert [(o["price"], o["original_size"], o["side"]) for o in resting.open_orders] == [
        (str(price), str(size), "BUY")
    ]
    assert resting.reserved - before.reserved == price * size
    assert resting.collateral == before.collateral == STARTING_CASH
    terminal.until_text(f"cash {money(STARTING_CASH - price * size)}")

    trader.close_ticket(terminal)
    terminal.until(
        lambda: terminal.row_with("BUY", "40", cents(price).rstrip("¢"), "GTC"), "own orders"
    )
    trader.open_orders_tab(terminal)
    terminal.until(lambda: terminal.row_with(market.question, "BUY", "40"), "the open order")
    terminal.press("x")
    terminal.until_text("0 working")
    terminal.until_text(f"cash {money(STARTING_CASH)}")
    after = venue.ledger()
    assert (after.reserved, after.collateral) == (before.reserved, before.collateral)
    assert after.open_orders == []

    terminal.press("escape")
    trader.wait_for_ladder(terminal, market)
    terminal.until(lambda: _own_at(terminal, price) == "", "the order gone from the ladder")


def _buy_across_the_spread(terminal: Terminal, venue: PaperVenue, market: Market) -> None:
    before = venue.ledger()
    _, ask = venue.best(market.tokens[0])
    limit, size = ask + 3 * market.tick, Decimal(25)
    _order(terminal, price=limit, size=size)
    terminal.until_text("25 Yes filled")
    terminal.until(lambda: "25 Yes" in trader.notice(terminal), "a notice of the fill")

    after = venue.ledger()
    trades = venue.own_trades()
    paid = sum((Decimal(str(t["price"])) * Decimal(str(t["size"])) for t in trades), Decimal(0))
    rate = venue.fee_rate(market)
    fees = sum(
        (_fee(Decimal(str(t["price"])), Decimal(str(t["size"])), rate) for t in trades), Decimal(0)
    )
    assert sum(Decimal(str(t["size"])) for t in trades) == size
    assert all(Decimal(str(t["price"])) <= limit for t in trades)
    assert after.shares == {market.tokens[0]: size}
    assert after.changed_since(before, "fee") == -fees
    assert after.collateral == before.collateral - paid - fees
    assert (after.reserved, after.open_orders) == (Decimal(0), [])
    assert after.is_whole
    assert venue.audit() == []

    terminal.until_text(f"cash {money(after.collateral)}")
    trader.close_ticket(terminal)
    terminal.until(lambda: _held(terminal) == size, "the position beside the ladder")
    _see_the_portfolio(terminal, market, after, paid=paid, size=size)


def _see_the_portfolio(
    terminal: Terminal, market: Market, ledger: Ledger, *, paid: Decimal, size: Decimal
) -> None:
    terminal.press("p")
    terminal.until(lambda: terminal.row_with("Positions 1", "Working 0", "Fills"), "the tabs")
    # The tab of last time may still be in front.
    if terminal.row_with("bids worth"):
        terminal.press("[")
    terminal.until(lambda: terminal.row_with(market.question, f"{size:f}"), "the position")
    terminal.until(lambda: terminal.row_with("cost", money(paid)), "what it cost")
    terminal.until(lambda: terminal.row_with("cash", money(ledger.available)), "the cash")


def _order(terminal: Terminal, *, price: Decimal, size: Decimal) -> None:
    trader.open_ticket(terminal)
    trader.fill_in(terminal, price=f"{price * 100:.0f}", size=f"{size:f}")
    trader.review(terminal)
    assert terminal.row_with(f"BUY {size:f} Yes @ {cents(price)}")
    assert terminal.row_with("Cost", money(price * size))
    trader.send(terminal)


def _own_at(terminal: Terminal, price: Decimal) -> str:
    """Return what the ladder shows as ours among the bids at a price."""
    before, _, _ = trader.ladder_row(terminal, price).partition(cents(price))
    found = re.search(r"([0-9.,]+)[+$]? [^0-9.,]*[0-9.,]+[│ ]*[@=]? *$", before)
    return found[1] if found else ""


def _held(terminal: Terminal) -> Decimal:
    found = re.search(r"Yes\s+([0-9.,]+) at [0-9.]+¢", terminal.text())
    return Decimal(found[1].replace(",", "")) if found else Decimal(0)


def _fee(price: Decimal, size: Decimal, rate: Decimal) -> Decimal:
    """The published formula: shares, rate, and price times its complement, to five decimals."""
    return (size * rate * price * (1 - price)).quantize(FEE_STEP, ROUND_HALF_UP)


def _see_the_shell_as_it_was(terminal: Terminal) -> None:
    """The alternate screen is left, and the cursor is there again."""
    assert terminal.output.rfind(b"\x1b[?1049l") > terminal.output.rfind(b"\x1b[?1049h")
    assert terminal.output.rfind(b"\x1b[?25h") > terminal.output.rfind(b"\x1b[?25l")

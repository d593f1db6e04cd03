"""The steps a trader takes, each waiting for what the screen must then show."""

import re
from collections.abc import Callable
from decimal import ROUND_DOWN, Decimal
from itertools import takewhile

from tests.journeys.terminal import Terminal
from tests.journeys.venue import Market

MOST_STEPS = 300
MOST_LOOKS = 3
STEP_DEADLINE_S = 10.0
CENT = Decimal("0.01")
_EVENT_ROW, _TITLE_ROW, _DETAILS_ROW, _NOTICE_ROW = 1, -4, -3, -2
# The ticket's fields: each in a row of its own, or on a small screen all on one line. A sign stands
# before the one that has the keys, or that is wrong.
_ROWS = {
    "Price": re.compile(r"Price (?P<text>[0-9.]*)\s*[¢c]  (?:bid|[0-9-])"),
    "Size": re.compile(r"Size  (?P<text>[0-9.]*)\s+(?:shares|dollars|percent)"),
}
_ON_A_LINE = {
    "Price": re.compile(r"(?:BUY|SELL) .*[ !▸>]at (?P<text>[0-9.]*)\s+[¢c] +[!▸>]?size "),
    "Size": re.compile(
        r"(?:BUY|SELL) .*[¢c] +[!▸>]?size (?P<text>[0-9.]*)\s+(?:shares|dollars|percent)"
    ),
}


def money(amount: Decimal) -> str:
    """Write dollars as the screen does: to the cent, rounded down."""
    return f"${amount.quantize(CENT, ROUND_DOWN):,}"


def cents(price: Decimal) -> str:
    """Write a price on the one-cent grid."""
    return f"{price * 100:.0f}¢"


def wait_for_markets(terminal: Terminal) -> None:
    """Wait for a funded account, go back to the list where another screen was left, and wait for it."""
    terminal.until_text("cash $")
    if not terminal.row_with("MARKETS", "by "):
        terminal.press("m")
    terminal.until(
        lambda: terminal.row_with("MARKETS", "by volume") and terminal.row_with("¢"), "markets"
    )


def open_event(terminal: Terminal, market: Market) -> None:
    """Move the cursor to an event of the list and open it, going back where it was another."""
    for _ in range(MOST_LOOKS):
        _move_to(terminal, market.event_title, lambda: _title(terminal))
        terminal.press("enter")
        terminal.until(lambda: terminal.row_with("Outcome", "Bid", "Ask"), "the event's outcomes")
        if terminal.rows()[_EVENT_ROW].strip().startswith(market.event_title):
            return
        # A rolling series began its next window while a key was on its way: that changed the row
        # under the cursor, too, and was taken for the key.
        terminal.press("escape")
        terminal.until(lambda: terminal.row_with("MARKETS", "by "), "the list")
    raise AssertionError(f"another event than {market.event_title!r} was opened each time")


def open_market(terminal: Terminal, market: Market) -> None:
    """Move the cursor to an outcome of the event and open its market."""
    # What the list told of the event goes last of all from the screen.
    terminal.until(
        lambda: "markets open" not in terminal.rows()[_DETAILS_ROW], "what is told of an outcome"
    )
    # The last of the facts about the outcome under the cursor is its whole question.
    _move_to(terminal, market.question, lambda: terminal.rows()[_DETAILS_ROW].split("  ")[-1])
    terminal.press("enter")
    wait_for_ladder(terminal, market)


def open_first_event(terminal: Terminal) -> None:
    """Open the first event of the list that is no folded series."""
    rows = terminal.rows()
    first = next(number for number, row in enumerate(rows) if "Leader" in row) + 1
    for _ in takewhile(lambda row: "· every " in row, rows[first:]):
        terminal.press("down")
    terminal.press("enter")
    terminal.until(lambda: terminal.row_with("Outcome", "Bid", "Ask"), "the event's outcomes")


def open_first_market(terminal: Terminal) -> None:
    """Open the first event of the list, and the first of its markets."""
    open_first_event(terminal)
    # The head of the table stands there before the first outcome that can be opened.
    terminal.until(lambda: terminal.row_with("spread", "liquidity"), "the outcome at the cursor")
    terminal.press("enter")
    terminal.until(lambda: terminal.row_with("Bids", "Price", "Asks"), "the ladder")
    wait_for_terms(terminal)
    terminal.until(
        lambda: quote(terminal) is not None and has_good_book(terminal),
        "a good book",
    )


def find_market(terminal: Terminal, market: Market, *, is_typed: bool = False) -> None:
    """Search for a market by its whole question, pasted or typed, and open it."""
    terminal.press("/")
    terminal.until_text("Search markets")
    if is_typed:
        terminal.type(market.question)
    else:
        terminal.paste(market.question)
    terminal.until(lambda: _title(terminal) == market.question, "the market")
    terminal.press("enter")
    wait_for_ladder(terminal, market)


def wait_for_ladder(terminal: Terminal, market: Market) -> None:
    """Wait for a market's screen with a book whose prices may be taken."""
    terminal.until(
        lambda: (
            (market.question in terminal.text() or f"{market.title}: " in terminal.text())
            and terminal.row_with("Bids", "Price", "Asks")
        ),
        "the market",
    )
    terminal.until(lambda: quote(terminal) is not None and has_good_book(terminal), "a good book")
    # They come by another way than the book, and without them a ticket stays closed.
    wait_for_terms(terminal)


def wait_for_terms(terminal: Terminal) -> None:
    """Wait until it is known by which rules one trades here, or that one cannot."""
    terminal.until(
        lambda: any(map(terminal.row_with, ("tick ", "taker fee ", "Read-only:"))),
        "the trading terms",
    )


def has_good_book(terminal: Terminal) -> bool:
    """Tell whether the line above the ladder calls the book live or verified."""
    rows = terminal.rows()
    head = next((n for n, row in enumerate(rows) if "Bids" in row and "Asks" in row), 0)
    return head > 0 and re.search(r"[ ■]live |[ ■]verified ", rows[head - 1][:40]) is not None


def quote(terminal: Terminal) -> tuple[Decimal, Decimal] | None:
    """Read best bid and best ask from the market's head, None while one is missing."""
    found = re.search(r"bid ([0-9.]+)¢ +ask ([0-9.]+)¢", terminal.text())
    if found is None:
        return None
    bid, ask = (Decimal(text) / 100 for text in found.groups())
    return bid, ask


def ladder_rows(terminal: Terminal) -> list[str]:
    """Return the ladder's prices with what is on them, without what stands beside or below."""
    rows = terminal.rows()
    head = next(n for n, row in enumerate(rows) if "Bids" in row and "Asks" in row)
    edge = max(found.end() for found in re.finditer("Asks|Δ5s", rows[head]))
    shown = [row[:edge] for row in rows[head + 1 : _NOTICE_ROW] if "¢" in row[:edge]]
    return [row for row in shown if not re.match(r"[│ ]{1,2}(sum |[0-9.]+¢)", row)]


def ladder_row(terminal: Terminal, price: Decimal) -> str:
    """Return the ladder's line of a price, empty where it is out of sight."""
    wanted = re.compile(rf"(?<![0-9.]){re.escape(cents(price))}")
    return next((row for row in ladder_rows(terminal) if wanted.search(row)), "")


def open_ticket(terminal: Terminal, key: str = "b") -> None:
    """Press the key that buys or sells."""
    terminal.press(key)
    terminal.until(lambda: all(_find(terminal, name) for name in _ROWS), "the ticket")
    terminal.until(lambda: terminal.cursor_row().strip(), "a field with the keys")


def fill_in(terminal: Terminal, *, price: str, size: str) -> None:
    """Type price and size into an open ticket."""
    _type_field(terminal, "Price", price, way="shift+tab")
    _type_field(terminal, "Size", size, way="tab")


def review(terminal: Terminal) -> None:
    """Ask for the card."""
    terminal.press("enter")
    terminal.until_text("Send this order?")


def send(terminal: Terminal) -> None:
    """Send what the card shows; a key that came too early is pressed again once the card asks."""
    terminal.press("enter")
    terminal.until(
        lambda: "Send this order?" not in terminal.text() or "Press again" in terminal.text(),
        "the card taking the key or asking for it again",
    )
    if "Send this order?" in terminal.text():
        terminal.press("enter")
        terminal.until_gone("Send this order?")


def close_ticket(terminal: Terminal) -> None:
    """Close the ticket; the ladder has the keys again."""
    terminal.press("escape")
    terminal.until(lambda: _find(terminal, "Size") is None, "the ticket closed")


def notice(terminal: Terminal) -> str:
    """Return the line that is kept for notices."""
    return terminal.rows()[_NOTICE_ROW]


def rest_an_order(terminal: Terminal, *, size: str = "40", count: int = 1) -> Decimal:
    """Buy far below the market from an open market screen; returns the price.

    Args:
        terminal: at a market.
        size: in shares.
        count: the orders that are working then.
    """
    shown = quote(terminal)
    assert shown is not None
    price = shown[0] - 10 * CENT
    open_ticket(terminal)
    fill_in(terminal, price=f"{price * 100:.0f}", size=size)
    review(terminal)
    send(terminal)
    terminal.until_text("Working:")
    terminal.until_text(f"{count} working")
    return price


def open_orders_tab(terminal: Terminal) -> None:
    """Go to the portfolio's open orders."""
    terminal.press("p")
    terminal.until(lambda: terminal.row_with("Positions", "Working"), "the portfolio")
    terminal.press("]")
    terminal.until_text("bids worth")


def _type_field(terminal: Terminal, name: str, text: str, *, way: str) -> None:
    """Move to a field and replace what it holds; the cursor tells which field has the keys."""
    if not _has_cursor(terminal, name):
        terminal.press(way)
        terminal.until(lambda: _has_cursor(terminal, name), f"the field {name}")
    if field_text(terminal, name):
        terminal.press("ctrl+u")
        terminal.until(lambda: field_text(terminal, name) == "", f"{name} emptied")
    terminal.type(text)
    terminal.until(lambda: field_text(terminal, name) == text, f"{name} {text}")


def field_text(terminal: Terminal, name: str) -> str:
    """Return what a field of the ticket holds."""
    found = _find(terminal, name)
    assert found is not None, f"no field {name}"
    return found[1]["text"]


def _has_cursor(terminal: Terminal, name: str) -> bool:
    found, (x, y) = _find(terminal, name), terminal.cursor()
    if found is None or found[0] != y:
        return False
    start, end = found[1].span("text")
    # Behind the last character the cursor stands a cell further on.
    return start <= x <= end + 1


def _find(terminal: Terminal, name: str) -> tuple[int, re.Match[str]] | None:
    """Return the row of a field of the ticket and where in it the field stands."""
    for row, text in enumerate(terminal.rows()):
        found = _ROWS[name].search(text) or _ON_A_LINE[name].search(text)
        if found is not None:
            return row, found
    return None


def _title(terminal: Terminal) -> str:
    """Return what a list has under its cursor, in full."""
    return terminal.rows()[_TITLE_ROW].strip()


def _move_to(terminal: Terminal, wanted: str, under_cursor: Callable[[], str]) -> None:
    terminal.until(under_cursor, "something under the cursor")
    has_begun_again = False
    for _ in range(MOST_STEPS):
        before = under_cursor()
        if before == wanted:
            return
        terminal.press("down")
        try:
            terminal.until(
                lambda seen=before: under_cursor() not in ("", seen),  # type: ignore[misc]  # bound now
                "the cursor moving", deadline_s=STEP_DEADLINE_S,
            )  # fmt: skip
        except AssertionError:
            # At the last row: newer prices have put the wanted one above.
            if has_begun_again:
                raise
            has_begun_again = True
            terminal.press("home")
    raise AssertionError(f"{wanted!r} is not in the list")


def agree(terminal: Terminal, question: str) -> None:
    """Read the card, then send; a key that came too early is pressed again when it asks."""
    terminal.until_text(question)
    terminal.press("enter")
    terminal.until(
        lambda: question not in terminal.text() or "Press again" in terminal.text(),
        "the card taking the key or asking for it again",
    )
    if question in terminal.text():
        terminal.press("enter")
        terminal.until_gone(question)

"""Plain characters, no colour, other sizes, and terminals that cannot show it."""

from pathlib import Path

import pytest

from tests.journeys import trader
from tests.journeys.conftest import Start
from tests.journeys.venue import PaperVenue

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]


@pytest.mark.parametrize("term", ["dumb", "unknown", ""])
def test_a_terminal_that_moves_no_cursor_is_refused_and_told_what_to_do(
    start: Start, term: str
) -> None:
    terminal = start(size=(80, 24), term=term)
    assert terminal.exit_code() == 2
    assert b"TERM=xterm-256color" in terminal.output
    # Nothing that such a terminal would print as rubbish.
    assert b"\x1b" not in terminal.output


def test_in_the_plain_locale_a_terminal_gets_plain_characters_only(start: Start) -> None:
    terminal = start(size=(80, 24), env={"COLORTERM": "", "LC_ALL": "C"})
    terminal.until_text("cash $10,000.00")
    terminal.until(lambda: terminal.row_with("%") or terminal.row_with("c "), "prices")
    strange = {character for character in terminal.text() if ord(character) > 126}
    assert strange == set()


def test_a_terminal_of_which_nothing_is_said_gets_all_characters(start: Start) -> None:
    terminal = start(size=(80, 24), env={"LC_ALL": "", "LANG": ""})
    trader.wait_for_markets(terminal)


def test_every_screen_opens_in_every_size_while_books_move(start: Start, home: Path) -> None:
    terminal = start(size=(80, 24))
    trader.wait_for_markets(terminal)
    for size in ((80, 24), (40, 12)):
        terminal.resize(*size)
        for key, sign in (("p", "Positions"), ("l", "LOG"), ("?", "HELP"), ("m", "PAPER")):
            terminal.press(key)
            terminal.until_text(sign)
    terminal.resize(200, 50)
    terminal.until_text("MARKETS")
    market = PaperVenue(home).busy_markets()[0]
    trader.find_market(terminal, market)
    for size in ((80, 24), (40, 12), (20, 5), (80, 24), (200, 50)):
        before = terminal.byte_count
        terminal.resize(*size)
        terminal.until(lambda seen=before: terminal.byte_count > seen, f"a picture at {size}")  # type: ignore[misc]  # bound now
        terminal.until(lambda: terminal.text().strip(), f"something at {size}")
    trader.wait_for_ladder(terminal, market)
    terminal.press("q")
    assert terminal.exit_code() == 0

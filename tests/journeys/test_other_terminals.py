"""One whole trade in each kind of terminal: nothing is sent that the terminal does not know."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journeys import trader
from tests.journeys.terminal import PROGRAM, Terminal
from tests.journeys.venue import PaperVenue

pytestmark = [pytest.mark.journey, pytest.mark.no_cover]

SIXTEEN = re.compile(rb"\x1b\[(?:[0-9;]*;)?(?:3[0-7]|4[0-7]|9[0-7]|10[0-7])[;m]")
PALETTE = re.compile(rb"[34]8;5;")
TRUE_COLOUR = re.compile(rb"[34]8;2;")

KINDS = {
    "xterm-256color": ((TRUE_COLOUR,), PALETTE),
    "screen-256color": ((TRUE_COLOUR,), PALETTE),
    "putty": ((TRUE_COLOUR, PALETTE), SIXTEEN),
    "linux": ((TRUE_COLOUR, PALETTE), SIXTEEN),
    "vt100": ((TRUE_COLOUR, PALETTE, SIXTEEN), None),
}
"""What must not be sent, and what makes it colourful."""
NO_COLOUR = ("xterm-256color", {"NO_COLOR": "1"}, (TRUE_COLOUR, PALETTE, SIXTEEN), None)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One home with one service, to which every kind of terminal is attached in its turn."""
    path = tmp_path_factory.mktemp("terminals") / "home"
    with Terminal((PROGRAM, "attach"), home=path) as first:
        trader.wait_for_markets(first)
        first.press("q")
        assert first.exit_code() == 0
        yield path


@pytest.mark.parametrize(
    ("term", "env", "unknown", "known"),
    [*((term, {}, *codes) for term, codes in KINDS.items()), NO_COLOUR],
    ids=[*KINDS, "NO_COLOR"],
)
def test_a_trade_from_start_to_end(
    home: Path,
    term: str,
    env: dict[str, str],
    unknown: tuple[re.Pattern[bytes], ...],
    known: re.Pattern[bytes] | None,
) -> None:
    is_colourless = known is None
    env = {"COLORTERM": "", **({"PMTUI_THEME": "harbour"} if is_colourless else {}), **env}
    with Terminal(
        (PROGRAM,), home=home, size=(80, 24), term=term, env=env, is_guest=True
    ) as terminal:
        terminal.is_plain = term in ("vt100", "linux")
        trader.wait_for_markets(terminal)
        if is_colourless:
            _see_the_cursor_in_reverse(terminal)
        _trade(terminal, PaperVenue(home))
        terminal.press("q")
        assert terminal.exit_code() == 0
        output = bytes(terminal.output)
        if terminal.is_plain:
            assert re.findall(rb".{30}[^\x00-\x7f]+.{9}", output) == []
    assert b"Traceback" not in output
    for codes in unknown:
        assert not codes.search(output), codes.search(output)
    assert known is None or known.search(output)


def _trade(terminal: Terminal, venue: PaperVenue) -> None:
    trader.find_market(terminal, venue.busy_markets()[0], is_typed=True)
    trader.rest_an_order(terminal)
    assert len(venue.ledger().open_orders) == 1
    trader.close_ticket(terminal)
    terminal.press("X")
    trader.agree(terminal, "Cancel all working orders?")
    terminal.until_text("0 working")
    assert venue.ledger().open_orders == []


def _see_the_cursor_in_reverse(terminal: Terminal) -> None:
    """Without a colour the cursors of the list and of what is found are seen all the same."""
    terminal.until(lambda: len(terminal.rows_in_reverse()) == 1, "the cursor of the list")
    terminal.press("/")
    terminal.type("will")
    terminal.until_text("server included")
    terminal.until(lambda: len(terminal.rows_in_reverse()) == 1, "the cursor of the results")
    terminal.press("escape")
    terminal.until_text("by volume")

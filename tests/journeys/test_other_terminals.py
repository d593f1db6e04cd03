"""One whole trade in each kind of terminal: nothing is sent that the terminal does not know."""

import re
from pathlib import Path

import pytest

from tests.journeys import trader
from tests.journeys.conftest import Start
from tests.journeys.test_actions import agree
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


@pytest.mark.parametrize(
    ("term", "env", "unknown", "known"),
    [*((term, {}, *codes) for term, codes in KINDS.items()), NO_COLOUR],
    ids=[*KINDS, "NO_COLOR"],
)
def test_a_trade_from_start_to_end(
    start: Start,
    home: Path,
    term: str,
    env: dict[str, str],
    unknown: tuple[re.Pattern[bytes], ...],
    known: re.Pattern[bytes] | None,
) -> None:
    is_attached = term == "xterm-256color"
    terminal = start(
        size=(80, 24), term=term, env={"COLORTERM": "", **env}, is_attached=is_attached
    )
    terminal.is_plain = term in ("vt100", "linux")
    trader.wait_for_markets(terminal)
    venue = PaperVenue(home)
    trader.find_market(terminal, venue.busy_markets()[0])
    trader.rest_an_order(terminal)
    assert len(venue.ledger().open_orders) == 1
    trader.close_ticket(terminal)
    terminal.press("X")
    agree(terminal, "Cancel all working orders?")
    terminal.until_text("0 working")
    assert venue.ledger().open_orders == []
    terminal.press("q")
    assert terminal.exit_code() == 0
    if terminal.is_plain:
        assert re.findall(rb".{30}[^\x00-\x7f]+.{9}", terminal.output) == []
    output = bytes(terminal.output)
    assert b"Traceback" not in output
    for codes in unknown:
        assert not codes.search(output), codes.search(output)
    assert known is None or known.search(output)

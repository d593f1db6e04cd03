from datetime import UTC

import pytest

from pmtui.domain.account.wallet_call import Call
from pmtui.service.views import Mode
from pmtui.signing.contracts import POLYGON
from pmtui.ui.cells import Line, line_width
from pmtui.ui.wallet.paint_batch import BatchCard, paint_batch_card
from tests.ui.fake_surface import NOW
from tests.ui.onboarded import NEWER
from tests.ui.wallet.batches import (
    APPROVALS,
    CONVERT,
    DIGEST,
    MERGE,
    NAMES,
    REDEEM,
    SEND,
    SPLIT,
    STRANGER,
    batch_of,
    meaning,
)


def paint(*calls: Call, width: int = 72, ascii_only: bool = False) -> tuple[Line, ...]:
    card = BatchCard(
        "Sign this batch?", batch_of(*calls), meaning(*calls), DIGEST,
        outcome=(("Cash", "$5.00, then $15.00"),), warnings=("It would revert: paused",),
        notes=("Confirmed in about ten seconds.",),
    )  # fmt: skip
    return paint_batch_card(
        card, width, mode=Mode.LIVE, names=NAMES, now=NOW, zone=UTC, ascii_only=ascii_only
    )


def text(lines: tuple[Line, ...]) -> str:
    return "\n".join("".join(cell.text for cell in line).rstrip() for line in lines)


def unwrapped(lines: tuple[Line, ...]) -> str:
    return "".join(text(lines).split())


@pytest.mark.parametrize("width", [28, 38, 72, 116])
def test_nothing_is_cut_in_any_width(width: int) -> None:
    lines = paint(*APPROVALS, SEND, SPLIT, MERGE, REDEEM, CONVERT, width=width)
    assert all(line_width(line) <= width for line in lines)
    shown = unwrapped(lines)
    for whole in (POLYGON.exchange, POLYGON.collateral, STRANGER, NEWER.address, DIGEST):
        assert whole in shown


def test_a_card_says_who_pays_the_gas_until_when_and_what_is_hashed() -> None:
    shown = text(paint(SEND))
    assert "LIVE" in shown
    assert "Gas       none: the relayer pays it" in shown
    assert "Deadline  2026-06-15 12:10:00 UTC (in 10m)" in shown
    assert "Nonce     4" in shown
    assert DIGEST in unwrapped(paint(SEND))
    assert "Cash      $5.00, then $15.00" in shown


def test_a_warning_stands_before_what_is_signed() -> None:
    shown = text(paint(SEND))
    assert shown.index("! It would revert: paused") < shown.index("Send $1,250.000001")


def test_the_calls_of_a_batch_are_numbered_and_a_single_one_is_not() -> None:
    assert "2. Allow the exchange to move" in text(paint(*APPROVALS))
    assert "1. " not in text(paint(SEND))


def test_a_terminal_without_unicode_gets_none() -> None:
    assert text(paint(*APPROVALS, SPLIT, ascii_only=True)).isascii()

from dataclasses import replace

import pytest

from pmtui.domain.account.address_book import AddressBook, Contact
from pmtui.domain.account.wallet_steps import UNLIMITED_APPROVAL
from pmtui.service.views import Mode
from pmtui.service.wallet.wallet_views import Simulation, WalletCard
from pmtui.ui.cells import Line, line_width
from pmtui.ui.wallet.paint_card import WalletFunds, funds_of, paint_card
from tests.ui.fake_surface import NOW
from tests.ui.onboarded import EXCHANGE, NEWER, OWNER
from tests.ui.wallet.wallets import (
    APPROVE_CARD,
    BOTH,
    DEPLOY_CARD,
    DIGEST,
    MERGE_CARD,
    PUSD,
    READY_WALLET,
    REDEEM_CARD,
    SEND_CARD,
    SIGN_IN_CARD,
    STRANGER,
)

HELD = funds_of(READY_WALLET, AddressBook(), READY_WALLET.cash)


def paint(
    card: WalletCard, width: int = 74, *, held: WalletFunds = HELD, ascii_only: bool = False,
) -> tuple[Line, ...]:  # fmt: skip
    return paint_card(
        card, width, mode=Mode.LIVE, held=held, now=NOW,
    )  # fmt: skip


def text(lines: tuple[Line, ...]) -> str:
    return "\n".join("".join(cell.text for cell in line).rstrip() for line in lines)


@pytest.mark.parametrize("width", [28, 38, 74, 116])
@pytest.mark.parametrize(
    "card", [APPROVE_CARD, SEND_CARD, REDEEM_CARD, MERGE_CARD, DEPLOY_CARD, SIGN_IN_CARD]
)
def test_nothing_that_is_signed_is_cut_in_any_width(card: WalletCard, width: int) -> None:
    lines = paint(card, width)
    assert all(line_width(line) <= width for line in lines)
    shown = "".join(text(lines).split())
    assert card.wallet in shown
    assert card.digest in shown
    for call in card.calls:
        assert call.target in shown
        values = [value for _, value in call.arguments if value != str(UNLIMITED_APPROVAL)]
        assert all(value in shown for value in values)
        assert ("unlimited(2^256-1)" in shown) is (len(values) < len(call.arguments))


def test_a_batch_says_who_pays_the_gas_until_when_and_what_is_hashed() -> None:
    shown = text(paint(APPROVE_CARD))
    assert "LIVE" in shown
    assert "Gas       paid by the relayer" in shown
    assert "Deadline  2026-06-15 12:10:00 UTC (in 10m)" in shown
    assert f"Hash      {DIGEST}"[:74] in shown
    assert "Nonce     4" in shown
    assert f"exchange {EXCHANGE.address}" in shown
    assert f"on      pUSD {PUSD}" in shown
    assert "2. Let the exchange" in shown


def test_a_single_call_has_no_number_and_the_whole_recipient() -> None:
    shown = text(paint(SEND_CARD))
    assert "1. " not in shown
    assert STRANGER in shown
    assert "-$1,250.000001" in shown
    assert "$5,000.00 now, $3,749.99 after" in shown


def test_what_comes_out_stands_with_what_is_held_before_and_after() -> None:
    shown = text(paint(MERGE_CARD))
    assert "30 now, 17.5 after" in shown
    assert "12.5 now, 0 after" in shown
    assert "+$12.50  Cash: $5,000.00 now, $5,012.50 after" in shown
    assert BOTH.title in shown


def test_what_is_not_known_is_not_made_up() -> None:
    shown = text(paint(MERGE_CARD, held=WalletFunds()))
    assert "now" not in shown
    assert "+$12.50  Cash" in shown


def test_a_batch_that_would_revert_says_so_first() -> None:
    card = replace(SEND_CARD, simulation=Simulation.REVERTS, revert_reason="paused\x1b[2J")
    shown = text(paint(card))
    assert shown.index("would revert it: paused") < shown.index(STRANGER)
    assert "\x1b" not in shown
    assert "no reason" in text(paint(replace(card, revert_reason="")))


def test_a_text_is_quoted_line_by_line() -> None:
    shown = text(paint(SIGN_IN_CARD))
    assert "| polymarket.com wants you to sign in\n|\n| Nonce: 7f3a\n| Chain ID: 137" in shown


def test_a_deployment_signs_nothing() -> None:
    shown = text(paint(DEPLOY_CARD))
    assert "Nothing is signed" in shown
    assert NEWER.address in shown
    assert OWNER in shown
    assert "Hash" not in shown


def test_a_market_that_is_a_question_is_asked_about_once() -> None:
    shown = text(paint(replace(SEND_CARD, title="Redeem Will it rain?")))
    assert "Redeem Will it rain?" in shown
    assert "??" not in shown


@pytest.mark.parametrize(
    ("simulation", "said"),
    [
        (Simulation.PASSES_APART, "each call goes through by itself"),
        (Simulation.MAY_REVERT, "could not be tried as a whole"),
    ],
)
def test_a_batch_that_was_tried_call_by_call_says_so(simulation: Simulation, said: str) -> None:
    reason = "call 2 of 2: paused" if simulation is Simulation.MAY_REVERT else ""
    card = replace(SEND_CARD, simulation=simulation, revert_reason=reason)
    shown = " ".join(text(paint(card)).split())
    assert said in shown
    assert ("It may revert: tried alone, call 2 of 2: paused" in shown) is bool(reason)


def test_a_name_of_the_address_book_stands_beside_its_address() -> None:
    book = AddressBook((Contact(STRANGER, "cold"),))
    known = text(paint(SEND_CARD, held=funds_of(READY_WALLET, book)))
    assert f"“cold” of the address book {STRANGER}" in " ".join(known.split())
    assert "cold" not in text(paint(SEND_CARD))


def test_no_name_of_the_address_book_hides_a_contract() -> None:
    book = AddressBook((Contact(EXCHANGE.address, "cold"),))
    assert funds_of(READY_WALLET, book).names == HELD.names

"""Every line of the account in words: true, short enough, and free of what it must not tell."""

from dataclasses import replace

import pytest

from pmtui.domain.account.keys import KeyKind, SignatureType
from pmtui.domain.account.onboarding import (
    LastAnswer,
    Onboarding,
    Purpose,
    SetupState,
    SetupStep,
    Wallet,
    WalletForm,
)
from pmtui.domain.money import Micros
from pmtui.domain.orders.heartbeat import BeatState, HeartbeatPolicy, HeartbeatView
from pmtui.domain.orders.order import BalanceAllowance
from pmtui.ui.account.account_line import AccountLine
from pmtui.ui.account.account_words import ALLOWANCES, FORMS, KEY_KINDS, SIGNATURES, WORDS, Rule
from pmtui.ui.account.onboarding_lines import account_lines
from pmtui.ui.account.paint_account import BESIDE_RESULT
from tests.ui.fake_surface import NOW, PAPER_STATUS, READ_ONLY_STATUS
from tests.ui.onboarded import KEYLESS, NEG_RISK, NEWER, OLDER, OWNER, READY, allowing

ROOM_AT_80 = 80 - BESIDE_RESULT


def line(facts: Onboarding, key: str) -> AccountLine:
    status = READ_ONLY_STATUS if facts.key_problem else PAPER_STATUS
    return next(each for each in account_lines(facts, status) if each.key.startswith(key))


def result(facts: Onboarding, key: str) -> str:
    return line(facts, key).result


def test_every_word_there_can_be_is_there() -> None:
    assert set(WORDS) == {*SetupStep, *Rule} - {SetupStep.ALLOWANCE}
    assert set(ALLOWANCES) == set(Purpose)
    assert set(KEY_KINDS) == set(KeyKind)
    assert set(FORMS) == set(WalletForm)
    assert set(SIGNATURES) == set(SignatureType)


@pytest.mark.parametrize("facts", [READY, KEYLESS, Onboarding("live"), allowing(0, 5_000_000)])
def test_every_result_fits_a_small_screen(facts: Onboarding) -> None:
    lines = account_lines(facts, PAPER_STATUS)
    assert lines
    for each in lines:
        assert 0 < len(each.result) <= ROOM_AT_80, each.result
        assert len(each.words.title) <= 18


def test_steps_are_numbered_and_what_is_in_force_is_not() -> None:
    numbers = [each.number for each in account_lines(READY, PAPER_STATUS)]
    assert numbers == [*range(1, 13), 0, 0, 0, 0, 0, 0]


def test_a_ready_account_tells_results_and_whole_addresses() -> None:
    assert result(READY, "place") == "CH ZH: not blocked"
    assert result(READY, "key") == "0xf39Fd6…b92266 paper's own"
    assert line(READY, "key").full == f"{OWNER} (paper's own)"
    assert line(READY, "wallet").full.startswith(f"{NEWER.address}, deposit wallet: ")
    assert result(READY, "credentials") == "present, id 6f1c2a34…"
    assert result(READY, "allowance 0xe22") == "unlimited to 0xe2222d…310F59"
    assert result(READY, "balance") == "$10,000.00"
    assert result(READY, "signing") == "type 3, deposit wallet"
    assert result(READY, "limits") == "order $500.00, day's loss $200.00"
    assert line(READY, "limits").state is SetupState.DONE


def test_paper_never_asks_for_real_money() -> None:
    assert "never send it real money" in line(READY, "wallet").words.meaning
    assert READY.identity is not None
    real = replace(READY, identity=replace(READY.identity, kind=KeyKind.KEYSTORE))
    assert "Fund this address and no other" in line(real, "wallet").words.meaning


def test_an_address_stands_whole_where_there_is_room() -> None:
    assert line(READY, "wallet").with_whole_address == f"{NEWER.address} deposit wallet"
    assert line(READY, "place").with_whole_address == result(READY, "place")


def test_what_can_be_copied_is_an_address_or_the_command() -> None:
    assert line(READY, "key").copied == ("address", OWNER)
    for key in ("wallet", "deployed", "code", "balance"):
        assert line(READY, key).copied == ("address", NEWER.address)
    assert line(READY, "allowance 0xe22").copied == ("address", NEG_RISK.address)
    for key in ("place", "credentials", "standing", "limits"):
        assert line(READY, key).copied == ("", "")
    assert line(KEYLESS, "key").copied == ("command", "pmtui account new --profile live")
    assert line(replace(KEYLESS, remedy=""), "key").copied == ("", "")
    assert line(KEYLESS, "wallet").copied == ("", "")


def test_without_a_key_every_line_that_needs_one_says_so() -> None:
    for key in ("wallet", "deployed", "code", "credentials", "standing", "allowance", "balance",
                "signing"):  # fmt: skip
        assert result(KEYLESS, key) == "needs a key first"
        assert line(KEYLESS, key).to_do == ""
    assert "`pmtui account new --profile live`" in line(KEYLESS, "key").to_do
    assert "`pmtui account import --profile live`" in line(KEYLESS, "key").to_do
    assert line(KEYLESS, "entry").result.startswith("READ-ONLY: no key")


def test_a_locked_keystore_is_opened_by_starting_again() -> None:
    locked = replace(KEYLESS, remedy="pmtui --profile live", other_remedy="")
    assert line(locked, "key").to_do == (
        "Leave, and run `pmtui --profile live`: it asks for the passphrase."
    )
    assert line(replace(KEYLESS, remedy=""), "key").to_do == (
        "Start this profile again once that is over."
    )


def test_an_account_that_is_still_opening_knows_little() -> None:
    opening = replace(
        READY, maker=None, trading_key=None, deployed={}, code=LastAnswer(), balance=LastAnswer()
    )
    assert result(opening, "wallet") == "not loaded yet"
    assert OLDER.address in line(opening, "wallet").full
    assert NEWER.address in line(opening, "wallet").full
    assert result(opening, "code") == "the wallet is not known yet"
    refused = replace(opening, account_problem="no such key")
    assert result(refused, "credentials") == "the account is not open"
    assert line(refused, "credentials").problem == "no such key"
    assert result(Onboarding("live"), "key") == "being loaded"


def test_both_views_of_a_wallet_are_told_apart() -> None:
    unstreamed = replace(READY, deployed={NEWER.address: LastAnswer(False, NOW)})
    assert result(unstreamed, "deployed") == "not seen by the relayer; deployed on chain"
    nowhere = replace(unstreamed, code=LastAnswer(False, NOW))
    assert result(nowhere, "deployed") == "not deployed, says the relayer"
    assert result(nowhere, "code") == "no contract there"
    assert "refused until it is deployed" in line(nowhere, "deployed").to_do
    unasked = replace(READY, code=LastAnswer(), code_unasked="this profile names no chain host")
    assert result(unasked, "code") == "not asked: this profile names no chain host"


def test_a_key_that_pays_itself_needs_no_contract() -> None:
    own = Wallet(WalletForm.EOA, OWNER)
    assert READY.identity is not None
    identity = replace(READY.identity, signature_type=SignatureType.EOA, wallets=(own,))
    facts = replace(READY, identity=identity, maker=OWNER)
    assert result(facts, "deployed") == result(facts, "code")
    assert line(facts, "deployed").state is SetupState.NOT_NEEDED
    assert result(facts, "signing") == "type 0, the key's own address"


def test_allowances_are_told_to_the_cent() -> None:
    facts = allowing(0, 5_000_000)
    assert result(facts, "allowance 0xE11") == "none to 0xE11118…7B996B"
    assert "refused without it" in line(facts, "allowance 0xE11").to_do
    assert "deadline" in line(facts, "allowance 0xE11").words.signing
    assert result(facts, "allowance 0xe22") == "$5.00 to 0xe2222d…310F59"
    silent = replace(READY, balance=LastAnswer(BalanceAllowance(Micros(1)), NOW))
    assert result(silent, "allowance 0xE11") == "none listed by the trading host"
    assert line(silent, "allowance 0xE11").state is SetupState.NOT_KNOWN


def test_spent_play_money_is_not_asked_to_be_sent() -> None:
    spent = replace(READY, balance=LastAnswer(BalanceAllowance(Micros(0)), NOW))
    assert "Play money is given once" in line(spent, "balance").to_do
    assert READY.identity is not None
    real = replace(spent, identity=replace(READY.identity, kind=KeyKind.KEYSTORE))
    assert "Send pUSD" in line(real, "balance").to_do


@pytest.mark.parametrize(
    ("beat", "state"),
    [
        (BeatState.OFF, SetupState.NOT_NEEDED),
        (BeatState.STARTING, SetupState.NOT_KNOWN),
        (BeatState.BEATING, SetupState.DONE),
        (BeatState.LATE, SetupState.NOT_DONE),
        (BeatState.LOST, SetupState.NOT_DONE),
    ],
)
def test_heartbeats_are_told_as_they_stand(beat: BeatState, state: SetupState) -> None:
    view = HeartbeatView(HeartbeatPolicy.ON, beat, NOW)
    lines = account_lines(READY, replace(PAPER_STATUS, heartbeat=view))
    assert next(each for each in lines if each.key == "heartbeat").state is state


def test_a_lock_on_entry_is_told() -> None:
    locked = replace(PAPER_STATUS, kill_lock="Trading locked since 12:00")
    shown = next(each for each in account_lines(READY, locked) if each.key == "entry")
    assert (shown.state, shown.result) == (SetupState.NOT_DONE, "Trading locked since 12:00")

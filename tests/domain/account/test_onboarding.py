"""Where an account stands: nothing is done that nobody has told of."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.keys import KeyKind, SignatureType
from pmtui.domain.account.onboarding import (
    UNLIMITED,
    Identity,
    LastAnswer,
    Onboarding,
    Purpose,
    SetupState,
    SetupStep,
    Spender,
    StepStatus,
    TradingKey,
    Wallet,
    WalletForm,
    is_unlimited,
    missing_allowances,
    next_step,
    shorten_key_id,
    step_statuses,
)
from pmtui.domain.answers import GeoAnswer
from pmtui.domain.ids import Address
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import BalanceAllowance

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
OWNER = Address("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")
OLDER = Wallet(WalletForm.OLDER_DEPOSIT, Address("0xdf8b9E8f9AB23f261F6e1B171B7454ae6E46Ba76"))
NEWER = Wallet(WalletForm.DEPOSIT, Address("0xBc0fF067b7740Eff76C1ca93c875Ba6B890d6B50"))
EXCHANGE = Spender(Purpose.EXCHANGE, Address("0xE111180000d2663C0091e4f400237545B87B996B"))
NEG_RISK = Spender(Purpose.NEG_RISK_EXCHANGE, Address("0xe2222d279d744050d28e00520010520000310F59"))
ADAPTER = Spender(Purpose.ADAPTER, Address("0xAdA100Db00Ca00073811820692005400218FcE1f"))
MOST = 2**256 - 1

KEYED = Onboarding(
    "live",
    identity=Identity(KeyKind.KEYSTORE, OWNER, SignatureType.DEPOSIT_WALLET, (OLDER, NEWER)),
    spenders=(EXCHANGE, NEG_RISK, ADAPTER),
)
READY = replace(
    KEYED,
    maker=NEWER.address,
    place=LastAnswer(GeoAnswer(is_blocked=False, country="CH", region="ZH"), AT),
    deployed={OLDER.address: LastAnswer(False, AT), NEWER.address: LastAnswer(True, AT)},
    code=LastAnswer(True, AT),
    trading_key=TradingKey("6f1c2a34…", AT),
    closed_only=LastAnswer(False, AT),
    balance=LastAnswer(
        BalanceAllowance(Micros(1), ((EXCHANGE.address, MOST), (NEG_RISK.address, MOST))), AT
    ),
)


def stand(facts: Onboarding, step: SetupStep) -> StepStatus:
    return next(each for each in step_statuses(facts) if each.step is step)


def told(value: bool) -> LastAnswer[bool]:
    return LastAnswer(value, AT)


def test_where_everything_was_told_nothing_is_in_the_way() -> None:
    assert next_step(step_statuses(READY)) is None
    assert stand(READY, SetupStep.CREDENTIALS).as_of == AT


def test_a_fresh_session_knows_nothing_and_says_so() -> None:
    states = {each.step: each.state for each in step_statuses(Onboarding("live"))}
    assert states.pop(SetupStep.RELAYER_KEY) is SetupState.NOT_NEEDED
    assert set(states.values()) == {SetupState.NOT_KNOWN}


def test_without_a_key_the_key_is_the_next_thing() -> None:
    facts = replace(READY, identity=None, trading_key=None, maker=None, key_problem="no key")
    following = next_step(step_statuses(facts))
    assert following is not None
    assert following.step is SetupStep.KEY
    assert stand(facts, SetupStep.CREDENTIALS).state is SetupState.NOT_DONE
    assert stand(facts, SetupStep.WALLET).state is SetupState.NOT_KNOWN


@pytest.mark.parametrize(
    ("older", "wallet"),
    [
        (LastAnswer(), None),
        (told(True), OLDER),
        (told(False), NEWER),
        (LastAnswer(problem="down"), None),
    ],
)
def test_the_newer_wallet_pays_only_where_the_older_is_known_not_to_be_there(
    older: LastAnswer[bool], wallet: Wallet | None
) -> None:
    facts = replace(KEYED, deployed={OLDER.address: older})
    assert facts.wallet == wallet
    assert stand(facts, SetupStep.WALLET).problem == older.problem


def test_an_open_account_says_itself_which_wallet_pays() -> None:
    assert replace(KEYED, maker=OLDER.address).wallet == OLDER
    assert replace(KEYED, maker=OWNER).wallet is None


def test_a_key_that_pays_for_itself_needs_no_contract() -> None:
    own = Wallet(WalletForm.EOA, OWNER)
    identity = Identity(KeyKind.ENVIRONMENT, OWNER, SignatureType.EOA, (own,))
    facts = replace(READY, identity=identity, maker=None, deployed={}, code=LastAnswer())
    assert facts.wallet == own
    assert stand(facts, SetupStep.DEPLOYED).state is SetupState.NOT_NEEDED
    assert stand(facts, SetupStep.CODE).state is SetupState.NOT_NEEDED
    assert next_step(step_statuses(facts)) is None


def test_code_on_the_chain_goes_before_what_the_relayer_has_heard_of() -> None:
    unstreamed = replace(READY, deployed={NEWER.address: told(False)})
    assert stand(unstreamed, SetupStep.DEPLOYED).state is SetupState.DONE
    without = replace(unstreamed, code=told(False))
    assert stand(without, SetupStep.DEPLOYED).state is SetupState.NOT_DONE
    assert stand(without, SetupStep.CODE).state is SetupState.NOT_DONE


def test_what_blocks_or_limits_is_not_done() -> None:
    blocked = LastAnswer(GeoAnswer(is_blocked=True, country="US", region="NY"), AT)
    assert stand(replace(READY, place=blocked), SetupStep.PLACE).state is SetupState.NOT_DONE
    limited = replace(READY, closed_only=told(True))
    assert stand(limited, SetupStep.STANDING).state is SetupState.NOT_DONE
    empty = replace(READY, balance=LastAnswer(BalanceAllowance(Micros(0)), AT))
    assert stand(empty, SetupStep.BALANCE).state is SetupState.NOT_DONE


def test_an_account_that_does_not_open_says_why() -> None:
    facts = replace(KEYED, account_problem="Could not derive api key!")
    shown = stand(facts, SetupStep.CREDENTIALS)
    assert (shown.state, shown.problem) == (SetupState.NOT_DONE, "Could not derive api key!")


def test_a_failed_question_leaves_the_older_answer_with_its_age() -> None:
    facts = replace(READY, closed_only=LastAnswer(False, AT, "timed out"))
    shown = stand(facts, SetupStep.STANDING)
    assert (shown.state, shown.as_of, shown.problem) == (SetupState.DONE, AT, "timed out")


def test_contracts_are_told_apart_whatever_the_case_of_their_addresses() -> None:
    stranger = Address("0x" + "99" * 20)
    amounts = ((Address(EXCHANGE.address.lower()), MOST), (stranger, 7), (ADAPTER.address, 0))
    facts = replace(READY, balance=LastAnswer(BalanceAllowance(Micros(1), amounts), AT))
    stands = [each for each in step_statuses(facts) if each.step is SetupStep.ALLOWANCE]
    purposes = [each.spender.purpose for each in stands if each.spender]
    assert purposes == [
        Purpose.EXCHANGE, Purpose.NEG_RISK_EXCHANGE, Purpose.ADAPTER, Purpose.UNKNOWN
    ]  # fmt: skip
    assert [each.state for each in stands] == [
        SetupState.DONE, SetupState.NOT_KNOWN, SetupState.NOT_NEEDED, SetupState.NOT_NEEDED
    ]  # fmt: skip
    assert [each.is_needed for each in stands] == [True, True, False, False]
    assert len({each.name for each in step_statuses(facts)}) == len(step_statuses(facts))


def test_an_allowance_of_nothing_is_the_next_thing() -> None:
    amounts = ((EXCHANGE.address, MOST), (NEG_RISK.address, 0))
    facts = replace(READY, balance=LastAnswer(BalanceAllowance(Micros(1), amounts), AT))
    following = next_step(step_statuses(facts))
    assert following is not None
    assert following.spender == NEG_RISK


@given(st.text(alphabet="0123456789abcdef-", max_size=60))
def test_a_key_is_shown_by_its_first_digits_only(key_id: str) -> None:
    shown = shorten_key_id(key_id)
    assert len(shown) <= 9
    assert key_id.startswith(shown.rstrip("…"))


def test_more_than_all_money_is_unlimited() -> None:
    assert is_unlimited(MOST)
    assert not is_unlimited(UNLIMITED - 1)


def test_an_exchange_that_was_told_of_with_nothing_may_move_nothing() -> None:
    spenders = (EXCHANGE, NEG_RISK, ADAPTER)
    amounts = (
        (Address(EXCHANGE.address.lower()), 0), (NEG_RISK.address, 1), (ADAPTER.address, 0)
    )  # fmt: skip
    told = BalanceAllowance(Micros(1), amounts)
    assert missing_allowances(spenders, told) == {Purpose.EXCHANGE}
    assert missing_allowances(spenders, BalanceAllowance(Micros(1))) == frozenset()
    assert missing_allowances((), told) == frozenset()

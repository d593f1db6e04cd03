import pytest

from pmtui.domain.account.wallet_call import Call, DecodedCall
from pmtui.signing.calldata import approve, set_operator
from pmtui.signing.contracts import POLYGON
from pmtui.ui.wallet.call_words import CallWords, describe_call, set_bits, shorten_hash
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
    meaning,
)


def words_of(call: Call) -> CallWords:
    (decoded,) = meaning(call)
    return describe_call(decoded, NAMES)


@pytest.mark.parametrize(
    ("call", "parts", "is_risky"),
    [
        (APPROVALS[0], ("exchange", "unlimited"), True),
        (APPROVALS[1], ("exchange", "every outcome share"), True),
        (approve(POLYGON.collateral, POLYGON.exchange, 5_500_000), ("exchange", "$5.5"), False),
        (approve(POLYGON.collateral, POLYGON.exchange, 0), ("Withdraw", "exchange"), False),
        (
            set_operator(POLYGON.conditional_tokens, POLYGON.exchange, is_approved=False),
            ("Withdraw", "exchange"),
            False,
        ),
        (approve(POLYGON.collateral, STRANGER, 1), ("UNKNOWN", STRANGER, "$0.000001"), False),
        (SEND, ("$1,250.000001", STRANGER), True),
        (SPLIT, ("$1,250.000001", "1,250.000001 shares"), False),
        (MERGE, ("1,250.000001 shares", "$1,250.000001"), False),
        (REDEEM, ("Redeem", "both outcomes"), False),
        (CONVERT, ("1,250.000001 No", "1, 3"), False),
    ],
)
def test_a_call_is_one_sentence_with_its_exact_amounts(
    call: Call, parts: tuple[str, ...], is_risky: bool
) -> None:  # fmt: skip
    words = words_of(call)
    assert all(part in words.does for part in parts), words.does
    assert words.is_risky is is_risky


def test_target_and_addresses_are_named_and_whole() -> None:
    words = words_of(APPROVALS[0])
    assert words.target == f"pUSD {POLYGON.collateral}"
    assert words.function == "approve(spender, amount)"
    assert dict(words.arguments)["spender"] == f"exchange {POLYGON.exchange}"
    assert words.market == ""


def test_a_market_is_called_by_its_condition_id_and_its_title() -> None:
    words = words_of(MERGE)
    assert words.market == "Will it rain in Bergen?"
    assert dict(words.arguments)["conditionId"] == "0x" + "ab" * 32
    assert dict(words.arguments)["partition"] == "1, 2"
    assert dict(words.arguments)["amount"] == "1250.000001 (1,250,000,001 units)".replace(
        "1250", "1,250"
    )


def test_a_conversion_is_called_by_its_event() -> None:
    assert words_of(CONVERT).market == "Who wins the regatta?"


def test_a_function_without_words_is_shown_by_its_arguments() -> None:
    call = DecodedCall(STRANGER, "wrap", (("asset", STRANGER), ("amount", 5)))
    words = describe_call(call, NAMES)
    assert words.is_risky
    assert words.does == "Call wrap"
    assert words.target == STRANGER
    assert words.arguments[0] == ("asset", STRANGER)


def test_bits_are_counted_from_one() -> None:
    assert set_bits(0) == ()
    assert set_bits(0b1101) == (1, 3, 4)


def test_a_hash_is_shortened_to_its_ends() -> None:
    assert shorten_hash(DIGEST) == "0x5e5e5e5e…5e5e5e5e"
    assert shorten_hash("0x12") == "0x12"

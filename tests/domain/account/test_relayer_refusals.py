"""What the relayer refuses is explained, with its own words and the contract that it is about."""

import pytest

from pmtui.domain.account.relayer_refusals import COMPARE, explain_refusal
from pmtui.domain.ids import Address

CONTRACT = "0xd91E80cF2E7be2e162c6513ceD06f1dD0dA35296"
STRANGER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"


def name_of(address: Address) -> str:
    return "Old adapter" if address == CONTRACT else address


@pytest.mark.parametrize(
    "text",
    [
        "call blocked: call[0] blocked: calls to {} are not permitted",
        "setApprovalForAll operator {} is not in the allowed list",
    ],
)
def test_a_target_that_is_not_allowed_is_named_with_what_to_compare_it_with(text: str) -> None:
    known = explain_refusal(text.format(CONTRACT), name_of)
    assert "Old adapter" in known
    assert CONTRACT in known
    assert known.endswith(COMPARE)
    unknown = explain_refusal(text.format(STRANGER), name_of)
    assert unknown.count(STRANGER) == 1


def test_a_bounded_approval_is_explained() -> None:
    said = explain_refusal(f"approve to exchange {CONTRACT} must be MaxUint256", name_of)
    assert "Old adapter" in said


@pytest.mark.parametrize(
    "text",
    [
        f"wallet registry validation failed: wallet {STRANGER} is not registered",
        "deadline too soon",
        f"from {STRANGER} does not match auth {CONTRACT}",
        "invalid 'to' field: must be deposit wallet factory",
        "batch nonce 1 does not match on-chain nonce 2",
        "call blocked: call[0] blocked: self-call",
        "quota exceeded",
        "invalid authorization",
        "wallet busy: active action",
    ],
)
def test_every_known_refusal_is_said_in_words_before_its_own(text: str) -> None:
    said = explain_refusal(text, name_of)
    assert said.endswith(f"({text})")
    assert len(said) > len(text) + 10


def test_a_refusal_that_nobody_documented_stays_as_it_is() -> None:
    assert explain_refusal("the moon is in the way", name_of) == "the moon is in the way"

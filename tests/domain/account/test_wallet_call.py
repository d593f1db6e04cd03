import pytest

from pmtui.domain.account.wallet_call import (
    DecodedCall,
    RelayerState,
    SubmitRefusal,
    read_submit_refusal,
)
from pmtui.domain.ids import Address


def test_a_mined_transaction_is_not_at_its_end() -> None:
    terminal = {state for state in RelayerState if state.is_terminal}
    assert terminal == {RelayerState.CONFIRMED, RelayerState.FAILED, RelayerState.INVALID}


@pytest.mark.parametrize(
    ("status", "text", "expected"),
    [
        (400, "Batch nonce 3 does not match on-chain nonce 4", SubmitRefusal(True, 4)),
        (400, "batch nonce 0x3 does not match on-chain nonce 12.", SubmitRefusal(True, 12)),
        (400, "wallet has in-flight action", SubmitRefusal(True)),
        (429, "", SubmitRefusal(True)),
        (400, "call blocked: call[0] blocked: calls to 0x00 are not permitted", SubmitRefusal(False)),
        (400, f"batch nonce 1 does not match on-chain nonce {'9' * 100_000}", SubmitRefusal(True, int("9" * 78))),
        (500, "internal error", SubmitRefusal(False)),
    ],
)  # fmt: skip
def test_a_refused_submission_says_what_may_be_done(
    status: int, text: str, expected: SubmitRefusal
) -> None:
    assert read_submit_refusal(status, text) == expected


def test_an_argument_is_found_by_its_name() -> None:
    call = DecodedCall(Address("0x"), "transfer", (("to", "0x1"), ("amount", 5)))
    assert call.argument("amount") == 5
    with pytest.raises(KeyError):
        call.argument("spender")

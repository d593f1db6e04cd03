import copy
import pickle
import traceback

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.signing.secret import Secret, SecretError
from pmtui.signing.signer import KeyFormatError, Signer, recover_address

ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


def test_the_development_key_has_its_known_address(signer: Signer) -> None:
    assert signer.address == "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"


@given(st.integers(1, ORDER - 1), st.binary(min_size=32, max_size=32))
def test_every_signature_recovers_to_its_signer(scalar: int, digest: bytes) -> None:
    signer = Signer(Secret(scalar.to_bytes(32, "big")))
    signature = signer.sign_digest(digest)
    assert len(signature) == 65
    assert signature[64] in (27, 28)
    assert int.from_bytes(signature[32:64], "big") <= ORDER // 2
    assert signer.sign_digest(digest) == signature
    assert recover_address(digest, signature) == signer.address
    contract_style = signature[:64] + bytes((signature[64] - 27,))
    assert recover_address(digest, contract_style) == signer.address


@pytest.mark.parametrize("digest", [b"", bytes(31), bytes(33)], ids=len)
def test_what_is_no_digest_is_not_signed(signer: Signer, digest: bytes) -> None:
    with pytest.raises(ValueError, match="32"):
        signer.sign_digest(digest)


@given(st.binary(max_size=70))
def test_garbage_recovers_to_nobody_we_know(signature: bytes) -> None:
    recovered = recover_address(bytes(32), signature)
    assert recovered is None or len(signature) == 65


@pytest.mark.parametrize(
    "signature",
    [b"", bytes(64), bytes(66), bytes(65), b"\xff" * 64 + b"\x1b", b"\x01" * 64 + b"\x02"],
    ids=["empty", "short", "long", "zero", "out-of-range", "bad-v"],
)
def test_what_is_no_signature_recovers_to_nobody(signature: bytes) -> None:
    assert recover_address(bytes(32), signature) is None


@pytest.mark.parametrize(
    "key",
    [b"", b"\x01" * 31, b"\x01" * 33, bytes(32), ORDER.to_bytes(32, "big"), b"\xff" * 32],
    ids=["empty", "short", "long", "zero", "order", "max"],
)
def test_bytes_that_are_no_key_are_refused_without_showing_them(key: bytes) -> None:
    with pytest.raises(KeyFormatError) as caught:
        Signer(Secret(key))
    shown = "".join(traceback.format_exception(caught.value))
    assert "ffffffff" not in shown
    assert caught.value.__cause__ is None


def test_a_signer_shows_its_address_only_and_cannot_be_copied(signer: Signer) -> None:
    assert repr(signer) == f"Signer({signer.address})"
    for leak in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(SecretError):
            leak(signer)

import pytest

from pmtui.signing.auth import auth_headers, verify_auth
from pmtui.signing.signer import Signer


def test_headers_prove_their_signer(signer: Signer) -> None:
    headers = auth_headers(signer, timestamp_s=1_790_000_000)
    assert headers["POLY_NONCE"] == "0"
    assert verify_auth(headers) == signer.address


def test_an_address_in_lower_case_is_the_same_owner(signer: Signer) -> None:
    headers = auth_headers(signer, timestamp_s=1_790_000_000)
    assert verify_auth({**headers, "POLY_ADDRESS": signer.address.lower()}) == signer.address


@pytest.mark.parametrize(
    "change",
    [
        {"POLY_TIMESTAMP": "1790000001"},
        {"POLY_NONCE": "1"},
        {"POLY_NONCE": "-1"},
        {"POLY_NONCE": "٣"},
        {"POLY_NONCE": "9" * 78},
        {"POLY_ADDRESS": ""},
        {"POLY_ADDRESS": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"},
        {"POLY_SIGNATURE": ""},
        {"POLY_SIGNATURE": "0xzz"},
        {"POLY_SIGNATURE": "0x" + "00" * 65},
    ],
    ids=lambda c: "-".join(next(iter(c.items())))[:40],
)
def test_altered_headers_prove_nothing(signer: Signer, change: dict[str, str]) -> None:
    headers = auth_headers(signer, timestamp_s=1_790_000_000)
    assert verify_auth({**headers, **change}) is None


def test_a_signature_for_another_chain_proves_nothing(signer: Signer) -> None:
    headers = auth_headers(signer, timestamp_s=1_790_000_000, chain_id=80002)
    assert verify_auth(headers) is None
    assert verify_auth(headers, chain_id=80002) == signer.address


def test_missing_headers_prove_nothing() -> None:
    assert verify_auth({}) is None

import copy
import hashlib
import hmac
import pickle
from base64 import b64encode, urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import Address, ApiKey
from pmtui.signing.auth import (
    ApiCredentials,
    CredentialsError,
    RequestSigner,
    SignedIn,
    auth_headers,
    relayer_headers,
    verify_auth,
    verify_sign_in,
)
from pmtui.signing.secret import Secret, SecretError
from pmtui.signing.signer import Signer
from tests.signing.kit import sign_in
from tests.sim.kit import KEYS


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


ADDRESS = Address("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")
ZERO_SECRET = "A" * 43 + "="


def make_signer(secret: str = ZERO_SECRET, passphrase: str = "pass") -> RequestSigner:
    key = ApiKey("6f1c2a34-9a0b-4c7d-8e1f-0a1b2c3d4e5f")
    return RequestSigner(
        ApiCredentials(key, Secret.from_text(secret), Secret.from_text(passphrase))
    )


def test_the_known_value_of_the_official_libraries() -> None:
    signature = make_signer().signature("1000000", "test-sign", "/orders", b'{"hash": "0x123"}')
    assert signature == "ZwAdJKvoYRlEKDkNMwd5BuwNNtg93kNaR_oU2HrfVvc="


def test_a_secret_without_padding_is_the_same_secret() -> None:
    given_request = ("1", "GET", "/")
    bare = make_signer(ZERO_SECRET.rstrip("="))
    assert bare.signature(*given_request) == make_signer().signature(*given_request)


@given(st.binary(min_size=1, max_size=200), st.binary(max_size=300))
def test_the_kept_states_give_the_standard_hmac(secret: bytes, body: bytes) -> None:
    signer = make_signer(urlsafe_b64encode(secret).decode())
    expected = hmac.new(secret, b"1790000000POST/order" + body, hashlib.sha256).digest()
    for _ in range(2):
        signature = signer.signature("1790000000", "POST", "/order", body)
        assert signature == urlsafe_b64encode(expected).decode()


@pytest.mark.parametrize("secret", ["A", "é", ""])
def test_what_is_no_base64_is_refused_without_showing_it(secret: str) -> None:
    with pytest.raises(CredentialsError) as caught:
        make_signer(secret)
    assert caught.value.__context__ is None
    assert "é" not in str(caught.value)


@pytest.mark.parametrize(
    "change",
    [
        {"POLY_API_KEY": "another"},
        {"POLY_PASSPHRASE": "another"},
        {"POLY_SIGNATURE": "another"},
        {"POLY_SIGNATURE": "é"},
        {"POLY_TIMESTAMP": "1790000001"},
    ],
    ids=lambda c: "-".join(next(iter(c.items()))),
)
def test_altered_headers_do_not_verify(change: dict[str, str]) -> None:
    signer = make_signer()
    request = {"method": "POST", "path": "/order"}
    headers = signer.headers(ADDRESS, timestamp_s=1_790_000_000, body=b"{}", **request)
    assert signer.verify(headers, body=b"{}", **request)
    assert not signer.verify({**headers, **change}, body=b"{}", **request)
    assert not signer.verify({}, body=b"{}", **request)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [("GET", "/order", b"{}"), ("POST", "/orders", b"{}"), ("POST", "/order", b"{ }")],
)
def test_headers_do_not_verify_for_another_request(method: str, path: str, body: bytes) -> None:
    signer = make_signer()
    headers = signer.headers(
        ADDRESS, timestamp_s=1_790_000_000, method="POST", path="/order", body=b"{}"
    )
    assert not signer.verify(headers, method=method, path=path, body=body)


def test_other_credentials_do_not_verify() -> None:
    headers = make_signer().headers(
        ADDRESS, timestamp_s=1_790_000_000, method="GET", path="/data/orders"
    )
    other = make_signer("B" * 43 + "=")
    assert not other.verify(headers, method="GET", path="/data/orders", body=b"")


def test_a_builder_signs_the_same_message_under_its_own_names() -> None:
    headers = make_signer().builder_headers(timestamp_s=1, method="GET", path="/transactions")
    assert headers["POLY_BUILDER_SIGNATURE"] == make_signer().signature("1", "GET", "/transactions")
    assert headers["POLY_BUILDER_PASSPHRASE"] == "pass"


def test_a_relayer_key_is_sent_as_it_is() -> None:
    assert relayer_headers("key", ADDRESS) == {
        "RELAYER_API_KEY": "key",
        "RELAYER_API_KEY_ADDRESS": ADDRESS,
    }


def test_a_request_signer_shows_its_public_key_only_and_cannot_be_copied() -> None:
    signer = make_signer()
    assert repr(signer) == f"RequestSigner({signer.key})"
    for leak in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(SecretError):
            leak(signer)


OWNER = Signer(Secret.from_hex(KEYS[0]))


def signed(nonce: str = "abc", expiration: str | None = "2026-11-27T10:00:00.000Z") -> SignedIn:
    return sign_in(
        OWNER, nonce=nonce, issued_at="2026-11-20T10:00:00.000Z", expiration_time=expiration
    )


@pytest.mark.parametrize("expiration", [None, "2026-11-27T10:00:00.000Z"])
def test_a_bearer_proves_the_very_fields_that_were_signed(expiration: str | None) -> None:
    given = signed(expiration=expiration)
    assert verify_sign_in(given.authorization) == given.fields


def test_fields_that_were_not_signed_prove_nothing() -> None:
    mine, other = signed(), signed(nonce="other")
    assert verify_sign_in(SignedIn(other.fields, mine.signature).authorization) is None


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer !!!",
        "Basic " + b64encode(b"{}:::0x00").decode(),
        "Bearer " + b64encode(b"{}:::0x00").decode(),
        "Bearer " + b64encode(b"\xff\xfe:::0x").decode(),
        "Bearer " + b64encode(b"x" * 20_000).decode(),
    ],
)
def test_anything_else_proves_nothing(header: str) -> None:
    assert verify_sign_in(header) is None

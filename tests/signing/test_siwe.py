from base64 import b64encode

import pytest

from pmtui.signing.auth import SignedIn, sign_in, verify_sign_in
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from tests.sim.kit import KEYS

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

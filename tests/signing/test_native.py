from concurrent.futures import ThreadPoolExecutor

import pytest
from coincurve import PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from pmtui.signing.signer import make_signing, signing_as_promised

DIGESTS = st.binary(min_size=32, max_size=32)


@given(key=st.binary(min_size=32, max_size=32).filter(any), digest=DIGESTS)
def test_both_ways_give_the_same_bytes(key: bytes, digest: bytes) -> None:
    private = PrivateKey(bytes((key[0] % 255,)) + key[1:])
    assert make_signing(private)(digest) == signing_as_promised(private)(digest)


def test_threads_do_not_mix_their_signatures() -> None:
    private = PrivateKey(b"\x07" * 32)
    sign, promised = make_signing(private), signing_as_promised(private)
    digests = [number.to_bytes(32, "big") for number in range(1, 400)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(sign, digests)) == [promised(digest) for digest in digests]


@pytest.mark.parametrize("digest", [b"", bytes(31), bytes(33)], ids=len)
def test_what_is_no_digest_is_not_signed(digest: bytes) -> None:
    for sign in (
        make_signing(PrivateKey(b"\x07" * 32)),
        signing_as_promised(PrivateKey(b"\x07" * 32)),
    ):
        with pytest.raises(ValueError, match="32"):
            sign(digest)

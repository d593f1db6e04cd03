import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.signing.eip712 import keccak256, load_keccak256

EMPTY = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"


def test_the_hash_of_nothing_is_the_published_one() -> None:
    assert keccak256(b"").hex() == EMPTY


def test_the_fallback_takes_over_where_the_extension_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "sha3", None)
    fallback = load_keccak256()
    assert fallback.__name__ == "_pycryptodome_keccak256"
    assert fallback(b"").hex() == EMPTY


def test_the_extension_is_preferred(monkeypatch: pytest.MonkeyPatch) -> None:
    sha3 = pytest.importorskip("sha3")
    monkeypatch.setitem(sys.modules, "sha3", sha3)
    assert load_keccak256().__name__ == "fast_keccak256"


@given(st.binary(max_size=600))
def test_both_implementations_agree(data: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "sha3", None)
        fallback = load_keccak256()
    assert fallback(data) == keccak256(data)

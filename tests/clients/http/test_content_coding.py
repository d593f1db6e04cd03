import contextlib
import gzip
import random
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.clients.http.client import MAX_MEMBERS, STEP, BodyError, BodyReader


def read(
    body: bytes, encoding: str = "gzip", *, max_body: int = 1_000_000, piece: int = 65_536
) -> bytes:
    reader = BodyReader(encoding, max_body=max_body)
    for start in range(0, len(body), piece):
        for _ in reader.feed(body[start : start + piece]):
            pass
    return reader.finish()


@given(body=st.binary(max_size=3_000), piece=st.integers(1, 700), level=st.integers(0, 9))
def test_what_was_packed_comes_out_in_whatever_pieces_it_travels(
    body: bytes, piece: int, level: int
) -> None:
    assert read(gzip.compress(body, level), piece=piece) == body
    assert read(body, "", piece=piece) == body


def test_a_long_body_comes_out_whole() -> None:
    body = random.Random(3).randbytes(1_000_000) + b" " * 3_000_000
    assert read(gzip.compress(body), max_body=5_000_000) == body


@pytest.mark.parametrize("encoding", ["identity", "", " Identity "])
def test_a_body_that_is_not_packed_is_taken_as_it_is(encoding: str) -> None:
    assert read(b"plain", encoding) == b"plain"


@pytest.mark.parametrize(
    "encoding",
    ["gzip, gzip", "gzip,identity", "deflate", "br", "zstd", "gzip,", "GZIP\t,gzip", "?"],
)
def test_any_other_or_layered_coding_is_refused_before_the_body(encoding: str) -> None:
    with pytest.raises(BodyError, match="not asked for"):
        BodyReader(encoding, max_body=100)


def test_both_sizes_are_bounded() -> None:
    with pytest.raises(BodyError, match="more than 100 bytes"):
        read(b"x" * 101, "", max_body=100)
    with pytest.raises(BodyError, match="more than 100 bytes"):
        read(gzip.compress(b" " * 101), max_body=100)
    stored = gzip.compress(random.Random(1).randbytes(95), 0)
    assert len(stored) > 100
    with pytest.raises(BodyError, match="more than 100 bytes"):
        read(stored, max_body=100)
    assert read(gzip.compress(b" " * 100), max_body=100) == b" " * 100


def test_a_bomb_is_expanded_in_steps_and_no_further_than_its_bound() -> None:
    bomb = gzip.compress(b" " * 50_000_000)
    reader = BodyReader("gzip", max_body=1_000_000)
    steps = reader.feed(bomb)
    for _ in range(1_000_000 // STEP):
        next(steps)
    with pytest.raises(BodyError, match="more than"):
        next(steps)


def test_several_members_are_one_body_and_their_number_is_bounded() -> None:
    parts = gzip.compress(b"one ") + gzip.compress(b"two")
    for piece in (1, 7, len(parts)):
        assert read(parts, piece=piece) == b"one two"
    with pytest.raises(BodyError, match="decompressed"):
        read(gzip.compress(b"") * (MAX_MEMBERS + 1))


@pytest.mark.parametrize("tail", [b"\0", b"\0" * 8, b"trailing", b"\x1f", b"\x1f\x8b\x08"])
def test_anything_after_the_end_is_refused(tail: bytes) -> None:
    with pytest.raises(BodyError, match="decompressed"):
        read(gzip.compress(b"body") + tail)


def test_a_body_that_breaks_off_is_refused_wherever_it_does() -> None:
    packed = gzip.compress(b"a body of some length" * 5)
    for length in range(1, len(packed)):
        with pytest.raises(BodyError, match="decompressed"):
            read(packed[:length])


@given(noise=st.binary(min_size=1, max_size=200))
def test_noise_is_refused_or_empty(noise: bytes) -> None:
    for body in (noise, b"\x1f\x8b" + noise, b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + noise):
        with contextlib.suppress(BodyError):
            assert len(read(body)) <= 1_000_000


def test_other_formats_of_the_same_family_are_not_gzip() -> None:
    with pytest.raises(BodyError, match="decompressed"):
        read(zlib.compress(b"body"))

from pmtui.signing.eip712 import keccak256

EMPTY = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"


def test_the_hash_of_nothing_is_the_published_one() -> None:
    assert keccak256(b"").hex() == EMPTY


def test_an_input_longer_than_a_block_is_hashed_whole() -> None:
    # Published with the reference implementation: 200 bytes of 0xA3.
    expected = "3a57666b048777f2c953dc4456f45a2588e1cb6f2da760122d530ac2ce607d4a"
    assert keccak256(b"\xa3" * 200).hex() == expected
